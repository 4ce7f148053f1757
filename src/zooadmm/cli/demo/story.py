"""A problem, who solved it how well, and a picture."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from matplotlib.figure import Figure

import zooadmm as zoo
from zooadmm.analysis.style import RUST, TEAL
from zooadmm.applications import Formulation

Watch = Callable[[int, float], None]
"""Told how many values were taken so far, and the newest."""

OURS, OTHERS = RUST, TEAL
"""The color of what this library found, and of what others did."""


@dataclass(frozen=True)
class Line:
    """A line of the table.

    by: the method. given: what it was given: so many values, a formula, slopes.
    figures: one for each column of the story, as text; empty where there is none.
    """

    by: str
    given: str
    figures: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Story:
    """What one problem came to.

    title: the problem. columns: what the figures of its lines are, one quantity each.
    said: what else is to be known of the lines.
    """

    title: str
    columns: tuple[str, ...]
    lines: list[Line]
    said: str
    figure: Figure


def solved(problem: Formulation, evaluations: int, seed: int, watch: Watch) -> zoo.Result:
    """The run of `problem.minimize`, watched."""

    def watched(info: zoo.run.Info) -> None:
        watch(info.evaluations, info.loss)

    return problem.minimize(evaluations, rng=seed, callback=watched)


def values(count: int) -> str:
    """So many values, to be read.

    >>> values(12345)
    '12,345 values'
    """
    return f"{count:,} values"
