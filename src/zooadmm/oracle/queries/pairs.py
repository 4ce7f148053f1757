"""Queries that compare: which of two points is better."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from zooadmm.oracle.queries.query import Answer, SeparateQuery, Table, note
from zooadmm.problem.arrays import Matrix


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
        note(self, shape=(len(self.firsts),), evaluations=len(self.firsts))
        note(self, observations=tuple(self.seconds))

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
