"""Cells of the pending query, handed out one at a time to whoever evaluates them."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from zooadmm.oracle.queries import Query
from zooadmm.problem.arrays import Vector
from zooadmm.run.checkpoint.snapshot import Notes
from zooadmm.run.optimizer import Optimizer


class Cell(NamedTuple):
    """One evaluation to make."""

    id: int
    """Its number among all evaluations of the run, from 0"""
    point: Vector


class Handout:
    """An optimizer whose queries many evaluate, a cell each.

    Answers may come in any order. The step is taken with the last answer of a query, so the run
    has the bits of one that answers each query at once. A cell has the same number in every
    process that runs the same optimizer, so that answers are accepted after a restart too.

    >>> handout = Handout(Optimizer(np.zeros(2), rng=0))
    >>> while (cell := handout.take()) is not None:
    ...     accepted = handout.answer(cell.id, float(np.square(cell.point - 1).sum()))
    >>> np.round(handout.optimizer.result().x, 3)
    array([1., 1.])
    """

    def __init__(self, optimizer: Optimizer) -> None:
        self.optimizer = optimizer
        self._answers: dict[int, float] = {}
        self._out: set[int] = set()

    @property
    def query(self) -> Query | None:
        """The pending query; None when the run has ended."""
        query = self.optimizer.ask()
        if query is not None and query.gradients > 0:
            raise ValueError("settings ask for gradients; only values can be handed out here.")
        return query

    @property
    def outstanding(self) -> list[int]:
        """The numbers of the cells that were handed out and have no answer yet."""
        return sorted(self.optimizer.evaluations + cell for cell in self._out)

    def take(self) -> Cell | None:
        """The next cell that nobody has; None where all are out, or the run has ended."""
        query = self.query
        if query is None:
            return None
        for cell in range(query.cells):
            if cell not in self._answers and cell not in self._out:
                self._out.add(cell)
                return self.cell(self.optimizer.evaluations + cell)
        return None

    def cell(self, id: int) -> Cell:
        """A cell of the pending query by its number."""
        query, place = self.query, id - self.optimizer.evaluations
        if query is None or not 0 <= place < query.cells:
            raise ValueError(f"evaluation {id} is not pending.")
        (wanted,) = query.evaluations_within(place, place + 1)
        return Cell(id, np.array(wanted.point))

    def expect(self, id: int) -> None:
        """Count a cell as handed out: its evaluation goes on after a restart."""
        self._out.add(self.cell(id).id - self.optimizer.evaluations)

    def release(self, id: int) -> None:
        """Let the next `take` hand out a cell again, whose evaluation was lost."""
        self._out.discard(id - self.optimizer.evaluations)

    def knows(self, id: Any) -> bool:
        """Whether a cell up to the pending query has this number."""
        if not isinstance(id, int | np.integer) or isinstance(id, bool):
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
        place, query = int(id) - self.optimizer.evaluations, self.query
        if query is None or place < 0 or place in self._answers:
            return False
        answers = {**self._answers, place: float(value)}
        if len(answers) == query.cells:
            told = {cell: _accepted(one, query) for cell, one in answers.items()}
            self.optimizer.tell(query.id, told)
            self._answers, self._out = {}, set()
        else:
            self._answers = answers
            self._out.discard(place)
        return True

    def save(self, path: str | Path, notes: Notes | None = None) -> None:
        """Write the run with the answers to the pending query to a file, atomically."""
        told = np.array(sorted(self._answers.items()), dtype=np.float64).reshape(-1, 2)
        self.optimizer.save(path, {**(notes or {}), "answers": told})

    def load(self, path: str | Path) -> Notes:
        """Go on from a file that `save` wrote; cells without an answer are handed out again."""
        notes = dict(self.optimizer.load(path))
        self._answers = {int(cell): float(value) for cell, value in notes.pop("answers", ())}
        self._out = set()
        return notes


def _accepted(value: float, query: Query) -> Any:
    """The value as the query accepts it: one that is not finite is dropped where it must be."""
    return value if query.forgiving or math.isfinite(value) else np.ma.masked
