"""Balls around the origin, in the l1, l2 and l-infinity norms."""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass, replace

import numpy as np

from zooadmm.problem.arrays import Vector
from zooadmm.problem.sets.bounds import Bound
from zooadmm.problem.sets.box import Coordinatewise
from zooadmm.problem.sets.convex_set import ConvexSet, Solid
from zooadmm.problem.sets.parameters import in_dtype_of, nonnegative, positive
from zooadmm.problem.sets.simplex import threshold


@dataclass(frozen=True)
class Ball(Solid):
    """{x : |x| <= radius} for some norm, with radius > 0."""

    radius: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "radius", positive("radius", self.radius))

    @abstractmethod
    def longest(self, m: int) -> float:
        """A bound on |d| for the d of length m with |d_i| <= 1."""

    def inradius(self, m: int) -> float:
        return self.radius / self.longest(m)

    def shrunk(self, radius: float) -> ConvexSet:
        return Inner(self, radius)


@dataclass(frozen=True)
class Inner(ConvexSet):
    """The concentric ball whose points stay in a ball when moved by |d_i| <= margin."""

    ball: Ball
    margin: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "margin", nonnegative("radius", self.margin))

    def project(self, v: Vector) -> Vector:
        left = self.ball.radius - self.margin * self.ball.longest(len(v))
        return replace(self.ball, radius=left).project(v)

    def fits(self, m: int) -> None:
        self.project(np.zeros(m))


@dataclass(frozen=True)
class L1Ball(Ball):
    """{x : |x_1| + ... + |x_m| <= radius} with radius > 0.

    The projection moves every coordinate towards zero by the same amount, and no further.

    >>> L1Ball(radius=2.0).project(np.array([3.0, -2.0, 0.5]))
    array([ 1.5, -0.5,  0. ])
    """

    def project(self, v: Vector) -> Vector:
        wide = np.asarray(v, dtype=np.float64)
        magnitudes = np.abs(wide)
        if magnitudes.sum() <= self.radius:
            return np.array(v)
        below = magnitudes - magnitudes.max()  # a radius far below max|v| is not lost in it
        kept = np.maximum(below - threshold(below, self.radius), 0.0)
        return in_dtype_of(v, np.where(wide < 0, 0.0 - kept, kept))

    def longest(self, m: int) -> float:
        return float(m)


@dataclass(frozen=True)
class L2Ball(Ball):
    """{x : |x|_2 <= radius} with radius > 0.

    >>> L2Ball(radius=1.0).project(np.array([3.0, -4.0]))
    array([ 0.6, -0.8])
    """

    def project(self, v: Vector) -> Vector:
        norm = float(np.linalg.norm(v))
        return np.array(v) if norm <= self.radius else v * (self.radius / norm)

    def longest(self, m: int) -> float:
        return math.sqrt(m)


@dataclass(frozen=True)
class LInfBall(Coordinatewise):
    """{x : |x_i| <= radius for every i} with radius > 0.

    >>> LInfBall(radius=1.0).project(np.array([3.0, -4.0, 0.5]))
    array([ 1. , -1. ,  0.5])
    """

    radius: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "radius", positive("radius", self.radius))

    def project(self, v: Vector) -> Vector:
        return np.clip(v, -self.radius, self.radius)

    def bounds(self) -> tuple[Bound, Bound]:
        return -self.radius, self.radius
