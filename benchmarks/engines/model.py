"""The cost model of an iteration, its constants measured here, and how well it foretells.

    T(w) = c w + s m + ceil(k / w) e + ceil(n / w) (tau + p m) + (g q + a) m

for n = q + 1 evaluations of tau seconds along q Rademacher directions, m variables, w worker
processes and k tasks, w of them where evaluations are quick and n where they are slow: c for each
worker, e for each task, x made known at s a number, points made at p a number by the workers, and
at the driver the gradient at g a number and direction and the rest of the step at a.
`docs/scale.md` says what follows.
"""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

import zooadmm as zoo
from benchmarks.engines.rows import Row
from zooadmm.evaluation.shared_file import SharedFile
from zooadmm.oracle.queries import Query
from zooadmm.problem.arrays import Vector

Q = 31
LARGE = 1_000_000
WORTHWHILE = 0.02
"""The seconds that a task of several evaluations is made to take, at most."""


@dataclass(frozen=True)
class Constants:
    """In seconds."""

    c: float
    e: float
    s: float
    p: float
    g: float
    a: float

    def iteration(self, m: float, workers: int, tau: float, q: int = Q) -> float:
        """T(w)"""
        n = q + 1
        trips, rounds = math.ceil(tasks(n, workers, tau) / workers), math.ceil(n / workers)
        away = self.c * workers + self.s * m + trips * self.e + rounds * (tau + self.p * m)
        return away + (self.g * q + self.a) * m


def tasks(n: int, workers: int, tau: float) -> int:
    """Into how many tasks an iteration is cut."""
    together = max(1, min(int(WORTHWHILE / max(tau, 1e-9)), math.ceil(n / workers)))
    return min(n, math.ceil(math.ceil(n / together) / workers) * workers)


def paused(tau: float, x: Vector) -> float:
    if tau > 0:
        time.sleep(tau)
    return float(x[0])


def optimizer(m: int) -> zoo.Optimizer:
    gradient = zoo.paper.Smoothed(Q, distribution=zoo.paper.Rademacher())
    x0 = np.full(m, 0.5)
    return zoo.Optimizer(
        x0, settings="paper", gradient=gradient, regularizer=zoo.L1(0.1), smoothing=1e-3, rng=0
    )


def seconds(
    job: Callable[[], object], rounds: int = 9, clock: Callable[[], float] = time.process_time
) -> float:
    """The median over some rounds."""
    times = []
    for _ in range(rounds):
        began = clock()
        job()
        times.append(clock() - began)
    return statistics.median(times)


def exhaust(query: Query) -> None:
    for _ in query:
        pass


def measured_constants() -> Constants:
    """Each by itself."""
    run = optimizer(LARGE)
    query = run.ask()
    assert query is not None
    source, answer = run.method.source, np.linspace(1.0, 2.0, Q + 1)
    points = seconds(lambda: exhaust(query))
    gradient = seconds(lambda: source.gradient(query, answer))
    step = seconds(lambda: run.method.step(run.state, query, answer))
    file = SharedFile()
    shared = seconds(lambda: file.put(query))
    file.close()
    together = iteration(100, zoo.Processes(1), 0.0, 50)
    one_by_one = iteration(100, zoo.Processes(1, timeout=600.0), 0.0, 50)
    e = (one_by_one - together) / Q
    return Constants(
        c=max(0.0, together - e - (points + step) / LARGE * 100),
        e=e,
        s=shared / LARGE,
        p=points / LARGE / (Q + 1),
        g=gradient / LARGE / Q,
        a=max(0.0, step - gradient) / LARGE,
    )


def iteration(m: int, engine: zoo.Processes, tau: float, rounds: int = 9) -> float:
    """What an iteration takes: asked, evaluated by processes, told."""
    run, times = optimizer(m), []
    with engine.evaluator(partial(paused, tau)) as evaluate:
        for _ in range(rounds + 2):
            began = time.perf_counter()
            query = run.ask()
            assert query is not None
            run.tell(query.id, evaluate(query))
            times.append(time.perf_counter() - began)
    return statistics.median(times[2:])


CASES = ((100, 0.005), (100, 0.05), (LARGE, 0.05))
"""(m, tau) that the model is held against."""


def rows() -> list[Row]:
    """The constants, and what they foretell beside what is measured, on one worker and two."""
    constants = measured_constants()
    units = {"c": 1e3, "e": 1e3}
    found = [
        Row(f"constant {name}", "processes", value * units.get(name, 1e9), unit, 0, 0)
        for name, value, unit in (
            ("c", constants.c, "ms"),
            ("e", constants.e, "ms"),
            ("s", constants.s, "ns"),
            ("p", constants.p, "ns"),
            ("g", constants.g, "ns"),
            ("a", constants.a, "ns"),
        )
    ]
    for m, tau in CASES:
        for workers in (1, 2):
            sleep = partial(paused, tau, np.zeros(1))
            slept = seconds(sleep, 20, time.perf_counter)  # a little longer than asked
            told = constants.iteration(m, workers, slept)
            seen = iteration(m, zoo.Processes(workers), tau)
            name = f"tau = {1e3 * tau:g} ms"
            found.append(Row(f"foretold, {name}", "processes", 1e3 * told, "ms", m, workers))
            found.append(Row(f"measured, {name}", "processes", 1e3 * seen, "ms", m, workers))
    for m, workers, tau in ((10**8, 1000, 60.0), (10**8, 1000, 1.0), (10**6, 1000, 1.0)):
        told = constants.iteration(m, workers, tau, q=999)
        name = f"extrapolated, 999 directions, tau = {tau:g} s"
        found.append(Row(name, "processes", told, "s", m, workers))
    return found
