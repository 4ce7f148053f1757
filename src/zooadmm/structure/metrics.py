"""The metric G_t of the x-step (6), and the x-step it leads to.

With d = A'(lambda_t - rho (A x_t + B y_t - c)) - g_t the x-step is

    x_{t+1} = argmin_{x in X}  |x - x_t|^2_{M_t} / 2 - <d, x - x_t>,   M_t = G_t/eta_t + rho A'A.

It is a projection where M_t is a multiple of the identity, a clipping where M_t is diagonal and X
has bounds only, and a linear solve where X is all of R^m. A metric for which it is none of these
is refused.
"""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy.linalg

from zooadmm.problem.arguments import doubles
from zooadmm.problem.arrays import Vector
from zooadmm.problem.problem import Problem


class XStep(ABC):
    """Solves the x-step."""

    @abstractmethod
    def __call__(self, x: Vector, d: Vector, eta: float, alpha: float) -> Vector:
        """x_{t+1} from x_t and d."""

    @abstractmethod
    def metric(self, change: Vector, eta: float, alpha: float) -> Vector:
        """M_t times a change of x."""


class Metric(ABC):
    """A choice of G_t."""

    @abstractmethod
    def x_step(self, problem: Problem, penalty: float) -> XStep:
        """The x-step for this problem, or a sentence about why there is none."""


@dataclass(frozen=True)
class Linearized(Metric):
    """G_t = alpha_t I - rho eta_t A'A, the paper's choice: M_t = (alpha_t/eta_t) I and (7).

    Condition: alpha_t >= rho eta_t lambda_max(A'A) + 1, so that G_t >= I.
    """

    def x_step(self, problem: Problem, penalty: float) -> XStep:
        return _Projection(problem)


@dataclass(frozen=True, eq=False)
class LinearizedDiagonal(Metric):
    """G_t = diag(weights) + rho eta_t (lambda_max(A'A) I - A'A), for variables of unlike scale.

    M_t = diag(weights)/eta_t + rho lambda_max I, so the x-step is closed for an X with bounds
    only. All weights 1 is the paper's choice with varying alpha_t.

    Condition: weights >= 1, so that G_t >= I.
    """

    weights: Any

    def __post_init__(self) -> None:
        object.__setattr__(self, "weights", _weights("weights", self.weights))
        if (self.weights < 1).any():
            raise ValueError("weights must be at least 1, so that G_t >= I; scale them up.")

    def x_step(self, problem: Problem, penalty: float) -> XStep:
        _same_length("weights", self.weights, problem.m)
        _needs_bounds_only(problem, "LinearizedDiagonal")
        return _Diagonal(problem, self.weights, penalty * problem.constraint.lambda_max)


@dataclass(frozen=True, eq=False)
class Fixed(Metric):
    """G_t = G for all t, without linearization: a number, a vector (its diagonal) or a matrix.

    M_t = G/eta_t + rho A'A. If A'A is a multiple of the identity, any X goes with a number and an
    X with bounds only with a vector; in all other cases X must be all of R^m, and M_t is
    inverted through one generalized eigenvalue problem, solved at the start.

    Condition: G symmetric and positive definite; the theory needs G >= I.
    """

    G: Any = 1.0
    _kind: int = field(init=False, repr=False)

    def __post_init__(self) -> None:
        G = doubles("G", self.G)
        if G.ndim > 2 or not np.isfinite(G).all():
            raise ValueError("G must be a number, a vector or a matrix, with finite entries.")
        if G.ndim < 2 and not (G > 0).all():
            raise ValueError("G must be positive.")
        if G.ndim == 2 and (G.shape[0] != G.shape[1] or not np.allclose(G, G.T, atol=0)):
            raise ValueError("G must be a symmetric matrix.")
        object.__setattr__(self, "G", G)
        object.__setattr__(self, "_kind", G.ndim)

    def x_step(self, problem: Problem, penalty: float) -> XStep:
        m = problem.m
        if self._kind > 0:
            _same_length("G", self.G, m)
        smallest = float(np.linalg.eigvalsh(self.G)[0] if self._kind == 2 else self.G.min())
        if 0 < smallest < 1 - 1e-12:
            warnings.warn(
                f"metric: the smallest eigenvalue of G is {smallest:.3g}; the theory wants G >= I, "
                "below which a smaller step_size has to make up for it.",
                RuntimeWarning,
                stacklevel=4,
            )
        A, _ = problem.constraint.maps(m)
        if A.tau is not None and self._kind < 2:
            if self._kind == 1:
                _needs_bounds_only(problem, "Fixed with a vector")
            return _Diagonal(problem, self.G, penalty * A.tau)
        if not problem.domain.is_everything:
            raise ValueError(
                f"metric: with this G and A the x-step over {problem.domain!r} is a quadratic "
                "program of its own, not a projection. Use Linearized(), or leave the domain out "
                "and put the set into the regularizer."
            )
        G = self.G if self._kind == 2 else np.diag(np.broadcast_to(self.G, m))
        return _Dense(G, A.dense(), penalty)


@dataclass(frozen=True, eq=False)
class _Projection(XStep):
    """M_t = (alpha_t/eta_t) I."""

    problem: Problem

    def __call__(self, x: Vector, d: Vector, eta: float, alpha: float) -> Vector:
        return self.problem.project(x + (eta / alpha) * d)  # (7)

    def metric(self, change: Vector, eta: float, alpha: float) -> Vector:
        return (alpha / eta) * change


class _Diagonal(XStep):
    """M_t = diag(weights)/eta_t + curvature I; a vector of weights for an X with bounds only."""

    def __init__(self, problem: Problem, weights: Any, curvature: float) -> None:
        self._problem = problem
        self._weights = float(weights) if weights.ndim == 0 else weights.astype(problem.dtype)
        self._curvature = curvature

    def __call__(self, x: Vector, d: Vector, eta: float, alpha: float) -> Vector:
        return self._problem.project(x + d / (self._weights / eta + self._curvature))  # (6)

    def metric(self, change: Vector, eta: float, alpha: float) -> Vector:
        return (self._weights / eta + self._curvature) * change


class _Dense(XStep):
    """M_t = G/eta_t + rho A'A for any G and A, with X = R^m.

    With V'GV = I and V'(rho A'A)V = diag(mu), M_t^-1 = V diag(1/(1/eta_t + mu)) V'.
    """

    def __init__(self, G: Any, A: Any, penalty: float) -> None:
        self._G = G
        self._gram = penalty * A.T @ A
        try:
            self._mu, self._V = scipy.linalg.eigh(self._gram, G)
        except np.linalg.LinAlgError:
            raise ValueError("G must be positive definite.") from None

    def __call__(self, x: Vector, d: Vector, eta: float, alpha: float) -> Vector:
        step = self._V @ ((self._V.T @ d) / (1.0 / eta + self._mu))
        return np.asarray(x + step, dtype=x.dtype)  # (6)

    def metric(self, change: Vector, eta: float, alpha: float) -> Vector:
        return np.asarray(self._G @ change / eta + self._gram @ change, dtype=change.dtype)


def _weights(name: str, given: Any) -> Any:
    weights = doubles(name, given)
    if weights.ndim != 1 or not np.isfinite(weights).all():
        raise ValueError(f"{name} must be a vector with finite entries.")
    return weights


def _same_length(name: str, given: Any, m: int) -> None:
    if len(given) != m:
        raise ValueError(f"{name} has length {len(given)}, but x0 has length {m}: they must agree.")


def _needs_bounds_only(problem: Problem, name: str) -> None:
    if problem.domain.bounds() is None:
        raise ValueError(
            f"metric: {name} goes with a domain that has bounds only (Box, Nonnegative or none), "
            f"not {problem.domain!r}, whose projection is Euclidean. Use Linearized()."
        )
