"""The same problem with the domain X moved to the side of y, so that x is free.

phi = 0 with x = y becomes the indicator of X; any other phi gets a copy of x,

    [A; b I] x + [B, 0; 0, -b I] (y, u) = (c, 0),   phi(y) + 1_X(u),

with b^2 = tau where B'B = tau I, so that the y-step stays a prox. An entry of y that has bounds
only may be measured in any unit, and ADMM is quick in that in which its row of A is as long as b.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import scipy.sparse
import scipy.sparse.linalg
from numpy.typing import NDArray

from zooadmm.problem.arrays import Vector
from zooadmm.problem.constraint import Linear
from zooadmm.problem.problem import Problem
from zooadmm.problem.regularizers import Indicator, Regularizer
from zooadmm.problem.regularizers.beside import Beside
from zooadmm.problem.sets import Box, ConvexSet, WholeSpace
from zooadmm.structure.canonical import entries

SMALL = 200
"""Rows and columns up to which dense products are faster than sparse ones."""


def one_sided(problem: Problem) -> Problem:
    """The equivalent problem with X = R^m; the first d entries of its y are the y of this one."""
    if problem.domain.is_everything:
        return problem
    free = WholeSpace()
    if problem.constraint.is_consensus and problem.regularizer_is_zero:
        return replace(problem, regularizer=Indicator(problem.domain), domain=free)
    m, d = problem.m, problem.d
    beside = Beside(problem.regularizer, problem.domain, d)
    free_of_X = replace(problem, d=d + m, l=problem.l + m, regularizer=beside, domain=free)
    if problem.constraint.is_consensus and m <= SMALL:
        return replace(free_of_X, constraint=Linear(np.vstack([np.eye(m), np.eye(m)])))
    A, B = (entries(part) for part in problem.constraint.maps(m))
    b = math.sqrt(problem.constraint.tau or 1.0)
    c = -problem.constraint.residual(np.zeros(m), np.zeros(d))
    copy = b * scipy.sparse.eye_array(m)
    constraint = Linear(
        _dense_if_small(scipy.sparse.vstack([A, copy])),
        _dense_if_small(scipy.sparse.block_diag([B, -copy])),
        np.concatenate([c, np.zeros(m)]),
    )
    return replace(free_of_X, constraint=constraint)


def _dense_if_small(matrix: Any) -> Any:
    """A sparse matrix as it is multiplied fastest."""
    return matrix.toarray() if max(matrix.shape) <= SMALL else matrix


def with_even_rows(problem: Problem) -> tuple[Problem, Vector, Vector]:
    """The same for y' = u y and rows multiplied by v; u and v, positive numbers.

    They are powers of two, so that no bound is rounded, and 1 where phi is more than bounds or B
    more than one entry.
    """
    units, by_row = np.ones(problem.d), np.ones(problem.l)
    free = _has_bounds_only(problem.regularizer, problem.d)
    if problem.constraint.is_consensus or not free.any():
        return problem, units, by_row
    A, B = (entries(part) for part in problem.constraint.maps(problem.m))
    alone = (np.diff(B.indptr) == 1) & (scipy.sparse.linalg.norm(A, axis=1) > 0.0)
    used = np.bincount(B.indices, minlength=problem.d) == 1
    rows = np.flatnonzero(alone)
    columns = B.indices[B.indptr[rows]]
    rows, columns = (part[(free & used)[columns]] for part in (rows, columns))
    lengths = scipy.sparse.linalg.norm(A[rows], axis=1) / np.abs(B.data[B.indptr[rows]])
    units[columns] = np.exp2(-np.round(np.log2(lengths)))
    if (units == 1.0).all():
        return problem, units, by_row
    by_row[rows] = units[columns]
    c = -by_row * problem.constraint.residual(np.zeros(problem.m), np.zeros(problem.d))
    multiple = problem.constraint.multiple
    even = Linear(
        _dense_if_small(scipy.sparse.diags_array(by_row) @ A),
        _dense_if_small(B) if multiple is None else multiple,
        c,
    )
    phi = _in(units, problem.regularizer)
    return replace(problem, constraint=even, regularizer=phi), units, by_row


def _has_bounds_only(phi: Regularizer, d: int) -> NDArray[np.bool_]:
    """Entries of y of which phi is bounds and nothing else."""
    if isinstance(phi, Beside):
        rest = np.full(d - phi.d, phi.domain.bounds() is not None)
        return np.concatenate([_has_bounds_only(phi.regularizer, phi.d), rest])
    return np.full(d, isinstance(phi, Indicator) and phi.convex_set.bounds() is not None)


def _in(units: Vector, phi: Regularizer) -> Regularizer:
    """phi of y = y' / units."""
    if isinstance(phi, Beside):
        first, rest = units[: phi.d], units[phi.d :]
        return Beside(_in(first, phi.regularizer), _stretched(rest, phi.domain), phi.d)
    return Indicator(_stretched(units, phi.convex_set)) if isinstance(phi, Indicator) else phi


def _stretched(units: Vector, domain: ConvexSet) -> ConvexSet:
    bounds = domain.bounds()
    return domain if bounds is None else Box(units * bounds[0], units * bounds[1])
