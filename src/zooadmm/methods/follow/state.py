"""What a follower knows between two queries."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from zooadmm.methods.follow.experts import Experts, first
from zooadmm.problem.arrays import Matrix, Vector


class Sizes(NamedTuple):
    """Running sizes that lengths of differences are chosen by."""

    step: float = 0.0
    """|g| / kappa, the way to the minimum of a round's model; 0 before the first round"""
    longest: float = 0.0
    """The longest distance from x of a round's curvatures; shorter after values that are not
    finite, or that rise like no quadratic"""
    along: float = 0.0
    """kappa"""
    across: float = 0.0
    """c"""
    variance: float = math.nan
    """Of single values on one observation; nan before it was measured, 0 for none"""
    widest: float = math.inf
    """The largest distance from x at which a noisy loss is evaluated, and an exact one first"""


class Slopes(NamedTuple):
    """The first half of a round: value and gradient at x."""

    value: float
    gradient: Vector
    across: Vector
    """A random unit vector orthogonal to the gradient"""
    length: float
    """How far from x the curvatures are measured"""


class FollowState(NamedTuple):
    """All that a follower has learned."""

    drawn: int
    """Observations drawn so far"""
    experts: Experts
    sizes: Sizes
    slopes: Slopes | None
    """Of the round that is half done; None between two rounds"""
    hessian: Matrix
    """Of a noisy loss, learned from all rounds; 0 before the first, and for an exact loss"""
    anchor: Vector
    """The x of the last round whose values were all finite; x_1 before the first"""
    failed: bool = False
    """Whether a value of the last gradient was not finite"""
    reach: float = math.inf
    """The longest move of a loss without noise: shorter after one to where f is not finite, and
    longer with each round"""


def initial(x: Vector) -> FollowState:
    """Before the first query."""
    return FollowState(0, first(x), Sizes(), None, np.zeros((len(x), len(x))), x)


def unit_across(gradient: Vector, drawn: Vector) -> Vector:
    """The part of a drawn vector that is orthogonal to the gradient, of length 1; 0 for m = 1."""
    u = gradient / np.linalg.norm(gradient)
    across = drawn - (drawn @ u) * u
    length = float(np.linalg.norm(across))
    return across / length if length > 1e-8 else np.zeros_like(across)
