"""Queries about given points: for reports, models and line searches; and about gradients."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from zooadmm.oracle.observations import Batch
from zooadmm.oracle.queries.query import Evaluation, Query, SeparateQuery, Table, note
from zooadmm.problem.arrays import Matrix, Vector


@dataclass(frozen=True, eq=False, repr=False)
class PointQuery(Query):
    """The loss at one point, on each observation: for reports, not for steps."""

    radius = math.nan
    id: int
    x: Vector
    observations: Batch | None

    def __post_init__(self) -> None:
        object.__setattr__(
            self, "shape", (1,) if self.observations is None else (1, len(self.observations))
        )
        note(self, evaluations=self.shape[-1])

    def tables(self) -> Iterator[Table]:
        yield Table(self.x[None, :].copy(), self.observations, slice(0, self.evaluations))


@dataclass(frozen=True, eq=False, repr=False)
class PointsQuery(Query):
    """The loss at some points, all on the same observations, or `repeats` times without any.

    The answer has a row a point.
    """

    id: int
    candidates: Matrix
    """The points, one a row"""
    observations: Batch | None
    repeats: int = 1

    def __post_init__(self) -> None:
        width = self.repeats if self.observations is None else len(self.observations)
        note(self, shape=(len(self.candidates), width))
        note(self, evaluations=math.prod(self.shape))

    forgiving = True
    radius = math.nan

    def seams(self) -> list[int]:
        return list(range(0, self.evaluations + 1, self.shape[1]))

    def tables(self) -> Iterator[Table]:
        return self.tables_within(0, self.evaluations)

    def tables_within(self, start: int, stop: int) -> Iterator[Table]:
        width = self.shape[1]
        copies = 1 if self.observations is not None else width
        for j in range(start // width, -(-stop // width)):
            rows = np.repeat(self.candidates[j : j + 1], copies, axis=0)
            yield Table(rows, self.observations, slice(j * width, (j + 1) * width))


@dataclass(frozen=True, eq=False, repr=False)
class LineQuery(SeparateQuery):
    """The loss at x + s d for some steps s, on one observation or none.

    The answer has a number a step.
    """

    id: int
    x: Vector
    direction: Vector
    steps: Vector
    observations: Batch | None

    def __post_init__(self) -> None:
        note(self, shape=(len(self.steps),))
        note(self, evaluations=len(self.steps))

    forgiving = True
    radius = math.nan

    def tables_within(self, start: int, stop: int) -> Iterator[Table]:
        for j in range(start, stop):
            step = float(self.steps[j])
            point = (self.x + step * self.direction).astype(self.x.dtype, copy=False)
            yield Table(point[None, :], self.observations, slice(j, j + 1))


@dataclass(frozen=True, eq=False, repr=False)
class GradientQuery(Query):
    """The gradient of f(.; w_i) at x_t for each observation: what O-ADMM asks.

    The answer has a row an observation, or is a single vector for a loss without observations.
    """

    id: int
    x: Vector
    observations: Batch | None

    def __post_init__(self) -> None:
        m = len(self.x)
        object.__setattr__(
            self, "gradients", 1 if self.observations is None else len(self.observations)
        )
        object.__setattr__(
            self, "shape", (m,) if self.observations is None else (self.gradients, m)
        )
        note(self, width=m)

    evaluations = 0
    radius = math.nan

    @property
    def cells(self) -> int:
        return self.gradients

    def evaluations_within(self, start: int, stop: int) -> Iterator[Evaluation]:
        """The gradients of these cells."""
        for cell in range(start, stop):
            seen = None if self.observations is None else self.observations[cell]
            yield Evaluation(cell, self.x.copy(), seen)

    @property
    def points(self) -> Matrix:
        return self.x[None, :]

    def tables(self) -> Iterator[Table]:
        return iter(())

    def __repr__(self) -> str:
        return f"GradientQuery(id={self.id}, {self.cells} gradients)"
