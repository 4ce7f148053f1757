"""Four optimizers of nevergrad, by ask and tell."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import nevergrad as ng
import numpy as np
from nevergrad.common.errors import NevergradWarning

from benchmarks.methods.forms import RADII, bounds_or_nearest, box, reach, too_dense
from benchmarks.methods.method import Method
from benchmarks.problem import Problem
from benchmarks.trial import Trial

SIGMA = 0.3
"""Initial standard deviation in units of `reach`, times the constant."""


def parametrization(problem: Problem, part: float, seed: int) -> Any:
    """x as nevergrad wants it described: start, scale, bounds, and whether values repeat."""
    known = box(problem)
    if known is not None:
        x = ng.p.Array(init=problem.x0, lower=known.lower, upper=known.upper)
    else:
        x = ng.p.Array(init=problem.x0)
    x.set_mutation(sigma=part * SIGMA * float(np.median(reach(problem))))
    x.function.deterministic = problem.regime == "full"
    x.random_state = np.random.RandomState(seed)
    return x


def runner(optimizer: Any) -> Callable[[Trial, float], None]:
    """A class of nevergrad at work; where values do not repeat, it says what it recommends."""

    def run(trial: Trial, constant: float) -> None:
        problem = trial.problem
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", NevergradWarning)
            warnings.filterwarnings("ignore", category=UserWarning, module="cma")
            warnings.filterwarnings("ignore", category=UserWarning, module=r"scipy\._lib\.pyprima")
            search = optimizer(
                parametrization(problem, constant, trial.seed),
                budget=max(1, trial.budget // problem.num_observations),
            )
            trial.objective(problem.x0)
            if problem.regime != "full":
                trial.recommend_by(lambda: search.provide_recommendation().value)
            while True:
                candidate = search.ask()
                search.tell(candidate, trial.objective(candidate.value))

    return run


def radii(problem: Problem) -> tuple[float, ...]:
    return RADII


NEVERGRAD = [
    Method("nevergrad-oneplusone", runner(ng.optimizers.OnePlusOne), bounds_or_nearest, grid=radii),
    Method("nevergrad-tbpsa", runner(ng.optimizers.TBPSA), bounds_or_nearest, grid=radii),
    Method("nevergrad-cma", runner(ng.optimizers.CMA), bounds_or_nearest, too_dense, grid=radii),
    Method("nevergrad-ngopt", runner(ng.optimizers.NGOpt), bounds_or_nearest, grid=radii),
]
