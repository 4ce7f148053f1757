"""Descent on a working set: a model of the loss on the variables that matter, the others at zero.

    search   which of the others have a slope that takes them away from zero, see `bisection`
    start    slopes and curvatures of those that were found, which join the variables at work
    descend  by the model on these, until it promises little beside what it has gained
    whole    once a search finds nothing and the model has settled: each of the others by itself

It is settled when no slope takes a variable away from zero.
"""

from __future__ import annotations

import math
from functools import partial

import numpy as np

from zooadmm.methods.auto.constants import AT_ONCE, MOST_MODELED, SMALL_PART
from zooadmm.methods.auto.model import start
from zooadmm.methods.auto.model.descent import First, Normals, Steps
from zooadmm.methods.auto.model.quasi_newton import QuasiNewton
from zooadmm.methods.auto.model.state import NO_INDICES, NOTHING, Model, Start
from zooadmm.methods.auto.working_set import bisection
from zooadmm.methods.auto.working_set.absent import ZeroVariables
from zooadmm.methods.auto.working_set.bisection import Search
from zooadmm.methods.auto.working_set.entering import joined, kept
from zooadmm.methods.auto.working_set.entries import NO_ENTRIES, EntriesQuery, Indices, rows
from zooadmm.methods.auto.working_set.restriction import restricted
from zooadmm.methods.auto.working_set.state import NO_SEARCH, NO_START, WorkingState
from zooadmm.methods.method import FirstOrder
from zooadmm.oracle.observations import Batch
from zooadmm.problem.arrays import Vector
from zooadmm.problem.coordinates import Coordinates
from zooadmm.problem.problem import Problem
from zooadmm.structure.splitting import Solved

CAUTION, MORE_CAUTION = 0.5, 1.0
"""How cautious a search is, and one after a search that has found nothing."""


class WorkingSet(Steps[WorkingState]):
    """The descent for one problem whose phi is made of coordinates with an L1 part."""

    def __init__(self, problem: Problem, parts: Coordinates) -> None:
        """parts: what `sparse_coordinates` has found in this problem."""
        self._problem = problem
        self._parts = parts
        self._zeros = ZeroVariables(problem, parts)
        self._made: tuple[Indices, QuasiNewton] | None = None

    def feasible(self, x: Vector, y: Vector) -> tuple[Vector, Vector]:
        """The pair to begin with: this one where F is finite at it, else one near it."""
        inside = np.minimum(np.maximum(x, self._parts.lower), self._parts.upper)
        return (x, y) if np.array_equal(inside, x) else (inside, inside.copy())

    def init(self, first: First, normals: Normals) -> WorkingState:
        """Before anything but f(x) is known."""
        (x, _, dual), loss, size, eps = first
        unit = max(1.0, float(np.abs(x).max()))
        reach = 2.0 * math.sqrt(eps / max(size, eps)) * unit
        newton = self._newton(np.zeros(1, dtype=np.intp))
        nothing = newton.init(first._replace(at=Solved(x[:1], x[:1], dual[:1])))
        nothing = nothing._replace(stage="settled", at=Solved(NOTHING, NOTHING, NOTHING))
        working = WorkingState(
            stage="search",
            at=Solved(x, x, np.zeros_like(x)),
            loss=loss,
            eps=eps,
            model=nothing,
            length=reach / float(np.median(self._zeros.unit)),
        )
        nonzero = np.flatnonzero(((x != 0.0) | self._zeros.light) & self._zeros.free)
        if len(nonzero) > 0:
            return self._joining(working, nonzero)
        return self._searching(working, normals)

    def query(self, working: WorkingState, id: int, batch: Batch | None) -> EntriesQuery:
        return EntriesQuery(id, working.at.x, working.ask)

    def pair(self, working: WorkingState) -> tuple[Vector, Vector, Vector]:
        return working.at

    def gradient(self, working: WorkingState) -> Vector:
        return working.model.belief.v

    def curved(self, working: WorkingState, s: Vector) -> Vector:
        return np.asarray(working.model.H @ s[working.chosen])

    def first_order(self, working: WorkingState, changed: float) -> FirstOrder | None:
        """First-order measure of the variables at work, once all others were measured singly."""
        if working.stage != "settled":
            return None
        if len(working.chosen) == 0:
            return FirstOrder(0.0, 0.0, max(abs(working.loss), changed))
        found = self._newton(working.chosen).first_order(working.model, changed)
        if found is None:
            return None
        return found._replace(scale=max(found.scale, abs(working.model.first_loss)))

    def update(self, working: WorkingState, values: Vector, normals: Normals) -> WorkingState:
        if working.stage == "search":
            return self._searched(working, values)
        if working.stage == "start":
            return self._started(working, values, normals)
        if working.stage == "whole":
            return self._measured_singly(working, values)
        model = working.model._replace(worth=self._worth(working))
        own = partial(normals, length=len(working.chosen))
        model = self._newton(working.chosen).update(model, values, own)
        return self._descended(self._with(working, model), normals)

    # the variables that are not at work

    def _searching(self, working: WorkingState, normals: Normals) -> WorkingState:
        others = self._zeros.movable(working.chosen)
        others = self._zeros.roomy(others, working.length)
        if len(others) == 0:
            return self._found(working, others)
        caution = CAUTION if working.quiet_at < 0 else MORE_CAUTION
        random = normals(1, len(others))[0]
        search = self._zeros.search(others, working.length, random, caution)
        return self._asking(working, search)

    def _asking(self, working: WorkingState, search: Search) -> WorkingState:
        ask = bisection.points(search, working.length * self._zeros.unit)
        return working._replace(stage="search", search=search, ask=ask)

    def _searched(self, working: WorkingState, values: Vector) -> WorkingState:
        search = bisection.read(working.search, (values - working.loss) / working.length)
        if bisection.is_dense(search):
            return self._found(working._replace(search=NO_SEARCH), np.sort(search.order))
        if not bisection.is_over(search):
            return self._asking(working, search)
        return self._found(working._replace(search=NO_SEARCH), bisection.found(search))

    def _found(self, working: WorkingState, found: Indices) -> WorkingState:
        if len(found) > 0:
            return self._joining(working, found[:AT_ONCE])
        working = working._replace(quiet_at=working.steps)
        if working.model.stage == "settled":
            return self._settling(working)
        return self._embedded(working)

    def _settling(self, working: WorkingState) -> WorkingState:
        """To the slope of each variable at zero, measured singly."""
        return self._measuring_singly(working._replace(todo=self._zeros.movable(working.chosen)))

    def _measuring_singly(self, working: WorkingState) -> WorkingState:
        now = working.todo[:AT_ONCE]
        if len(now) == 0:
            return working._replace(stage="settled", ask=NO_ENTRIES, sweeps=working.sweeps + 1)
        return working._replace(stage="whole", ask=self._zeros.one_by_one(now, working.length))

    def _measured_singly(self, working: WorkingState, values: Vector) -> WorkingState:
        changes = values - working.loss
        matter = self._zeros.that_matter(working.ask, changes, working.length, working.eps)
        if len(matter) > 0:
            return self._joining(working._replace(todo=NO_INDICES), matter[:AT_ONCE])
        return self._measuring_singly(working._replace(todo=working.todo[len(changes) :]))

    # the variables at work

    def _joining(self, working: WorkingState, found: Indices) -> WorkingState:
        """The first slopes and curvatures of variables that are to be at work."""
        roomy = self._with_room(working, len(found))
        found = found[: MOST_MODELED - len(roomy.chosen)]
        if len(found) == 0 and working.model.stage != "settled":
            return self._embedded(working._replace(quiet_at=working.steps))
        if len(found) == 0:
            return working._replace(stage="lost", ask=NO_ENTRIES)
        working = roomy._replace(quiet_at=-1)
        domain, x = restricted(self._problem, found).domain, working.at.x[found]
        first = start.init(domain, x, working.loss, working.eps)
        return self._measuring(working._replace(stage="start", joining=found), first)

    def _with_room(self, working: WorkingState, entering: int) -> WorkingState:
        """Where too many would be at work: without those that are zero and are to stay so."""
        model, chosen = working.model, working.chosen
        if len(chosen) + entering <= MOST_MODELED:
            return working
        v, w = model.belief.v, self._parts.above[chosen]
        needed = (model.at.x != 0.0) | (np.abs(v) >= w) | self._zeros.light[chosen]
        return working._replace(chosen=chosen[needed], model=kept(model, needed))

    def _measuring(self, working: WorkingState, first: Start) -> WorkingState:
        where = working.joining
        domain = restricted(self._problem, where).domain
        points = start.points(first, domain, working.at.x[where])
        return working._replace(start=first, ask=rows(points, where))

    def _started(self, working: WorkingState, values: Vector, normals: Normals) -> WorkingState:
        where, eps = working.joining, working.eps
        domain, x = restricted(self._problem, where).domain, working.at.x[where]
        first = start.read(working.start, domain, x, working.loss, values, eps)
        if len(first.todo) > 0:
            return self._measuring(working, first)
        if not np.isfinite(first.slopes).all():
            return working._replace(stage="lost", ask=NO_ENTRIES)
        model = joined(working.model, x, *start.finished(first, domain, x, eps))
        model = model._replace(not_convex=model.not_convex or len(first.downward) > 0)
        chosen = np.concatenate([working.chosen, where])
        working = working._replace(chosen=chosen, joining=NO_INDICES, start=NO_START)
        scaled = np.diagonal(model.H) * np.square(self._zeros.unit[chosen])
        return self._descended(
            working._replace(
                stage="descend",
                model=self._newton(chosen).decided(model, partial(normals, length=len(chosen))),
                length=2.0 * math.sqrt(eps / float(np.median(scaled))),
                start_objective=self._newton(chosen).objective(model),
            ),
            normals,
        )

    def _descended(self, working: WorkingState, normals: Normals) -> WorkingState:
        """On with the model, unless others may have more to give."""
        model = working.model
        if model.stage in ("lost", "kinked"):
            return working._replace(stage="lost", ask=NO_ENTRIES)
        if model.stage == "settled":
            if working.quiet_at == working.steps:
                return self._settling(working)
            return self._searching(working, normals)
        if model.stage == "candidate" and -model.trial.predicted < self._worth(working):
            return self._searching(working, normals)
        return self._embedded(working)

    def _worth(self, working: WorkingState) -> float:
        """The decrease below which a search promises more: a small part of what was gained."""
        if working.quiet_at >= 0:
            return 0.0
        gained = working.start_objective - self._newton(working.chosen).objective(working.model)
        return SMALL_PART * max(gained, 0.0)

    def _embedded(self, working: WorkingState) -> WorkingState:
        ask = rows(working.model.ask, working.chosen)
        return working._replace(stage="descend", ask=ask)

    def _with(self, working: WorkingState, model: Model) -> WorkingState:
        """The state with a newer model."""
        x, dual = np.zeros_like(working.at.x), np.zeros_like(working.at.x)
        x[working.chosen], dual[working.chosen] = model.at.x, model.at.dual
        return working._replace(
            model=model,
            at=Solved(x, x, dual),
            loss=model.loss,
            eps=model.eps,
            steps=working.steps + model.steps - working.model.steps,
        )

    def _newton(self, chosen: Indices) -> QuasiNewton:
        """The descent on these variables."""
        if self._made is None or not np.array_equal(self._made[0], chosen):
            self._made = chosen, QuasiNewton(restricted(self._problem, chosen))
        return self._made[1]
