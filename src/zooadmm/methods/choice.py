"""Which method runs: from the settings and what the user gives by name."""

from __future__ import annotations

from typing import Any, Literal

from zooadmm.methods.arguments import instance, one_of, positive, schedule, with_keywords
from zooadmm.methods.auto import Adaptive, Auto, Given
from zooadmm.methods.method import Method
from zooadmm.methods.paper.settings import Paper, paper_method
from zooadmm.methods.schedule import Schedule
from zooadmm.oracle.gradients import DoublySmoothed, Exact, GradientSource, Residual
from zooadmm.oracle.observations import Observations, Samples
from zooadmm.oracle.randomness import Key
from zooadmm.problem.constraint import Side
from zooadmm.problem.problem import Problem
from zooadmm.structure.quadratic_program import SOLVER

Settings = Literal["auto", "paper"] | Auto | Paper
ProximalWeight = float | Literal["varying", "constant"]
OnNaN = Literal["stop", "shrink"]
"""What to do about a probe whose value is not finite: stop, or probe nearer."""


def chosen(settings: Settings, named: Paper) -> Auto | Paper:
    """The settings that are meant, with what was given by keyword."""
    if isinstance(settings, (Auto, Paper)):
        group = settings
    else:
        name = one_of("settings", settings, ("auto", "paper"), "Auto(...)", "Paper(...)")
        group = Paper() if name == "paper" else Auto()
    if isinstance(group, Paper):
        return with_keywords(group, named)
    of_algorithm_1 = {
        "gradient=Exact()": isinstance(named.gradient, Exact),
        "gradient=DoublySmoothed()": isinstance(named.gradient, DoublySmoothed),
        "gradient=Residual()": isinstance(named.gradient, Residual),
        "proximal_weight": named.proximal_weight is not None,
        "metric": named.metric is not None,
        'on_nan="stop"': named.on_nan == "stop",  # the automatic method always shrinks
    }
    for name, is_given in of_algorithm_1.items():
        if is_given:
            raise ValueError(
                f'{name} belongs to Algorithm 1 as printed: add settings="paper", or leave it out.'
            )
    return group


def method(
    settings: Auto | Paper,
    named: Paper,
    problem: Problem,
    key: Key,
    observations: Observations | None,
    budget: int | None,
    complete: Side | None,
) -> tuple[Method, dict[str, Any]]:
    """The method for a problem, and what the course of its runs depends on, by name."""
    if isinstance(settings, Paper):
        return paper_method(settings, problem, key)
    gradient, penalty = named.gradient, named.penalty
    by_name: dict[str, Any] = {
        "gradient": None if gradient is None else instance("gradient", gradient, GradientSource),
        "step_size": _schedule("step_size", named.step_size),
        "smoothing": _schedule("smoothing", named.smoothing),
        "penalty": None if penalty is None else positive("penalty", penalty),
        "complete": complete,
    }
    samples, in_turn, sampled = 0, False, observations is not None
    if isinstance(observations, Samples):
        samples, in_turn = len(observations.values), observations.order in ("epochs", "in order")
    announced = settings.budget or budget or 0
    given = Given(problem, settings, key, sampled, samples, in_turn, announced, **by_name)
    return Adaptive(given), {"settings": settings, **by_name, "solver": SOLVER}


def _schedule(name: str, given: Any) -> Schedule | None:
    return None if given is None else schedule(name, given)
