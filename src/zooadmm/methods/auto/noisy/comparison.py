"""Comparison of two pairs by repeated noisy values."""

from __future__ import annotations

import numpy as np

from zooadmm.methods.auto.constants import CERTAIN, FACTOR
from zooadmm.methods.auto.noisy.state import Best, Spread
from zooadmm.oracle.queries import Answer
from zooadmm.problem.arrays import Vector

CHECKS = 80
"""A comparison evaluates both points once for so many values so far, at most: the next is due when
these are LATEST more, so comparisons take a tenth of all."""

CHECKS_OF_START = int(CHECKS / FACTOR)
"""The same while x0 is the best pair: to leave it is worth more."""


def most_repeats(spent: int, leaving: bool) -> int:
    """How often a comparison may evaluate both points; leaving: whether x0 is the best pair."""
    return spent // (CHECKS_OF_START if leaving else CHECKS)


def num_errors(spread: Spread) -> float:
    """Standard errors that leave no doubt: CERTAIN, or about as many as Student's t needs."""
    return CERTAIN * (1.0 + 2.0 / spread.number)


def combined(one: Best, other: Best) -> Best:
    """One pair by the values of both."""
    weights = np.array([one.error, other.error]) ** -2.0
    value = float(weights @ [one.value, other.value]) / float(weights.sum())
    return Best(one.at, value, float(weights.sum()) ** -0.5)


def finite_means(answer: Answer) -> Vector:
    """The mean of the finite values of each row; infinite where a row has none."""
    finite = np.isfinite(answer)
    numbers, sums = finite.sum(axis=1), np.where(finite, answer, 0.0).sum(axis=1)
    return np.where(numbers > 0, sums / np.maximum(numbers, 1), np.inf)


def pooled(spread: Spread, answer: Answer, doubted: bool = False) -> tuple[Spread, Vector, Vector]:
    """The noise with these repeated values, and the mean and the standard error of each row.

    doubted: if they show another noise than before, half or twice as large, they count alone.
    """
    finite = np.isfinite(answer)
    numbers, means = finite.sum(axis=1), finite_means(answer)
    off = np.where(finite, answer - means[:, None], 0.0)
    freedom = float(np.maximum(numbers - 1, 0).sum())
    seen = Spread(float(np.square(off).sum()), freedom)
    alone = doubted and freedom > 0.0 and not 0.5 <= seen.sigma / spread.sigma <= 2.0
    spread = seen if alone and not spread.is_given else spread.with_(seen)
    return spread, means, spread.sigma / np.sqrt(np.maximum(numbers, 1))
