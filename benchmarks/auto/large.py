"""Thousands of variables of which few matter, and a loss without noise: evaluations to a gap.

    minimize f(x) + strength |x|_1,   f = mean_i (<a_i, x> - b_i)^2, or logistic,

with a_i from a normal process along the variables whose neighbors correlate, outcomes that 20 of
them make, and a strength that is a part of the one which leaves no variable. Each seed has data of
its own. Rivals are given the true gradient at the price of m + 1 evaluations, which is kinder than
differences. Variants of the method look at every slope in each search, or have no model at all.
What has not arrived after the budget is at infinity.
"""

from __future__ import annotations

import contextlib
import math
import time
import tracemalloc
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from unittest import mock

import numpy as np
import scipy.signal
import scipy.special
from sklearn.linear_model import Lasso

import zooadmm as zoo
from benchmarks.auto.figures import Figure, figures
from benchmarks.auto.study import Job, Plan, Row, Study
from benchmarks.methods import fista, scipy_lbfgsb
from benchmarks.methods.ours import automatic
from benchmarks.problem import Array, Problem
from benchmarks.problems.sparse import with_l1
from benchmarks.report.text import digits, table
from benchmarks.solve.exact import accelerated
from benchmarks.trial import Diverged, Spent, Trial
from zooadmm.losses import Logistic, Squares
from zooadmm.methods.auto.working_set import bisection
from zooadmm.methods.auto.working_set import descent_on_few as working_set

NONZEROS = 20
TARGETS = (1e-3, 1e-6)
FINER = 1.01
"""Arrival is looked at at numbers of evaluations so many times apart."""
MOST_GRADIENTS = 150
"""The evaluations that a run has at most, in gradients by differences."""
EVERYTHING = 1e9
"""A caution that leaves no group unhalved."""


@dataclass(frozen=True)
class Case:
    """Variables, observations, the correlation of neighbors, the part of the strongest strength."""

    m: int
    rows: int
    neighbors: float
    part: float
    logistic: bool = False


CASES = {
    "lasso, m = 2,000": Case(2_000, 500, 0.0, 0.1),
    "lasso, m = 10,000": Case(10_000, 1_000, 0.0, 0.1),
    "lasso, m = 10,000, neighbors 0.5": Case(10_000, 1_000, 0.5, 0.05),
    "lasso, m = 10,000, neighbors 0.9": Case(10_000, 1_000, 0.9, 0.1),
    "logistic, m = 10,000": Case(10_000, 1_000, 0.0, 0.1, logistic=True),
    "lasso, m = 100,000": Case(100_000, 1_000, 0.0, 0.1),
}
SLOW = ("logistic, m = 10,000", "lasso, m = 100,000")
FEWER_SEEDS = 3


def instance(case: Case, seed: int) -> Problem:
    """The problem, with its optimum from a method that has the formula."""
    generator = np.random.default_rng([2018, seed])
    features = generator.standard_normal((case.rows, case.m))
    features[:, 1:] *= math.sqrt(1.0 - case.neighbors**2)
    if case.neighbors > 0.0:
        features = scipy.signal.lfilter([1.0], [1.0, -case.neighbors], features, axis=1)
    truth = np.zeros(case.m)
    chosen = generator.choice(case.m, NONZEROS, replace=False)
    truth[chosen] = 3.0 * generator.standard_normal(NONZEROS)
    signal, noise = features @ truth, generator.standard_normal(case.rows)
    loss: Squares | Logistic = SparsePoints(features, signal + noise)
    if case.logistic:
        chance = scipy.special.expit(signal)
        loss = Logistic(features, np.where(generator.random(case.rows) < chance, 1.0, -1.0))
    strength = case.part * float(np.abs(loss.gradient(np.zeros(case.m))).max())
    problem = with_l1("large", loss, case.m, strength)
    if case.logistic:
        best = accelerated(problem, 1e-10)
    else:
        lasso = Lasso(strength / 2.0, fit_intercept=False, tol=1e-9, max_iter=100_000)
        best = lasso.fit(features, signal + noise).coef_
    return replace(problem, optimum=problem.objective(best))


class SparsePoints(Squares):
    """Squares that cost less at points with zeros, or the study would take days.

    Features are gathered in one place, so that the loss takes no memory while the method is traced.
    """

    def __init__(self, features: Array, targets: Array) -> None:
        super().__init__(features, targets)
        self._columns, self._outcomes = np.ascontiguousarray(features.T), targets
        self._gathered = np.empty((len(self._columns) // 32 + 2048, len(targets)))

    def _means(self, points: Array) -> Array:
        return np.array([self._mean(x, np.flatnonzero(x)) for x in points])

    def _mean(self, x: Array, at: Array) -> float:
        columns = self._columns
        if len(at) <= len(self._gathered):
            columns = self._gathered[: len(at)]
            np.take(self._columns, at, axis=0, out=columns, mode="clip")
        else:
            at = np.arange(len(x))
        residuals = x[at] @ columns - self._outcomes
        return float(residuals @ residuals) / len(residuals)


class Way(Trial):
    """A trial that notes where each target is reached, and ends at the last."""

    def __init__(self, problem: Problem, budget: int, seed: int) -> None:
        count = math.ceil(math.log(budget / 100) / math.log(FINER))
        looks = sorted({*(round(100 * FINER**k) for k in range(count)), budget})
        super().__init__(problem, looks, math.inf, seed)
        self.reached: dict[float, tuple[int, float]] = {}
        self._last = problem.x0

    def _snapshot(self, checkpoint: int, reached: bool) -> None:
        super()._snapshot(checkpoint, reached)
        at = self.snapshots.pop()
        if np.array_equal(at.x, self._last):
            return
        began, self._last = time.thread_time(), at.x
        gap = self.problem.gap(at.x)
        self._refereeing += time.thread_time() - began
        for target in TARGETS:
            if gap <= target:
                self.reached.setdefault(target, (at.used, at.seconds - at.loss_seconds))
        if gap <= TARGETS[-1]:
            raise Spent

    def forward_gradient(self, x: Array, relative_step: float = 1.5e-8) -> tuple[float, Array]:
        value = float(self.values(x[None])[0])
        return value, self.gradient(x, (), self.problem.m)


def ours(trial: Trial) -> None:
    automatic(trial, zoo.Auto(), trial.budget)


def without_model(trial: Trial) -> None:
    automatic(trial, zoo.Auto(without=["model"]), trial.budget)


def every_slope(trial: Trial) -> None:
    """Each search comes down to every variable."""
    with (
        mock.patch.object(working_set, "CAUTION", EVERYTHING),
        mock.patch.object(working_set, "MORE_CAUTION", EVERYTHING),
        mock.patch.object(bisection, "LAST_PART", 0.0),
    ):
        ours(trial)


AUTO, MEMORY = "auto", "memory"
RIVALS = ("fista-fd", "lbfgsb-fd")
VARIANTS: dict[str, Callable[[Trial], None]] = {
    AUTO: ours,
    MEMORY: ours,
    "fista-fd": lambda trial: fista.run(trial, 1e-8),
    "lbfgsb-fd": lambda trial: scipy_lbfgsb.run(trial, 1e-8),
    "every slope": every_slope,
    "without model": without_model,
}
PARTS = (
    ("lasso, m = 2,000", "without model"),
    ("lasso, m = 10,000", "every slope"),
)


def run(job: Job) -> list[Row]:
    (budget,) = job.budgets
    case = CASES[job.case]
    problem = instance(case, job.seed)
    trial = Way(problem, min(budget, MOST_GRADIENTS * (case.m + 1)), job.seed)
    if job.variant == MEMORY:
        return [_row(job, _mebibytes(trial), trial.own_seconds)]
    _to_its_end(trial, VARIANTS[job.variant])
    rows = []
    for target in TARGETS:
        used, seconds = trial.reached.get(target, (math.inf, trial.own_seconds))
        rows.append(_row(replace(job, variant=_to(job.variant, target)), used, seconds))
    return rows


def _to(variant: str, target: float) -> str:
    return variant if target == TARGETS[0] else f"{variant} to {target:g}"


def _row(job: Job, value: float, seconds: float) -> Row:
    return Row(job.case, job.variant, job.budgets[0], job.seed, value, seconds)


def _to_its_end(trial: Way, method: Callable[[Trial], None]) -> None:
    with (
        np.errstate(all="ignore"),
        warnings.catch_warnings(),
        contextlib.suppress(Spent, Diverged),
    ):
        warnings.simplefilter("ignore")
        method(trial)
        trial.close()


def _mebibytes(trial: Way) -> float:
    """At the peak, beside the data and what the loss itself takes for the points it is given."""
    tracemalloc.start()
    try:
        _to_its_end(trial, ours)
        return tracemalloc.get_traced_memory()[1] / 2**20
    finally:
        tracemalloc.stop()


def jobs(plan: Plan, rows: Sequence[Row]) -> list[Job]:
    fewer, once = (Plan(plan.budgets, min(n, plan.num_seeds)) for n in (FEWER_SEEDS, 1))
    compared = [
        job
        for case in CASES
        for variant in (AUTO, *RIVALS)
        for job in (fewer if case in SLOW else plan).each(case, variant)
    ]
    memory = [job for case in CASES for job in once.each(case, MEMORY)]
    parts = [job for case, variant in PARTS for job in fewer.each(case, variant)]
    return compared + memory + parts


def large_table(rows: Sequence[Row]) -> str:
    budget = max(row.evaluations for row in rows)
    known = {(c, v): found for (c, v, n), found in figures(rows).items() if n == budget}
    return "\n\n".join(
        [
            *(_compared(known, rows, target) for target in TARGETS),
            _parts(known),
        ]
    )


def _compared(known: dict[tuple[str, str], Figure], rows: Sequence[Row], target: float) -> str:
    lines = []
    for case in CASES:
        ours = known.get((case, _to(AUTO, target)))
        if ours is None:
            continue
        theirs = [known.get((case, _to(rival, target))) for rival in RIVALS]
        best = min((rival.median for rival in theirs if rival is not None), default=math.inf)
        times = [r.seconds for r in rows if (r.case, r.variant) == (case, _to(AUTO, target))]
        memory = known.get((case, MEMORY))
        lines.append(
            [
                case,
                _count(ours),
                *(_count(rival) for rival in theirs),
                digits(best / ours.median) if math.isfinite(best + ours.median) else "",
                digits(float(np.median(times))),
                "" if memory is None else digits(memory.median),
            ]
        )
    head = [f"to a gap of {target:g}", AUTO, *RIVALS, "best rival / auto", "seconds", "MiB"]
    return table(head, lines)


def _parts(known: dict[tuple[str, str], Figure]) -> str:
    lines = [
        [case, variant, _count(known[case, variant]), _count(known.get((case, AUTO)))]
        for case, variant in PARTS
        if (case, variant) in known
    ]
    return "\n\n".join(
        [
            "Evaluations; seconds: the method's own processor time; MiB: the most memory at a time "
            "beside the data. Parts of it changed, to the first gap:",
            table(["", "variant", "evaluations", AUTO], lines),
        ]
    )


def _count(found: Figure | None) -> str:
    if found is None:
        return ""
    if math.isinf(found.least):
        return "not reached"
    least, largest = (
        f"{v:,.0f}" if math.isfinite(v) else "∞" for v in (found.least, found.largest)
    )
    middle = f"{found.median:,.0f}" if math.isfinite(found.median) else "∞"
    return f"{middle} [{least}, {largest}]"


STUDY = Study(
    "large", "Many variables of which few matter", run, (jobs,), large_table, Plan((15_000_000,), 5)
)
