"""What trials and slopes show of the model: its relative error, and whether it fits."""

from __future__ import annotations

import math

import numpy as np
import scipy.linalg

from zooadmm.methods.auto.constants import MOST_TAU, SINGULAR_PART, SMALL_PART
from zooadmm.methods.auto.model.slopes import Slopes
from zooadmm.methods.auto.model.state import NO_SECANT, Model
from zooadmm.problem.arrays import Matrix


def of_trial(model: Model, decrease: float, predicted: float) -> Model:
    """How the model has done: poorly below SMALL_PART of what it predicted, well from a half."""
    if decrease < SMALL_PART * predicted:
        return model._replace(poor=model.poor + 1, strained=model.strained + 1)
    if decrease < 0.5 * predicted:
        return model
    at_once = len(model.base) == 0
    return model._replace(poor=0, strained=0 if at_once else model.strained)


def of_slopes(model: Model, seen: Slopes) -> float:
    """tau, half from before and half from how far the slopes after a step are from v + H s.

    Along a step by a multiple of H a refused trial has shown already how far H is off; it says
    nothing of other directions, so the slopes across the step count alone.
    """
    s, H = model.secant.s, model.secant.H
    Hs = H @ s
    surprise = np.square(seen.values - seen.Z @ model.belief.v) - seen.variances
    along = np.square(seen.Z @ Hs)
    off = np.maximum(surprise, 0.0) / (0.5 * (float(s @ Hs) + along))
    across = along < 0.5 * float(s @ Hs)
    now = float(np.mean(off[across] if model.secant.short and across.any() else off))
    return math.sqrt(0.5 * model.tau**2 + 0.5 * min(now, MOST_TAU**2))


def with_metric(model: Model, H: Matrix) -> Model:
    """With a new H, or, where rounding might have made that singular, its diagonal as it was."""
    unit = np.sqrt(np.diagonal(H))
    scaled = H / unit / unit[:, None]
    factor, failed = scipy.linalg.lapack.dpotrf(scaled.T, lower=1, overwrite_a=1)
    if failed == 0 and np.diagonal(factor).min() ** 2 > SINGULAR_PART:  # not so where it is nan
        return model._replace(H=H)
    return model._replace(H=np.diag(np.diagonal(model.H)), secant=NO_SECANT)
