"""The minibatch strategies, and the units and steps that they are run with."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

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

SWEPT = (SINGLE, FIFTY, ROWS, FIRST_ORDER)
"""The strategies of the paper's claims, which are run in every unit."""


@dataclass(frozen=True)
class Setting:
    """The unit of the ratings, and the step.

    curvature: the largest curvature of the loss in that unit; None for the ratings as they are.
    step: that of Sec. 6, 1/sqrt(m t), the same for all methods; or that of Corollary 3 as printed,
        1/sqrt((1 + m/(q1 q2)) t), and 1/sqrt t for O-ADMM.
    """

    curvature: float | None
    step: Literal["Sec. 6", "Corollary 3"] = "Sec. 6"

    @property
    def key(self) -> str:
        """Its name in rows and files: letters, digits and dashes.

        >>> Setting(0.1).key, RAW.key, COROLLARY.key
        ('unit-01', 'unit-raw', 'corollary')
        """
        if self.step == "Corollary 3":
            return "corollary"
        unit = "raw" if self.curvature is None else f"{self.curvature:g}".replace(".", "")
        return f"unit-{unit}"

    @property
    def words(self) -> str:
        """What the report calls it.

        >>> Setting(0.1).words, RAW.words
        ('curvature 0.1', 'raw ratings')
        """
        unit = "raw ratings" if self.curvature is None else f"curvature {self.curvature:g}"
        return unit if self.step == "Sec. 6" else f"{unit}, step of Corollary 3"

    def unit(self, blend: Blend) -> float:
        """What ratings and predictions are divided by; the minimizer stays where it is."""
        if self.curvature is None:
            return 1.0
        return math.sqrt(blend.curvature / self.curvature)

    def step_size(self, gradient: Gradient, m: int) -> zoo.paper.schedules.Power:
        """eta_t"""
        if self.step == "Sec. 6":
            return zoo.paper.schedules.general_step_size(m)
        if isinstance(gradient, zoo.paper.Exact):
            return zoo.paper.schedules.Power(1.0, 0.5)
        return zoo.paper.schedules.printed_minibatch_step_size(m, *averaged(gradient))


CURVATURES = (0.1, 1.0, 5.0, 10.0, 20.0, 50.0, 100.0)
"""The units of the sweep; the step C1/sqrt(m t) of Sec. 6 has C1 = 1 in each of them."""

RAW = Setting(None)
SWEEP = (*(Setting(curvature) for curvature in CURVATURES), RAW)
COROLLARY = Setting(1.0, "Corollary 3")
SETTINGS = (*SWEEP, COROLLARY)

CORRECTION = (
    "ratings in the unit of curvature 1 and the steps of Corollary 3, which differ between the "
    "methods, where the paper has the same parameter settings for all"
)
"""What is changed of the paper's setting in COROLLARY."""


def averaged(gradient: zoo.paper.Smoothed | zoo.paper.Paired) -> tuple[int, int]:
    """q1 and q2; pairs are independent in both, and count as that many directions.

    >>> averaged(zoo.paper.Smoothed(7, 3)), averaged(zoo.paper.Paired(50))
    ((7, 3), (50, 1))
    """
    if isinstance(gradient, zoo.paper.Paired):
        return gradient.num_pairs, 1
    return gradient.num_directions, gradient.num_observations
