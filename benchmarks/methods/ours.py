"""Our own: the paper's method as printed and tuned in hindsight, and O-ADMM above both."""

from __future__ import annotations

import math
from typing import Any

import zooadmm as zoo
from benchmarks.methods.method import Method
from benchmarks.problem import Array, Problem
from benchmarks.trial import Diverged, Trial
from zooadmm.evaluation import InProcess
from zooadmm.methods.schedule import Power

NUM_DIRECTIONS = 30
C1_GRID = tuple(10.0**k for k in range(-4, 5))


def optimizer(
    trial: Trial, gradient: Any, C1: float, output: Any, penalty: float = 10.0
) -> zoo.Optimizer:
    """The paper's constants with eta_t = C1 / sqrt(m t), for the problem of a trial."""
    problem = trial.problem
    return zoo.Optimizer(
        problem.x0,
        regularizer=problem.regularizer,
        domain=problem.domain,
        constraint=problem.constraint,
        observations=problem.observations,
        gradient=gradient,
        settings="paper",
        step_size=Power(C1 / math.sqrt(problem.m), 0.5),
        penalty=penalty,
        output=output,
        complete=problem.complete,
        rng=trial.seed,
    )


def as_printed(trial: Trial, C1: float) -> None:
    """`minimize` with settings="paper": the averages, which the theory bounds."""
    evaluate(trial, optimizer(trial, smoothed(trial.problem), C1, "average"))


def tuned(trial: Trial, C1: float) -> None:
    """The output that suits the loss: the last iterate where the loss is smooth and exact."""
    output = "last" if trial.problem.regime == "full" else "average"
    evaluate(trial, optimizer(trial, smoothed(trial.problem), C1, output))


def smoothed(problem: Problem) -> zoo.paper.Smoothed:
    return zoo.paper.Smoothed(NUM_DIRECTIONS, problem.num_observations)


def evaluate(trial: Trial, run: zoo.Optimizer) -> None:
    """Ask, evaluate, tell, to the end."""
    follow(trial, run, InProcess(zoo.Loss(values=trial.values)))


def o_admm(trial: Trial, C1: float) -> None:
    """True gradients; each is charged what ZOO-ADMM pays for its estimate."""

    def gradient(x: Array, *observation: Any) -> Array:
        return trial.gradient(x, observation, cost=1 + NUM_DIRECTIONS)

    output = "last" if trial.problem.regime == "full" else "average"
    run = optimizer(trial, zoo.paper.Exact(trial.problem.num_observations), C1, output)
    follow(trial, run, InProcess(zoo.Loss(gradient=gradient)))


def follow(trial: Trial, run: zoo.Optimizer, evaluator: InProcess) -> None:
    trial.recommend_by(lambda: run.recommended()[0])
    while (query := run.ask()) is not None:
        run.tell(query.id, evaluator(query))
    if run.status is zoo.Status.DIVERGED:
        raise Diverged


def as_it_comes(trial: Trial, constant: float) -> None:
    """`minimize` with its defaults, told how many evaluations it has."""
    automatic(trial, zoo.Auto(), trial.budget)


def automatic(trial: Trial, settings: zoo.Auto, planned: int | None) -> None:
    """The method without knobs; `planned`: how many evaluations it is told that it has."""
    problem = trial.problem
    run = zoo.Optimizer(
        problem.x0,
        regularizer=problem.regularizer,
        domain=problem.domain,
        constraint=problem.constraint,
        observations=problem.observations,
        settings=settings,
        complete=problem.complete,
        max_evaluations=planned,
        rng=trial.seed,
    )
    evaluate(trial, run)


def as_it_is(problem: Problem) -> str:
    return "regularizer, domain and constraint as they are"


OURS = [
    Method("zoo-auto", as_it_comes, as_it_is),
    Method("zoo-paper", as_printed, as_it_is),
    Method("zoo-paper-tuned", tuned, as_it_is, grid=lambda problem: C1_GRID),
    Method("o-admm-tuned", o_admm, as_it_is, grid=lambda problem: C1_GRID, random=False),
]
