"""Cases that an earlier state of the method failed, each with its figure then and now.

A figure is the median over seeds; each has a limit. Own time is processor time outside the loss.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

import zooadmm as zoo
from benchmarks import kinked_losses, smooth_losses
from benchmarks.laws.budgets import Meter
from benchmarks.laws.problems import answer
from benchmarks.laws.sizes import dense, sparse
from benchmarks.problem import Array

SEEDS = (201, 202, 203, 204, 205)


class Case(NamedTuple):
    """What is measured for a seed, the figure of the earlier state, and the limit of now."""

    measure: Callable[[int], float]
    before: float
    limit: float


def smooth(name: str) -> Callable[[int], float]:
    """Evaluations to a gap of 1e-6; infinite where it was never reached."""

    def measure(seed: int) -> float:
        loss = smooth_losses.LOSSES[name](np.random.default_rng(seed))
        return smooth_losses.needed(loss, "zooadmm", seed)

    return measure


def kinked(name: str) -> Callable[[int], float]:
    """The gap at 10,000 evaluations."""

    def measure(seed: int) -> float:
        loss = kinked_losses.LOSSES[name](np.random.default_rng(seed))
        domain = zoo.Simplex() if loss.simplex else None
        found = zoo.minimize(
            loss.value, loss.x0, domain=domain, max_evaluations=10_000, rng=seed, progress=False
        )
        return (loss.value(found.x) - loss.least) / (loss.value(loss.x0) - loss.least)

    return measure


def deviations(budget: int) -> Callable[[int], float]:
    """The gap of |y_i - X_i x| by rows: 400 of them, m = 20."""
    return lambda seed: kinked_losses.sampled(seed, budget)


def noisy(m: int) -> Callable[[int], float]:
    """The gap of a quadratic with noise of 10 % of F(x0) at 20,000 evaluations; 1 is x0."""

    def measure(seed: int) -> float:
        problem = dense(np.random.default_rng(seed), m)
        start = problem.objective(problem.x0)
        meter = Meter(problem.with_noise(0.1 * start), seed)
        return problem.objective(answer(problem, 20_000, seed, meter.values).x) / start

    return measure


def own_seconds(m: int) -> Callable[[int], float]:
    """Own processor seconds on sparse least squares, 30 evaluations a variable at most."""

    def measure(seed: int) -> float:
        problem = sparse(np.random.default_rng(seed), m)
        meter, began = Meter(problem, seed), time.thread_time()
        assert answer(problem, 30 * m, seed, meter.values).success
        return time.thread_time() - began - meter.seconds

    return measure


def portfolio(seed: int) -> float:
    """F(x) - F(x0) over F(x0) for sampled mean-variance on the simplex, 5,000 evaluations."""
    generator = np.random.default_rng(seed)
    returns = generator.standard_t(4, (500, 30)) * generator.uniform(0.5, 2.0, 30) + 0.1
    mean = returns.mean(axis=0)

    def loss(x: Array, i: int) -> float:
        return float(np.square((returns[i] - mean) @ x) - 0.2 * (returns[i] @ x))

    def whole(x: Array) -> float:
        return float(np.square((returns - mean) @ x).mean() - 0.2 * (mean @ x))

    x0 = np.full(30, 1.0 / 30)
    found = zoo.minimize(
        loss,
        x0,
        domain=zoo.Simplex(),
        observations=range(500),
        max_evaluations=5_000,
        rng=seed,
        progress=False,
    )
    return (whole(found.x) - whole(x0)) / abs(whole(x0))


def attack(seed: int) -> float:
    """Own ms an evaluation where L1 meets a box: the least change of an image, m = 64."""
    generator = np.random.default_rng(seed)
    W, image = generator.standard_normal((10, 64)), generator.random(64)
    label = int(np.argmax(W @ image))

    def margin(x: Array) -> float:
        scores = W @ (image + x)
        return float(np.logaddexp(0.0, scores[label] - np.delete(scores, label).max() + 1.0))

    seconds = 0.0

    def values(points: Array) -> Array:
        nonlocal seconds
        began = time.thread_time()
        found = np.array([margin(x) for x in points])
        seconds += time.thread_time() - began
        return found

    began = time.thread_time()
    found = zoo.minimize(
        zoo.Loss(values=values),
        np.zeros(64),
        regularizer=zoo.L1(0.1),
        domain=zoo.Box(-image, 1.0 - image),
        max_evaluations=3_000,
        rng=seed,
        progress=False,
    )
    return 1e3 * (time.thread_time() - began - seconds) / found.nfev


INF = float("inf")
CASES: dict[str, Case] = {
    "Rosenbrock, m = 20: evaluations": Case(smooth("Rosenbrock 20"), INF, 10_000),
    "Poisson, m = 31: evaluations": Case(smooth("Poisson 31"), INF, 2_000),
    "quadratic, condition 1e8: evaluations": Case(
        smooth("quadratic 30, condition 1e8"), INF, 5_000
    ),
    "deviations by rows, 39,000: gap": Case(deviations(39_000), 0.03, 0.03),
    "deviations by rows, 41,000: gap": Case(deviations(41_000), 1.0, 0.03),
    "deviations by rows, 100,000: gap": Case(deviations(100_000), 1.0, 0.01),
    "noise, m = 400: gap": Case(noisy(400), INF, 1.0),
    "noise, m = 500: gap": Case(noisy(500), 1.0, 1.0),
    "noise, m = 1,000: gap": Case(noisy(1_000), 1.0, 1.0),
    "noise, m = 2,000: gap": Case(noisy(2_000), INF, 1.0),
    "sparse least squares, m = 1,400: own s": Case(own_seconds(1_400), 20.0, 1.0),
    "sparse least squares, m = 1,501: own s": Case(own_seconds(1_501), 0.1, 1.0),
    "CVaR on the simplex, 10,000: gap": Case(kinked("CVaR, simplex"), 6.6e-3, 6e-5),
    "quantile regression, 10,000: gap": Case(kinked("quantile"), 3e-4, 1.8e-6),
    "portfolio by rows, 5,000: rise": Case(portfolio, 0.1, 0.0),
    "L1 and a box: own ms an evaluation": Case(attack, 25.0, 1.0),
}


def report(seeds: Sequence[int], only: str) -> str:
    lines = ["| case | before | now | least to largest | limit |", "|---|--:|--:|--:|--:|"]
    for name, case in CASES.items():
        if only in name:
            found = [case.measure(seed) for seed in seeds]
            now, spread = statistics.median(found), f"{min(found):.2g} to {max(found):.2g}"
            lines.append(f"| {name} | {case.before:g} | {now:.3g} | {spread} | {case.limit:g} |")
            print(lines[-1], flush=True)
    return "\n".join(lines)
