"""The points that a problem allows, and the nearest of them.

Bounds and rows, whatever they come from, make a polyhedron, which is projected on exactly, within
a ball too. Other sets without a form are projected on in turn with it, by Dykstra's iteration, and
where this is slow by halfspaces that contain them. Where bounds, rows and sets have no point in
common, or none was found to 1e-9, a sentence says so.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import NamedTuple

import numpy as np
import scipy.sparse

from zooadmm.problem.arrays import Vector, norm
from zooadmm.problem.coordinates import Floats, coordinates
from zooadmm.problem.form import Form, form_of, of_coordinates
from zooadmm.problem.linear_constraints import PROMISED, ROUNDING, Rows
from zooadmm.problem.problem import Problem, nearest_feasible
from zooadmm.problem.regularizers import Indicator
from zooadmm.problem.sets import ConvexSet, L2Ball
from zooadmm.structure.canonical import canonical
from zooadmm.structure.polyhedron import Polyhedron, of_form, with_zeros, within_ball
from zooadmm.structure.solution import Status

SATISFIED = 1e-10
"""Violation of a row, relative to max(1, |bound|), up to which a point is left where it is."""

ROUNDS = 500
"""Alternating projections at most."""

AGREED = 1e-12
"""Distance between two sets, relative to the point, at which alternating projections end."""

CUTS = 100
"""Halfspaces around the sets without a form that join the polyhedron at most."""

Projector = Callable[[Floats], Floats]


class Shortfall(NamedTuple):
    """By how much a point misses what the problem allows."""

    message: str
    """One sentence with the figure; '' where nothing is missed."""
    by_rounding: bool
    """Whether no point of its type would miss less."""


@dataclass(frozen=True, eq=False)
class Allowed:
    """{x : x in X, its rows hold, phi(y) < inf}, as far as bounds, rows and projections tell.

    rows: the plain linear constraints of the user.
    whole: whether bounds and rows of phi count; without, only X and the rows do.
    """

    problem: Problem
    rows: Rows | None
    whole: bool

    def start(self, x0: Vector, given: ConvexSet) -> Vector:
        """x0 without what rounding put outside, or with rows the nearest point that is allowed.

        ValueError where x0 lies outside X, no point is allowed, or none was found.

        given: X without the rows.
        """
        free = self.problem.domain.is_everything and self.rows is None
        if free and (self.problem.constraint.is_consensus or not self.whole):
            return x0  # a set has points
        bounded = replace(self.problem, domain=given)
        if not bounded.contains(x0):
            raise ValueError(
                f"x0 lies outside the domain {given!r}, at a distance of "
                f"{given.distance(x0):.3g}; start from domain.project(x0)."
            )
        x = bounded.moved_inside(x0)
        if self.rows is None:
            self._check(x)
            if not self._others:
                return x
        found, message = self._nearest(x)
        if message:
            raise _refused(message)
        return x if self.rows is None else found

    def nearest(self, x: Vector) -> Vector:
        """The nearest point that is allowed; x itself where it is one, up to rounding of rows.

        Where none was found, `shortfall` of the returned point says by how much it misses.
        """
        return self._nearest(x)[0]

    def shortfall(self, x: Vector) -> Shortfall:
        """Which row or set x misses by more than 1e-9 max(1, |bound|), and by how much."""
        if self._unlimited:
            return Shortfall("", True)
        wide = np.asarray(x, dtype=np.float64)
        gap, size = self._gap(wide), max(1.0, norm(wide))
        if gap > PROMISED * size:
            by_rounding = gap <= ROUNDING * float(np.finfo(x.dtype).eps) * size
            return Shortfall(f"The answer lies {gap:.3g} outside its set.", by_rounding)
        psi = self._form.psi
        missed = Rows(self._form.rows, psi.lower, psi.upper).missed(x)
        if missed is None:
            return Shortfall("", True)
        why = f", which is rounding in {x.dtype}" if missed.by_rounding else ""
        return Shortfall(f"At the answer {missed}{why}.", missed.by_rounding)

    def _check(self, x: Vector) -> None:
        """Raise ValueError where bounds and rows allow no point."""
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

    def _nearest(self, x: Vector) -> tuple[Vector, str]:
        """The nearest point, and why it is not allowed or ''."""
        if self._unlimited:
            return x, ""
        if self._form.num_rows == 0 and not self._others:
            phi = self._form.phi
            clipped = np.minimum(np.maximum(x, phi.lower), phi.upper)
            return clipped.astype(x.dtype, copy=False), ""
        v = np.asarray(x, dtype=np.float64)
        if self._contains(v) and self._gap(v) <= AGREED * max(1.0, norm(v)):
            return x, ""
        by_turns = self._others and self._radius is None
        found, message = self._by_turns(v) if by_turns else self._on_polyhedron(v, self._radius)
        return np.asarray(found, dtype=x.dtype), message

    def _gap(self, x: Floats) -> float:
        """Largest distance to a set without a form."""
        return max((norm(np.asarray(project(x)) - x) for project in self._others), default=0.0)

    @cached_property
    def _unlimited(self) -> bool:
        """Whether any x will do."""
        return self.problem.domain.is_everything and self.rows is None and not self.whole

    @cached_property
    def _parts(self) -> tuple[Form, bool]:
        """Bounds and rows, and whether phi has some that are not among them."""
        return _form(self.problem, self.rows, self.whole)

    @property
    def _form(self) -> Form:
        """Bounds and rows."""
        return self._parts[0]

    @cached_property
    def _others(self) -> list[Projector]:
        """Projections on the sets without a form."""
        if self._unlimited:
            return []
        problem = self.problem
        without = problem.domain.form(problem.m) is None
        others: list[Projector] = [problem.domain.project] if without else []
        if self._parts[1] and problem.constraint.is_consensus:
            others.append(partial(nearest_feasible, problem.regularizer))
        return others

    @cached_property
    def _radius(self) -> float | None:
        """Radius of the ball that is the only set without a form; None where there is another."""
        problem = self.problem
        phi = problem.regularizer
        only: object = problem.domain
        if problem.domain.form(problem.m) is not None:
            only = phi.convex_set if isinstance(phi, Indicator) else None
        return only.radius if len(self._others) == 1 and isinstance(only, L2Ball) else None

    @cached_property
    def _polyhedron(self) -> Polyhedron:
        return of_form(self._form)

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

    def _faces(self, x: Floats) -> list[Polyhedron]:
        """The polyhedron, after the part of it with the zeros of x where there are some."""
        phi = self._form.phi
        if not (phi.kinked & (x == phi.kink)).any():
            return [self._polyhedron]
        return [with_zeros(self._form, x), self._polyhedron]

    def _on_polyhedron(self, x: Floats, radius: float | None = None) -> tuple[Floats, str]:
        """The projection, within a ball if any; at the same zeros where there is one with them."""
        for body in self._faces(x):
            found = body.project(x) if radius is None else within_ball(body.project, x, radius)
            if found.status is Status.SOLVED:
                break
        return found.x, found.message

    def _by_turns(self, v: Floats) -> tuple[Floats, str]:
        """Dykstra's iteration: the nearest point of the intersection."""
        sets: list[Projector] = [*self._others, lambda x: self._on_polyhedron(x)[0]]
        moved, x = [np.zeros_like(v) for _ in sets], v
        for _ in range(ROUNDS):
            for i, project in enumerate(sets):
                to = x + moved[i]
                x = np.asarray(project(to), dtype=np.float64)
                moved[i] = to - x
            if self._gap(x) <= AGREED * max(1.0, norm(x)):
                return x, self._on_polyhedron(x)[1]
        return self._by_cuts(v, x)

    def _by_cuts(self, v: Floats, x: Floats) -> tuple[Floats, str]:
        """The nearest point where sets touch: halfspaces that contain a set take its place."""
        phi, psi, A = self._form.phi, self._form.psi, self._form.rows
        cuts, limits = np.zeros((0, len(v))), np.zeros(0)
        for _ in range(CUTS):
            if self._gap(x) <= AGREED * max(1.0, norm(x)):
                break
            for project in self._others:
                to = np.asarray(project(x), dtype=np.float64)
                if norm(x - to) > 0.0:
                    normal = (x - to) / norm(x - to)
                    cuts, limits = np.vstack([cuts, normal]), np.append(limits, normal @ to)
            lower = np.append(psi.lower, np.full(len(limits), -np.inf))
            rows = scipy.sparse.vstack([A, scipy.sparse.csr_array(cuts)])
            body = Polyhedron(phi.lower, phi.upper, rows, lower, np.append(psi.upper, limits))
            found = body.project(v)
            if found.status is not Status.SOLVED:
                break
            x = found.x
        gap = self._gap(x)
        if gap > PROMISED * max(1.0, norm(x)):
            return x, f"the sets stay {gap:.3g} apart"
        return x, self._on_polyhedron(x)[1]


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
