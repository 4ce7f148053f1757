"""What a run concludes from where it stands: the recommended pair, and the Result."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from zooadmm.methods.method import Method, Output, Pair, State
from zooadmm.methods.paper.algorithm import Algorithm
from zooadmm.problem.arrays import Vector, norm
from zooadmm.problem.assembly import Assembly
from zooadmm.problem.constraint import Side
from zooadmm.problem.problem import nearest_feasible
from zooadmm.run import diagnosis, verdict
from zooadmm.run.limits import Ledger, Limits, Status
from zooadmm.run.names import named
from zooadmm.run.result import Report, Result
from zooadmm.run.stepping import in_range
from zooadmm.run.trace import Observer, Trace
from zooadmm.structure.allowed import Allowed

QUIET = verdict.JUDGED | {Status.TOLERANCE}
"""Ends after which a run whose values were all the same has learned nothing."""

DISPLACED = 1e-6
"""A part of |x|: a gradient measured farther away says nothing of x."""


class Standing(NamedTuple):
    """Where a run stands."""

    method: Method
    state: State
    ledger: Ledger
    status: Status
    met: Pair | None
    """The pair whose value is compared with a target"""
    unimproved: bool
    """Whether nothing better than x0 was found"""
    late: int
    """Evaluations that steps did not wait for"""
    asked: int | None
    """Evaluations of the pending query, if there is one"""
    unused: int = 0
    """Items that a stream still showed at its end, too few for the next query"""


@dataclass(frozen=True, eq=False)
class Conclusion:
    """How a run comes to its answer: what the arguments of the user decide about it."""

    parts: Assembly
    allowed: Allowed
    complete: Side | None
    output: Output
    limits: Limits
    names: Any
    start: Pair | None
    """(x_1, y_1) of an exact loss, to compare the answer with"""

    def recommended(self, at: Standing) -> Pair:
        """(x, y): the pair that the result recommends."""
        if at.unimproved and self.start is not None:
            x, y = self.start
            return x.copy(), y.copy()
        x, y = self._proposed(at)
        if self._is_met(at) and self.complete == "x":
            return x.copy(), y.copy()
        constraint = at.method.problem.constraint
        allowed = self.allowed.nearest(x)
        if self.complete == "y" or (constraint.B_invertible and not np.array_equal(allowed, x)):
            y = constraint.complete_y(allowed)  # line 8
        return allowed.copy(), y.copy()

    def _is_met(self, at: Standing) -> bool:
        """Whether the pair that met the target is the answer: what was measured, not completed."""
        return at.met is not None and at.status is Status.TARGET

    def _proposed(self, at: Standing) -> Pair:
        """The pair of the method, before it is moved to what is allowed."""
        if self._is_met(at):
            assert at.met is not None
            x, y = at.met
            if self.complete == "x":
                return x, y
        else:
            output = "last" if at.status is Status.TOLERANCE else self.output
            with in_range():
                x, y = at.method.recommended(at.state, output)
        if self.complete == "x":
            x = at.method.problem.constraint.complete_x(y)  # line 10
        return x, y

    def _is_displaced(self, at: Standing, x: Vector) -> bool:
        """Whether x lies far from where the method stands: what is allowed is elsewhere."""
        proposed, _ = self._proposed(at)
        return norm(x - proposed) > DISPLACED * max(norm(x), norm(proposed))

    def start_loss(self, at: Standing) -> float:
        """f(x0) of an exact loss, or nan where the first query was about other points."""
        if self.start is None or at.ledger.gradients > 0:
            return math.nan
        if isinstance(at.method, Algorithm):
            x, y = self.start
            first = at.method.query(at.method.init(x, y, at.state.dual), None)
            if not np.array_equal(first.points[0], x):
                return math.nan
        return at.ledger.start_loss

    def start_objective(self, at: Standing, loss: float) -> float:
        """F(x0) of an exact loss with f(x0) = loss, else nan."""
        if self.start is None:
            return math.nan
        problem, (x, y) = at.method.problem, self.start
        if problem.constraint.B_invertible:
            y = problem.constraint.complete_y(x)
        return loss + float(problem.regularizer(y))

    def result(
        self, at: Standing, ended: Status, trace: Trace, report: Report, regret: Observer | None
    ) -> Result:
        """What there is now.

        ended: why the run ended.
        report: what is known of the loss at the recommended x.
        """
        problem, state, ledger, method = at.method.problem, at.state, at.ledger, at.method
        x, y = self.recommended(at)
        feasible = nearest_feasible(problem.regularizer, y)
        alike = ledger.elsewhere and not ledger.varied and method.has_one_answer(state)
        if ended in QUIET and alike:
            ended = Status.UNCHANGED
        phi = float(problem.regularizer(feasible))
        residual = norm(problem.constraint.residual(x, y))
        with in_range():
            elsewhere = at.unimproved or self._is_displaced(at, x)
            measured = None if elsewhere else method.first_order(state)
        decrease = None
        if report.loss is not None and report.status == "exact":
            fell = self.start_objective(at, report.start) - (report.loss + phi)
            decrease = fell if math.isfinite(fell) else None
        x_violation, y_violation = problem.domain.distance(x), norm(y - feasible)
        fun = None if report.loss is None else report.loss + phi
        known = verdict.Evidence(measured, decrease, fun)
        constraints, multipliers = method.constrained(state) or (None, None)
        sure = None if at.unimproved else method.uncertainty(state)
        shortfall = self.allowed.shortfall(x)
        says_it_itself = ended is Status.DIVERGED or state.t == 1
        unimproved = "" if says_it_itself else _unimproved(decrease)
        remarks = shortfall.message, unimproved, *self._remarks(at, ended, report, known)
        return Result(
            x=x,
            y=self.parts.visible(x, y),
            x_average=state.x_mean.copy(),
            y_average=self.parts.visible(state.x_mean, state.y_mean).copy(),
            x_last=state.x.copy(),
            y_last=self.parts.visible(state.x, state.y).copy(),
            dual=state.dual.copy(),
            fun=fun,
            fun_status=report.status,
            fun_error=report.error,
            nit=state.t - 1,
            nfev=ledger.evaluations,
            njev=ledger.gradients,
            nfev_report=report.evaluations,
            nfev_regret=0 if regret is None else regret.evaluations,
            residual=residual,
            x_violation=x_violation,
            y_violation=y_violation,
            success=method.has_moved(state)
            and verdict.is_success(ended, self.limits, known)
            and report.finite
            and shortfall.by_rounding,
            status=ended,
            message=" ".join(filter(None, remarks)),
            trace=trace.copy(),
            regret=None if regret is None else regret.copy(),
            stationarity=None if measured is None else measured.length,
            stationarity_error=None if measured is None else measured.error,
            decrease=decrease,
            optimum=verdict.shown(ended, known, method.not_convex(state)),
            learned=method.remark(state),
            named=named(self.names, x),
            constraints=constraints,
            multipliers=multipliers,
            x_error=None if sure is None else sure.error,
            preferred=None if sure is None else sure.preferred,
        )

    def _remarks(
        self, at: Standing, ended: Status, report: Report, known: verdict.Evidence
    ) -> tuple[str, ...]:
        failed, method, state = at.ledger.dropped - at.late, at.method, at.state
        said = f"{failed} evaluation(s) failed and were dropped." if failed else ""
        late = f"{at.late} evaluation(s) came late and were left out." if at.late else ""
        doubts = verdict.doubts(ended, known, method.not_convex(state), method.unshown)
        measured, decrease, fun = known
        judged = ended in verdict.JUDGED and measured is None
        if judged and self.start and decrease is not None and fun is not None:
            fell = diagnosis.perhaps_unbounded(state.x, at.ledger, decrease, fun)
            doubts = f"{doubts} {fell}".rstrip()
        better = ""
        if ended in verdict.JUDGED and report.status == "exact":
            better = verdict.better_elsewhere(method.lowest(state)[0], known)
        if state.t == 1:
            doubts = ""  # nothing was done
        return (
            self._message(at, ended),
            doubts,
            better,
            method.remark(state),
            said,
            late,
            report.remark,
        )

    def _message(self, at: Standing, ended: Status) -> str:
        if at.state.t == 1 and ended is Status.MAX_EVALUATIONS:
            needed = at.method.cost(at.state) if at.asked is None else at.asked  # None: a stream
            return diagnosis.too_small_a_budget(self.limits.max_evaluations, needed)
        if ended is Status.UNCHANGED:
            return at.method.unchanged
        if ended is Status.STREAM_ENDED and at.unused > 0:
            return diagnosis.too_few_items(at.unused, at.method.cost(at.state))
        return self.limits.message(ended, at.ledger)


def _unimproved(decrease: float | None) -> str:
    if decrease is None or decrease > 0.0:
        return ""
    return "The run ended no better than x0."
