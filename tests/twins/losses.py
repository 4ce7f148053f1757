"""The losses written down slowly: one point, one observation, one sum at a time."""

from __future__ import annotations

import math

import numpy as np


def inner(a: np.ndarray, x: np.ndarray) -> float:
    return math.fsum(float(p) * float(q) for p, q in zip(a, x, strict=True))


def squares(features: np.ndarray, targets: np.ndarray, x: np.ndarray) -> dict[int, float]:
    """(a_i'x - b_i)^2 for each i."""
    return {i: (inner(features[i], x) - float(targets[i])) ** 2 for i in range(len(targets))}


def logistic(features: np.ndarray, labels: np.ndarray, x: np.ndarray) -> dict[int, float]:
    """log(1 + exp(-b_i a_i'x)) for each i, small margins only."""
    margins = [float(labels[i]) * inner(features[i], x) for i in range(len(labels))]
    return {i: math.log1p(math.exp(-margin)) for i, margin in enumerate(margins)}


def cox(
    covariates: np.ndarray, time: np.ndarray, event: np.ndarray, x: np.ndarray
) -> dict[int, float]:
    """The term of each event times (number of events) / n, its risk set gathered anew."""
    n = len(time)
    share = sum(1 for e in event if e) / n
    predictors = [inner(a, x) for a in covariates]
    terms = {}
    for i in range(n):
        if event[i]:
            at_risk = [predictors[j] for j in range(n) if time[j] >= time[i]]
            top = max(at_risk)
            log_sum = top + math.log(math.fsum(math.exp(p - top) for p in at_risk))
            terms[i] = share * (log_sum - predictors[i])
    return terms


def log_determinant(vectors: np.ndarray, x: np.ndarray) -> dict[int, float]:
    """-log det of the sum of weighted outer products, by eigenvalues."""
    terms = {}
    for t, sensors in enumerate(vectors):
        matrix = np.zeros((sensors.shape[1], sensors.shape[1]))
        for weight, a in zip(x, sensors, strict=True):
            matrix = matrix + weight * np.outer(a, a)
        eigenvalues = np.linalg.eigvalsh(matrix)
        positive = eigenvalues[0] > 0
        terms[t] = -math.fsum(math.log(e) for e in eigenvalues) if positive else math.inf
    return terms
