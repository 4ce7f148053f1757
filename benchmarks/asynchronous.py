"""Workers of very different speed: cells handed out one by one beside whole queries.

    python -m benchmarks.asynchronous

simulates 16 workers whose evaluations last exp(1.5 z), z normal: one in forty lasts 19 medians or
more. The clock is simulated, the optimizer is not. A row of asynchronous.csv.gz has the time
until (F(x) - F*) / (F(x0) - F*) is at most the gap of the problem. The table has medians over
seeds, as parts of the synchronous run with the same seed: there a cell is handed out once, and a
step waits for all cells. The same command makes the rows that are missing.

Durations are those of the "worker", drawn for every evaluation, as on busy machines, or of the
"cell", the same whoever evaluates it; there a second worker is no help.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import heapq
import math
import statistics
from collections.abc import Callable, Iterator
from dataclasses import astuple, dataclass, field, fields
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import scipy.optimize
from numpy.typing import NDArray

import zooadmm as zoo

Vector = NDArray[np.floating[Any]]

PATH = Path(__file__).parent / "results" / "asynchronous.csv.gz"
WORKERS = 16
SPREAD = 1.5
"""Standard deviation of the logarithm of a duration; its median is 1"""
MEAN = math.exp(SPREAD**2 / 2)
"""Mean of a duration"""
M = 50
SEEDS = 20


@dataclass(frozen=True)
class Manner:
    """How cells are handed out.

    stops: whether a worker whose cell is no longer needed is stopped at once.
    longest: a worker that is at a cell for longer, in medians of a duration, is stopped too, and
        the cell is given up, so that somebody else gets it.
    """

    name: str
    copies: int = 1
    patience: float = 1.0
    stops: bool = False
    longest: float = math.inf


SYNCHRONOUS = Manner("synchronous")
COPIES = Manner("copies=3", copies=3)
RESTARTS = Manner("copies=3, three medians at most", copies=3, stops=True, longest=3.0)
PATIENCE = Manner("patience=0.8", patience=0.8)
MANNERS = {
    "worker": (
        SYNCHRONOUS,
        Manner("copies=2", copies=2),
        COPIES,
        Manner("copies=3, stopped", copies=3, stops=True),
        RESTARTS,
        PATIENCE,
        Manner("patience=0.8, copies=3", copies=3, patience=0.8),
    ),
    "cell": (
        SYNCHRONOUS,
        COPIES,
        PATIENCE,
        Manner("patience=0.8, stopped", patience=0.8, stops=True),
    ),
}
"""By what a duration belongs to"""


@dataclass(frozen=True)
class Problem:
    """F = f + phi from x0 = 0, and the gap that counts as solved."""

    name: str
    value: Callable[[Vector, Any], float]
    """f(x; w), or f(x) of w = None"""
    objective: Callable[[Vector], float]
    """F(x), without noise"""
    optimum: float
    gap: float
    noise: float = 0.0
    given: dict[str, Any] = field(default_factory=dict)
    """Further arguments of the optimizer"""

    @property
    def averages(self) -> bool:
        """Whether queries average their cells; others wait for all, whatever the patience."""
        return "gradient" in self.given

    def reached(self, x: Vector) -> float:
        """The gap at x."""
        start = self.objective(np.zeros(M))
        return (self.objective(x) - self.optimum) / (start - self.optimum)


@cache
def problems() -> dict[str, Problem]:
    """All by name, from fixed data."""
    random = np.random.default_rng(2018)
    turned, _ = np.linalg.qr(random.standard_normal((M, M)))
    H = turned @ np.diag(np.geomspace(1.0, 100.0, M)) @ turned.T
    center = random.standard_normal(M)
    rows = random.standard_normal((300, M))
    signs = np.sign(rows @ random.standard_normal(M) + random.standard_normal(300))

    def quadratic(x: Vector) -> float:
        return float(0.5 * (x - center) @ H @ (x - center))

    def logistic(x: Vector) -> float:
        return float(np.logaddexp(0.0, -signs * (rows @ x)).mean() + 0.005 * x @ x)

    def sample(x: Vector, w: Any) -> float:
        return float(np.logaddexp(0.0, -signs[w] * (rows[w] @ x)))

    def slope(x: Vector) -> Vector:
        weights = -signs / (1.0 + np.exp(signs * (rows @ x)))
        return rows.T @ weights / len(rows) + 0.01 * x

    best = scipy.optimize.minimize(
        logistic, np.zeros(M), jac=slope, method="L-BFGS-B", options={"ftol": 0.0, "gtol": 1e-10}
    )
    smooth, mean = (lambda x, w: quadratic(x)), (lambda x, w: logistic(x))
    sampled = {"observations": np.arange(300), "regularizer": zoo.regularizers.SquaredL2(0.01)}
    averaged = {
        "settings": "paper",
        "gradient": zoo.paper.Smoothed(num_directions=48),
        "step_size": 0.5,
        "smoothing": 0.01,
        "output": "last",
        "max_iterations": 2_000,
    }
    found = (
        Problem("quadratic", smooth, quadratic, 0.0, 1e-6),
        Problem("logistic", mean, logistic, best.fun, 1e-6),
        Problem("quadratic, noise", smooth, quadratic, 0.0, 1e-2, noise=1.0),
        Problem("logistic, noise", mean, logistic, best.fun, 1e-1, noise=0.01),
        Problem("logistic, observations", sample, logistic, best.fun, 0.5, given=sampled),
        Problem("logistic, averaged", mean, logistic, best.fun, 0.2, given=averaged),
    )
    return {problem.name: problem for problem in found}


@dataclass(frozen=True)
class Row:
    """One run.

    time: until the gap was reached, in medians of a duration; nan where it was not.
    evaluations: those that workers began until then.
    steps, late: the iterations, and the cells that they did not wait for.
    """

    problem: str
    law: str
    manner: str
    seed: int
    time: float
    evaluations: int
    steps: int
    late: int


class Workers:
    """A simulated clock: who is at which cell, and until when."""

    def __init__(self, problem: Problem, law: str, longest: float, seed: int) -> None:
        self._problem, self._law, self._longest, self._seed = problem, law, longest, seed
        self._busy: list[tuple[float, int, tuple[int, int], float | None]] = []
        self.clock = 0.0
        self.evaluations = 0

    @property
    def idle(self) -> int:
        return WORKERS - len(self._busy)

    def begin(self, id: tuple[int, int], point: Vector, observation: Any) -> None:
        """One more evaluation; the value is known when it ends, and never if it lasts too long."""
        self.evaluations += 1
        address = id if self._law == "cell" else (0, self.evaluations)
        random = np.random.default_rng((self._seed, 1, *address))
        lasts = float(np.exp(SPREAD * random.standard_normal()))
        ends = self.clock + min(lasts, self._longest)
        noise = np.random.default_rng((self._seed, 2, self.evaluations)).standard_normal()
        value = self._problem.value(point, observation) + self._problem.noise * float(noise)
        answer = value if lasts <= self._longest else None
        heapq.heappush(self._busy, (ends, self.evaluations, id, answer))

    def next_answer(self) -> tuple[tuple[int, int], float | None]:
        """The clock moves to the next end of an evaluation; without a value it was stopped."""
        self.clock, _, id, value = heapq.heappop(self._busy)
        return id, value

    def stop(self, needed: Callable[[tuple[int, int]], bool]) -> None:
        """End what is not needed."""
        self._busy = [entry for entry in self._busy if needed(entry[2])]
        heapq.heapify(self._busy)


def run(problem: Problem, law: str, manner: Manner, seed: int) -> Row:
    """Until the gap is reached."""
    given = {"max_evaluations": 30_000, **problem.given}
    optimizer = zoo.Optimizer(np.zeros(M), rng=seed, patience=manner.patience, **given)
    workers = Workers(problem, law, manner.longest, seed)
    time = math.nan
    while (cells := optimizer.ask(workers.idle, copies=manner.copies)) is not None:
        for cell in cells:
            workers.begin(*cell)
        id, value = workers.next_answer()
        if value is None:
            optimizer.give_up(id)
            continue
        info = optimizer.tell(id, value)
        if manner.stops:
            workers.stop(optimizer.needs)
        if info is not None and problem.reached(optimizer.recommended()[0]) <= problem.gap:
            time = workers.clock
            break
    steps, late = optimizer.state.t - 1, len(optimizer.late)
    return Row(problem.name, law, manner.name, seed, time, workers.evaluations, steps, late)


def runs(seeds: int) -> Iterator[tuple[Problem, str, Manner, int]]:
    """All that there is to run, seed by seed."""
    for seed in range(seeds):
        for problem in problems().values():
            for law, manners in MANNERS.items():
                for manner in manners:
                    if problem.averages or manner.patience == 1.0:
                        yield problem, law, manner, seed


def append(row: Row) -> None:
    new = not PATH.exists()
    with gzip.open(PATH, "at", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        if new:
            writer.writerow(each.name for each in fields(Row))
        writer.writerow(f"{v:.6g}" if isinstance(v, float) else v for v in astuple(row))


def read() -> list[Row]:
    if not PATH.exists():
        return []
    with gzip.open(PATH, "rt", newline="") as file:
        return [
            Row(
                row["problem"], row["law"], row["manner"], int(row["seed"]), float(row["time"]),
                int(row["evaluations"]), int(row["steps"]), int(row["late"]),
            )
            for row in csv.DictReader(file)
        ]  # fmt: skip


def table(found: list[Row]) -> str:
    """Time, and evaluations in parentheses, as parts of the synchronous run's: medians over seeds.

    A run that did not reach the gap took longer than any other. "All busy" is the time in which
    workers that never wait and are never stopped make the evaluations of the synchronous run.
    """
    base = {(r.problem, r.law, r.seed): r for r in found if r.manner == SYNCHRONOUS.name}
    manners = dict.fromkeys(m.name for each in MANNERS.values() for m in each if m != SYNCHRONOUS)
    lines = [
        f"| problem | durations of | {' | '.join(manners)} | all busy |",
        f"|---|---|{'---|' * len(manners)}---|",
    ]
    median = statistics.median
    there = {(r.problem, r.law) for r in found}
    for name, law in [key for key in product(problems(), MANNERS) if key in there]:
        cells = []
        for manner in manners:
            mine = [r for r in found if (r.problem, r.law, r.manner) == (name, law, manner)]
            pairs = [(r, base[name, law, r.seed]) for r in mine]
            times = [r.time / b.time if r.time == r.time else math.inf for r, b in pairs]
            made = [r.evaluations / b.evaluations for r, b in pairs]
            cells.append(f"{median(times):.2f} ({median(made):.2f})" if pairs else "")
        those = [r for r in base.values() if (r.problem, r.law) == (name, law)]
        busy = median(MEAN * r.evaluations / WORKERS / r.time for r in those)
        lines.append(f"| {name} | the {law} | {' | '.join(cells)} | {busy:.2f} |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=SEEDS, help="0 prints the table only")
    made = {(row.problem, row.law, row.manner, row.seed) for row in read()}
    for problem, law, manner, seed in runs(parser.parse_args().seeds):
        if (problem.name, law, manner.name, seed) not in made:
            append(run(problem, law, manner, seed))
    print(table(read()))


if __name__ == "__main__":
    main()
