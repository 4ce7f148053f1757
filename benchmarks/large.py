"""The lasso with 10,000 variables of which 20 matter: `settings="auto"` beside FISTA-FD.

    minimize mean_i (<a_i, x> - b_i)^2 + strength |x|_1,   1,000 observations,

a_i from a normal process along the variables whose neighbors correlate by rho, the strength a part
of the one that leaves no variable. Both run until the relative gap is 1e-3. FISTA's gradient
by differences is made in blocks here, so that its memory is what it must be and not m^2 numbers.

    python -m benchmarks.large
"""

from __future__ import annotations

import csv
import time
import tracemalloc
from collections.abc import Callable
from contextlib import suppress
from dataclasses import astuple, dataclass, fields, replace
from pathlib import Path

import numpy as np
import scipy.signal
from sklearn.linear_model import Lasso

import zooadmm as zoo
from benchmarks.methods import fista
from benchmarks.problem import Array, Problem
from benchmarks.problems.sparse import with_l1
from benchmarks.trial import Spent, Trial
from zooadmm.evaluation import InProcess
from zooadmm.losses import Squares

PATH = Path(__file__).parent / "results" / "large.csv"
TARGET = 1e-3
M, ROWS, NONZEROS = 10_000, 1_000, 20
INSTANCES = ((0.0, 0.1), (0.5, 0.05), (0.9, 0.1))
"""rho and the part of the strongest strength"""
MOST = 400_000
BLOCK = 64


@dataclass(frozen=True)
class Row:
    """What a method took to reach the target on one instance.

    evaluations: 0 where it did not. seconds: processor time of the method itself; loss_seconds: of
    the loss. peak_mib: the most memory at a time beside the data.
    """

    rho: float
    part: float
    nonzeros: int
    method: str
    evaluations: int
    seconds: float
    loss_seconds: float
    peak_mib: float


class Watched(Trial):
    """A trial that ends when an answer is good enough."""

    reached = 0
    refereed = 0.0
    _known: Array | None = None

    def look(self, x: Array) -> None:
        """End the run if x is good enough; nobody is charged."""
        if self._known is not None and np.array_equal(x, self._known):
            return
        began = time.thread_time()
        gap, self._known = self.problem.gap(x), x
        self.refereed += time.thread_time() - began
        if gap <= TARGET:
            self.reached = self.evaluations
            raise Spent

    def recommend(self, x: Array) -> None:
        super().recommend(x)
        self.look(x)

    def forward_gradient(self, x: Array, relative_step: float = 1.5e-8) -> tuple[float, Array]:
        """m + 1 evaluations, a few points at a time."""
        moved = x + relative_step * np.maximum(1.0, np.abs(x))
        value = float(self.values(x[None])[0])
        slopes = np.empty(len(x))
        for first in range(0, len(x), BLOCK):
            here = np.arange(first, min(first + BLOCK, len(x)))
            points = np.tile(x, (len(here), 1))
            points[np.arange(len(here)), here] = moved[here]
            slopes[here] = (self.values(points) - value) / (moved - x)[here]
        return value, slopes


def instance(rho: float, part: float, m: int = M, rows: int = ROWS) -> Problem:
    """The problem, with its optimum from coordinate descent with the formula."""
    generator = np.random.default_rng([2018, int(100 * rho)])
    shocks = generator.standard_normal((rows, m))
    shocks[:, 1:] *= np.sqrt(1.0 - rho**2)
    features = scipy.signal.lfilter([1.0], [1.0, -rho], shocks, axis=1)
    truth = np.zeros(m)
    truth[generator.choice(m, NONZEROS, replace=False)] = 3.0 * generator.standard_normal(NONZEROS)
    outcome = features @ truth + generator.standard_normal(rows)
    strength = part * 2.0 * float(np.abs(features.T @ outcome).max()) / rows
    problem = with_l1(f"lasso-{rho:g}", Squares(features, outcome), m, strength)
    lasso = Lasso(strength / 2.0, fit_intercept=False, tol=1e-9, max_iter=100_000)
    x = lasso.fit(features, outcome).coef_
    return replace(problem, optimum=problem.objective(x), support=np.flatnonzero(x))


def automatic(trial: Watched) -> None:
    """`settings="auto"`, not told how many evaluations it has."""
    problem = trial.problem
    run = zoo.Optimizer(problem.x0, regularizer=problem.regularizer, rng=trial.seed)
    evaluator = InProcess(zoo.Loss(values=trial.values))
    while (query := run.ask()) is not None:
        run.tell(query.id, evaluator(query))
        trial.look(run.recommended()[0])


def fista_fd(trial: Watched) -> None:
    """FISTA with forward differences of relative length 1e-8."""
    fista.run(trial, 1e-8)


METHODS: dict[str, Callable[[Watched], None]] = {"zoo-auto": automatic, "fista-fd": fista_fd}


def measured(problem: Problem, method: str, most: int = MOST) -> Watched:
    """A run to the target."""
    trial = Watched(problem, [most], np.inf, seed=0)
    with suppress(Spent):
        METHODS[method](trial)
    return trial


def peak(problem: Problem, method: str) -> float:
    """MiB at the most, in the first 3 m evaluations: tracing slows a run down."""
    tracemalloc.start()
    try:
        measured(problem, method, most=3 * problem.m)
        return tracemalloc.get_traced_memory()[1] / 2**20
    finally:
        tracemalloc.stop()


def row(problem: Problem, rho: float, part: float, method: str) -> Row:
    """One method on one instance."""
    trial = measured(problem, method)
    assert problem.support is not None
    return Row(
        rho,
        part,
        len(problem.support),
        method,
        trial.reached,
        trial.own_seconds - trial.refereed,
        trial.seconds - trial.own_seconds,
        peak(problem, method),
    )


def main() -> None:
    """All instances, one after another."""
    PATH.parent.mkdir(parents=True, exist_ok=True)
    with PATH.open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(field.name for field in fields(Row))
        for rho, part in INSTANCES:
            problem = instance(rho, part)
            for method in METHODS:
                made = row(problem, rho, part, method)
                print(made, flush=True)
                writer.writerow(
                    f"{cell:.4g}" if isinstance(cell, float) else cell for cell in astuple(made)
                )


if __name__ == "__main__":
    main()
