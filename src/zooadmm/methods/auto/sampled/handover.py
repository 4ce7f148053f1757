"""From fresh observations to the model of the mean over all of them."""

from __future__ import annotations

from typing import Any

import numpy as np

from zooadmm.methods.auto.model import MUCH_LESS, Model, Normals, QuasiNewton
from zooadmm.methods.auto.model.descent import Descending
from zooadmm.methods.auto.sampled.rounding import rounding
from zooadmm.methods.auto.sampled.state import Sampling

VANISHED = 1e-20
"""A loss that is smaller, beside its changes near x0, counts as zero."""


def continued(
    descent: Descending[Any], model: Model, sampling: Sampling, normals: Normals
) -> Model:
    """The model at x with the belief and the metric of the samples; F(x) is known by now."""
    assert isinstance(descent, QuasiNewton)
    return descent.resumed(
        model._replace(
            belief=sampling.belief,
            H=sampling.damping * sampling.H,
            first=sampling.damping * sampling.first,
            tau=sampling.tau,
            eps=max(rounding(abs(model.loss), sampling.first, sampling.at.x), sampling.eps),
            looks=1,
            whole=False,
            steps=sampling.steps,
        ),
        normals,
    )


def hidden(model: Model, change: float) -> bool:
    """Whether a settled model's rounding is that of values much larger than the last.

    change: of values near x0; a loss that has all but vanished beside it hides nothing.
    """
    return VANISHED * change < abs(model.loss) < MUCH_LESS * model.first_size


def renewed(descent: Descending[Any], model: Model, normals: Normals) -> Model:
    """The model with the rounding of its last values, in proportion; slopes are measured again."""
    assert isinstance(descent, QuasiNewton)
    size = abs(model.loss)
    error = rounding(size, np.diagonal(model.H), model.at.x)
    eps = max(error, model.eps * size / model.first_size)
    return descent.resumed(
        model._replace(eps=eps, first_size=size, looks=1, asked=0, whole=False), normals
    )
