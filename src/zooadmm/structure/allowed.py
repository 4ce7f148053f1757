"""The points that a problem allows, and the nearest of them.

Bounds and rows, whatever they come from, make a polyhedron, which is projected on exactly. Sets
without a form (balls, sets of one's own) are projected on in turn with it, by Dykstra's iteration.
Where bounds, rows and sets have no point in common a sentence says so.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, partial

import numpy as np
import scipy.sparse

from zooadmm.problem.arrays import Vector, norm
from zooadmm.problem.coordinates import Floats, coordinates
from zooadmm.problem.form import Form, form_of, of_coordinates
from zooadmm.problem.linear_constraints import Rows
from zooadmm.problem.problem import Problem, nearest_feasible
from zooadmm.structure.canonical import canonical
from zooadmm.structure.polyhedron import Polyhedron
from zooadmm.structure.solution import Status

SATISFIED = 1e-10
"""Violation of a row, relative to max(1, |bound|), up to which a point is left where it is."""

ROUNDS = 500
"""Alternating projections at most."""

AGREED = 1e-12
"""Distance between two sets, relative to the point, at which alternating projections end."""

APART = 1e-6
"""Distance, relative to the point, from which sets that come no nearer have no common point."""

STALLED = 0.9
"""Factor by which the distance must fall in the second half of the iteration, if there is one."""

Projection = Callable[[Floats], Floats]


class Allowed:
    """{x : x in X, its rows hold, phi(y) < inf}, as far as bounds, rows and projections tell.

    rows: the plain linear constraints of the user.
    whole: whether bounds and rows of phi count; without, only X and the rows do.
    """

    def __init__(self, problem: Problem, rows: Rows | None, whole: bool) -> None:
        self._free = problem.domain.is_everything and rows is None
        self._unlimited = self._free and not whole
        self._one_set = self._free and problem.constraint.is_consensus
        self._others: list[Projection] = []
        if self._unlimited:
            return
        self._given = problem, rows, whole
        missing = _form(*self._given)[1]
        if problem.domain.form(problem.m) is None:
            self._others.append(problem.domain.project)
        if missing and problem.constraint.is_consensus:
            self._others.append(partial(nearest_feasible, problem.regularizer))

    def nearest(self, x: Vector) -> Vector:
        """The nearest point that is allowed; x itself where it is one, up to rounding of rows."""
        if self._unlimited:
            return x
        if self._form.num_rows == 0 and not self._others:
            phi = self._form.phi
            clipped = np.minimum(np.maximum(x, phi.lower), phi.upper)
            return clipped.astype(x.dtype, copy=False)
        v = np.asarray(x, dtype=np.float64)
        if self._contains(v) and not self._others:
            return x
        found = self._by_turns(v) if self._others else self._on_polyhedron(v)
        return np.asarray(found, dtype=x.dtype)

    def check(self, x: Vector) -> None:
        """Raise ValueError where no point is allowed."""
        if self._one_set or self._unlimited:
            return  # a set has points
        form = self._form
        crossed = np.flatnonzero(form.phi.lower > form.phi.upper)
        if len(crossed):
            raise _refused(f"lower is above upper at variable {crossed[0]}")
        if form.num_rows > 0 and not self._contains(np.asarray(x, dtype=np.float64)):
            missed = _out_of_reach(form)
            if missed >= 0:
                raise _refused(f"row {missed} cannot be satisfied within the bounds")
            found = self._polyhedron.feasibility() if form.num_rows > 1 else None
            if found is not None and found.rows:
                raise _refused(found.message)
        if self._others:
            self._by_turns(np.asarray(x, dtype=np.float64))

    @cached_property
    def _form(self) -> Form:
        """Bounds and rows."""
        return _form(*self._given)[0]

    @cached_property
    def _polyhedron(self) -> Polyhedron:
        phi, psi = self._form.phi, self._form.psi
        return Polyhedron(phi.lower, phi.upper, self._form.rows, psi.lower, psi.upper)

    def _contains(self, x: Floats) -> bool:
        form = self._form
        if ((x < form.phi.lower) | (x > form.phi.upper)).any():
            return False
        y = form.rows @ x
        missed = np.maximum(np.maximum(form.psi.lower - y, y - form.psi.upper), 0.0)
        side = np.abs(np.where(y < form.psi.lower, form.psi.lower, form.psi.upper))
        return not (
            missed > SATISFIED * np.maximum(np.where(np.isfinite(side), side, 1.0), 1.0)
        ).any()

    def _on_polyhedron(self, x: Floats) -> Floats:
        """The projection; at the same zeros where there is one with them."""
        phi = self._form.phi
        at_kink = phi.kinked & (x == phi.kink)
        if at_kink.any():
            lower, upper = np.where(at_kink, x, phi.lower), np.where(at_kink, x, phi.upper)
            psi = self._form.psi
            face = Polyhedron(lower, upper, self._form.rows, psi.lower, psi.upper).project(x)
            if face.status is Status.SOLVED:
                return face.x
        found = self._polyhedron.project(x)
        if found.status is Status.INFEASIBLE:
            raise _refused(found.message)
        return found.x

    def _by_turns(self, x: Floats) -> Floats:
        """Dykstra's iteration: the nearest point of the intersection."""
        sets: list[Projection] = [*self._others, self._on_polyhedron]
        moved = [np.zeros_like(x) for _ in sets]
        gaps = [max(norm(np.asarray(p(x)) - x) for p in sets)]
        if gaps[0] <= AGREED * max(1.0, norm(x)):
            return x
        for _ in range(ROUNDS):
            for i, project in enumerate(sets):
                v = x + moved[i]
                x = np.asarray(project(v), dtype=np.float64)
                moved[i] = v - x
            gaps.append(max(norm(np.asarray(p(x)) - x) for p in sets))
            if gaps[-1] <= AGREED * max(1.0, norm(x)):
                return x
        if gaps[-1] > max(STALLED * gaps[ROUNDS // 2], APART * max(1.0, norm(x))):
            raise _refused(f"the sets stay {gaps[-1]:.3g} apart")
        return x


def _refused(why: str) -> ValueError:
    return ValueError(
        f"domain, constraint and regularizer allow no point: {why.removesuffix('.')}."
    )


def _form(problem: Problem, rows: Rows | None, whole: bool) -> tuple[Form, bool]:
    """Bounds and rows of the problem, and whether phi has some that are not among them."""
    m = problem.m
    if whole:
        found = canonical(problem)
        if found is not None:
            return found.form, False
    own = problem.domain.form(m) or of_coordinates(coordinates(m))
    missing = whole
    if whole and problem.constraint.is_consensus:
        structure = form_of(problem.regularizer, m)
        joint = None if structure is None else own.plus(_indicator(structure))
        own, missing = (own, True) if joint is None else (joint, False)
    if rows is None:
        return own, missing
    inequality = Form(coordinates(m), rows.A, coordinates(len(rows.lower), rows.lower, rows.upper))
    both = own.plus(inequality)
    assert both is not None  # rows have no kink
    return both, missing


def _indicator(form: Form) -> Form:
    """Where a form is finite: its bounds and rows alone."""
    phi, psi = form.phi, form.psi
    return Form(
        coordinates(len(phi.lower), phi.lower, phi.upper),
        form.rows,
        coordinates(len(psi.lower), psi.lower, psi.upper),
    )


def _out_of_reach(form: Form) -> int:
    """A row that no point within the bounds satisfies, by its smallest and largest value; or -1."""
    A, phi, psi = scipy.sparse.csr_array(form.rows), form.phi, form.psi
    lower, upper = phi.lower[A.indices], phi.upper[A.indices]
    used = A.data != 0.0
    ends = []
    for positive, negative in ((lower, upper), (upper, lower)):
        side = np.where(A.data > 0.0, positive, negative)
        terms = np.where(used, A.data * np.where(used, side, 0.0), 0.0)
        ends.append(
            np.asarray(scipy.sparse.csr_array((terms, A.indices, A.indptr), A.shape).sum(axis=1))
        )
    wrong = (ends[0] > psi.upper + _slack(psi.upper)) | (ends[1] < psi.lower - _slack(psi.lower))
    return int(np.flatnonzero(wrong)[0]) if wrong.any() else -1


def _slack(bound: Floats) -> Floats:
    return 1e-9 * np.maximum(1.0, np.where(np.isfinite(bound), np.abs(bound), 0.0))
