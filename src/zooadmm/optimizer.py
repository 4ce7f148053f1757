"""The ask/tell shell around the algorithm: it holds the state, the pending query and the ledger."""

from __future__ import annotations

import dataclasses
import math
import time
import warnings
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from zooadmm import checkpoint
from zooadmm.algorithm import Algorithm, State, norm
from zooadmm.arrays import Vector
from zooadmm.configuration import (
    Side,
    instance,
    positive,
    proximal_weight_schedule,
    schedule,
    side_to_complete,
)
from zooadmm.constraint import Consensus, Constraint
from zooadmm.fingerprint import fingerprint
from zooadmm.gradients import Exact, GradientSource
from zooadmm.info import Info
from zooadmm.limits import Limits, Status
from zooadmm.metrics import Linearized, Metric
from zooadmm.observations import Observations, Stream, StreamEnded, as_observations
from zooadmm.pending import NotFinite, Pending
from zooadmm.problem import as_start_point, make_problem, nearest_feasible
from zooadmm.queries import Answer, Query
from zooadmm.randomness import RNGLike, key_from
from zooadmm.regularizers import as_regularizer
from zooadmm.result import Report, Result
from zooadmm.schedules import Schedule
from zooadmm.sets import ConvexSet, WholeSpace
from zooadmm.settings import ProximalWeight, SettingsName, named
from zooadmm.trace import Trace
from zooadmm.y_steps import y_step_for

Output = Literal["average", "last"]

ROUNDING_WARNING = 0.1
"""Warn when rounding makes up this part of the differences that a gradient is made of."""

_VECTORS = ("x", "y", "dual", "x_sum", "y_sum")


class Optimizer:
    """ZOO-ADMM one query at a time.

        while (query := optimizer.ask()) is not None:
            optimizer.tell(query.id, values_of(query))
        optimizer.result()

    The keywords are those of `minimize`, without the loss and what concerns its evaluation.

    >>> optimizer = Optimizer(np.zeros(3), max_iterations=200, rng=0, step_size=0.05)
    >>> while (query := optimizer.ask()) is not None:
    ...     info = optimizer.tell(query.id, np.square(query.points - 1).sum(axis=1))
    >>> np.round(optimizer.result().x_last, 2)
    array([1., 1., 1.])
    """

    def __init__(
        self,
        x0: ArrayLike,
        *,
        regularizer: Any = None,
        domain: ConvexSet | None = None,
        constraint: Constraint | None = None,
        observations: Any = None,
        gradient: GradientSource | None = None,
        settings: SettingsName = "paper",
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
        output: Output = "average",
        complete: Side | None = None,
        max_trace_rows: int | None = 10_000,
        rng: RNGLike | None = None,
    ) -> None:
        x = as_start_point(x0)
        defaults = named(settings, len(x))
        domain = instance("domain", WholeSpace() if domain is None else domain, ConvexSet)
        constraint = Consensus() if constraint is None else constraint
        constraint = instance("constraint", constraint, Constraint)
        gradient = defaults.gradient if gradient is None else gradient
        source = instance("gradient", gradient, GradientSource)
        problem = make_problem(x, as_regularizer(regularizer), domain, constraint)
        self._observations = as_observations(observations)
        source.fits(domain, self._observations)
        self._stream = self._observations if isinstance(self._observations, Stream) else None
        if self._stream is not None:
            self._stream.resume(0)

        eta = schedule("step_size", defaults.step_size if step_size is None else step_size)
        beta = schedule("smoothing", defaults.smoothing if smoothing is None else smoothing)
        rho = positive("penalty", defaults.penalty if penalty is None else penalty)
        alpha = defaults.proximal_weight if proximal_weight is None else proximal_weight
        self._metric = instance("metric", Linearized() if metric is None else metric, Metric)
        if proximal_weight is not None and not isinstance(self._metric, Linearized):
            raise ValueError("proximal_weight is the alpha of Linearized(); leave one of them out.")
        self._algorithm = Algorithm(
            problem=problem,
            source=source,
            step_size=eta,
            smoothing=beta,
            penalty=rho,
            proximal_weight=proximal_weight_schedule(alpha, rho, eta, constraint.lambda_max),
            x_step=self._metric.x_step(problem, rho),
            y_step=y_step_for(problem, rho),
            key=key_from(rng),
        )
        self._any_key = rng is None
        self._limits = Limits(max_evaluations, max_iterations, max_seconds, target, tolerance)
        if isinstance(source, Exact) and not (max_evaluations is None and target is None):
            raise ValueError(
                "max_evaluations and target are about values of the loss, and Exact() asks for "
                "gradients only; give max_iterations, max_seconds or tolerance."
            )
        if output not in ("average", "last"):
            raise ValueError(f'output must be "average" or "last", not {output!r}.')
        self._output: Output = output
        self._complete = side_to_complete(complete, constraint)

        self._state = _read_only(self._algorithm.init(*problem.start(x, y0, dual0)))
        self._start = self._state
        self._pending: Pending | None = None
        self._evaluations = 0
        self._gradients = 0
        self._objective, self._accuracy = math.nan, math.inf
        self._met: tuple[Vector, Vector] | None = None
        self._ended: Status | None = None
        self._warned = False
        self._trace = Trace(max_trace_rows)
        self._began = time.monotonic()

    @property
    def state(self) -> State:
        """The iterates and means, and the iteration about to run."""
        return self._state

    @property
    def algorithm(self) -> Algorithm:
        """The problem and the parameters of Algorithm 1, as resolved."""
        return self._algorithm

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
        return self._evaluations

    @property
    def status(self) -> Status:
        """Why the last `ask` gave nothing, or RUNNING."""
        return Status.RUNNING if self._ended is None else self._ended

    def __repr__(self) -> str:
        return (
            f"Optimizer(m={self._algorithm.problem.m}, iteration {self._state.t}, "
            f"{self._evaluations} evaluations, {self.status.name.lower()})"
        )

    def ask(self) -> Query | None:
        """The pending query, the same until it is fully told; None when the run has ended."""
        limits, iterations, seconds = self._limits, self._state.t - 1, 0.0
        self._ended = limits.met(self._objective, self._accuracy)
        if self._ended is not None:
            return None
        if limits.max_seconds is not None:
            seconds = time.monotonic() - self._began
        if self._pending is None:
            if self._stream is not None:  # a live one is not asked in vain
                self._ended = limits.exhausted(iterations, self._evaluations + 1, seconds)
                if self._ended is not None:
                    return None
            try:
                self._pending = Pending(self._next_query())
            except StreamEnded:
                self._ended = Status.STREAM_ENDED
                return None
        query = self._pending.query
        evaluations = self._evaluations + query.evaluations
        self._ended = limits.exhausted(iterations, evaluations, seconds)
        return query if self._ended is None else None

    def tell(self, id: int, values: ArrayLike | Mapping[int, Any]) -> Info | None:
        """Give values to a query, all of them or some; with the last of them the step is taken.

        id: the query's.
        values: an array of the query's shape (or flattened), or {cell: value} for some of its
            cells, numbered as in the flattened answer. A cell of a gradient query is a gradient.

        Returns what there is to see of the iteration if the step was taken, else None. Telling a
        cell again is allowed with the same value only. On any error nothing has changed.
        """
        pending = self._pending
        if pending is None or id != pending.query.id:
            raise ValueError(self._stranger(id))
        if self._ended is Status.MAX_EVALUATIONS or self._ended is Status.MAX_ITERATIONS:
            over = self._limits.message(self._ended, self._objective)
            raise ValueError(f"query {id} was not given by ask(): {over}")
        noted = pending.answer, pending.told
        try:
            answer = pending.tell(values)
            return None if answer is None else self._take_step(pending.query, answer)
        except NotFinite as error:
            raise ValueError(self._explained(error)) from None
        except BaseException:
            pending.answer, pending.told = noted
            raise

    def _next_query(self) -> Query:
        state, algorithm, batch = self._state, self._algorithm, None
        if self._observations is not None:
            count = algorithm.source.num_observations
            batch = self._observations.draw(state.t, count, algorithm.key, state.window)
        return algorithm.query(state, batch)

    def _take_step(self, query: Query, answer: Answer) -> Info:
        algorithm, before = self._algorithm, self._state
        after, step = algorithm.step(before, query, answer)
        if not math.isfinite(norm(after.dual)):  # the dual sums up what x and y were
            raise FloatingPointError(
                f"iteration {before.t} leads to an x that is not finite (|x_t| = "
                f"{norm(before.x):.3g}, |g_t| = {norm(step.gradient):.3g}): the run diverges. "
                f"Lower step_size, now {algorithm.step_size}."
            )
        if self._stream is not None:
            after = after._replace(window=tuple(query.observations or ()))
        if not self._warned and before.t & (before.t - 1) == 0:
            self._warn_of_rounding(query, answer)
        evaluations = self._evaluations + query.evaluations
        info = Info(algorithm, before, step, after, evaluations)
        row = info.row() if self._trace.wants(before.t) else None
        accuracy = self._accuracy if self._limits.tolerance is None else info.accuracy
        if self._limits.target is not None:
            self._objective = info.objective
            self._met = before.x, before.y
        if row is not None:  # from here on nothing can fail
            self._trace.append(row)
        self._accuracy = accuracy
        self._evaluations = evaluations
        self._gradients += query.gradients
        self._state = _read_only(after)
        self._pending = None
        return info

    def _stranger(self, id: object) -> str:
        if isinstance(id, (int, np.integer)) and 1 <= id < self._state.t:
            return f"query {id} has been answered, and its step has been taken; ask() for the next."
        if self._pending is None:
            return f"query {id!r} is unknown: nothing is pending; ask() first."
        return f"query {id!r} is unknown; the pending one is {self._pending.query.id}."

    def _explained(self, error: NotFinite) -> str:
        t, size = self._state.t, norm(self._state.x)
        told = f"evaluation {error.cell} of query {t} is {np.squeeze(error.value)}, not finite"
        if t == 1 and self._is_about_x0(error.cell):
            return f"{told}: the loss is not finite at x0. Start where it is, inside its domain."
        if self._far(size):
            return f"{told}, at |x_t| = {size:.3g}: the run diverges. Lower step_size."
        return (
            f"{told}, at |x_t| = {size:.3g}. Where the loss exists only inside some bounds, give "
            'them as domain and use Smoothed(probes="inside").'
        )

    def _far(self, size: float) -> bool:
        """Whether an x of this size has left the start point far behind."""
        return size > 1e3 * max(1.0, norm(self._start.x))

    def _is_about_x0(self, cell: int) -> bool:
        assert self._pending is not None
        points = (e.point for e in self._pending.query if e.cell == cell)
        return np.array_equal(next(points, self._start.x), self._start.x)

    def _warn_of_rounding(self, query: Query, answer: Answer) -> None:
        part = self._algorithm.source.rounding(query, answer)
        if part > ROUNDING_WARNING:
            size = norm(self._state.x)
            far = self._far(size)
            warnings.warn(
                f"at iteration {self._state.t} rounding is {min(part, 1.0):.0%} of the differences "
                f"that the gradient is made of: smoothing = {self._algorithm.smoothing} is too "
                "small for values of this size, or the loss is flat here. Give a larger smoothing"
                + (
                    f", or, if |x_t| = {size:.3g} is divergence, a smaller step_size."
                    if far
                    else "."
                ),
                RuntimeWarning,
                stacklevel=4,
            )
            self._warned = True

    def save(self, path: str | Path) -> None:
        """Write all that the future of the run depends on to a file, atomically."""
        state, pending = self._state, self._pending
        arrays: dict[str, NDArray[Any]] = {name: getattr(state, name) for name in _VECTORS}
        arrays["trace"] = self._trace.rows()
        if self._met is not None:
            arrays["met_x"], arrays["met_y"] = self._met
        if pending is not None and pending.answer is not None and pending.told is not None:
            arrays["answer"], arrays["told"] = pending.answer, pending.told
        shown = None
        if self._stream is not None and pending is not None:
            shown = checkpoint.pack(tuple(pending.query.observations or ()), arrays, "shown")
        meta = {
            "numpy": np.__version__,
            "configuration": self._configuration(),
            "key": self._algorithm.key,
            "t": state.t,
            "evaluations": self._evaluations,
            "gradients": self._gradients,
            "objective": self._objective if math.isfinite(self._objective) else None,
            "accuracy": self._accuracy if math.isfinite(self._accuracy) else None,
            "stride": self._trace.stride,
            "warned": self._warned,
            "window": checkpoint.pack(state.window, arrays, "window"),
            "asked": pending is not None,
            "shown": shown,
        }
        checkpoint.write(Path(path), arrays, meta)

    def load(self, path: str | Path) -> None:
        """Go on from a file that `save` wrote for an optimizer made with the same arguments.

        Limits may differ. Anything else that differs is refused by name. With rng=None the run
        takes over the random numbers of the file.
        """
        arrays, meta = checkpoint.read(Path(path))
        if self._any_key:
            self._algorithm = dataclasses.replace(self._algorithm, key=tuple(meta["key"]))
        for name, here in self._configuration().items():
            there = meta["configuration"].get(name)
            if here != there:
                raise ValueError(
                    f"{path} was written with another {name}: {there} there, {here} here. Give the "
                    "same arguments to go on with it, or another path to start anew."
                )
        if meta["numpy"] != np.__version__:
            warnings.warn(
                f"{path} was written under numpy {meta['numpy']}, this is {np.__version__}: the "
                "run goes on, but its random directions may not be those of an unbroken run.",
                RuntimeWarning,
                stacklevel=2,
            )
        window = checkpoint.unpack(meta["window"], arrays)
        iterates = {name: arrays[name] for name in _VECTORS}
        self._state = _read_only(State(t=meta["t"], window=window, **iterates))
        self._evaluations, self._gradients = meta["evaluations"], meta["gradients"]
        self._objective = math.nan if meta["objective"] is None else meta["objective"]
        self._accuracy = math.inf if meta["accuracy"] is None else meta["accuracy"]
        self._met = (arrays["met_x"], arrays["met_y"]) if "met_x" in arrays else None
        self._warned = meta["warned"]
        self._trace.restore(arrays["trace"], meta["stride"])
        self._ended = self._pending = None
        shown = None if meta["shown"] is None else checkpoint.unpack(meta["shown"], arrays)
        if self._stream is not None:
            self._stream.resume(self._state.t - (1 if shown is None else 0))
        if shown is not None:
            self._pending = Pending(self._algorithm.query(self._state, shown))
        elif meta["asked"]:
            self._pending = Pending(self._next_query())
        if "told" in arrays and self._pending is not None:
            self._pending.answer, self._pending.told = arrays["answer"], arrays["told"]

    def _configuration(self) -> dict[str, str]:
        """The arguments that decide the course of a run, each as a short text."""
        return {**self._arguments, "rng": fingerprint(self._algorithm.key)}

    @cached_property
    def _arguments(self) -> dict[str, str]:
        algorithm, problem = self._algorithm, self._algorithm.problem
        decisive = {
            "x0": self._start.x,
            "regularizer": problem.regularizer,
            "domain": problem.domain,
            "constraint": problem.constraint,
            "y0": self._start.y,
            "dual0": self._start.dual,
            "observations": self._observations if self._stream is None else "a stream",
            "gradient": algorithm.source,
            "step_size": algorithm.step_size,
            "smoothing": algorithm.smoothing,
            "penalty": algorithm.penalty,
            "proximal_weight": algorithm.proximal_weight,
            "metric": self._metric,
            "max_trace_rows": self._trace.max_rows,
        }
        return {name: fingerprint(value) for name, value in decisive.items()}

    def recommended(self) -> tuple[Vector, Vector]:
        """(x, y): the pair that the result recommends."""
        state = self._state
        if self._met is not None and self.status is Status.TARGET:
            x, y = self._met
        elif self._output == "average":
            x, y = state.x_mean, state.y_mean
        else:
            x, y = state.x, state.y
        constraint = self._algorithm.problem.constraint
        if self._complete == "y":
            y = constraint.complete_y(x)  # line 8
        elif self._complete == "x":
            x = constraint.complete_x(y)  # line 10
        return x.copy(), y.copy()

    def result(self, report: Report | None = None, status: Status | None = None) -> Result:
        """What there is now.

        report: what is known of the loss at the recommended x.
        status: why the run ended, where the optimizer cannot know it.
        """
        problem, state = self._algorithm.problem, self._state
        x, y = self.recommended()
        feasible = nearest_feasible(problem.regularizer, y)
        report = report or Report()
        status = self.status if status is None else status
        phi = float(problem.regularizer(feasible))
        return Result(
            x=x,
            y=y,
            x_average=state.x_mean.copy(),
            y_average=state.y_mean.copy(),
            x_last=state.x.copy(),
            y_last=state.y.copy(),
            dual=state.dual.copy(),
            fun=None if report.loss is None else report.loss + phi,
            fun_status=report.status,
            fun_error=report.error,
            nit=state.t - 1,
            nfev=self._evaluations,
            njev=self._gradients,
            nfev_report=report.evaluations,
            residual=norm(problem.constraint.residual(x, y)),
            x_violation=problem.domain.distance(x),
            y_violation=norm(y - feasible),
            success=self._limits.success(status),
            status=status,
            message=self._limits.message(status, self._objective),
            trace=self._trace,
        )


def _read_only(state: State) -> State:
    """The state, with iterates that no callback and no loss can write to."""
    state.x.setflags(write=False)
    state.y.setflags(write=False)
    state.dual.setflags(write=False)
    return state
