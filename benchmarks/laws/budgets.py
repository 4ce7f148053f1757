"""More budget is never worse by more than the stated uncertainty; told or not is within two.

A job is a problem with the data of a seed: a run of `minimize` for each budget, and one run that is
not told any and whose answer is noted at each. Compared is the true F of the answers: the whole
data, without noise. A gap is (F - F*) / (F(x0) - F*); F* is the least F of all runs of the job and
of a run on the whole loss without noise.

Worse by more than stated is F(B) > F(b) + 2 |(e(B), e(b))| for a budget b < B, with e the
`fun_error` of each answer, and gaps below 1e-6 alike.
"""

from __future__ import annotations

import itertools
import math
import statistics
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import zooadmm as zoo
from benchmarks.laws.problems import NAMES, answer, build, exact_optimum, structure
from benchmarks.problem import Array, Problem
from benchmarks.row_files import read, write
from benchmarks.yardstick.sources import library
from zooadmm.evaluation import InProcess

ROWS = Path(__file__).parents[1] / "results" / "laws" / "budgets.csv"
MULTIPLES = (3, 12, 47, 188, 750, 3000)
"""Budgets in evaluations a variable."""
RESOLVED = 1e-6
"""Gaps below it are alike."""
SEEDS = (201, 202, 203)


@dataclass(frozen=True)
class BudgetRow:
    """One answer.

    told: 1 where the run was told its budget.
    multiple: the budget in evaluations a variable.
    error: the stated standard error of F, in units of F(x0) - F*.
    later: the gap at twice the budget, where the run was not told; else that of now.
    seconds: own processor time of the run until then.
    sources: a digest of the library.
    """

    problem: str
    seed: int
    told: int
    multiple: int
    evaluations: int
    gap: float
    error: float
    later: float
    seconds: float
    sources: str


class Meter:
    """The loss of a problem with its noise, its evaluations and its time."""

    def __init__(self, problem: Problem, seed: int) -> None:
        self.problem = problem
        self.evaluations = 0
        self.seconds = 0.0
        self._noise = np.random.default_rng([seed, 77])

    def values(self, points: Array, observations: Any = None) -> Array:
        began = time.thread_time()
        self.evaluations += len(points) * (1 if observations is None else len(observations))
        table = self.problem.loss.values(points, observations)
        if self.problem.noise > 0.0:
            table = table + self.problem.noise * self._noise.standard_normal(table.shape)
        self.seconds += time.thread_time() - began
        return table


@dataclass(frozen=True)
class Answer:
    """F of an answer, its stated error, what it took."""

    value: float
    error: float
    evaluations: int
    seconds: float


def told(problem: Problem, budget: int, seed: int) -> Answer:
    meter, began = Meter(problem, seed), time.thread_time()
    result = answer(problem, budget, seed, meter.values)
    own = time.thread_time() - began - meter.seconds
    value = problem.objective(problem.nearest(result.x))
    return Answer(value, result.fun_error or 0.0, result.nfev, own)


def not_told(problem: Problem, budgets: Iterable[int], seed: int) -> list[Answer]:
    """The answers of one run after each of these numbers of evaluations."""
    meter, began = Meter(problem, seed), time.thread_time()
    evaluator = InProcess(zoo.Loss(values=meter.values))
    run = zoo.Optimizer(problem.x0, **structure(problem), rng=seed)
    found: list[Answer] = []
    ahead = list(budgets)
    query = run.ask()
    while ahead:
        while ahead and (query is None or run.evaluations + query.evaluations > ahead[0]):
            own = time.thread_time() - began - meter.seconds
            value = problem.objective(problem.nearest(run.recommended()[0]))
            found.append(Answer(value, 0.0, run.evaluations, own))
            ahead.pop(0)
        if ahead and query is not None:
            run.tell(query.id, evaluator(query))
            query = run.ask()
    return found


def measured(name: str, seed: int, multiples: Sequence[int] = MULTIPLES) -> list[BudgetRow]:
    """All rows of a job."""
    problem = build(name, seed)
    budgets = [k * problem.m for k in multiples]
    informed = [told(problem, budget, seed) for budget in budgets]
    counts = sorted({k * budget for budget in budgets for k in (1, 2)})
    silent = dict(zip(counts, not_told(problem, counts, seed), strict=True))
    runs = [(1, k, found, found) for k, found in zip(multiples, informed, strict=True)]
    runs += [(0, k, silent[b], silent[2 * b]) for k, b in zip(multiples, budgets, strict=True)]
    least = min(exact_optimum(problem), *(found.value for _, _, found, _ in runs))
    depth = problem.objective(problem.x0) - least
    return [
        BudgetRow(
            name,
            seed,
            is_told,
            multiple,
            found.evaluations,
            (found.value - least) / depth,
            found.error / depth,
            (later.value - least) / depth,
            found.seconds,
            library(),
        )
        for is_told, multiple, found, later in runs
    ]


def worse(rows: Sequence[BudgetRow]) -> list[tuple[BudgetRow, BudgetRow]]:
    """Pairs of a told run and one with more budget that is worse by more than both state."""
    found = []
    ordered = sorted((row for row in rows if row.told), key=lambda row: row.multiple)
    for less, more in itertools.combinations(ordered, 2):
        same = (less.problem, less.seed) == (more.problem, more.seed)
        doubt = 2.0 * math.hypot(less.error, more.error)
        if same and more.gap > max(less.gap + doubt, RESOLVED):
            found.append((less, more))
    return found


def ratios(rows: Sequence[BudgetRow]) -> dict[tuple[str, int], float]:
    """The gap of the run that was not told over that of the told one, medians over seeds.

    1 where it is the lesser at twice the evaluations.
    """
    found = {}
    for name, multiple in dict.fromkeys((row.problem, row.multiple) for row in rows):
        here = [row for row in rows if (row.problem, row.multiple) == (name, multiple)]
        informed = _median(row.gap for row in here if row.told)
        silent = _median(row.gap for row in here if not row.told)
        later = _median(row.later for row in here if not row.told)
        found[name, multiple] = 1.0 if later <= informed < silent else silent / informed
    return found


def _median(gaps: Iterable[float]) -> float:
    return max(RESOLVED, statistics.median(gaps))


def measure(seeds: Sequence[int], only: str) -> list[BudgetRow]:
    """All rows; those that the library as it is has not made are made, in place of older ones."""
    jobs: dict[tuple[str, int], list[BudgetRow]] = {}
    for row in read(ROWS, BudgetRow):
        jobs.setdefault((row.problem, row.seed), []).append(row)
    for seed, name in itertools.product(seeds, NAMES):
        known = jobs.get((name, seed), [])
        if only in name and not (known and known[0].sources == library()):
            made = jobs[name, seed] = measured(name, seed)
            write(ROWS, BudgetRow, itertools.chain.from_iterable(jobs.values()))
            gaps = " ".join(f"{row.gap:.1e}" for row in made)
            own = max(1e3 * row.seconds / max(row.evaluations, 1) for row in made)
            print(f"{name} {seed}: {gaps}; {own:.2f} ms an evaluation", flush=True)
    return list(itertools.chain.from_iterable(jobs.values()))


def report(rows: Sequence[BudgetRow]) -> str:
    names = [name for name in NAMES if any(row.problem == name for row in rows)]
    seeds = sorted({row.seed for row in rows})
    lines = [f"| gap | {' | '.join(f'{k} m' for k in MULTIPLES)} | not told / told | worse |"]
    lines.append("|---|" + "--:|" * (len(MULTIPLES) + 2))
    factors = ratios(rows)
    for name in names:
        here = [row for row in rows if row.problem == name]
        medians = [
            statistics.median(row.gap for row in here if row.told and row.multiple == k)
            for k in MULTIPLES
        ]
        off = max((factors[name, k] for k in MULTIPLES), key=lambda r: max(r, 1.0 / r))
        pairs = ", ".join(f"{a.multiple} to {b.multiple} m" for a, b in worse(here))
        cells = " | ".join(f"{gap:.1e}" for gap in medians)
        lines.append(f"| {name} | {cells} | {off:.2g} | {pairs} |")
    total = len(names) * len(seeds) * math.comb(len(MULTIPLES), 2)
    within = sum(r <= 2.0 for r in factors.values())
    lines += [
        "",
        f"{len(names)} problems, seeds {', '.join(map(str, seeds))}: {len(worse(rows))} of {total} "
        "pairs of budgets are worse by more than stated. Not told is within twice the gap, or the "
        f"evaluations, of told in {within} of {len(factors)} cells (medians over seeds).",
    ]
    return "\n".join(lines)
