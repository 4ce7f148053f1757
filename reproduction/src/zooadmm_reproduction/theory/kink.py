"""A problem with its solution at a kink of phi, where iterates scatter: what Theorem 1 breaks on.

    f(x; w) = <w, x> + (sigma/2)|x|^2,  w = random signs times u
    phi(y) = u |y|_1,  x = y,  X = Y = [-u, u]^m

x* = 0 is the best batch solution whatever was drawn: no mean of w_i is beyond u in size. The unit u
is 1, or 1/sqrt m so that R, L1 and L2 do not depend on m.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

import zooadmm as zoo
from zooadmm.analysis import theory

FEW = 6
"""Up to this m all vectors of signs are observations; beyond, MANY of them and their opposites."""

MANY = 64


@dataclass(frozen=True)
class Kink:
    """The problem, and how it is run."""

    m: int
    unit: float
    sigma: float
    penalty: float
    step_size: Any
    proximal_weight: Any

    @property
    def observations(self) -> NDArray[np.float64]:
        """The w, one a row; their mean is zero."""
        if self.m <= FEW:
            return self.unit * np.array(list(itertools.product([-1.0, 1.0], repeat=self.m)))
        half = np.random.default_rng(self.m).choice([-1.0, 1.0], size=(MANY, self.m))
        return self.unit * np.concatenate([half, -half])

    @property
    def known(self) -> theory.Assumptions:
        """Its constants: E|w + sigma x|^2 = |w|^2 + sigma^2 |x|^2, and |x| <= sqrt(m) u."""
        size = math.sqrt(self.m) * self.unit
        return theory.Assumptions(
            R=2 * size,
            L1=size * math.sqrt(1 + self.sigma**2),
            L2=size,
            Lg=self.sigma,
            sigma=self.sigma,
            mean_gradient=self.sigma * size,
        )

    def values(self, points: NDArray[np.float64], w: Any) -> NDArray[np.float64]:
        """A row a point, a column an observation."""
        bowl = self.sigma / 2 * np.einsum("pi,pi->p", points, points)
        return np.asarray(points @ np.asarray(w).T + bowl[:, None])

    def settings(self) -> dict[str, Any]:
        """What a run is given, apart from the loss and the start at 0: two-point estimates."""
        box = zoo.Box(-self.unit, self.unit)
        return {
            "settings": "paper",
            "domain": box,
            "regularizer": zoo.regularizers.Within(zoo.L1(self.unit), box),
            "observations": self.observations,
            "gradient": zoo.paper.Smoothed(1),
            "step_size": self.step_size,
            "smoothing": zoo.paper.schedules.general_smoothing(self.m),
            "penalty": self.penalty,
            "proximal_weight": self.proximal_weight,
        }

    @property
    def method(self) -> theory.Method:
        """Its parameters, for the bounds."""
        return theory.method_of(zoo.Optimizer(np.zeros(self.m), **self.settings()).algorithm)

    def followed(self, T: int, rng: int) -> zoo.Regret:
        """The regret of a run of T iterations."""
        regret = zoo.Regret(np.zeros(self.m), max_rows=None)
        zoo.minimize(
            self,
            np.zeros(self.m),
            **self.settings(),
            max_iterations=T,
            max_trace_rows=0,
            rng=rng,
            regret=regret,
            progress=False,
        )
        return regret
