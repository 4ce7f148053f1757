"""Values that are mostly exact and seldom far off: each is repeated until two are the same.

A simulation that fails now and then and returns what it has: no mean and no standard deviation says
anything of such a loss, but values that agree to the last digit do. Where outliers are a part p of
all values, 2 / (1 - p) of them show one. Should outliers agree as well, three must be the same.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from zooadmm.methods.auto.constants import FEW
from zooadmm.methods.auto.known import NOWHERE, Known
from zooadmm.methods.auto.model.regression import NO_VALUES
from zooadmm.methods.auto.probe.state import Radius
from zooadmm.methods.auto.strategy import Progress
from zooadmm.oracle.queries import Answer, PointsQuery, Query
from zooadmm.problem.arrays import Matrix
from zooadmm.problem.problem import Problem


def are_seen(repeated: Answer) -> bool:
    """Whether repeated values, a row a point, are mostly the same but not all.

    >>> are_seen(np.array([[2.0, 2.0, 2.0, 2.0, 7.5, 2.0, 2.0, 2.0]]))
    True
    >>> are_seen(np.array([[2.1, 1.9, 2.0, 2.2, 2.0, 1.8, 2.3, 2.4]]))
    False
    """
    most, number = _counts(repeated).max(axis=1), repeated.shape[1]
    return repeated.size >= FEW and bool((2 * most > number).all() and (most < number).any())


def restarted(problem: Problem, at: Progress) -> Progress:
    """At x0, without what single values have shown; from now on more of them must be the same."""
    x, y, dual = problem.start(at.known.start, None, None)
    known = at.known._replace(
        radius=Radius(),
        best=(x, y),
        failures=(),
        not_convex=False,
        lowest=math.inf,
        lowest_loss=math.inf,
        lowest_x=NOWHERE,
        values=NO_VALUES,
        repeats=at.known.repeats + 1,
    )
    return at._replace(x=x, y=y, dual=dual, known=known)


def cost(cells: int, known: Known) -> int:
    """Evaluations of the next query, for so many cells."""
    if len(known.tries) == 0:
        return known.repeats * cells
    return int(np.count_nonzero(are_open(known.tries, known.repeats)))


def repeated(id: int, query: Query, known: Known) -> PointsQuery:
    """Values of every cell of a query; then one more of each where too few are the same."""
    cells, repeats = list(range(query.evaluations)), known.repeats
    if len(known.tries) > 0:
        cells, repeats = np.flatnonzero(are_open(known.tries, repeats)).tolist(), 1
    return PointsQuery(id, np.array(query.points_at(cells)), None, repeats)


def joined(known: Known, answer: Answer) -> Matrix:
    """The values so far of every cell, with those of an answer; a settled one stands for itself."""
    answer = np.where(np.isfinite(answer), answer, np.inf)
    if len(known.tries) == 0:
        return answer
    newest = values(known.tries)
    newest[are_open(known.tries, known.repeats)] = answer[:, 0]
    return np.column_stack([known.tries, newest])


def are_open(tries: Matrix, repeats: int) -> NDArray[np.bool_]:
    """The cells where too few values are the same; none after FEW more: then there is noise."""
    few = _counts(tries).max(axis=1) < repeats
    return np.asarray(few & (tries.shape[1] < repeats + FEW))


def values(tries: Matrix) -> Answer:
    """The value of each cell: the most frequent, or the median where all are different."""
    counts = _counts(tries)
    most = tries[np.arange(len(tries)), counts.argmax(axis=1)]
    return np.where(counts.max(axis=1) > 1, most, np.median(tries, axis=1))


def _counts(rows: Matrix) -> NDArray[np.intp]:
    """How often each value occurs in its row."""
    return np.asarray((rows[:, :, None] == rows[:, None, :]).sum(axis=2))
