"""State of the descent by steps."""

from __future__ import annotations

import math
from typing import Literal, NamedTuple

import numpy as np

from zooadmm.problem.arrays import Vector

Stage = Literal["length", "gather", "search", "descend", "check"]
"""What the next values are for: the length of differences of a noisy loss; a gradient estimate at
x_1; points along the mean estimate; an iteration; a comparison with the best pair known."""


class Gathered(NamedTuple):
    """Moments of the gradient estimates made at x_1, the odd and the even ones apart."""

    number: int
    """K"""
    target: int
    """K at which the next search starts"""
    sums: tuple[Vector, Vector]
    squares: tuple[Vector, Vector]

    def plus(self, g: Vector) -> Gathered:
        """With one more estimate."""
        half, sums, squares = self.number % 2, list(self.sums), list(self.squares)
        sums[half] = sums[half] + g
        squares[half] = squares[half] + np.square(g, dtype=np.float64)
        pairs = (sums[0], sums[1]), (squares[0], squares[1])
        return Gathered(self.number + 1, self.target, *pairs)

    @property
    def mean(self) -> Vector:
        """The mean estimate."""
        return np.asarray((self.sums[0] + self.sums[1]) / self.number)

    def noise(self, weights: Vector) -> float:
        """V = E |g - E g|^2 in the dual of the metric, for one estimate."""
        n = self.number
        if n < 2:
            return 0.0
        spread = self.squares[0] + self.squares[1] - n * np.square(self.mean)
        return max(0.0, float((spread / weights).sum())) / (n - 1)

    def forgotten(self) -> Gathered:
        """Without the vectors, which have done their work."""
        nothing = np.zeros(0), np.zeros(0)
        return self._replace(sums=nothing, squares=nothing)


class Scale(NamedTuple):
    """The search along the path of a step from x_1 as its length tau grows."""

    tau: float = math.nan
    """The best step length so far, or the middle of the range that is being tried"""
    rounds: int = 0
    """How often the range has been moved"""


class Distance(NamedTuple):
    """The parts of the step size eta_t = r_t / sqrt(G_t)."""

    r: float = 0.0
    """The largest distance from x_1 so far"""
    G: float = 0.0
    """The sum of |x_{t+1} - x_t|^2 / eta_t^2, and of what the search began with"""


class Means(NamedTuple):
    """Weighted means of the iterates and of their gradients."""

    number: int
    """Iterations in the means"""
    x: Vector
    gradient: Vector
    trusted: bool
    """Whether the answer was no worse than the best pair known in the last comparison"""
    next_check: int
    """The number at which the answer is next compared with it"""
    reach: float
    """The distance r at which it is, if that comes first"""


class StepsState(NamedTuple):
    """State of the descent by steps."""

    stage: Stage
    num_directions: int
    """q1"""
    length: float
    """The distance between the points of a difference, sqrt(m) beta_t"""
    gathered: Gathered
    weights: Vector
    """The diagonal of the metric, with geometric mean 1; a single 1 for the identity"""
    means: Means
    chosen: float = math.nan
    """`length` before values that are not finite made it shorter; nan where none did"""
    scale: Scale = Scale()
    distance: Distance = Distance()
    penalty: float = 0.0
    """rho of the inner ADMM; 0 before the first"""
    streak: int = 0
    """Answers in a row with values that were not finite"""
    flipped: bool = False
    """Whether the next differences are taken on the other side"""
    lowest: float = math.inf
    """F at the best pair known, of a loss without noise; infinite where it is not known"""
    at_edge: bool = False
    """Whether every step from the best pair known leads to values that are not finite"""
