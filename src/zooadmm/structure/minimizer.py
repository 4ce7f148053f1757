"""The minimizer of the model over the structure: S(g) in the pages of mathematics.

    S(g) = argmin_{x in X, y}  <g, x - x_0> + |x - x_0|_H^2 / 2 + phi(y)   with  A x + B y = c

By active sets where phi is made of coordinates, else, or where these do not settle, by ADMM. It
costs no evaluation.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from zooadmm.problem.arrays import Matrix, Vector, norm
from zooadmm.problem.constraint import Consensus
from zooadmm.problem.problem import Problem, nearest_feasible
from zooadmm.problem.regularizers import Regularizer
from zooadmm.structure import separable
from zooadmm.structure.one_sided import one_sided
from zooadmm.structure.splitting import EXACT, Accuracy, Solved, Splitting

SATISFIED = 1e-8
"""How far A x + B y = c may be missed by rounding, in units of its terms."""


@dataclass(frozen=True)
class Finite:
    """The indicator of Y, where phi is finite."""

    regularizer: Regularizer

    def __call__(self, y: Vector) -> float:
        return 0.0 if math.isfinite(self.regularizer(y)) else math.inf

    def prox(self, v: Vector, tau: float) -> Vector:
        return nearest_feasible(self.regularizer, v)


class Minimizer:
    """S for one problem, in the variables of its one-sided form."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self._free = one_sided(problem)
        self._coordinates = separable.coordinates(self._free)
        self._splitting = Splitting(self._free)
        self.same = isinstance(self._free.constraint, Consensus)
        """Whether y is x"""
        self._zeros = _single_entries(problem)

    def begun(self, x: Vector, y: Vector, dual: Vector) -> Solved:
        """A pair and its dual in the variables of the one-sided form."""
        if len(y) == self._free.d:
            return Solved(x, y, dual)
        return Solved(
            x,
            np.concatenate([y, x]),
            np.concatenate([dual, np.zeros(self._free.l - len(dual))]),
        )

    def feasible(self, x: Vector, y: Vector) -> tuple[Vector, Vector]:
        """The nearest x with A x + B y = c for a y of Y, and that y; (x, y) where x is such.

        F has no meaning elsewhere: from an x whose loss is lower than at any that is allowed no
        step would seem to lead down.
        """
        K, phi = self.problem.constraint, self.problem.regularizer
        nearest = nearest_feasible(phi, K.complete_y(x) if K.B_invertible else y)
        size = norm(K.residual(x, np.zeros_like(y))) + norm(K.residual(np.zeros_like(x), nearest))
        if norm(K.residual(x, nearest)) <= SATISFIED * size:
            return x, y
        if self.same:
            x = nearest_feasible(self._free.regularizer, x)
            return x, x.copy()
        allowed = Splitting(replace(self._free, regularizer=Finite(self._free.regularizer)))
        start = self.begun(x, nearest, np.zeros(self.problem.l))
        rho = 1.0 / self._free.constraint.lambda_max
        to, _ = allowed(np.eye(len(x)), x, np.zeros(len(x)), start, rho, EXACT)
        return self.pair(self.exactly(to))[:2]

    def __call__(
        self, H: Matrix, x0: Vector, g: Vector, start: Solved, rho: float, accuracy: Accuracy
    ) -> tuple[Solved, float]:
        """S(g), and the rho that ADMM is to go on with."""
        if self._coordinates is not None:
            x = separable.minimizer(self._coordinates, H, x0, g, start.x)
            if x is not None:
                return Solved(x, x, g + H @ (x - x0)), rho
        if rho == 0.0:
            typical = float(np.exp(np.log(np.diagonal(H)).mean()))
            rho = typical / self._free.constraint.lambda_max
        found, rho = self._splitting(H, x0, g, start, rho, accuracy)
        return (Solved(found.y, found.y, found.dual) if self.same else found), rho

    def exactly(self, solved: Solved) -> Solved:
        """The same without rounding: x in X, and zero where y is and A only picks entries.

        Where there is a copy of x that was projected on X, x is that.
        """
        if self.same:
            return solved
        rows, columns = self._zeros
        copied = len(solved.y) > self.problem.d
        x = (solved.y[self.problem.d :] if copied else solved.x).copy()
        x[columns[solved.y[rows] == 0.0]] = 0.0
        return solved._replace(x=np.asarray(self.problem.domain.project(x)))

    def pair(self, solved: Solved) -> tuple[Vector, Vector, Vector]:
        """(x, y, dual) of the problem itself."""
        return solved.x, solved.y[: self.problem.d], solved.dual[: self.problem.l]

    def phi(self, solved: Solved) -> float:
        """phi at y', or at y where B has no inverse."""
        problem = self.problem
        y = solved.y[: problem.d]
        if not self.same and problem.constraint.B_invertible:
            y = problem.constraint.complete_y(solved.x)
        return float(problem.regularizer(nearest_feasible(problem.regularizer, y)))


def _single_entries(problem: Problem) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """(rows, columns) of the rows of A with one entry, where y = A x up to a number, row by row."""
    nothing = np.zeros(0, dtype=np.intp)
    K = problem.constraint
    if isinstance(K, Consensus):
        return np.arange(problem.m), np.arange(problem.m)
    zero = np.zeros(problem.m), np.zeros(problem.d)
    scaled = isinstance(getattr(K, "B", None), float)
    if not scaled or K.residual(*zero).any():
        return nothing, nothing
    A, _ = K.maps(problem.m)
    entries = A.dense() != 0.0
    rows = np.flatnonzero(entries.sum(axis=1) == 1)
    return rows, np.asarray(entries[rows].argmax(axis=1))
