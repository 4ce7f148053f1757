"""Beside the authors' own program, in its settings, on the samples they released.

Their program is MATLAB; it was run by hand in GNU Octave for 1,000 iterations on a machine like the
one that the results here come from, and is not part of this repository. What it printed is in
THEIRS. Settings in both: rho = 1, alpha = 10, eta_t = 1/sqrt(m t);

    sensors: x_1 = 0.5, beta_t = 1/(m t), 50 directions, a budget of 10 of 50 sensors;
    groups:  x_1 uniform in [0, 0.01], beta_t = 1/(m^1.5 t), 30 directions, strength 0.025.

    python -m benchmarks.authors
"""

from __future__ import annotations

import csv
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import zooadmm as zoo
from benchmarks.problem import Array, Problem
from benchmarks.problems import build
from zooadmm.methods.schedule import Power

PATH = Path(__file__).parent / "results" / "authors.csv"
ITERATIONS = 1000


@dataclass(frozen=True)
class Reported:
    """What the authors' program took and reached."""

    seconds: float
    objective: str
    violation: str


THEIRS = {
    "sensors-sample": Reported(34.0, "-17.172", "0.06"),
    "groups-sample": Reported(22.0, "0.586 to 0.593", "none"),
}
SMOOTHING_EXPONENT = {"sensors-sample": 1.0, "groups-sample": 1.5}
DIRECTIONS = {"sensors-sample": 50, "groups-sample": 30}


def start(problem: Problem, seed: int) -> Array:
    if problem.name.startswith("sensors"):
        return np.full(problem.m, 0.5)
    return np.random.default_rng(seed).uniform(0.0, 0.01, problem.m)


def ours(name: str, seed: int, iterations: int = ITERATIONS) -> tuple[float, float, float]:
    """(seconds, objective at the feasible point nearest to the average, violation of the average).

    One observation an iteration, as theirs.
    """
    problem = build(f"{name}-stochastic")
    m = problem.m
    began = time.perf_counter()
    result = zoo.minimize(
        problem.loss,
        start(problem, seed),
        regularizer=problem.regularizer,
        domain=problem.domain,
        constraint=problem.constraint,
        observations=problem.observations,
        settings="paper",
        gradient=zoo.paper.Smoothed(DIRECTIONS[name]),
        step_size=Power(m**-0.5, 0.5),
        smoothing=Power(m ** -SMOOTHING_EXPONENT[name], 1.0),
        penalty=1.0,
        proximal_weight=10.0,
        max_iterations=iterations,
        rng=seed,
    )
    seconds = time.perf_counter() - began
    x = result.x
    return seconds, problem.objective(problem.nearest(x)), problem.violation(x)


def table(name: str, runs: list[tuple[float, float, float]]) -> str:
    """Both programs on one sample, as rows of Markdown; ours as medians."""
    theirs, optimum = THEIRS[name], build(name).optimum
    seconds, objective, violation = np.median(runs, axis=0)
    return "\n".join(
        [
            f"| {name} | authors', in Octave | {theirs.seconds:g} | {theirs.objective} "
            f"| {theirs.violation} |",
            f"| optimum {optimum:.6f} | ours | {seconds:.2f} | {objective:.6f} | {violation:.2g} |",
            f"| | as fast as in Octave | {theirs.seconds / seconds:.0f} times | | |",
        ]
    )


def main() -> None:
    PATH.parent.mkdir(parents=True, exist_ok=True)
    print("| sample | program | seconds | objective | distance from feasible |")
    print("|---|---|---|---|---|")
    with PATH.open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["problem", "seed", "seconds", "objective", "violation"])
        for name in THEIRS:
            runs = [ours(name, seed) for seed in range(5)]
            for seed, figures in enumerate(runs):
                writer.writerow([name, seed, *(f"{figure:.6g}" for figure in figures)])
            print(table(name, runs))


if __name__ == "__main__":
    main()
