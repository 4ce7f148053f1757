"""What is to be solved, in a form that every method can be given."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

import zooadmm as zoo
from zooadmm.problem.sets import ConvexSet

Array = NDArray[Any]


class BatchedLoss(Protocol):
    """f, many points at once: (points,) values, or (points, observations) of them."""

    @property
    def observations(self) -> NDArray[np.intp]: ...

    def values(self, points: Array, observations: Any = None) -> Array: ...

    def gradient(self, x: Array, w: Any = None) -> Array: ...


class Structure(Protocol):
    """What a problem adds to its loss: phi(A x) over x in C, and its prox."""

    def __call__(self, x: Array, /) -> float:
        """phi(A x), for x in C."""

    def prox(self, v: Array, tau: float) -> Array:
        """argmin over C of phi(A x) + |x - v|^2 / (2 tau)."""


@dataclass(frozen=True, eq=False)
class Problem:
    """minimize F(x) = f(x) + phi(A x) over x in C, where f can only be evaluated.

    name: what it is called in tables, `family-detail`.
    loss: f; with observations, f is their mean.
    x0: where every method starts; F is finite there.
    structure: phi(A x) and C as one function of x, with its prox.
    feasible: C, the set that an answer must lie in; None for all of R^m.
    regularizer, domain, constraint: the same for `zooadmm.minimize`: phi and X with A x = y.
        C is the part of X where phi(A x) is finite.
    complete: which side zooadmm completes; "x" where y has the zeros that a user wants.
    observations: what a stochastic problem samples from; None for a full batch.
    num_observations: q2, how many of them a measurement takes.
    noise: the standard deviation of what is added to every value, for a noisy black box.
    sparse: whether the zeros of the answer are part of what is wanted.
    optimum: F*, known to 1e-6 relative to F(x0) - F*; see `optima.py`.
    support: where the solution of a sparse problem is not zero.
    """

    name: str
    loss: BatchedLoss
    x0: Array
    structure: Structure
    feasible: ConvexSet | None = None
    regularizer: Any = None
    domain: ConvexSet | None = None
    constraint: zoo.problem.Constraint | None = None
    complete: Literal["x", "y"] = "y"
    observations: NDArray[np.intp] | None = None
    num_observations: int = 1
    noise: float = 0.0
    sparse: bool = False
    optimum: float = float("nan")
    support: NDArray[np.intp] | None = None

    @property
    def m(self) -> int:
        return len(self.x0)

    @property
    def regime(self) -> str:
        """full: the same value every time. stochastic: sampled observations. noisy: a black box."""
        if self.observations is not None:
            return "stochastic"
        return "noisy" if self.noise > 0 else "full"

    def with_noise(self, noise: float) -> Problem:
        """The same behind noise of that standard deviation."""
        return replace(self, noise=noise)

    def sampled(self, num_observations: int) -> Problem:
        """The same seen through q2 = num_observations samples of the loss's observations."""
        return replace(
            self,
            name=f"{self.name}-stochastic",
            observations=self.loss.observations,
            num_observations=num_observations,
        )

    def nearest(self, x: Array) -> Array:
        """The feasible point that a user would take for x."""
        return x if self.feasible is None else self.feasible.project(x)

    def objective(self, x: Array) -> float:
        """F at a feasible point, from the whole data and without noise. Nobody is charged."""
        return float(self.loss.values(x[None])[0]) + self.structure(x)

    def gap(self, x: Array) -> float:
        """(F(x) - F*) / (F(x0) - F*) at the feasible point nearest to x: 1 is no progress."""
        start = self.objective(self.nearest(self.x0)) - self.optimum
        return (self.objective(self.nearest(x)) - self.optimum) / start

    def violation(self, x: Array) -> float:
        """How far x itself is from being feasible."""
        return float(np.linalg.norm(x - self.nearest(x)))


@dataclass(frozen=True)
class NoStructure:
    """Nothing but the set."""

    feasible: ConvexSet | None = None

    def __call__(self, x: Array) -> float:
        return 0.0

    def prox(self, v: Array, tau: float) -> Array:
        return v.copy() if self.feasible is None else self.feasible.project(v)


@dataclass
class SplitStructure:
    """phi(A x) for a matrix A, whose prox is found by accelerated steps on its dual.

    argmin phi(A x) + |x - v|^2 / (2 tau): with phi's conjugate the dual is
    min_u phi*(u) + (tau/2) |A'u|^2 - <u, A v>, x = v - tau A'u, a problem without evaluations;
    it starts from the u of the call before, which is kept as `dual`. The momentum starts afresh
    where it points uphill.

    lipschitz: at least the largest eigenvalue of A A'.
    accuracy: steps end where u moves by no more than this, relative to its largest entry.
    """

    regularizer: Any
    A: Any
    lipschitz: float
    accuracy: float = 1e-12
    max_steps: int = 2000
    dual: Array = field(init=False, repr=False)
    _curvature: Array = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self.dual = np.zeros(self.A.shape[0])
        self._curvature = (self.A @ self.A.T).toarray() / self.lipschitz

    def __call__(self, x: Array) -> float:
        return float(self.regularizer(self.A @ x))

    def prox(self, v: Array, tau: float) -> Array:
        step = 1.0 / (tau * self.lipschitz)
        pull = step * (self.A @ v)
        u = ahead = self.dual
        momentum = 1.0
        for _ in range(self.max_steps):
            w = ahead + pull - self._curvature @ ahead
            # Moreau: prox of step phi* at w is w - step prox of phi/step at w/step
            moved = w - step * self.regularizer.prox(w / step, 1.0 / step)
            change = moved - u
            uphill = (ahead - moved) @ change > 0
            faster = 1.0 if uphill else (1 + math.sqrt(1 + 4 * momentum**2)) / 2
            ahead = moved if uphill else moved + (momentum - 1) / faster * change
            u, momentum = moved, faster
            if np.abs(change).max() <= self.accuracy * np.abs(u).max():
                break
        self.dual = u
        return np.asarray(v - tau * (self.A.T @ u))
