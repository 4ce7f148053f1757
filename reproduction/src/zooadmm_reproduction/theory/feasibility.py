"""The constraint at the completed pair {x_t, y'_t}: whether A x + B y = c, and y' in Y."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.optimize import linprog

import zooadmm as zoo
from zooadmm_reproduction.claims import Claim, Verdict
from zooadmm_reproduction.exhibits import Exhibit, Picture, blank
from zooadmm_reproduction.experiment import Piece, Size
from zooadmm_reproduction.intervals import mean_of
from zooadmm_reproduction.rows import Row, column, short, where
from zooadmm_reproduction.theory.curves import across_trials, looks
from zooadmm_reproduction.theory.parts import Part, seeds
from zooadmm_reproduction.theory.pictures import BROKEN, MEASURED, band, label_axes

M, BUDGET = 20, 4.0
ROUNDING = 1e-9
"""|A x + B y' - c| below this is zero but for rounding."""

SIZES = {Size.QUICK: (600, 3), Size.FULL: (4_000, 6)}
"""How many iterations and trials."""


class Selection:
    """Sensor selection with a linear gain: f(x; w) = -<v + w, x>, X = [0, 1]^m, 1'y = budget.

    A is invertible but not the identity, B = -3 and c is such that x = 1/2 is feasible.
    """

    def __init__(self) -> None:
        rng = np.random.default_rng(11)
        self.A = np.eye(M) + 0.1 * rng.standard_normal((M, M))
        self.c = self.A @ np.full(M, 0.5) - 3 * BUDGET / M
        self.v = rng.uniform(0.5, 1.5, M)
        half = 0.5 * rng.standard_normal((8, M))
        self.observations = np.concatenate([half, -half])
        self.constraint = zoo.Linear(self.A, -3.0, self.c)
        # 1'y = budget with y = (A x - c)/3
        rows = self.A.sum(axis=0)[None, :]
        total = [3 * BUDGET + self.c.sum()]
        self.best = linprog(-self.v, A_eq=rows, b_eq=total, bounds=(0, 1)).x

    def values(self, points: Any, w: Any) -> Any:
        """A row a point, a column an observation."""
        return -points @ (self.v + np.asarray(w)).T


def runs(T: int, trials: int, seed: int) -> list[Row]:
    """Means up to T of f(x_t) - f(x*), of the distance of y'_t from Y, and the worst residual."""
    problem, rows = Selection(), []
    for trial, rng in enumerate(seeds(seed, trials)):
        worst: list[float] = []

        def look(info: Any, worst: list[float] = worst) -> None:
            y = problem.constraint.complete_y(info.x)
            off = float(np.linalg.norm(problem.constraint.residual(info.x, y)))
            worst.append(max(off, worst[-1] if worst else 0.0))

        regret = zoo.Regret(problem.best, max_rows=None)
        zoo.minimize(
            problem,
            np.full(M, 0.5),
            settings="paper",
            domain=zoo.Box(0.0, 1.0),
            regularizer=zoo.Budget(BUDGET),
            constraint=problem.constraint,
            observations=problem.observations,
            gradient=zoo.paper.Smoothed(10),
            penalty=0.1,
            max_iterations=T,
            max_trace_rows=0,
            rng=rng,
            regret=regret,
            callback=look,
            progress=False,
        )
        for t in looks(T):
            row: Row = {"study": "feasibility", "trial": trial, "T": t}
            row["outside"] = short(float(regret["y_violation"][t - 1]))
            row["regret"] = short(float(regret["completed_y"][t - 1]))
            rows.append({**row, "residual": short(worst[t - 1])})
    return rows


def pieces(size: Size, seed: int) -> list[Piece]:
    """One piece."""
    return [Piece("theory-feasibility", runs, (*SIZES[size], seed))]


def exhibits(rows: list[Row]) -> list[Exhibit]:
    """How far y' is from Y, and what it gains by that."""
    mine = where(rows, study="feasibility")
    gains: list[Row] = [{**row, "gain": -float(row["regret"])} for row in mine]
    figure, (axis,) = blank()
    band(axis, across_trials(mine, "outside"), "mean distance of $y'_t$ from Y", BROKEN)
    band(axis, across_trials(gains, "gain"), "mean of $F^* - F(x_t, y'_t)$", MEASURED)
    label_axes(axis, "iterations T", "mean up to T")
    caption = (
        f"Selection under a budget, m = {M}: X is a box, Y the budget, A x - 3 y = c. The "
        "objective at (x_t, y'_t) is below the minimum F* over feasible points, in the mean up to "
        "T, wherever its curve is drawn. Bands are 95% intervals over trials."
    )
    return [Picture("theory-feasibility", caption, figure, mine)]


def claims(rows: list[Row]) -> list[Claim]:
    """Sec. 3's remark."""
    mine = where(rows, study="feasibility")
    equality = max(column(mine, "residual"))
    last = where(mine, T=max(int(row["T"]) for row in mine))
    outside = mean_of(column(last, "outside"))
    lowest = min(across_trials(mine, "regret").values(), key=lambda of: of.middle)
    return [
        Claim(
            says="The equality constraint is always satisfied at (x_t, y'_t).",
            where="Sec. 3, before Theorem 1",
            measured=(
                f"|A x_t + B y'_t - c| was at most {equality:.1g}. That is not y'_t in Y: "
                f"its distance from Y is {outside} on average, and the mean of "
                f"F(x_t, y'_t) - F* was as low as {lowest}"
                f"{': such a pair can be below the minimum' if lowest.high < 0 else ''}."
            ),
            verdict=Verdict.HOLDS if equality <= ROUNDING else Verdict.FAILS,
            exhibit="theory-feasibility",
            errata=(11,),
            conclusion="A x + B y = c holds at completed pairs, though y'_t may leave Y.",
        )
    ]


PART = Part(pieces, exhibits, claims)
