"""The method for constraints that are evaluated, as the ask/tell shell sees it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from zooadmm.methods.evaluated.descent import Sequential
from zooadmm.methods.evaluated.measures import Measures
from zooadmm.methods.evaluated.settings import Evaluated
from zooadmm.methods.evaluated.state import SequentialState
from zooadmm.methods.method import NO_SOURCE, FirstOrder, Method, Output, Pair, State, Step
from zooadmm.oracle.gradients import GradientSource
from zooadmm.oracle.observations import Batch
from zooadmm.oracle.queries import Answer, Counted, Query, RowsQuery
from zooadmm.oracle.randomness import Key
from zooadmm.problem.arrays import Vector, norm
from zooadmm.problem.problem import Problem
from zooadmm.structure.canonical import Canonical, canonical


@dataclass(frozen=True, eq=False)
class EvaluatedMethod(Method):
    """Sequential quadratic programming on a problem; the answer to a query has a row a point."""

    problem: Problem
    evaluated: Evaluated
    canonical: Canonical
    key: Key
    source: GradientSource = NO_SOURCE
    """Slopes are measured along the variables, not estimated"""
    step_size: None = None
    smoothing: None = None
    learned_type: Any = SequentialState
    recovers = True  # f may rise by any factor on the way to the constraints

    @cached_property
    def _form(self) -> Any:
        return self.canonical.form

    def _phi(self, x: Vector) -> float:
        return self.problem.phi_near(self.problem.constraint.complete_y(x))

    def _sequential(self, units: Vector) -> Sequential:
        return Sequential(Measures(self._form, self._phi, self.evaluated, units))

    def init(self, x: Vector, y: Vector, dual: Vector) -> State:
        bounds = self._form.phi
        units = np.minimum(bounds.upper - bounds.lower, np.maximum(np.abs(x), 1.0))
        units = np.where(units > 0.0, units, 1.0)
        learned = self._sequential(units).init(x)
        return State(1, x, y, dual, np.zeros(len(x)), np.zeros(len(y)), (), learned)

    def cost(self, state: State) -> int:
        return len(_own(state).ask)

    def query(self, state: State, batch: Batch | None) -> Query:
        return RowsQuery(state.t, _own(state).ask, 1 + self.evaluated.count)

    def at(self, x: Vector, batch: Batch | None) -> Query:
        return RowsQuery(0, x[None], 1 + self.evaluated.count)

    def step(
        self, state: State, query: Query, answer: Answer, counted: Counted | None = None
    ) -> tuple[State, Step]:
        before = _own(state)
        sequential = self._sequential(before.units)
        after = sequential.update(before, answer)
        x, K = after.x, self.problem.constraint
        y = x.copy() if K.is_consensus else K.complete_y(x)
        dual = state.dual
        if after.stage != "slopes" and len(after.J) > 0:
            dual = self._dual(after)
        measured = after if before.stage == "start" else before
        feasible = sequential.measures.is_feasible(measured.values)
        record = Step(
            loss=float(measured.values[0]) if feasible else math.nan,
            gradient_norm=norm(after.J[0]),
            residual=norm(K.residual(state.x, state.y)),
            update=norm(x - state.x),
            step_size=math.nan,
            smoothing=math.nan,
            penalty=float(after.weights.max()),
        )
        return state.next(x, y, dual, after), record

    def _dual(self, own: SequentialState) -> Vector:
        """lambda with A' lambda = the gradient of the Lagrangian function, up to normals of X."""
        if self.problem.constraint.is_consensus:
            return np.asarray(own.J[0] + own.multipliers @ own.J[1:])
        return self.canonical.dual(own.of_rows)

    def recommended(self, state: State, output: Output) -> Pair:
        """The best point that was evaluated, or the newest iterates."""
        if output == "last":
            return state.x, state.y
        x, K = _own(state).best_x, self.problem.constraint
        return x, x.copy() if K.is_consensus else K.complete_y(x)

    def prospect(self, after: State) -> tuple[Vector, Vector] | None:
        own = _own(after)
        if self.first_order(after) is None:
            return None
        return own.step.d, own.H @ own.step.d

    def has_moved(self, state: State) -> bool:
        return _own(state).steps > 0

    def settled(self, state: State) -> bool:
        return _own(state).stage == "settled"

    def first_order(self, state: State) -> FirstOrder | None:
        own = _own(state)
        if not np.array_equal(own.best_x, own.x):
            return None
        return self._sequential(own.units).first_order(own)

    def constrained(self, state: State) -> tuple[Vector, Vector]:
        own = _own(state)
        return own.best_values[1:].copy(), own.multipliers.copy()

    def remark(self, state: State) -> str:
        """Steps, and constraints that are violated."""
        own = _own(state)
        if own.stage == "start":
            return ""
        values = own.best_values[1:]
        active = int((own.multipliers > 0.0).sum())
        said = f"Learned: {own.steps} steps; {active} of {len(values)} constraints are active."
        worst = int(values.argmax())
        if values[worst] > self.evaluated.tolerance:
            said += (
                f" No feasible point was found: constraint {worst + 1} is {values[worst]:.3g} at x."
            )
        if self.evaluated.mode == "safe" and own.breaches > 0:
            said += (
                f" {own.breaches} evaluated points violated a constraint, by up to {own.worst:.3g}."
            )
        if own.mishaps > 0:
            said += f" {own.mishaps} evaluated points had values that were not finite."
        return said


def evaluated_method(evaluated: Evaluated, problem: Problem, key: Key) -> EvaluatedMethod:
    """The method for a problem, or a sentence on the part of it that does not fit."""
    if problem.dtype != np.float64:
        raise ValueError(f"evaluated= needs an x0 of float64, not {problem.dtype}.")
    found = canonical(problem)
    if found is None:
        raise ValueError(
            "evaluated= combines with bounds, budgets, linear constraints, and regularizers that "
            "are sums over coordinates or rows, such as L1 and total variation; not with "
            f"{problem.regularizer!r} over {problem.domain!r}."
        )
    return EvaluatedMethod(problem, evaluated, found, key)


def _own(state: State) -> SequentialState:
    assert isinstance(state.learned, SequentialState)
    return state.learned
