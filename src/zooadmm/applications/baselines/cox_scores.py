"""Covariates one by one: the score test of Cox's model."""

from __future__ import annotations

from typing import Any

import numpy as np

from zooadmm.applications.cox_path import event_and_time
from zooadmm.applications.formulation import Array


def univariate_scores(X: Any, y: Any) -> Array:
    """U_j / sqrt(V_j) for each covariate by itself, the statistic by which Witten and Tibshirani
    (2010) rank genes: large where higher values go with earlier events.

        U_j = sum over events i of a_ij - mean_i,   V_j = sum over events i of variance_i,

    mean and variance of the covariate over the subjects at risk at the time of event i; these are
    slope and curvature of the log partial likelihood (ties after Breslow) at zero. A covariate that
    does not vary has the score 0.

    >>> y = np.array([(True, 1.0), (True, 2.0)], dtype=[("died", "?"), ("days", "<f8")])
    >>> univariate_scores([[1.0, 5.0], [0.0, 5.0]], y)
    array([1., 0.])
    """
    event, time = event_and_time(y)
    covariates = np.asarray(X, dtype=np.float64)
    centered = covariates - covariates.mean(axis=0)
    order = np.argsort(-time, kind="stable")  # so that a risk set is all up to some position
    at_risk = np.searchsorted(-time[order], -time[event], side="right")
    sums = np.cumsum(centered[order], axis=0)[at_risk - 1]
    squares = np.cumsum(np.square(centered[order]), axis=0)[at_risk - 1]
    means = sums / at_risk[:, None]
    variances = np.maximum(squares / at_risk[:, None] - np.square(means), 0.0)
    U, V = (centered[event] - means).sum(axis=0), variances.sum(axis=0)
    scores: Array = np.divide(U, np.sqrt(V), out=np.zeros_like(U), where=V > 0.0)
    return scores


def strongest(X: Any, y: Any, count: int) -> Array:
    """Coefficients for a risk score of the `count` covariates with the largest |scores|.

    Each is weighted by its score, all others are zero: a predictor to compare with.
    """
    scores = univariate_scores(X, y)
    if not 1 <= count <= len(scores):
        raise ValueError(f"count = {count} must be 1 to {len(scores)}, the covariates.")
    kept = np.argsort(-np.abs(scores), kind="stable")[:count]
    coefficients = np.zeros_like(scores)
    coefficients[kept] = scores[kept]
    return coefficients
