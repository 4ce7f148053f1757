"""The ask/tell shell around the algorithm: it holds the state, the pending query and the ledger."""

from __future__ import annotations

import inspect
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import wraps
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar, overload

import numpy as np
from numpy.typing import ArrayLike

from zooadmm.methods.arguments import instance, with_keywords
from zooadmm.methods.auto import Adaptive
from zooadmm.methods.choice import OnNaN, ProximalWeight, Settings
from zooadmm.methods.compare.method import Comparing
from zooadmm.methods.evaluated import Evaluated
from zooadmm.methods.method import Output, Pair, State
from zooadmm.methods.paper.algorithm import Algorithm
from zooadmm.methods.paper.settings import Paper
from zooadmm.methods.schedule import Schedule
from zooadmm.oracle.gradients import GradientSource
from zooadmm.oracle.observations import Stream, StreamEnded
from zooadmm.oracle.once import Once
from zooadmm.oracle.queries import Query
from zooadmm.oracle.randomness import RNGLike
from zooadmm.problem.arguments import is_whole, number, whole
from zooadmm.problem.arrays import Vector
from zooadmm.problem.constraint import Side
from zooadmm.problem.named_variables import Parameters
from zooadmm.run import diagnosis
from zooadmm.run.checkpoint.snapshot import Notes, Snapshot
from zooadmm.run.conclusion import Standing
from zooadmm.run.habits import refuse
from zooadmm.run.limits import Ledger, Limits, Status
from zooadmm.run.pending import Cell, CellId, NotFinite, Pending, cell_id
from zooadmm.run.result import Report, Result
from zooadmm.run.resumption import resumed
from zooadmm.run.setup import setup
from zooadmm.run.start_values import best_point
from zooadmm.run.stepping import next_query
from zooadmm.run.trace import COLUMNS, Info, Observer, Trace
from zooadmm.structure.metrics import Metric

P = ParamSpec("P")
R = TypeVar("R")


class Turns(type(threading.RLock())):  # type: ignore[misc]
    """A lock that a thread may take again while it has it; a copy is a lock of its own."""

    def __reduce__(self) -> tuple[Any, ...]:
        return Turns, ()


class HasTurns(Protocol):
    """An object that threads share."""

    _turns: Turns


H = TypeVar("H", bound=HasTurns)


def in_turn(method: Callable[Concatenate[H, P], R]) -> Callable[Concatenate[H, P], R]:
    """The method, entered by one thread at a time; others wait."""

    @wraps(method)
    def entered(self: H, /, *given: P.args, **named: P.kwargs) -> R:
        with self._turns:
            return method(self, *given, **named)

    return entered


class Optimizer:
    """ZOO-ADMM one query at a time.

        while (query := optimizer.ask()) is not None:
            optimizer.tell(query.id, values_of(query))
        optimizer.result()

    or one cell of a query at a time, for workers that answer at different times:

        while (cells := optimizer.ask(n)) is not None:
            ...  # hand each cell to a worker, wait for an answer to some cell
            optimizer.tell(cell.id, value)

    The keywords are those of `minimize`, without the loss and what concerns its evaluation, and

    patience: the part of a query's cells that a step waits for, above 0 and at most 1. Below 1, a
        step that averages differences, or gradients over observations, is taken without the last
        cells, and averages the rest; `late` lists them. Other queries wait for all their cells.

    Several threads may ask and tell: each call waits for the one before it. The course of a run
    depends on its arguments and on the values in the order in which they are told, nothing else;
    with patience = 1 not even on their order.

    >>> optimizer = Optimizer(np.zeros(3), max_iterations=200, rng=0, step_size=0.05)
    >>> while (query := optimizer.ask()) is not None:
    ...     info = optimizer.tell(query.id, np.square(query.points - 1).sum(axis=1))
    >>> np.round(optimizer.result().x_last, 2)
    array([1., 1., 1.])
    """

    def __init__(
        self,
        x0: ArrayLike | Parameters | None,
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
        patience: float = 1.0,
        evaluated: int | Evaluated | None = None,
        start_values: Any = None,
        **unknown: object,
    ) -> None:
        if unknown:
            refuse(unknown, inspect.signature(Optimizer).parameters)
        self._turns = Turns()
        self.limits = Limits(max_evaluations, max_iterations, max_seconds, target, tolerance)
        """What ends the run."""
        if limits is not None:
            self.limits = with_keywords(instance("limits", limits, Limits), self.limits)
        state, self._stepping, self._conclusion, self._configuration = setup(
            (best_point(start_values) if x0 is None else x0, regularizer, domain, constraint),
            observations,
            settings,
            Paper(gradient, step_size, smoothing, penalty, proximal_weight, metric, on_nan),
            evaluated,
            (y0, dual0),
            self.limits,
            output,
            complete,
            rng,
            start_values,
        )
        self.method = self._stepping.method
        """The way through the iterations: `Algorithm`, the paper's, or `Adaptive`."""
        self.observations = self._stepping.observations
        """What the loss is evaluated on."""
        self._state = state
        self._any_key = rng is None
        self._patience = number("patience", patience)
        if not 0.0 < self._patience <= 1.0:
            raise ValueError(
                f"patience = {patience} must be above 0 and at most 1, which waits for all cells."
            )
        self._trace = Trace(COLUMNS, max_trace_rows)

        self._pending: Pending | None = None
        self._late: list[CellId] = []
        self._unused = 0
        self._ledger = Ledger()
        self._met: Pair | None = None
        self._unimproved = False
        self._ended: Status | None = None
        self._began = time.monotonic()

    @property
    def state(self) -> State:
        """The iterates and means, and the iteration about to run."""
        return self._state

    @property
    def algorithm(self) -> Algorithm:
        """The parameters of Algorithm 1, as resolved, for settings="paper"."""
        if not isinstance(self.method, Algorithm):
            raise AttributeError('only settings="paper" runs Algorithm 1 as printed; see `method`.')
        return self.method

    @property
    def evaluations(self) -> int:
        """How many f(x; w) the steps taken so far were made of."""
        return self._ledger.evaluations

    @property
    def status(self) -> Status:
        """Why the last `ask` gave nothing, or RUNNING."""
        return Status.RUNNING if self._ended is None else self._ended

    @property
    def late(self) -> list[CellId]:
        """The ids of the cells that steps did not wait for, in the order of the steps."""
        return self._late.copy()

    def __repr__(self) -> str:
        return (
            f"Optimizer(m={self.method.problem.m}, iteration {self._state.t}, "
            f"{self.evaluations} evaluations, {self.status.name.lower()})"
        )

    @overload
    def ask(self) -> Query | None: ...

    @overload
    def ask(self, n: int, *, copies: int = 1) -> list[Cell] | None: ...

    def ask(self, n: int | None = None, *, copies: int = 1) -> Query | list[Cell] | None:
        """The pending query, the same until its step is taken; None when the run has ended.

        n: hand out at most n of its cells instead, each to one worker. The list is shorter,
            or empty, where no more are to be had before an answer comes.
        copies: how many workers may have the same cell at a time. The first answer counts, so more
            than 1 shortens the wait for slow workers, at the price of further evaluations.
        """
        if n is None:
            return self._ask()
        n, copies = whole("n", n, 0), whole("copies", copies, 1)
        if copies > 1 and isinstance(self.observations, Once):
            raise ValueError(
                f"copies = {copies} evaluates an item more than once, and Once() has one "
                "evaluation an item; leave it out."
            )
        with self._turns:
            asked, pending = self._ask(), self._pending
            if asked is None or pending is None:
                return None
            return pending.handout.give(n, copies, pending.told)

    @in_turn
    def _ask(self) -> Query | None:
        limits, ledger, iterations, seconds = self.limits, self._ledger, self._state.t - 1, 0.0
        self._ended = limits.met(ledger)
        if self._ended is None and self.method.settled(self._state):
            self._ended = Status.SETTLED
        if self._ended is not None:
            return None
        if limits.max_seconds is not None:
            seconds = time.monotonic() - self._began
        if self._pending is None:
            if isinstance(self.observations, Stream):  # a live one is not asked in vain
                cost = self.method.cost(self._state)
                self._ended = limits.exhausted(iterations, ledger.evaluations + cost, seconds)
                if self._ended is not None:
                    return None
            try:
                self._pending = Pending(
                    next_query(self.method, self.observations, self._state, ledger)
                )
            except StreamEnded as end:
                self._ended, self._unused = Status.STREAM_ENDED, end.unused
                return None
        query = self._pending.query
        evaluations = ledger.evaluations + query.evaluations
        self._ended = limits.exhausted(iterations, evaluations, seconds)
        return query if self._ended is None else None

    @in_turn
    def tell(self, id: int | CellId, values: ArrayLike | Mapping[int, Any]) -> Info | None:
        """Give values to a query, all of them or some; with the last of them the step is taken.

        id: the query's, or that of a cell.
        values: an array of the query's shape (or flattened), or {cell: value} for some of its
            cells, numbered as in the flattened answer. A cell of a gradient query is a gradient.
            A cell that is masked (`numpy.ma`) is dropped: averages are over the rest. With the id
            of a cell, its value.

        Returns what there is to see of the iteration if the step was taken, else None. Telling a
        cell of a query again is allowed with the same value only. By the id of a cell the first
        answer counts: a further one, or one after the step was taken, is ignored. On any error
        nothing has changed.
        """
        if isinstance(id, (tuple, list)):
            if not self.needs(id):
                return None
            id, cell = id
            values = {cell: values}
        pending = self._pending
        if pending is None or not is_whole(id) or id != pending.query.id:
            raise ValueError(self._unknown_query(id))
        if self._ended is Status.MAX_EVALUATIONS or self._ended is Status.MAX_ITERATIONS:
            over = self.limits.message(self._ended, self._ledger)
            raise ValueError(f"query {id} was not given by ask(): {over}")
        noted = pending.answer, pending.told, pending.dropped
        try:
            answer, late = pending.tell(values), None
            if answer is None and self._patience < 1.0:
                late = pending.leave_out_late(self._patience)
                answer = None if late is None else pending.answer
            if answer is None:
                return None
            before, ledger = self._state, self._ledger
            taken = self._stepping.take(before, ledger, pending.asked, answer, pending.dropped)
            row = None
            if not taken.refused and self._trace.wants(before.t):
                row = taken.info.row()
        except NotFinite as error:
            said = diagnosis.not_finite(error, pending.query, self._state, self._ledger)
            raise ValueError(said) from None
        except BaseException:
            pending.answer, pending.told, pending.dropped = noted
            raise
        if row is not None:  # from here on nothing can fail
            self._trace.append(row)
        if not taken.refused:
            self._met = None if self.limits.target is None else (before.x, before.y)
        if late is not None:
            self._late += [(pending.query.id, cell) for cell in late.tolist()]
        self._state, self._ledger, self._pending = taken.state, taken.ledger, None
        return taken.info

    @in_turn
    def needs(self, id: CellId) -> bool:
        """Whether an answer to a cell would still count; its worker may stop where it would not.

        id: the cell's. One that was never handed out is an error.
        """
        query, cell = cell_id(id)
        pending = self._pending
        if pending is not None and query == pending.query.id:
            if not 0 <= cell < pending.query.cells:
                raise ValueError(pending.no_cell(cell))
            return pending.told is None or not pending.told[cell]
        last = self._state.t if self._ledger.unbounded else self._state.t - 1
        if not 1 <= query <= last:
            raise ValueError(self._unknown_query(query))
        return False

    @in_turn
    def give_up(self, id: CellId) -> None:
        """Hand a cell out again, first of all: its worker will not answer.

        id: the cell's. If an answer comes nevertheless, it may be told.
        """
        if self.needs(id) and self._pending is not None:
            self._pending.handout.take_back(id[1])

    def _unknown_query(self, id: object) -> str:
        if isinstance(id, Query):
            return f"give the number of the query, {id.id}, as in tell(query.id, values)."
        if isinstance(id, (int, np.integer)) and 1 <= id < self._state.t:
            return f"query {id} has been answered, and its step has been taken; ask() for the next."
        if self._pending is None:
            return f"query {id!r} is unknown: nothing is pending; ask() first."
        return f"query {id!r} is unknown; the pending one is {self._pending.query.id}."

    @in_turn
    def save(self, path: str | Path, notes: Notes | None = None) -> None:
        """Write all that the future of the run depends on to a file, atomically.

        notes: arrays to keep beside it; `load` gives them back.
        """
        pending, shown = self._pending, None
        if isinstance(self.observations, Stream) and pending is not None:
            shown = tuple(pending.query.observations or ())
        key = self.method.key
        Snapshot(
            configuration=self._configuration.described(key),
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
            copies=None if pending is None else pending.handout.copies,
            late=np.array(self._late, dtype=np.int64).reshape(-1, 2),
            notes=notes or {},
        ).write(Path(path))

    @in_turn
    def load(self, path: str | Path) -> Notes:
        """Go on from a file that `save` wrote for an optimizer made with the same arguments.

        Limits and patience may differ. Anything else that differs is refused by name, and nothing
        changes. With rng=None the run takes over the random numbers of the file. Returns the notes
        that were saved beside it.
        """
        method, pending, snapshot = resumed(
            Path(path),
            self.method,
            self._configuration,
            self._any_key,
            self._state,
            self.observations,
            self._conclusion.output,
        )
        self.method, self._stepping = method, replace(self._stepping, method=method)
        self._state, self._ledger = snapshot.state, snapshot.ledger
        self._trace.restore(snapshot.rows, snapshot.stride)
        self._met, self._ended, self._pending = snapshot.met, None, pending
        self._unused = 0
        self._late = [(query, cell) for query, cell in snapshot.late.tolist()]
        return snapshot.notes

    @property
    def _standing(self) -> Standing:
        pending = self._pending
        return Standing(
            self.method,
            self._state,
            self._ledger,
            self.status,
            self._met,
            self._unimproved,
            len(self._late),
            None if pending is None else pending.query.evaluations,
            self._unused,
        )

    @in_turn
    def recommended(self) -> Pair:
        """(x, y): the pair that the result recommends."""
        return self._conclusion.recommended(self._standing)

    @property
    def start(self) -> Vector | None:
        """x0 of an exact loss, to compare the answer with."""
        return None if self._conclusion.start is None else self._conclusion.start[0]

    def start_loss(self) -> float:
        """f(x0) of an exact loss, or nan where the first query was about other points."""
        return self._conclusion.start_loss(self._standing)

    def start_objective(self, loss: float) -> float:
        """F(x0) of an exact loss with f(x0) = loss, else nan."""
        return self._conclusion.start_objective(self._standing, loss)

    @property
    def keeps_start(self) -> bool:
        """Whether x0 is recommended where nothing better was found; Algorithm 1 only says so."""
        return self.start is not None and isinstance(self.method, Adaptive | Comparing)

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
        standing = self._standing
        ended = standing.status if status is None else status
        return self._conclusion.result(standing, ended, self._trace, report or Report(), regret)
