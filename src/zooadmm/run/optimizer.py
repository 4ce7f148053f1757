"""The ask/tell shell around the algorithm: it holds the state, the pending query and the ledger."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from zooadmm.methods.arguments import instance, one_of, side_to_complete, with_keywords
from zooadmm.methods.auto import Adaptive, Auto
from zooadmm.methods.choice import OnNaN, ProximalWeight, Settings, chosen, method
from zooadmm.methods.method import NO_STEP, FirstOrder, Method, Output, State, Step
from zooadmm.methods.paper.algorithm import Algorithm
from zooadmm.methods.paper.settings import Paper
from zooadmm.methods.schedule import Schedule
from zooadmm.oracle.gradients import Exact, GradientSource
from zooadmm.oracle.observations import Observations, Order, Stream, StreamEnded, as_observations
from zooadmm.oracle.queries import Answer, Query
from zooadmm.oracle.randomness import Key, RNGLike, key_from
from zooadmm.problem.arrays import Vector, norm
from zooadmm.problem.assembly import assembled
from zooadmm.problem.constraint import Side
from zooadmm.problem.named_variables import Parameters
from zooadmm.problem.problem import as_start_point, make_problem, nearest_feasible
from zooadmm.run import diagnosis, verdict
from zooadmm.run.arithmetic import in_range
from zooadmm.run.checkpoint.file import NO_CHECKPOINT
from zooadmm.run.checkpoint.fingerprint import fingerprint
from zooadmm.run.checkpoint.snapshot import Notes, Snapshot
from zooadmm.run.dropping import without
from zooadmm.run.info import Info
from zooadmm.run.ledger import Ledger
from zooadmm.run.limits import Limits, Status
from zooadmm.run.names import named, names_of, start_of
from zooadmm.run.observer import Observer
from zooadmm.run.pending import NotFinite, Pending
from zooadmm.run.result import Report, Result
from zooadmm.run.trace import Trace
from zooadmm.run.turns import Turns, in_turn
from zooadmm.structure.allowed import Allowed
from zooadmm.structure.metrics import Metric

QUIET = frozenset(
    {
        Status.SETTLED,
        Status.TOLERANCE,
        Status.MAX_EVALUATIONS,
        Status.MAX_ITERATIONS,
        Status.MAX_SECONDS,
        Status.STREAM_ENDED,
        Status.CALLBACK,
    }
)
"""Ends after which a run whose values were all the same has learned nothing."""
OUTPUTS = ("average", "last")


class Optimizer:
    """ZOO-ADMM one query at a time.

        while (query := optimizer.ask()) is not None:
            optimizer.tell(query.id, values_of(query))
        optimizer.result()

    The keywords are those of `minimize`, without the loss and what concerns its evaluation. Several
    threads may ask and tell: each call waits for the one before it.

    >>> optimizer = Optimizer(np.zeros(3), max_iterations=200, rng=0, step_size=0.05)
    >>> while (query := optimizer.ask()) is not None:
    ...     info = optimizer.tell(query.id, np.square(query.points - 1).sum(axis=1))
    >>> np.round(optimizer.result().x_last, 2)
    array([1., 1., 1.])
    """

    def __init__(
        self,
        x0: ArrayLike | Parameters,
        *,
        regularizer: Any = None,
        domain: Any = None,
        constraint: Any = None,
        observations: Any = None,
        gradient: GradientSource | None = None,
        settings: Settings = "auto",
        step_size: float | Schedule | None = None,
        smoothing: float | Schedule | None = None,
        penalty: float | None = None,
        proximal_weight: ProximalWeight | None = None,
        metric: Metric | None = None,
        y0: ArrayLike | None = None,
        dual0: ArrayLike | None = None,
        max_evaluations: int | None = None,
        max_iterations: int | None = None,
        max_seconds: float | None = None,
        target: float | None = None,
        tolerance: float | None = None,
        limits: Limits | None = None,
        output: Output = "average",
        complete: Side | None = None,
        max_trace_rows: int | None = 10_000,
        rng: RNGLike | None = None,
        on_nan: OnNaN | None = None,
    ) -> None:
        self._turns = Turns()
        self._names = names_of(x0)
        if isinstance(x0, Parameters):
            x0, domain = start_of(x0, domain)
        x = as_start_point(x0)
        named = Paper(gradient, step_size, smoothing, penalty, proximal_weight, metric, on_nan)
        meant = chosen(settings, named)
        parts = assembled(regularizer, domain, constraint, len(x), x.dtype)
        problem = make_problem(x, parts.regularizer, parts.given, parts.constraint)
        x = problem.moved_inside(x)
        problem = replace(problem, domain=parts.domain)
        self._parts = parts
        self._allowed = Allowed(problem, parts.rows, whole=isinstance(meant, Auto))
        if parts.rows is None:
            self._allowed.check(x)
        else:
            x = self._allowed.start(x)
        order: Order = "with replacement"
        if isinstance(meant, Auto) and "epochs" not in meant.without:
            order = "epochs"
        self._observations = as_observations(observations, order)
        self._stream: Stream | None = None
        if isinstance(self._observations, Stream):  # a position of its own in the source
            self._observations = self._stream = Stream(self._observations.source)

        self._complete = side_to_complete(complete, parts.constraint)
        self._limits = Limits(max_evaluations, max_iterations, max_seconds, target, tolerance)
        if limits is not None:
            self._limits = with_keywords(instance("limits", limits, Limits), self._limits)
        self._method, self._parameters = method(
            meant,
            named,
            problem,
            key_from(rng),
            self._observations,
            self._limits.max_evaluations,
            self._complete,
        )
        source = self._method.source
        source.fits(parts.domain, self._observations)
        self._any_key = rng is None
        of_values = self._limits.max_evaluations, self._limits.target
        if isinstance(source, Exact) and of_values != (None, None):
            raise ValueError(
                "max_evaluations and target are about values of the loss, and Exact() asks for "
                "gradients only; give max_iterations, max_seconds or tolerance."
            )
        self._output: Output = "last" if one_of("output", output, OUTPUTS) == "last" else "average"

        first = problem.start(x, *parts.starts(x, y0, dual0))
        self._state = _read_only(self._method.init(*first))
        self._start = {
            "x0": fingerprint(self._state.x),
            "y0": fingerprint(self._state.y),
            "dual0": fingerprint(self._state.dual),
        }
        self._start_size = norm(self._state.x)
        exact = self._observations is None and isinstance(self._method, Adaptive)
        self._start_pair = (self._state.x, self._state.y) if exact else None
        self._unimproved = False
        self._pending: Pending | None = None
        self._ledger = Ledger()
        self._met: tuple[Vector, Vector] | None = None
        self._ended: Status | None = None
        self._trace = Trace(max_trace_rows)
        self._began = time.monotonic()

    @property
    def state(self) -> State:
        """The iterates and means, and the iteration about to run."""
        return self._state

    @property
    def method(self) -> Method:
        """The way through the iterations: `Algorithm`, the paper's, or `Adaptive`."""
        return self._method

    @property
    def algorithm(self) -> Algorithm:
        """The parameters of Algorithm 1, as resolved, for settings="paper"."""
        if not isinstance(self._method, Algorithm):
            raise AttributeError('only settings="paper" runs Algorithm 1 as printed; see `method`.')
        return self._method

    @property
    def observations(self) -> Observations | None:
        """What the loss is evaluated on."""
        return self._observations

    @property
    def limits(self) -> Limits:
        """What ends the run."""
        return self._limits

    @property
    def evaluations(self) -> int:
        """How many f(x; w) the steps taken so far were made of."""
        return self._ledger.evaluations

    @property
    def status(self) -> Status:
        """Why the last `ask` gave nothing, or RUNNING."""
        return Status.RUNNING if self._ended is None else self._ended

    def __repr__(self) -> str:
        return (
            f"Optimizer(m={self._method.problem.m}, iteration {self._state.t}, "
            f"{self.evaluations} evaluations, {self.status.name.lower()})"
        )

    @in_turn
    def ask(self) -> Query | None:
        """The pending query, the same until it is fully told; None when the run has ended."""
        limits, ledger, iterations, seconds = self._limits, self._ledger, self._state.t - 1, 0.0
        self._ended = limits.met(ledger)
        if self._ended is None and self._method.settled(self._state):
            self._ended = Status.SETTLED
        if self._ended is not None:
            return None
        if limits.max_seconds is not None:
            seconds = time.monotonic() - self._began
        if self._pending is None:
            if self._stream is not None:  # a live one is not asked in vain
                cost = self._method.cost(self._state)
                self._ended = limits.exhausted(iterations, ledger.evaluations + cost, seconds)
                if self._ended is not None:
                    return None
            try:
                self._pending = Pending(self._next_query())
            except StreamEnded:
                self._ended = Status.STREAM_ENDED
                return None
        query = self._pending.query
        evaluations = ledger.evaluations + query.evaluations
        self._ended = limits.exhausted(iterations, evaluations, seconds)
        return query if self._ended is None else None

    @in_turn
    def tell(self, id: int, values: ArrayLike | Mapping[int, Any]) -> Info | None:
        """Give values to a query, all of them or some; with the last of them the step is taken.

        id: the query's.
        values: an array of the query's shape (or flattened), or {cell: value} for some of its
            cells, numbered as in the flattened answer. A cell of a gradient query is a gradient.
            A cell that is masked (`numpy.ma`) is dropped: averages are over the rest.

        Returns what there is to see of the iteration if the step was taken, else None. Telling a
        cell again is allowed with the same value only. On any error nothing has changed.
        """
        pending = self._pending
        whole = isinstance(id, (int, np.integer)) and not isinstance(id, bool)
        if pending is None or not whole or id != pending.query.id:
            raise ValueError(self._stranger(id))
        if self._ended is Status.MAX_EVALUATIONS or self._ended is Status.MAX_ITERATIONS:
            over = self._limits.message(self._ended, self._ledger)
            raise ValueError(f"query {id} was not given by ask(): {over}")
        noted = pending.answer, pending.told, pending.dropped
        try:
            answer = pending.tell(values)
            return None if answer is None else self._take_step(pending, answer)
        except NotFinite as error:
            said = diagnosis.not_finite(error, pending.query, self._state, self._start_size)
            raise ValueError(said) from None
        except BaseException:
            pending.answer, pending.told, pending.dropped = noted
            raise

    def _next_query(self) -> Query:
        batch = self._method.draw(self._state, self._observations)
        with in_range():
            return self._method.query(self._state, batch)

    def _take_step(self, pending: Pending, answer: Answer) -> Info:
        method, before, ledger, query = self._method, self._state, self._ledger, pending.query
        t, dropped, counted = before.t, ledger.dropped, None
        if pending.dropped is not None:
            if pending.dropped.all():
                raise ValueError(diagnosis.nothing_left(query))
            answer, counted = without(query, answer, pending.dropped)
            dropped += int(pending.dropped.sum())
        if self._observations is None and self._is_bottomless(query, answer):
            return self._refused(diagnosis.bottomless(query, answer), query, NO_STEP, dropped)
        try:
            with in_range():
                after, step = method.step(before, query, answer, counted)
        except FloatingPointError:
            if not self._values_seen(query, answer, before)[2]:
                raise
            after, step = before, NO_STEP
        if not diagnosis.is_finite(step, after):
            bottomless = self._values_seen(query, answer, before)[2]
            if bottomless:
                return self._refused(bottomless, query, step, dropped)
            raise FloatingPointError(diagnosis.overflow(method, before, step))
        if self._stream is not None:
            after = after._replace(window=tuple(query.observations or ()))
        first, last = ledger.first_height, ledger.last_height
        diverged, warned = ledger.diverged, ledger.warned
        if diagnosis.is_time_to_look(t):
            now = diagnosis.height(step)
            if not method.recovers:
                diverged = diagnosis.divergence(method, before.x, self._start_size, ledger, now)
            first, last = now if t == 1 else first, now
            warned = warned or self._warn_of_rounding(query, answer)
        begin, varied, unbounded = self._values_seen(query, answer, after)
        notice = method.notice(before, after)
        if notice:
            diagnosis.warn(notice)
        evaluations = ledger.evaluations + query.evaluations
        info, accuracy = Info(method, before, step, after, evaluations, dropped), math.inf
        if self._limits.tolerance is not None:
            with in_range():
                accuracy = info.accuracy
        row = info.row() if self._trace.wants(t) else None
        ledger = Ledger(
            evaluations,
            ledger.gradients + query.gradients,
            first,
            last,
            math.nan if self._limits.target is None else self._measured(info),
            accuracy,
            diverged,
            warned,
            dropped,
            begin,
            ledger.first_change if ledger.evaluations > 0 else _change(answer),
            varied,
            ledger.elsewhere or (not varied and _has_different(query)),
            unbounded,
        )
        if row is not None:  # from here on nothing can fail
            self._trace.append(row)
        self._met = None if self._limits.target is None else (before.x, before.y)
        self._ledger = ledger
        self._state = _read_only(after)
        self._pending = None
        return info

    def _refused(self, unbounded: str, query: Query, step: Step, dropped: int) -> Info:
        """End with the query's evaluations counted, which were made, and x where it was."""
        ledger, state = self._ledger, self._state
        evaluations = ledger.evaluations + query.evaluations
        self._ledger = ledger._replace(
            evaluations=evaluations,
            gradients=ledger.gradients + query.gradients,
            dropped=dropped,
            unbounded=unbounded,
        )
        self._pending = None
        return Info(self._method, state, step, state, evaluations, dropped)

    def _is_bottomless(self, query: Query, answer: Answer) -> bool:
        """Whether a value is -inf, beside a finite first one."""
        first = self._ledger.start_loss if self._ledger.evaluations > 0 else answer.flat[0]
        return query.gradients == 0 and bool(np.isneginf(answer).any() and np.isfinite(first))

    def _values_seen(self, query: Query, answer: Answer, state: State) -> tuple[float, bool, str]:
        """(f(x_1), whether values differ, how they fall without limit), with those of an answer."""
        ledger = self._ledger
        if query.gradients > 0:
            return math.nan, True, ""
        values = np.asarray(answer, dtype=np.float64).reshape(-1)
        first = ledger.start_loss
        if ledger.evaluations == 0 and len(values) > 0:
            first = float(values[0])
        values = values[np.isfinite(values)]
        if len(values) == 0 or not math.isfinite(first):
            return first, ledger.varied, ""
        varied = ledger.varied or bool((values != first).any())
        return first, varied, self._falls(values, first, state)

    def _falls(self, values: Vector, first: float, state: State) -> str:
        """How values fall without limit, beside f(x_1) and how far f changed beside x_1."""
        size = max(1.0, abs(first), self._ledger.first_change)
        if self._ledger.evaluations == 0:
            return ""
        return diagnosis.unbounded(state.x, self._start_size, first, float(values.min()), size)

    def _measured(self, info: Info) -> float:
        """The objective that a target is held against: y completed where the result's is."""
        if self._complete != "y":
            return info.objective
        problem = self._method.problem
        completed = nearest_feasible(problem.regularizer, problem.constraint.complete_y(info.x))
        return info.loss + float(problem.regularizer(completed))

    def _stranger(self, id: object) -> str:
        if isinstance(id, Query):
            return f"give the number of the query, {id.id}, as in tell(query.id, values)."
        if isinstance(id, (int, np.integer)) and 1 <= id < self._state.t:
            return f"query {id} has been answered, and its step has been taken; ask() for the next."
        if self._pending is None:
            return f"query {id!r} is unknown: nothing is pending; ask() first."
        return f"query {id!r} is unknown; the pending one is {self._pending.query.id}."

    def _warn_of_rounding(self, query: Query, answer: Answer) -> bool:
        if not np.isfinite(answer).all():
            return False
        part = self._method.rounding(query, answer)
        if part <= diagnosis.ROUNDING:
            return False
        said = diagnosis.rounding(self._method, self._state, part, self._start_size)
        diagnosis.warn(said)
        return True

    @in_turn
    def save(self, path: str | Path, notes: Notes | None = None) -> None:
        """Write all that the future of the run depends on to a file, atomically.

        notes: arrays to keep beside it; `load` gives them back.
        """
        pending, shown = self._pending, None
        if self._stream is not None and pending is not None:
            shown = tuple(pending.query.observations or ())
        key = self._method.key
        Snapshot(
            configuration=self._configuration(key),
            key=key,
            state=self._state,
            ledger=self._ledger,
            rows=self._trace.rows(),
            stride=self._trace.stride,
            met=self._met,
            asked=pending is not None,
            shown=shown,
            answer=None if pending is None else pending.answer,
            told=None if pending is None else pending.told,
            dropped=None if pending is None else pending.dropped,
            notes=notes or {},
        ).write(Path(path))

    @in_turn
    def load(self, path: str | Path) -> Notes:
        """Go on from a file that `save` wrote for an optimizer made with the same arguments.

        Limits may differ. Anything else that differs is refused by name, and nothing changes. With
        rng=None the run takes over the random numbers of the file. Returns the notes that were
        saved beside it.
        """
        snapshot = Snapshot.read(Path(path), self._method.learned_type)
        key = snapshot.key if self._any_key else self._method.key
        for name, here in self._configuration(key).items():
            there = snapshot.configuration.get(name)
            if here != there:
                raise ValueError(
                    f"{path} was written with another {name}: {there} there, {here} here. Give the "
                    "same arguments to go on with it, or another path to start anew."
                )
        state, shown, method = snapshot.state, snapshot.shown, self._method.with_key(key)
        pending: Pending | None = None
        try:
            snapshot.check_vectors(self._state)
            drawn = method.drawn(state, shown)
        except Exception as unfit:
            raise ValueError(f"{NO_CHECKPOINT.format(path)} ({unfit})") from unfit
        if self._stream is not None:
            self._stream.resume(drawn)
        try:
            method.recommended(state, self._output)
            if shown is not None or snapshot.asked:
                batch = method.draw(state, self._observations) if shown is None else shown
                query = method.query(state, batch)
                pending = Pending(query, snapshot.answer, snapshot.told, snapshot.dropped)
        except StreamEnded:
            raise
        except Exception as unfit:  # whatever altered content makes a method raise
            raise ValueError(f"{NO_CHECKPOINT.format(path)} ({unfit})") from unfit
        self._method = method
        self._state, self._ledger = _read_only(state), snapshot.ledger
        self._trace.restore(snapshot.rows, snapshot.stride)
        self._met, self._ended, self._pending = snapshot.met, None, pending
        return snapshot.notes

    def _configuration(self, key: Key) -> dict[str, str]:
        """The arguments that decide the course of a run, each as a short text."""
        return {**self._arguments, "rng": f"random numbers {key[0]:016x}{key[1]:016x}"}

    @cached_property
    def _arguments(self) -> dict[str, str]:
        problem = self._method.problem
        decisive = {
            "regularizer": problem.regularizer,
            "domain": problem.domain,
            "constraint": problem.constraint,
            "observations": self._observations if self._stream is None else "a stream",
            **({"parameters": repr(self._names)} if isinstance(self._names, Parameters) else {}),
            **self._parameters,
            "max_trace_rows": self._trace.max_rows,
        }
        start = self._start  # y0 last: where it was not given, the others decide it
        described = {name: fingerprint(value) for name, value in decisive.items()}
        return {"x0": start["x0"], **described, "y0": start["y0"], "dual0": start["dual0"]}

    @in_turn
    def recommended(self) -> tuple[Vector, Vector]:
        """(x, y): the pair that the result recommends."""
        state = self._state
        if self._unimproved and self._start_pair is not None:
            x, y = self._start_pair
            return x.copy(), y.copy()
        if self._met is not None and self.status is Status.TARGET:
            x, y = self._met
            if self._complete == "x":  # what was measured, not what would be completed from it
                return x.copy(), y.copy()
        else:
            output = "last" if self.status is Status.TOLERANCE else self._output
            with in_range():
                x, y = self._method.recommended(state, output)
        constraint = self._method.problem.constraint
        if self._complete == "x":
            x = constraint.complete_x(y)  # line 10
        allowed = self._allowed.nearest(x)
        if self._complete == "y" or (constraint.B_invertible and not np.array_equal(allowed, x)):
            y = constraint.complete_y(allowed)  # line 8
        return allowed.copy(), y.copy()

    def start_objective(self) -> float:
        """F(x0) of an exact loss where it is known, else nan; for `settings="auto"`."""
        if self._start_pair is None:
            return math.nan
        problem, (x, y) = self._method.problem, self._start_pair
        if problem.constraint.B_invertible:
            y = problem.constraint.complete_y(x)
        return self._ledger.start_loss + float(problem.regularizer(y))

    def keep_start(self) -> float:
        """Recommend x0, than which nothing better was found; f(x0)."""
        self._unimproved = True
        return self._ledger.start_loss

    @in_turn
    def result(
        self,
        report: Report | None = None,
        status: Status | None = None,
        regret: Observer | None = None,
    ) -> Result:
        """What there is now.

        report: what is known of the loss at the recommended x.
        status: why the run ended, where the optimizer cannot know it.
        regret: what followed the run, if something did.
        """
        problem, state = self._method.problem, self._state
        x, y = self.recommended()
        feasible = nearest_feasible(problem.regularizer, y)
        report = report or Report()
        status = self.status if status is None else status
        if status in QUIET and self._ledger.elsewhere and not self._ledger.varied:
            status = Status.UNCHANGED
        phi = float(problem.regularizer(feasible))
        residual = norm(problem.constraint.residual(x, y))
        with in_range():
            measured = None if self._unimproved else self._method.first_order(state)
        decrease = None
        if report.loss is not None and report.status == "exact":
            fell = self.start_objective() - (report.loss + phi)
            decrease = fell if math.isfinite(fell) else None
        x_violation, y_violation = problem.domain.distance(x), norm(y - feasible)
        fun = None if report.loss is None else report.loss + phi
        known = measured, decrease, fun
        shortfall = self._allowed.shortfall(x)
        remarks = shortfall.message, _unimproved(decrease), *self._remarks(status, report, known)
        return Result(
            x=x,
            y=self._parts.visible(x, y),
            x_average=state.x_mean.copy(),
            y_average=self._parts.visible(state.x_mean, state.y_mean).copy(),
            x_last=state.x.copy(),
            y_last=self._parts.visible(state.x, state.y).copy(),
            dual=state.dual.copy(),
            fun=fun,
            fun_status=report.status,
            fun_error=report.error,
            nit=state.t - 1,
            nfev=self._ledger.evaluations,
            njev=self._ledger.gradients,
            nfev_report=report.evaluations,
            nfev_regret=0 if regret is None else regret.evaluations,
            residual=residual,
            x_violation=x_violation,
            y_violation=y_violation,
            success=self._method.has_moved(state)
            and verdict.is_success(status, self._limits, *known)
            and report.finite
            and shortfall.by_rounding,
            status=status,
            message=" ".join(filter(None, remarks)),
            trace=self._trace.copy(),
            regret=None if regret is None else regret.copy(),
            stationarity=None if measured is None else measured.length,
            stationarity_error=None if measured is None else measured.error,
            decrease=decrease,
            optimum=verdict.shown(status, *known, self._method.not_convex(state)),
            learned=self._method.remark(state),
            named=named(self._names, x),
        )

    def _remarks(
        self,
        status: Status,
        report: Report,
        known: tuple[FirstOrder | None, float | None, float | None],
    ) -> tuple[str, ...]:
        dropped, method, state = self._ledger.dropped, self._method, self._state
        said = f"{dropped} evaluation(s) failed and were dropped." if dropped else ""
        doubts = verdict.doubts(status, *known, method.not_convex(state))
        better = ""
        if status in verdict.JUDGED and report.status == "exact":
            better = verdict.better_elsewhere(method.lowest(state), report.loss, known[1])
        if state.t == 1:
            doubts = ""  # nothing was done
        return self._message(status), doubts, better, method.remark(state), said, report.remark

    def _message(self, status: Status) -> str:
        if self._state.t == 1 and status is Status.MAX_EVALUATIONS:
            asked = self._pending  # a stream was not asked
            needed = self._method.cost(self._state) if asked is None else asked.query.evaluations
            return diagnosis.too_small_a_budget(self._limits.max_evaluations, needed)
        return self._limits.message(status, self._ledger)


def _change(answer: Answer) -> float:
    """How far finite values lie apart."""
    values = answer[np.isfinite(answer)]
    return float(np.ptp(values)) if len(values) > 0 else 0.0


def _unimproved(decrease: float | None) -> str:
    if decrease is None or decrease > 0.0:
        return ""
    return "The run ended no better than x0."


def _read_only(state: State) -> State:
    """The state, with iterates that no callback and no loss can write to."""
    state.x.setflags(write=False)
    state.y.setflags(write=False)
    state.dual.setflags(write=False)
    return state


def _has_different(query: Query) -> bool:
    """Whether a query is about more than one point."""
    points = query.points
    return bool((points != points[0]).any())
