"""Cells with running numbers, for runners that name an evaluation by one integer."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from zooadmm.oracle.queries import PairsQuery, Query
from zooadmm.problem.arguments import is_whole
from zooadmm.problem.arrays import Vector
from zooadmm.run.checkpoint.snapshot import Notes
from zooadmm.run.optimizer import Optimizer


class NumberedCell(NamedTuple):
    """One evaluation to make."""

    id: int
    """Its number among all evaluations of the run, from 0"""
    point: Vector


class NumberedCells:
    """An optimizer that hands out evaluations one at a time, by their numbers in the run.

    Answers may come in any order. The step is taken with the last answer of a query, so the run
    has the bits of one that answers each query at once. A cell has the same number in every
    process that runs the same optimizer, so that answers are accepted after a restart too.

    >>> cells = NumberedCells(Optimizer(np.zeros(2), rng=0))
    >>> while taken := cells.take():
    ...     for cell in taken:
    ...         counted = cells.answer(cell.id, float(np.square(cell.point - 1).sum()))
    >>> np.round(cells.optimizer.result().x, 3)
    array([1., 1.])
    """

    def __init__(self, optimizer: Optimizer) -> None:
        self.optimizer = optimizer

    @property
    def query(self) -> Query | None:
        """The pending query; None when the run has ended."""
        query = self.optimizer.ask()
        if query is not None and (query.gradients > 0 or isinstance(query, PairsQuery)):
            what = "comparisons" if query.gradients == 0 else "gradients"
            raise ValueError(f"settings ask for {what}; only values can be handed out here.")
        return query

    def take(self, n: int = 1) -> list[NumberedCell]:
        """At most n cells that nobody has; none where all are out, or the run has ended."""
        if self.query is None:
            return []
        first = self.optimizer.evaluations
        return [NumberedCell(first + c.id[1], c.point) for c in self.optimizer.ask(n) or ()]

    def cell(self, id: int) -> NumberedCell:
        """A cell of the pending query by its number."""
        query, place = self.query, id - self.optimizer.evaluations
        if query is None or not 0 <= place < query.cells:
            raise ValueError(f"evaluation {id} is not pending.")
        (evaluation,) = query.evaluations_within(place, place + 1)
        return NumberedCell(id, np.array(evaluation.point))

    def release(self, id: int) -> None:
        """Let `take` hand out a cell again, whose evaluation was lost."""
        query, place = self.query, id - self.optimizer.evaluations
        if query is not None and 0 <= place < query.cells:
            self.optimizer.give_up((query.id, place))

    def release_all(self) -> None:
        """The same for all cells that are out."""
        query, first = self.query, self.optimizer.evaluations
        for place in range(0 if query is None else query.cells):
            self.release(first + place)

    def knows(self, id: Any) -> bool:
        """Whether a cell up to the pending query has this number."""
        if not is_whole(id):
            return False
        query = self.query
        pending = 0 if query is None else query.cells
        return bool(0 <= id < self.optimizer.evaluations + pending)

    def answer(self, id: int, value: float) -> bool:
        """Take the value of a cell; False where it has an answer already, which stands.

        Nan and infinities are values: the evaluation failed there. On an error nothing changes.
        """
        if not self.knows(id):
            raise ValueError(f"evaluation {id!r} is unknown: this run has not handed it out.")
        query, place = self.query, int(id) - self.optimizer.evaluations
        if query is None or place < 0 or not self.optimizer.needs((query.id, place)):
            return False
        fits = query.forgiving or math.isfinite(value)
        self.optimizer.tell((query.id, place), float(value) if fits else np.ma.masked)
        return True

    def save(self, path: str | Path, notes: Notes | None = None) -> None:
        """Write the run, its answers, and which cells are out to a file, atomically."""
        self.optimizer.save(path, notes)

    def load(self, path: str | Path) -> Notes:
        """Go on from a file that `save` wrote; what was out still is."""
        return self.optimizer.load(path)
