"""The same problem with the domain X moved to the side of y, so that x is free.

In closed form where x = y and the prox of phi over X is known; else by a copy of x,

    [A; b I] x + [B, 0; 0, -b I] (y, u) = (c, 0),   phi(y) + 1_X(u),

with b^2 = tau where B'B = tau I, so that the y-step stays a prox.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import scipy.sparse

from zooadmm.problem.arrays import Vector
from zooadmm.problem.constraint import Consensus, Linear
from zooadmm.problem.linear_map import LinearMap
from zooadmm.problem.problem import Problem
from zooadmm.problem.regularizers import Indicator, Regularizer, Within, Zero
from zooadmm.problem.regularizers.beside import Beside
from zooadmm.problem.regularizers.within import Separable
from zooadmm.problem.sets import Box, BoxBudget, Budget, ConvexSet, Nonnegative, Simplex, WholeSpace


def one_sided(problem: Problem) -> Problem:
    """The equivalent problem with X = R^m; the first d entries of its y are the y of this one."""
    if isinstance(problem.domain, WholeSpace):
        return problem
    free = WholeSpace()
    if isinstance(problem.constraint, Consensus):
        merged = _merged(problem.regularizer, problem.domain)
        if merged is not None:
            return replace(problem, regularizer=merged, domain=free)
    m, d = problem.m, problem.d
    A, B = (scipy.sparse.csr_array(_entries(part)) for part in problem.constraint.maps(m))
    b = math.sqrt(problem.constraint.tau or 1.0)
    c = -problem.constraint.residual(np.zeros(m), np.zeros(d))
    copy = b * scipy.sparse.eye_array(m)
    constraint = Linear(
        scipy.sparse.vstack([A, copy]),
        scipy.sparse.block_diag([B, -copy]),
        np.concatenate([c, np.zeros(m)]),
    )
    beside = Beside(problem.regularizer, problem.domain, d)
    return replace(
        problem,
        d=d + m,
        l=problem.l + m,
        regularizer=beside,
        domain=free,
        constraint=constraint,
    )


def _entries(part: LinearMap) -> object:
    return part.matrix if scipy.sparse.issparse(part.matrix) else part.dense()


def _merged(regularizer: Regularizer, domain: ConvexSet) -> Regularizer | None:
    """phi over X where its prox is known."""
    if isinstance(regularizer, Zero):
        return Indicator(domain)
    if isinstance(regularizer, Separable) and isinstance(domain, Box | Nonnegative):
        return Within(regularizer, domain)
    if isinstance(regularizer, Within) and isinstance(domain, Box | Nonnegative):
        return Within(regularizer.regularizer, _common(regularizer.box, domain))
    if isinstance(regularizer, Indicator):
        both = _both(regularizer.convex_set, domain) or _both(domain, regularizer.convex_set)
        return None if both is None else Indicator(both)
    return None


def _both(one: ConvexSet, other: ConvexSet) -> ConvexSet | None:
    """What two sets have in common, where it is one of ours."""
    if not isinstance(other, Box | Nonnegative):
        return None
    if isinstance(one, Box | Nonnegative):
        return _common(one, other)
    if isinstance(one, Budget):
        return BoxBudget(*_bounds(other), one.budget)
    if isinstance(one, BoxBudget | Simplex):
        inner = Box(0.0, math.inf) if isinstance(one, Simplex) else Box(one.lower, one.upper)
        return BoxBudget(*_bounds(_common(inner, other)), one.budget)
    return None


def _bounds(box: Box | Nonnegative) -> tuple[Vector | float, Vector | float]:
    return (0.0, math.inf) if isinstance(box, Nonnegative) else (box.lower, box.upper)


def _common(one: Box | Nonnegative, other: Box | Nonnegative) -> Box:
    (a, b), (c, d) = _bounds(one), _bounds(other)
    return Box(np.maximum(a, c), np.minimum(b, d))
