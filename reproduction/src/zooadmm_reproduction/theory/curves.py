"""Regret as curves: rows of a run at growing T, and trials of them taken together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

import zooadmm as zoo
from zooadmm_reproduction.intervals import Interval, exponent_of, mean_of
from zooadmm_reproduction.rows import Row, column, distinct, short, where
from zooadmm_reproduction.theory.verdicts import Check

FIRST = 10
"""Curves begin here: before, the regret is that of the start."""

MEASURED = {
    "iterates": "iterates",
    "completed": "completed_y",
    "other_side": "completed_x",
    "averages": "averages",
    "residual": "residual",
}
"""Our columns, and those of `Regret`: the regret at {x_t, y_t}, at {x_t, y'_t} and at {x'_t, y_t},
the gap of the averages, and the mean of |A x_t + B y_t - c|."""


def looks(T: int) -> list[int]:
    """Where rows are: every second T at which `zooadmm.Regret` looks at the averages.

    It looks when T has grown by a fifth.

    >>> looks(40)
    [10, 15, 22, 33]
    """
    places = [1]
    while (t := int(np.ceil(places[-1] * 1.2))) <= T:
        places.append(t)
    return [t for t in places if t >= FIRST][::2]


def curve(regret: zoo.Regret, labels: Row) -> list[Row]:
    """The regret of one run, a row for each place of `looks`."""
    places = np.array(looks(int(regret["iteration"][-1]))) - 1
    columns = {name: regret[theirs][places] for name, theirs in MEASURED.items()}
    return [
        {**labels, "T": int(t) + 1, **{name: short(of[k]) for name, of in columns.items()}}
        for k, t in enumerate(places)
    ]


def settled_below(regret: zoo.Regret, error: float) -> int:
    """The iteration from which the regret at {x_t, y_t} is at most an error.

    Of a run of T iterations that ends above it, T + 1: it takes that many at least.
    """
    above = np.flatnonzero(regret["iterates"] > error)
    return int(above[-1]) + 2 if len(above) else 1  # iterations are numbered from 1


def across_trials(rows: Sequence[Row], name: str, by: str = "T") -> dict[float, Interval]:
    """The mean of a column over trials, for each T (or m, or q)."""
    places = sorted(distinct(rows, by), key=float)
    return {float(at): mean_of(column(where(rows, **{by: at}), name)) for at in places}


def exponent_of_trials(rows: Sequence[Row], name: str, by: str) -> Interval:
    """The exponent of a column in T, m or q: the mean over trials of each trial's own.

    The trials are independent of each other, whatever the points of one have in common.
    """
    return mean_of(
        [
            exponent_of(column(of_trial, by), column(of_trial, name)).middle
            for trial in distinct(rows, "trial")
            for of_trial in [where(rows, trial=trial)]
        ]
    )


def exponent_in_T(rows: Sequence[Row], name: str, start: int) -> Interval:
    """The exponent of a column in T from `start` on, in the mean over trials."""
    return exponent_of_trials([row for row in rows if float(row["T"]) >= start], name, "T")


def bound_of(rows: Sequence[Row], name: str, **wanted: Any) -> dict[float, float]:
    """A bound as a function of T, from the rows that have it."""
    return {float(row["T"]): float(row[name]) for row in where(rows, **wanted) if name in row}


def against(rows: Sequence[Row], labels: Row, name: str, bound: str) -> list[Check]:
    """A measured column beside a bound, for every m and T.

    labels: the study, and what else its rows have in common; the bounds are the rows with these
    labels of the study that is called like it with "-bounds" at the end.
    """
    mine, limits = (
        where(rows, **labels),
        where(rows, **{**labels, "study": f"{labels['study']}-bounds"}),
    )
    points: list[Check] = []
    for m in distinct(mine, "m"):
        at = bound_of(limits, bound, m=m)
        points += [Check(of, at[T]) for T, of in across_trials(where(mine, m=m), name).items()]
    return points
