"""Bounds on F(x) - F* that hold whoever found x: convexity gives f(z) >= f(x) + <g, z - x>.

So F(x) - F* <= phi(A x) + <g, x> - min_z (<g, z> + phi(A z)), over a set that surely contains a
solution: C where it is bounded, else the z whose F does not exceed F(x). There f >= 0, hence
phi(A z) <= F(x).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import zooadmm as zoo
from benchmarks.problem import Array, Problem, SplitStructure
from benchmarks.solve.data import matrix_and_targets
from zooadmm.losses import Squares
from zooadmm.problem.regularizers import NuclearNorm
from zooadmm.problem.sets import ConvexSet


def gap(problem: Problem, x: Array) -> float:
    """The bound on F(x) - F* at a feasible x."""
    g = problem.loss.gradient(x)
    if problem.feasible is not None:
        return float(g @ (x - cheapest(problem.feasible, g)))
    if isinstance(problem.structure, SplitStructure):
        return split_gap(problem, problem.structure, x, g)
    return norm_gap(problem, x, g)


def cheapest(feasible: ConvexSet, g: Array) -> Array:
    """argmin <g, s> over a bounded set (Frank and Wolfe's point)."""
    s = np.zeros_like(g)
    if isinstance(feasible, zoo.Box):
        s[:] = np.where(g > 0, feasible.lower, feasible.upper)
    elif isinstance(feasible, zoo.Simplex):
        s[np.argmin(g)] = 1.0
    elif isinstance(feasible, zoo.BoxBudget):  # whole units: bounds 0 and 1, an integer budget
        s[np.argsort(g)[: round(feasible.budget)]] = 1.0
    else:
        raise TypeError(f"there is no cheapest point of a {type(feasible).__name__} here.")
    return s


def norm_gap(problem: Problem, x: Array, g: Array) -> float:
    """For phi = strength |.|: with |z| <= R = F(x) / strength the minimum over z is
    min(0, R (strength - |g|_dual)).
    """
    strength: float = problem.regularizer.strength
    reach = problem.objective(x) / strength
    least = min(0.0, reach * (strength - dual_norm(problem.regularizer, g)))
    return float(g @ x) + problem.structure(x) - least


def dual_norm(phi: Any, g: Array) -> float:
    if isinstance(phi, NuclearNorm):
        return float(np.linalg.norm(g.reshape(phi.shape), 2))
    return float(np.abs(g).max())


def split_gap(problem: Problem, structure: SplitStructure, x: Array, g: Array) -> float:
    """With a u for which phi*(u) = 0, phi(A z) >= <u, A z>: the minimum over |z| <= R is at least
    -|g + A'u| R. The u is what the prox from x - g / L leaves behind.
    """
    structure.prox(x - g, 1.0)
    remainder = g + structure.A.T @ structure.dual
    reach = longest(problem, structure, problem.objective(x))
    return float(g @ x) + structure(x) + float(np.linalg.norm(remainder)) * reach


def longest(problem: Problem, structure: SplitStructure, value: float) -> float:
    """How long a z with F(z) <= value can be.

    |A z| <= value / strength; for squares |M z| / sqrt n <= |b| / sqrt n + sqrt value besides. The
    smallest singular value of all these rows does the rest.
    """
    rows: Array = structure.A.toarray()
    length = value / float(problem.regularizer.strength)
    if isinstance(problem.loss, Squares):
        M, b = matrix_and_targets(problem.loss)
        rows = np.vstack([rows, M / math.sqrt(len(b))])
        length += float(np.linalg.norm(b)) / math.sqrt(len(b)) + math.sqrt(value)
    return length / float(np.linalg.svd(rows, compute_uv=False)[-1])
