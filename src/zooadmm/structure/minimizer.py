"""The minimizer of a quadratic model over the structure: S(g) in the pages of mathematics.

    S(g) = argmin_{x in X, y}  <g, x - x_0> + |x - x_0|_H^2 / 2 + phi(y)   with  A x + B y = c

Exactly where X and phi are made of coordinates and rows (`exact`), else by ADMM (`splitting`). It
costs no evaluation.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from zooadmm.problem.arrays import Matrix, Vector, norm
from zooadmm.problem.coordinates import FREE
from zooadmm.problem.form import Form, form_of
from zooadmm.problem.problem import Problem, nearest_feasible
from zooadmm.problem.regularizers import Regularizer
from zooadmm.structure.canonical import canonical
from zooadmm.structure.exact import ExactStep, Nearby
from zooadmm.structure.one_sided import one_sided, with_even_rows
from zooadmm.structure.polyhedron import of_form, with_zeros
from zooadmm.structure.solution import Solution, Status
from zooadmm.structure.splitting import EXACT, ROUGH, Accuracy, Solved, Splitting

EXACT_ROWS = 1e-11
"""How far a row may be missed, in units of its terms, before a point is projected on the rows."""

LEAST_TERMS = 1e-3
"""Terms of a row at least, as a part of those that the largest variable could give it: where all of
them vanish the row holds up to rounding of the others."""

ROUNDING = 1e-13
"""How far y = (c - A x) / b may be from a kink by rounding, in units of its terms."""

SATISFIED = 1e-8
"""How far A x + B y = c may be missed by rounding, in units of its terms."""


TINY = 1e-300


@dataclass(frozen=True)
class Finite:
    """The indicator of Y, where phi is finite."""

    regularizer: Regularizer

    def __call__(self, y: Vector) -> float:
        return 0.0 if math.isfinite(self.regularizer(y)) else math.inf

    def prox(self, v: Vector, tau: float) -> Vector:
        return nearest_feasible(self.regularizer, v)


class Minimizer:
    """S for one problem; where ADMM solves it, in the variables of its one-sided form."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self._canonical = canonical(problem)
        self._exact = None if self._canonical is None else ExactStep(self._canonical.form)
        self._units: Vector = np.ones(problem.d)
        self._by_row: Vector = np.ones(problem.l)
        self._free = problem
        if self._exact is None:
            self._free, self._units, self._by_row = with_even_rows(one_sided(problem))
        self._splitting = Splitting(self._free)
        self.same = self._free.constraint.is_consensus
        """Whether y is x"""

    @property
    def iterates(self) -> bool:
        """Whether S(g) is found by ADMM, up to a tolerance."""
        return self._exact is None

    @cached_property
    def _is_free(self) -> bool:
        """Whether every x is allowed: y is x, and there are neither bounds nor rows."""
        if self._exact is None or not self.same or self._exact.form.num_rows > 0:
            return False
        phi = self._exact.form.phi
        return not (np.isfinite(phi.lower).any() or np.isfinite(phi.upper).any())

    @property
    def doubt(self) -> float:
        """How far the last S(g) may be above the minimum, where ADMM has found it."""
        return 0.0 if self._exact is not None else self._splitting.doubt

    @cached_property
    def _by_admm(self) -> Minimizer:
        """The minimizer without the exact step, for models that the latter calls unbounded."""
        other = copy(self)
        other._exact = None
        other._free, other._units, other._by_row = with_even_rows(one_sided(self.problem))
        other._splitting = Splitting(other._free)
        other.same = other._free.constraint.is_consensus
        return other

    def renew(self) -> None:
        """Forget what was computed: what follows then does not depend on what came before."""
        if self._exact is not None:
            self._exact.renew()

    def init(self, x: Vector, y: Vector, dual: Vector) -> Solved:
        """A pair and its dual in the variables of the one-sided form."""
        if len(y) < self._free.d:
            y = np.concatenate([y, x])
            dual = np.concatenate([dual, np.zeros(self._free.l - len(dual))])
        return Solved(x, self._units * y, dual / self._by_row)

    def feasible(self, x: Vector, y: Vector) -> tuple[Vector, Vector]:
        """The nearest x with A x + B y = c for a y of Y, and that y; (x, y) where x is such.

        F has no meaning elsewhere: from an x whose loss is lower than at any that is allowed no
        step would seem to lead down.
        """
        K, phi = self.problem.constraint, self.problem.regularizer
        nearest = nearest_feasible(phi, K.complete_y(x) if K.B_invertible else y)
        size = norm(K.residual(x, np.zeros_like(y))) + norm(K.residual(np.zeros_like(x), nearest))
        near = norm(K.residual(x, nearest)) <= SATISFIED * size
        if near and (self._exact is None or self._missed(self._exact.form, x) <= SATISFIED):
            return x, y
        if self._exact is not None:
            x = _projected(self._exact.form, x)
            return x, x.copy() if self.same else K.complete_y(x)
        if self.same:
            x = nearest_feasible(self._free.regularizer, x)
            return x, x.copy()
        allowed = Splitting(replace(self._free, regularizer=Finite(self._free.regularizer)))
        start = self.init(x, nearest, np.zeros(self.problem.l))
        rho = 1.0 / self._free.constraint.lambda_max
        to, _ = allowed(np.eye(len(x)), x, np.zeros(len(x)), start, rho, EXACT)
        return self.pair(self.exactly(to))[:2]

    def allowed(self, near: Solved, points: Sequence[Vector] | Matrix) -> Matrix:
        """The allowed point nearest to each point: of X, and then as `feasible` has it.

        near: a pair whose y serves where B has no inverse.
        """
        if self._is_free:
            return np.array(points)
        y, project = self.pair(near)[1], self.problem.domain.project
        return np.array([self.feasible(np.asarray(project(x)), y)[0] for x in points])

    def __call__(
        self, H: Matrix, x0: Vector, g: Vector, start: Solved, rho: float, accuracy: Accuracy
    ) -> tuple[Solved, float]:
        """S(g), and the rho that ADMM is to go on with."""
        if self._exact is not None:
            assert self._canonical is not None
            dual = None if self.same else self._canonical.multipliers(start.dual)
            x, found = self._exact(H, x0, g, start.x, dual)
            solved = found.status not in (Status.INFEASIBLE, Status.UNBOUNDED)
            missed = self._missed(self._exact.form, x) if solved else math.inf
            if missed <= SATISFIED:  # a singular H can hide a missed row
                x = x if missed <= EXACT_ROWS else _on_rows(self._exact.form, x)
                return self._solved(x0, x, g + H @ (x - x0), found), rho
            to, rho = self._by_admm(H, x0, g, self._by_admm.init(*start), rho, accuracy)
            return Solved(*self._by_admm.pair(self._by_admm.exactly(to))), rho
        if rho == 0.0:
            typical = float(np.exp(np.log(np.diagonal(H)).mean()))
            rho = typical / self._free.constraint.lambda_max
        found_by_admm, rho = self._splitting(H, x0, g, start, rho, accuracy)
        if self.same:
            return found_by_admm._replace(x=found_by_admm.y), rho
        return found_by_admm, rho

    def changes(
        self, H: Matrix, x0: Vector, g: Vector, errors: Matrix, now: Solved, nearby: Nearby
    ) -> Matrix:
        """The x of S(g + e) less that of S(g) = now, for each row e."""
        moves = np.full_like(errors, np.nan)
        if self._exact is not None:
            moves = self._exact.nearby(H, x0, g, now.x, errors, nearby)
        left = np.flatnonzero(np.isnan(moves[:, 0]))
        if len(left) > 0:
            rough = self(H, x0, g, now, nearby.rho, ROUGH)[0].x
            for i in left:
                moves[i] = self(H, x0, g + errors[i], now, nearby.rho, ROUGH)[0].x - rough
        return moves

    def _missed(self, form: Form, x: Vector) -> float:
        """The largest violation of a row at x in units of its terms; inf where x leaves its bounds.

        form: that of the exact step.
        """
        phi, psi = form.phi, form.psi
        if ((x < phi.lower - SATISFIED) | (x > phi.upper + SATISFIED)).any():
            return math.inf
        if len(psi.lower) == 0:
            return 0.0
        y, (size, sums) = form.rows @ x, self._sizes_of_rows
        missed = np.maximum(np.maximum(psi.lower - y, y - psi.upper), 0.0)
        side = np.where(y < psi.lower, psi.lower, psi.upper)
        terms = np.maximum(size @ np.abs(x), np.where(np.isfinite(side), np.abs(side), 0.0))
        possible = sums * float(np.abs(x).max(initial=0.0))
        terms = np.maximum(terms, LEAST_TERMS * possible)
        return float((missed / np.maximum(terms, TINY)).max(initial=0.0))

    @cached_property
    def _sizes_of_rows(self) -> tuple[Any, Vector]:
        """|R| of the exact step, and the sums of its rows."""
        assert self._canonical is not None
        size = abs(self._canonical.form.rows)
        return size, np.asarray(size.sum(axis=1)).reshape(-1)

    def is_interior(self, x: Vector, other: Vector) -> bool:
        """Whether the structure is smooth between two points: no rows, bound or kink is at work."""
        if self._exact is None or self._exact.form.num_rows > 0:
            return False
        phi = self._exact.form.phi
        free = (phi.face(x) == FREE) & (phi.face(other) == FREE)
        return bool((free & (~phi.kinked | ((x > phi.kink) == (other > phi.kink)))).all())

    def _solved(self, x0: Vector, x: Vector, slope: Vector, found: Solution) -> Solved:
        """x with its y and dual: grad f = A' dual up to the normals of X."""
        if self.same:
            return Solved(x, x, slope)
        assert self._canonical is not None
        y = self.problem.constraint.complete_y(x)
        size = max(float(np.abs(x0).max(initial=0.0)), float(np.abs(x).max(initial=0.0)))
        return Solved(x, self._without_rounding(size, y), self._canonical.dual(found.dual))

    def _without_rounding(self, size: float, y: Vector) -> Vector:
        """y with zeros in place of what rounding leaves of them at a kink.

        size: of x and of x_0, from which the step to x leads.
        """
        assert self._canonical is not None
        form, first = self._canonical.form, self._canonical.first
        kinked = form.psi.kinked[first : first + len(y)]
        if not kinked.any():
            return y
        terms = size * self._sizes_of_rows[1][first : first + len(y)]
        near = kinked & (np.abs(y - self._kinks) <= ROUNDING * terms)
        return np.where(near, self._kinks, y)

    @cached_property
    def _kinks(self) -> Vector:
        """Where phi has them."""
        form = form_of(self.problem.regularizer, self.problem.d)
        assert form is not None
        return form.phi.kink

    def exactly(self, solved: Solved) -> Solved:
        """The same without rounding: x in X, and zero where y is and A only picks entries.

        Where there is a copy of x that was projected on X, x is that. The exact step leaves x in X;
        a projection on rows, as those of a simplex, would spread its rounding over zeros.
        """
        if self.same:
            return solved
        rows, columns = self._zeros
        copied = len(solved.y) > self.problem.d
        x = (solved.y[self.problem.d :] if copied else solved.x).copy()
        x[columns[solved.y[rows] == 0.0]] = 0.0
        if self._exact is None:
            x = np.asarray(self.problem.domain.project(x))
        return solved._replace(x=x)

    @cached_property
    def _zeros(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        return _single_entries(self.problem)

    def pair(self, solved: Solved) -> tuple[Vector, Vector, Vector]:
        """(x, y, dual) of the problem itself."""
        d, l = self.problem.d, self.problem.l  # noqa: E741
        return solved.x, solved.y[:d] / self._units[:d], solved.dual[:l] * self._by_row[:l]

    def phi(self, solved: Solved) -> float:
        """phi at y', or at y where B has no inverse."""
        return self.phis([solved])[0]

    def phis(self, pairs: Sequence[Solved]) -> list[float]:
        """The same for each of several pairs."""
        problem, d = self.problem, self.problem.d
        if self.same or not problem.constraint.B_invertible:
            ys: list[Vector] = [pair.y[:d] / self._units[:d] for pair in pairs]
        else:
            ys = [problem.constraint.complete_y(pair.x) for pair in pairs]
        values = [float(problem.regularizer(y)) for y in ys]
        for i, value in enumerate(values):
            if not math.isfinite(value):
                values[i] = problem.phi_near(ys[i])
        return values


def _on_rows(form: Form, x: Vector) -> Vector:
    """The nearest point that satisfies bounds and rows, with the same zeros; x if there is none."""
    found = with_zeros(form, x).project(x)
    return found.x if found.status is Status.SOLVED else x


def _projected(form: Form, x: Vector) -> Vector:
    """The nearest point at which phi and psi are finite; a sentence where there is none."""
    found = of_form(form).project(x)
    if found.status is not Status.SOLVED:
        raise ValueError(f"domain, constraint and regularizer allow no point: {found.message}.")
    return found.x


def _single_entries(problem: Problem) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """(rows, columns) of the rows of A with one entry, where y = A x up to a number, row by row."""
    nothing = np.zeros(0, dtype=np.intp)
    K = problem.constraint
    if K.is_consensus:
        return np.arange(problem.m), np.arange(problem.m)
    zero = np.zeros(problem.m), np.zeros(problem.d)
    if K.multiple is None or K.residual(*zero).any():
        return nothing, nothing
    A, _ = K.maps(problem.m)
    entries = A.dense() != 0.0
    rows = np.flatnonzero(entries.sum(axis=1) == 1)
    return rows, np.asarray(entries[rows].argmax(axis=1))
