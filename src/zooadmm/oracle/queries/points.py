"""Queries about given points: for reports, models and line searches; and about gradients."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from zooadmm.oracle.observations import Batch
from zooadmm.oracle.queries.query import Answer, Evaluation, Query, SeparateQuery, Table
from zooadmm.problem.arrays import Matrix, Vector
from zooadmm.problem.sets import ProbeSafe


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
        count = len(self.candidates)
        vars(self).update(shape=(count, width), evaluations=count * width)

    forgiving = True
    radius = math.nan

    def seams(self) -> list[int]:
        return list(range(0, self.evaluations + 1, self.shape[1]))

    def tables_within(self, start: int, stop: int) -> Iterator[Table]:
        width = self.shape[1]
        copies = 1 if self.observations is not None else width
        for j in range(start // width, -(-stop // width)):
            rows = np.repeat(self.candidates[j : j + 1], copies, axis=0)
            yield Table(rows, self.observations, slice(j * width, (j + 1) * width))

    def points_at(self, cells: list[int]) -> list[Vector]:
        return [self.candidates[cell // self.shape[1]].copy() for cell in cells]

    def evaluations_within(self, start: int, stop: int) -> Iterator[Evaluation]:
        """Without a table for each point."""
        for cell in range(start, stop):
            row, column = divmod(cell, self.shape[1])
            seen = None if self.observations is None else self.observations[column]
            yield Evaluation(cell, self.candidates[row].copy(), seen)


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
        vars(self).update(shape=(len(self.steps),), evaluations=len(self.steps))

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
        m, seen = len(self.x), self.observations
        shape = (m,) if seen is None else (len(seen), m)
        vars(self).update(gradients=1 if seen is None else len(seen), shape=shape, width=m)

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

    def tables_within(self, start: int, stop: int) -> Iterator[Table]:
        return iter(())

    def __repr__(self) -> str:
        return f"GradientQuery(id={self.id}, {self.cells} gradients)"


@dataclass(frozen=True, eq=False, repr=False)
class RowsQuery(SeparateQuery):
    """The loss and its constraints at some points; the answer has a row (f, c_1, ..., c_k) a point.

    >>> import numpy as np
    >>> RowsQuery(1, np.zeros((3, 2)), 4).shape
    (3, 4)
    """

    id: int
    candidates: Matrix
    """The points, one a row"""
    numbers: int
    """1 + k"""

    forgiving = True
    radius = math.nan
    observations = None

    def __post_init__(self) -> None:
        vars(self).update(
            shape=(len(self.candidates), self.numbers), evaluations=len(self.candidates)
        )

    def tables_within(self, start: int, stop: int) -> Iterator[Table]:
        for j in range(start, stop):
            yield Table(self.candidates[j : j + 1].copy(), None, slice(j, j + 1))


@dataclass(frozen=True, eq=False, repr=False)
class ProbeQuery(Query):
    """The loss at x_t + beta_t z_t, on one observation or none. The answer has one number."""

    id: int
    x: Vector
    radius: float
    direction: Vector
    """z_t"""
    observations: Batch | None
    forgiving: bool = False
    before: float = math.nan
    """the value of the probe before, nan for the first"""
    inside: ProbeSafe | None = None
    """The set that the point may not leave, or None."""

    def __post_init__(self) -> None:
        vars(self).update(shape=(1,) if self.observations is None else (1, 1), evaluations=1)

    def after(self, value: float) -> ProbeQuery:
        """The same, after a probe of that value."""
        return replace(self, before=value)

    def tables_within(self, start: int, stop: int) -> Iterator[Table]:
        point = (self.x + self.radius * self.direction).astype(self.x.dtype, copy=False)[None, :]
        point = point if self.inside is None else self.inside.clip(point)
        yield Table(point, self.observations, slice(0, 1))


@dataclass(frozen=True, eq=False, repr=False)
class PairsQuery(SeparateQuery):
    """Pairs of points; the answer has the share of votes for the first of each pair.

    1 (or True) says that the first is better, 0 (or False) the second, and 0.5 neither. The loss is
    called as loss(first, second).

    >>> query = PairsQuery(1, np.zeros((3, 2)), np.ones((3, 2)), votes=1)
    >>> query.shape, query.pairs.shape
    ((3,), (3, 2, 2))
    """

    id: int
    firsts: Matrix
    """The first point of each pair, one a row"""
    seconds: Matrix
    votes: int
    """How many votes an answer stands for"""

    radius = math.nan
    calling = "With settings=Compare() the loss is called as loss(x, other), with two vectors."

    def __post_init__(self) -> None:
        vars(self).update(shape=(len(self.firsts),), evaluations=len(self.firsts))
        vars(self).update(observations=tuple(self.seconds))

    @property
    def pairs(self) -> NDArray[np.floating]:
        """The pairs, shape (pairs, 2, m)."""
        return np.stack([self.firsts, self.seconds], axis=1)

    @property
    def points(self) -> Matrix:
        """Both points of each pair in turn."""
        return self.pairs.reshape(-1, self.firsts.shape[1])

    def check(self, values: Answer, first: int = 0) -> None:
        """Refuse what is no share of votes, the answers from cell `first` on."""
        shares = np.asarray(values).reshape(-1)
        whole = self.votes > 1 or np.isin(shares, (0.0, 0.5, 1.0))
        wrong = np.flatnonzero(~(whole & (shares >= 0.0) & (shares <= 1.0)))
        if len(wrong) == 0:
            return
        value = shares[wrong[0]]
        hint = "to leave it out, mask it"
        if value == -1.0:
            hint = "for signs +1 and -1 return (1 + sign) / 2"
        elif 0.0 < value < 1.0:
            hint = "for a share of n votes give settings=Compare(votes=n)"
        raise ValueError(
            f"comparison {first + wrong[0]} of query {self.id} was answered by {value:g}; answer 1 "
            f"where the first point is better, 0 where the second is, 0.5 for neither; {hint}."
        )

    def tables_within(self, start: int, stop: int) -> Iterator[Table]:
        """A table a pair: the first point, with the second in the place of an observation."""
        for j in range(start, stop):
            other = (self.seconds[j].copy(),)
            yield Table(self.firsts[j : j + 1].copy(), other, slice(j, j + 1))

    def __repr__(self) -> str:
        return f"PairsQuery(id={self.id}, {self.evaluations} pairs)"
