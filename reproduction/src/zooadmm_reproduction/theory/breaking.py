"""The two problems on which Theorem 1 breaks, and how they are run and bounded."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import zooadmm as zoo
from zooadmm.analysis import theory
from zooadmm_reproduction.experiment import Piece, Size
from zooadmm_reproduction.intervals import Interval
from zooadmm_reproduction.rows import Row, distinct, short, where
from zooadmm_reproduction.theory.curves import across_trials, looks
from zooadmm_reproduction.theory.side_by_side import EXACT, measured
from zooadmm_reproduction.theory.signs import Signs
from zooadmm_reproduction.theory.verdicts import Check

PENALTIES = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0)
"""Up to the 10 of the paper's experiments."""

TRIALS = 24

LENGTHS = {Size.QUICK: 20_000, Size.FULL: 106_000}
"""How many iterations."""

THEOREM_1 = "theorem-1"
"""The finding that all consequences of the gap in the proof of Theorem 1 share."""


@dataclass(frozen=True)
class Breaking:
    """A problem with eta_t = 1/sqrt(m t) and constant alpha, and the half of Theorem 1 it breaks.

    study: names its rows; those of the sweep over penalties have "-penalties" after it.
    penalty: the one whose curve is kept for every T.
    complete: the side that is completed, "y" for {x_t, y'_t} and "x" for {x'_t, y_t}.
    column: the measured column of that pair.
    """

    study: str
    problem: Signs
    penalty: float
    complete: Literal["x", "y"]
    column: str

    @property
    def sweep(self) -> str:
        """The study of all penalties."""
        return f"{self.study}-penalties"

    def method(self, penalty: float) -> theory.Method:
        """The parameters of a run."""
        step_size = zoo.paper.schedules.general_step_size(self.problem.m)
        return self.problem.method(penalty, step_size, "constant")

    def runs(self, T: int, trials: int, seed: int) -> list[Row]:
        """The curve at one penalty, and the end of the runs at all of them."""
        places = looks(T)
        methods = [self.method(penalty) for penalty in PENALTIES]
        rows = measured(self.problem, methods, places, trials, seed)
        curve = [{"study": self.study, **row} for row in where(rows, penalty=self.penalty)]
        ends = [{"study": self.sweep, **row} for row in where(rows, T=places[-1])]
        return curve + ends

    def bounds(self, T: int) -> list[Row]:
        """What is printed and what is sound, wherever `runs` has rows."""
        places = looks(T)
        rows = [self._bounds(self.study, self.penalty, t) for t in places]
        return rows + [self._bounds(self.sweep, penalty, places[-1]) for penalty in PENALTIES]

    def _bounds(self, study: str, penalty: float, t: int) -> Row:
        of, known, side = self.method(penalty), self.problem.known, self.complete
        rate = theory.printed_regret_rate(t, of, known, 1.0, self.problem.C2, side)
        return {
            "study": f"{study}-bounds",
            "m": self.problem.m,
            "penalty": penalty,
            "T": t,
            "theorem_1": short(theory.printed_theorem_1(t, of, known, side)),
            "rate_12": short(rate),
            "sound": short(theory.regret_bound(t, of, known)),
            "sound_averages": short(theory.average_gap_bound(t, of, known)),
            "sound_completed": short(theory.completed_regret_bound(t, of, known, side)),
            "sound_residual": short(theory.residual_bound(t, of, known, side) ** 0.5),
        }

    def exact_runs(self, T: int, trials: int, seed: int) -> list[Row]:
        """The end of runs with exact gradients at the one penalty."""
        end = looks(T)[-1]
        rows = measured(self.problem, [self.method(self.penalty)], [end], trials, seed, EXACT)
        return [{"study": f"{self.study}-exact", **row} for row in rows]

    def pieces(self, size: Size, seed: int) -> list[Piece]:
        """The runs, those with exact gradients, and the bounds."""
        T = LENGTHS[size]
        return [
            Piece(f"theory-{self.study}", Breaking.runs, (self, T, TRIALS, seed)),
            Piece(f"theory-{self.study}-exact", Breaking.exact_runs, (self, T, TRIALS, seed)),
            Piece(f"theory-{self.study}-bounds", Breaking.bounds, (self, T)),
        ]

    def rows(self, rows: list[Row]) -> list[Row]:
        """The curve and its bounds."""
        return where(rows, study=self.study) + where(rows, study=f"{self.study}-bounds")

    def along_penalties(self, rows: list[Row]) -> dict[float, Check]:
        """The regret at the completed pair beside (10) at the end, for each penalty."""
        ends, limits = where(rows, study=self.sweep), where(rows, study=f"{self.sweep}-bounds")
        found = across_trials(ends, self.column, by="penalty")
        at = {float(row["penalty"]): float(row["theorem_1"]) for row in limits}
        return {penalty: Check(of, at[penalty]) for penalty, of in found.items()}

    def with_exact_gradients(self, rows: list[Row]) -> Interval:
        """The regret at the completed pair with exact gradients, at the end."""
        ends = where(rows, study=f"{self.study}-exact")
        (at,) = across_trials(ends, self.column).values()
        return at

    def end(self, rows: list[Row]) -> int:
        """The T of the sweep."""
        (T,) = distinct(where(rows, study=self.sweep), "T")
        return int(T)


KINK = Breaking("kink", Signs(kinks=5 * (1.0,)), 0.1, "y", "completed")
"""f = <random signs, x>, phi = |y|_1: the iterates scatter about the kinks of phi."""

VALLEY = Breaking("valley", Signs(kinks=(1.0, 0.0), width=0.02, C2=0.01), 0.03, "x", "other_side")
"""f has a valley along x_1 = x_2 as narrow as a kink, of which y knows nothing."""


def crossing(check: Check, T: int) -> float:
    """The T at which a regret like T^-1/4 meets a bound like T^-1/2, from both at one T.

    >>> round(crossing(Check(Interval(1.0, 0.9, 1.1), 2.0), 100))
    1600
    """
    return float(T * (check.bound / check.measured.middle) ** 4)
