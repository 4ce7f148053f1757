"""The same problem with the domain X moved to the side of y, so that x is free.

phi = 0 with x = y becomes the indicator of X; any other phi gets a copy of x,

    [A; b I] x + [B, 0; 0, -b I] (y, u) = (c, 0),   phi(y) + 1_X(u),

with b^2 = tau where B'B = tau I, so that the y-step stays a prox.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import scipy.sparse

from zooadmm.problem.constraint import Linear
from zooadmm.problem.problem import Problem
from zooadmm.problem.regularizers import Indicator
from zooadmm.problem.regularizers.beside import Beside
from zooadmm.problem.sets import WholeSpace
from zooadmm.structure.canonical import entries

SMALL = 200
"""Variables up to which dense products are faster than sparse ones."""


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
        scipy.sparse.vstack([A, copy]),
        scipy.sparse.block_diag([B, -copy]),
        np.concatenate([c, np.zeros(m)]),
    )
    return replace(free_of_X, constraint=constraint)
