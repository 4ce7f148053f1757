"""Several starts that share a budget: for a loss with more than one local minimum.

Successive halving: all of k starts get equal parts of a first share of the budget, the better half
equal parts of a second one, and so on until one is left. What runs that end early leave over goes
to the best of those that have not ended.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from zooadmm.methods.auto import Auto
from zooadmm.methods.choice import Settings
from zooadmm.methods.method import NotFiniteAtStart
from zooadmm.oracle.queries import Query
from zooadmm.oracle.randomness import Purpose, generator_at
from zooadmm.problem.arguments import doubles
from zooadmm.problem.named_variables import Parameters
from zooadmm.run.limits import Status
from zooadmm.run.names import start_like
from zooadmm.run.optimizer import Optimizer
from zooadmm.run.result import Report, Result
from zooadmm.run.result_file import LocalOptimum
from zooadmm.run.trace import Info

SAME = 1e-4
"""Optima whose F differ by this part of max(|F|, 1) are counted as the same value."""


class Share(NamedTuple):
    """A round of successive halving."""

    runs: int
    """How many runs are left"""
    evaluations: int
    """Evaluations of each run in this round"""


def shares(count: int, budget: int) -> list[Share]:
    """The rounds for `count` starts: equal parts of the budget, halves of the runs.

    >>> shares(4, 1200)
    [Share(runs=4, evaluations=100), Share(runs=2, evaluations=200), Share(runs=1, evaluations=400)]
    """
    rounds = math.ceil(math.log2(count)) + 1
    left = [math.ceil(count / 2**k) for k in range(rounds)]
    return [Share(runs, budget // (rounds * runs)) for runs in left]


def paced(settings: Settings, budget: int) -> Settings:
    """The settings of a run that may spend this much."""
    if settings == "auto":
        return Auto(budget=budget)
    if isinstance(settings, Auto) and settings.budget is None:
        return replace(settings, budget=budget)
    return settings


def other_starts(starts: int | ArrayLike, x0: Any, first: Optimizer) -> list[Any]:
    """What to start from beside x0, which the first run starts from.

    starts: how many runs there are, their starts evenly spread over each variable's range, in
        random combinations; or the further points, one a row, values in the order of the names
        for `Parameters`.
    """
    x = first.state.x
    if not isinstance(starts, (int, np.integer)):
        points = np.atleast_2d(doubles("starts", starts).astype(x.dtype))
        if points.ndim != 2 or points.shape[1] != len(x) or len(points) == 0:
            raise ValueError(f"starts must have rows of length {len(x)}, or be a whole number.")
        if not np.isfinite(points).all():
            raise ValueError("starts has entries that are not finite; give finite points.")
        if isinstance(x0, Parameters):
            return [x0.starting_at(values) for values in points]
        return [start_like(x0, point) for point in points]
    if isinstance(starts, bool) or starts < 2:
        raise ValueError(f"starts = {starts!r} must be at least 2, with x0 as the first of them.")
    bounds = first.method.problem.domain.bounds()
    if bounds is None or not all(np.isfinite(bound).all() for bound in bounds):
        raise ValueError(
            f"starts = {starts} are drawn within bounds: give domain=Box(lower, upper), or give "
            "starts as an array with one point a row."
        )
    lower, upper = (np.broadcast_to(np.asarray(bound, x.dtype), x.shape) for bound in bounds)
    generator = generator_at(first.method.key, Purpose.STARTS, 0)
    count = int(starts) - 1
    strata = generator.permuted(np.tile(np.arange(count), (len(x), 1)), axis=1).T
    latin = (strata + generator.random(strata.shape)) / count  # a Latin hypercube
    points = (lower + latin * (upper - lower)).astype(x.dtype)
    return [start_like(x0, point) for point in points]


def several(
    starts: int | ArrayLike,
    x0: Any,
    settings: Settings,
    make: Callable[..., Optimizer],
    measure: Callable[[Optimizer], Report],
) -> Starts:
    """The runs for these starts; make: an Optimizer from a start, its settings and an rng."""
    first = make(x0, settings=settings)
    budget = first.limits.max_evaluations
    if budget is None:
        raise ValueError("starts share max_evaluations: give it.")
    points = [x0, *other_starts(starts, x0, first)]
    rounds = shares(len(points), budget)
    if budget < len(rounds):
        raise ValueError(
            f"max_evaluations = {budget} is too few for {len(points)} starts: give at least "
            f"{len(rounds)}, and some hundreds to compare them."
        )
    share = sum(share.evaluations for share in rounds)
    rng, pace = first.method.key[0], paced(settings, share)
    runs = [make(point, settings=pace, rng=rng) for point in points]  # judged on equal observations
    return Starts(runs, budget, measure)


class _Run:
    """One of the runs."""

    def __init__(self, optimizer: Optimizer) -> None:
        self.optimizer = optimizer
        self.x0 = optimizer.state.x
        self.report = Report()
        self.fun = math.inf
        self.refused: NotFiniteAtStart | None = None
        """Why it could not start, where the loss is not finite at its x0"""
        self.lost = 0
        """Evaluations spent on that"""

    @property
    def ended(self) -> bool:
        return self.refused is not None or self.optimizer.status is not Status.RUNNING

    @property
    def evaluations(self) -> int:
        return self.optimizer.evaluations + self.lost

    def advance(self, query: Query, tell: Callable[[Optimizer, Any], Info]) -> Info | None:
        """One iteration; None where the loss is not finite at x0."""
        try:
            return tell(self.optimizer, query)
        except NotFiniteAtStart as refusal:
            self.refused, self.lost = refusal, query.evaluations
            return None

    def result(self, status: Status | None = None) -> Result:
        """status: why all runs were stopped, where they were."""
        ended = self.optimizer.status
        ended = Status.MAX_EVALUATIONS if ended is Status.RUNNING else ended
        return self.optimizer.result(self.report, status or ended)


class Starts:
    """Runs from several points, which share a budget.

    runs: what each was made with its own share in mind.
    measure: the loss at the answer of a run.
    """

    def __init__(
        self, runs: list[Optimizer], budget: int, measure: Callable[[Optimizer], Report]
    ) -> None:
        self._runs = [_Run(run) for run in runs]
        self._budget = budget
        self._measure = measure

    @property
    def evaluations(self) -> int:
        """By all runs, without those that measure."""
        return sum(run.evaluations for run in self._runs)

    def iterations(self, tell: Callable[[Optimizer, Any], Info]) -> Iterator[Info]:
        """All iterations, of whichever run; tell: evaluates the query of a run and tells it."""
        for share in shares(len(self._runs), self._budget):
            for run in self._runs[: share.runs]:
                yield from self._advance(run, run.optimizer.evaluations + share.evaluations, tell)
            self._rank(share.runs)
            if any(run.optimizer.status is Status.TARGET for run in self._runs):
                return
        refusals = [run.refused for run in self._runs if run.refused is not None]
        if len(refusals) == len(self._runs):
            raise refusals[0]
        while waiting := [run for run in self._runs if not run.ended]:
            run, before = waiting[0], self.evaluations
            left = self._budget - before
            yield from self._advance(run, run.optimizer.evaluations + left, tell)
            if self.evaluations == before:  # its next query does not fit
                return
            self._rank(len(self._runs))

    def _advance(
        self, run: _Run, most: int, tell: Callable[[Optimizer, Any], Info]
    ) -> Iterator[Info]:
        """The run, until its next query would take it beyond `most` evaluations."""
        while not run.ended and (query := run.optimizer.ask()) is not None:
            if run.optimizer.evaluations + query.evaluations > most:
                return
            if (info := run.advance(query, tell)) is not None:
                yield info

    def _rank(self, count: int) -> None:
        """Measure the first runs and put the best first; ties stay in order."""
        for run in self._runs[:count]:
            if run.refused is not None:
                continue
            run.report = self._measure(run.optimizer)
            fun = run.result().fun
            run.fun = math.inf if fun is None or not math.isfinite(fun) else fun
        self._runs[:count] = sorted(self._runs[:count], key=lambda run: run.fun)

    def _refusals(self) -> str:
        """How many starts were left out, in a sentence."""
        count = sum(run.refused is not None for run in self._runs)
        return f" At {count} of them the loss is not finite." if count else ""

    def result(self, status: Status | None = None) -> Result:
        """The best result, with what the other starts led to.

        status: why the runs were stopped, where they were.
        """
        if status is not None:
            self._rank(len(self._runs))
        best = self._runs[0].result(status)
        optima = tuple(
            LocalOptimum(run.x0.copy(), found.x, found.fun, found.nfev, found.status)
            for run, found in ((run, run.result()) for run in self._runs)
        )
        return replace(
            best,
            nit=sum(run.optimizer.state.t - 1 for run in self._runs),
            nfev=self.evaluations,
            nfev_report=sum(run.report.evaluations for run in self._runs),
            message=f"{best.message} {_spread(optima)}{self._refusals()}".strip(),
            starts=optima,
        )


def _spread(optima: tuple[LocalOptimum, ...]) -> str:
    """How the values of the optima compare, in a sentence."""
    values = [optimum.fun for optimum in optima if optimum.fun is not None]
    if not values:
        return ""
    best = min(values)
    others = [fun for fun in values if fun - best > SAME * max(1.0, abs(best))]
    said = f"{len(values) - len(others)} of {len(optima)} starts reached this value"
    if not others:
        return f"{said}."
    return f"{said}; the others stopped between {min(others):.4g} and {max(others):.4g}."
