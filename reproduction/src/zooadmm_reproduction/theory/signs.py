"""Small problems with random signs, on which Theorem 1 breaks.

    f(x; w) = <w, x> + (sigma/2)|x|^2 + Huber(x_1 - x_2),  w = random signs
    phi(y) = sum_i kinks_i |y_i|,  x = y,  X = Y = [-1, 1]^m

x = y = 0 is the best point in expectation. The best in hindsight is at most as high, so a regret
against 0 that is above a bound is above it against the best in hindsight too.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

import zooadmm as zoo
from zooadmm.analysis import theory

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Signs:
    """The problem.

    kinks: the weights of |y_i| in phi; as many as variables.
    sigma: the strong convexity of f.
    width: Huber(u) is u^2/(2 width) up to width, then |u| - width/2; 0 for no such term.
    C2: beta_t = C2/(m^1.5 t).

    >>> Signs(kinks=(1.0, 0.0), width=0.02).known.Lg
    100.0
    """

    kinks: tuple[float, ...]
    sigma: float = 0.0
    width: float = 0.0
    C2: float = 1.0

    @property
    def m(self) -> int:
        """How many variables."""
        return len(self.kinks)

    @property
    def known(self) -> theory.Assumptions:
        """Its constants, all attained: E|w + g|^2 = |w|^2 + |g|^2, where g is `slope`."""
        size = math.sqrt(self.m)
        steepest = self.sigma * size + (math.sqrt(2) if self.width else 0.0)
        return theory.Assumptions(
            R=2 * size,
            L1=math.hypot(size, steepest),
            L2=math.hypot(*self.kinks),
            Lg=self.sigma + (2 / self.width if self.width else 0.0),
            sigma=self.sigma,
            mean_gradient=steepest,
        )

    def bend(self, x: Array) -> Array:
        """f(x; w) without <w, x>, which is E f; for points along the last axis."""
        bowl = self.sigma / 2 * np.einsum("...i,...i->...", x, x)
        if not self.width:
            return np.asarray(bowl)
        gap = np.abs(x[..., 0] - x[..., 1])
        inside = np.minimum(gap, self.width)
        return np.asarray(bowl + inside**2 / (2 * self.width) + gap - inside)

    def slope(self, x: Array) -> Array:
        """The gradient of `bend`."""
        slope = self.sigma * x
        if self.width:
            pull = np.clip((x[..., 0] - x[..., 1]) / self.width, -1, 1)
            slope = slope + np.stack([pull, -pull, *(self.m - 2) * [0 * pull]], axis=-1)
        return np.asarray(slope)

    def phi(self, y: Array) -> Array:
        """phi, for points along the last axis."""
        return np.asarray(np.abs(y) @ np.array(self.kinks))

    def method(self, penalty: float, step_size: Any, proximal_weight: Any) -> theory.Method:
        """The parameters of a run with two-point estimates, for the bounds."""
        run = self.optimizer(zoo.paper.Smoothed(1), penalty, step_size, proximal_weight)
        return theory.method_of(run.algorithm)

    def optimizer(
        self,
        gradient: zoo.paper.Smoothed | zoo.paper.Exact,
        penalty: float,
        step_size: Any,
        proximal_weight: Any,
        max_iterations: int = 1,
    ) -> zoo.Optimizer:
        """A run of the library on it, from x = y = 0."""
        box = zoo.Box(-1.0, 1.0)
        return zoo.Optimizer(
            np.zeros(self.m),
            settings="paper",
            domain=box,
            regularizer=zoo.regularizers.Within(zoo.L1(1.0, weights=np.array(self.kinks)), box),
            gradient=gradient,
            step_size=step_size,
            smoothing=zoo.paper.schedules.general_smoothing(self.m, self.C2),
            penalty=penalty,
            proximal_weight=proximal_weight,
            max_iterations=max_iterations,
        )
