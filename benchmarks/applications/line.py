"""A line of the table: what is measured, and what it is held against."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

Figures = dict[str, float]


@dataclass(frozen=True)
class Limit:
    """What the median over seeds of a figure must be, to count as reached."""

    sense: Literal["at most", "at least", "below"]
    bound: float

    def holds(self, value: float) -> bool:
        """Whether the figure keeps to it; nan does not."""
        if self.sense == "at least":
            return value >= self.bound
        return value < self.bound if self.sense == "below" else value <= self.bound

    def __str__(self) -> str:
        return f"{self.sense} {self.bound:g}"


@dataclass(frozen=True)
class Line:
    """A question and its cases.

    run: from (case, seed, evaluations) to figures by name.
    limits: for the figures that have one; the others are only reported.
    evaluations: the budget of each fit.
    """

    name: str
    title: str
    cases: tuple[str, ...]
    run: Callable[[str, int, int], Figures]
    limits: dict[str, Limit]
    evaluations: int
