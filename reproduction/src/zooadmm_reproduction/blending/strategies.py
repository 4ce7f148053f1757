"""The minibatch strategies, and the three settings that they are run with."""

from __future__ import annotations

from enum import StrEnum

import zooadmm as zoo
from zooadmm_reproduction.blending.data import Blend
from zooadmm_reproduction.exhibits import FIRST_ORDER

Gradient = zoo.paper.Smoothed | zoo.paper.Paired | zoo.paper.Exact
"""Estimated over q1 directions and q2 observations, over pairs of them, or true."""

SINGLE, FIFTY, ROWS = "q = 1", "50 directions", "50 observations"
TABLE, PAIRS = "7 x 7 hybrid", "50 pairs"

STRATEGIES: dict[str, Gradient] = {
    SINGLE: zoo.paper.Smoothed(1),
    "10 directions": zoo.paper.Smoothed(10),
    FIFTY: zoo.paper.Smoothed(50),
    "10 observations": zoo.paper.Smoothed(1, 10),
    ROWS: zoo.paper.Smoothed(1, 50),
    TABLE: zoo.paper.Smoothed(7, 7),
    PAIRS: zoo.paper.Paired(50),
    FIRST_ORDER: zoo.paper.Exact(),
}
"""All of them by name."""


class Setting(StrEnum):
    """What is taken from the paper, and what is corrected."""

    PRINTED = "printed"
    """Ratings as they are, eta_t = 1/sqrt(m t), rho = 10, x_1 = 0: Sec. 6."""
    SCALED = "scaled"
    """The same with ratings and predictions in the unit sqrt(L), in which L = 1."""
    COROLLARY = "corollary"
    """Beside that, the step of Corollary 3 as printed, 1/sqrt((1 + m/(q1 q2)) t)."""


WORDS = {
    Setting.PRINTED: "as printed",
    Setting.SCALED: "ratings scaled to curvature 1",
    Setting.COROLLARY: "ratings scaled, and the step of Corollary 3",
}
"""What the report calls the settings."""

CORRECTIONS = {
    Setting.SCALED: "ratings scaled to curvature 1; all methods have the same step still",
    Setting.COROLLARY: (
        "ratings scaled to curvature 1, and the steps of Corollary 3, which differ between the "
        "methods, longer for larger minibatches and longest for O-ADMM, where the paper has the "
        "same parameter settings for all"
    ),
}
"""What is changed of the paper's setting."""


def unit(setting: Setting, blend: Blend) -> float:
    """What ratings and predictions are divided by.

    The paper does not say in which unit its ratings are, and its step 1/sqrt(m t) is C1/sqrt(m t)
    with C1 = 1 in that unit. Where the curvature of a rating's loss is L, C1 = 1/L is the step of
    gradient descent; in the unit sqrt(L) that is the paper's C1 = 1. The rule has nothing to tune.
    """
    return 1.0 if setting is Setting.PRINTED else float(blend.curvature) ** 0.5


def step_size(setting: Setting, gradient: Gradient, m: int) -> zoo.paper.schedules.Power:
    """eta_t; with true gradients Corollary 3 has no m, and its step is 1/sqrt t."""
    if setting is not Setting.COROLLARY:
        return zoo.paper.schedules.general_step_size(m)
    if isinstance(gradient, zoo.paper.Exact):
        return zoo.paper.schedules.Power(1.0, 0.5)
    return zoo.paper.schedules.printed_minibatch_step_size(m, *averaged(gradient))


def averaged(gradient: zoo.paper.Smoothed | zoo.paper.Paired) -> tuple[int, int]:
    """q1 and q2; pairs are independent in both, and count as that many directions.

    >>> averaged(zoo.paper.Smoothed(7, 3)), averaged(zoo.paper.Paired(50))
    ((7, 3), (50, 1))
    """
    if isinstance(gradient, zoo.paper.Paired):
        return gradient.num_pairs, 1
    return gradient.num_directions, gradient.num_observations
