"""A problem whose phi is made of coordinates with an L1 part, and what is left of it on a few.

    phi(x) = sum_i w_i |x_i| + k x_i^2 / 2  over  l <= x <= u,   l <= 0 <= u

A variable at zero stays there as long as |g_i| <= w_i (on the sides where its bounds leave room),
so where most are zero a problem on the others has the same solution.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from zooadmm.methods.auto.working_set.entries import Indices
from zooadmm.problem.arrays import Vector
from zooadmm.problem.constraint import Consensus
from zooadmm.problem.problem import Problem
from zooadmm.problem.regularizers import L1, ElasticNet, Within
from zooadmm.problem.sets import Box, Nonnegative, WholeSpace
from zooadmm.structure.one_sided import one_sided
from zooadmm.structure.separable import Coordinates, coordinates

LIGHT = 1e-3
"""A variable whose w is below this part of the median counts as one without an L1 part."""

MOST_LIGHT = 500
"""How many of these there may be: they are always worked on."""


def sparse_coordinates(problem: Problem) -> Coordinates | None:
    """The parts of a problem for which zeros can be left alone; None for any other."""
    known = isinstance(problem.domain, WholeSpace | Box | Nonnegative)
    known &= isinstance(problem.regularizer, L1 | ElasticNet | Within)
    if not (known and isinstance(problem.constraint, Consensus)):
        return None
    parts = coordinates(one_sided(problem))
    if parts is None:
        return None
    zero_allowed = bool((parts.lower <= 0.0).all() and (parts.upper >= 0.0).all())
    return parts if zero_allowed and np.count_nonzero(light(parts.w)) <= MOST_LIGHT else None


def light(w: Vector) -> NDArray[np.bool_]:
    """The variables that are always worked on."""
    return np.asarray(w <= LIGHT * np.median(w))


def restricted(problem: Problem, to: Indices) -> Problem:
    """The problem on some variables, the others being zero.

    >>> phi = L1(1.0, weights=np.arange(3.0))
    >>> whole = Problem(3, 3, 3, np.dtype(float), phi, Nonnegative(), Consensus())
    >>> part = restricted(whole, np.array([2, 0]))
    >>> part.m, part.regularizer, part.domain
    (2, L1(strength=1.0, weights=[2.0, 0.0]), Nonnegative())
    """
    k = len(to)
    regularizer, domain = _part(problem.regularizer, to), _part(problem.domain, to)
    return replace(problem, m=k, d=k, l=k, regularizer=regularizer, domain=domain)


def _part(whole: Any, to: Indices) -> Any:
    """A regularizer or a set on some of its variables."""
    if isinstance(whole, L1) and whole.weights is not None:
        return L1(whole.strength, whole.weights[to])
    if isinstance(whole, Within):
        return Within(_part(whole.regularizer, to), _part(whole.box, to))
    if isinstance(whole, Box):
        lower, upper = (
            b[to] if isinstance(b, np.ndarray) else b for b in (whole.lower, whole.upper)
        )
        return Box(lower, upper)
    return whole
