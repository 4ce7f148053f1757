"""The minibatch strategies, and the three settings that they are run with."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import zooadmm as zoo
from zooadmm.experiments.blending.data import Blend
from zooadmm.experiments.exhibits import FIRST_ORDER


@dataclass(frozen=True)
class Strategy:
    """A gradient: estimated over q1 directions and q2 observations, or true."""

    name: str
    gradient: zoo.Smoothed | zoo.Paired | zoo.Exact
    q1: int
    q2: int


SINGLE, FIFTY, ROWS = "q = 1", "50 directions", "50 observations"
TABLE, PAIRS = "7 x 7 hybrid", "50 pairs"

STRATEGIES = {
    strategy.name: strategy
    for strategy in (
        Strategy(SINGLE, zoo.Smoothed(1), 1, 1),
        Strategy("10 directions", zoo.Smoothed(10), 10, 1),
        Strategy(FIFTY, zoo.Smoothed(50), 50, 1),
        Strategy("10 observations", zoo.Smoothed(1, 10), 1, 10),
        Strategy(ROWS, zoo.Smoothed(1, 50), 1, 50),
        Strategy(TABLE, zoo.Smoothed(7, 7), 7, 7),
        Strategy(PAIRS, zoo.Paired(num_pairs=50), 50, 1),
        Strategy(FIRST_ORDER, zoo.Exact(), 0, 1),
    )
}
"""All of them by name. Of 50 pairs, all 50 terms are independent: they count as q1 = 50, q2 = 1."""


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


def unit(setting: Setting, blend: Blend) -> float:
    """What ratings and predictions are divided by.

    The paper does not say in which unit its ratings are, and its step 1/sqrt(m t) is C1/sqrt(m t)
    with C1 = 1 in that unit. Where the curvature of a rating's loss is L, C1 = 1/L is the step of
    gradient descent; in the unit sqrt(L) that is the paper's C1 = 1. The rule has nothing to tune.
    """
    return 1.0 if setting is Setting.PRINTED else float(blend.curvature) ** 0.5


def step_size(setting: Setting, strategy: Strategy, m: int) -> zoo.schedules.Power:
    """eta_t; with true gradients Corollary 3 has no m, and its step is 1/sqrt t."""
    if setting is not Setting.COROLLARY:
        return zoo.schedules.general_step_size(m)
    if strategy.name == FIRST_ORDER:
        return zoo.schedules.Power(1.0, 0.5)
    return zoo.schedules.printed_minibatch_step_size(m, strategy.q1, strategy.q2)
