"""CMA-ES by its author's package: restarts on exact values, its noise handler on others."""

from __future__ import annotations

import warnings
from typing import Any

import cma
import numpy as np
from cma.restricted_gaussian_sampler import GaussVkDSampler

from benchmarks.methods.forms import DENSE, RADII, bounds_or_nearest, box, reach
from benchmarks.methods.method import Method
from benchmarks.trial import Trial

SIGMA = 0.3
"""Initial standard deviation in units of `reach`, times the constant."""


def strategy(trial: Trial, part: float, growth: int) -> Any:
    """A fresh evolution strategy with `growth` times the default population.

    Beyond `DENSE` variables the covariance is diagonal plus low rank (VkD-CMA).
    """
    problem, known = trial.problem, box(trial.problem)
    far = reach(problem)
    options: dict[str, Any] = {
        "seed": trial.seed * 1000 + growth,
        "verbose": -10,
        "popsize_factor": growth,
        "CMA_stds": far / far.max(),
        "maxiter": np.inf,
    }
    if known is not None:
        options["bounds"] = [known.lower, known.upper]
    if problem.m > DENSE:
        options = GaussVkDSampler.extend_cma_options(options)
    return cma.CMAEvolutionStrategy(problem.x0, part * SIGMA * float(far.max()), options)


def exactly(trial: Trial, part: float) -> None:
    """Restart with twice the population whenever the strategy has converged."""
    growth = 1
    trial.objective(trial.problem.x0)
    while True:
        search = strategy(trial, part, growth)
        while not search.stop():
            points = search.ask()
            search.tell(points, trial.objectives(points))
        growth *= 2


def with_noise(trial: Trial, part: float) -> None:
    """Reevaluate as the noise handler asks; the answer is the mean of the distribution."""
    search = strategy(trial, part, 1)
    handler = cma.NoiseHandler(search.N, maxevals=[1, 1, 30])
    trial.recommend_by(lambda: search.result.xfavorite)
    while not search.stop():
        points, values = search.ask_and_eval(trial.objective, evaluations=handler.evaluations)
        search.tell(points, values)
        search.sigma *= handler(points, values, trial.objective, search.ask)


def run(trial: Trial, constant: float) -> None:
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", category=UserWarning, module="cma")
        (exactly if trial.problem.regime == "full" else with_noise)(trial, constant)


PYCMA = [Method("pycma", run, bounds_or_nearest, grid=lambda problem: RADII)]
