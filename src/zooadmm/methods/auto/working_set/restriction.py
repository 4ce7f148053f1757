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

from zooadmm.methods.auto.constants import MOST_MODELED, TINY_PART
from zooadmm.methods.auto.working_set.entries import Indices
from zooadmm.problem.arrays import Vector
from zooadmm.problem.coordinates import Coordinates
from zooadmm.problem.problem import Problem
from zooadmm.structure.canonical import canonical


def sparse_coordinates(problem: Problem) -> Coordinates | None:
    """The parts of a problem for which zeros can be left alone; None for any other."""
    found, one = canonical(problem), np.zeros(1, dtype=np.intp)
    restrictable = hasattr(problem.regularizer, "restricted")
    if not restrictable or problem.domain.restricted(one) is None:
        return None
    if found is None or found.form.num_rows > 0:
        return None
    if problem.domain.bounds() is None or not found.form.phi.kinked.any():
        return None
    phi = found.form.phi
    zero_allowed = bool((phi.lower <= 0.0).all() and (phi.upper >= 0.0).all())
    return phi if zero_allowed and np.count_nonzero(light(phi.above)) <= MOST_MODELED // 2 else None


def light(w: Vector) -> NDArray[np.bool_]:
    """The variables that are always worked on."""
    return np.asarray(w <= TINY_PART * np.median(w))


def restricted(problem: Problem, to: Indices) -> Problem:
    """The problem on some variables, the others being zero.

    >>> from zooadmm.problem import L1, Consensus, Nonnegative
    >>> phi = L1(1.0, weights=np.arange(3.0))
    >>> whole = Problem(3, 3, 3, np.dtype(float), phi, Nonnegative(), Consensus())
    >>> part = restricted(whole, np.array([2, 0]))
    >>> part.m, part.regularizer, part.domain
    (2, L1(strength=1.0, weights=[2.0, 0.0]), Nonnegative())
    """
    k, domain = len(to), problem.domain.restricted(to)
    phi: Any = problem.regularizer
    assert domain is not None  # as `sparse_coordinates` has made sure
    return replace(problem, m=k, d=k, l=k, regularizer=phi.restricted(to), domain=domain)
