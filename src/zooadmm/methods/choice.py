"""Which method runs: from the settings and what the user gives by name."""

from __future__ import annotations

from typing import Any, Literal

from zooadmm.methods.arguments import instance, positive, schedule
from zooadmm.methods.auto import Adaptive, Auto, Setup
from zooadmm.methods.method import Method
from zooadmm.methods.paper.settings import Given, paper_method
from zooadmm.methods.schedule import Schedule
from zooadmm.oracle.gradients import Exact, GradientSource
from zooadmm.oracle.observations import Observations, Samples
from zooadmm.oracle.randomness import Key
from zooadmm.problem.constraint import Side
from zooadmm.problem.problem import Problem
from zooadmm.structure.quadratic_program import SOLVER

SettingsName = Literal["auto", "paper"]
ProximalWeight = float | Literal["varying", "constant"]
OnNaN = Literal["stop", "shrink"]
"""What to do about a probe whose value is not finite: stop, or probe nearer."""


def chosen(settings: SettingsName | Auto | None, given: Given) -> Auto | Literal["paper"]:
    """The settings that are meant.

    By default "auto"; "paper" where something is given that only Algorithm 1 as printed knows: true
    gradients, the weight alpha_t or a metric G_t.
    """
    printed = {
        "gradient=Exact()": isinstance(given.gradient, Exact),
        "proximal_weight": given.proximal_weight is not None,
        "metric": given.metric is not None,
    }
    if given.on_nan not in (None, "stop", "shrink"):
        raise ValueError(f'on_nan must be "stop" or "shrink", not {given.on_nan!r}.')
    if settings is None:
        return "paper" if any(printed.values()) else Auto()
    if settings == "paper":
        return "paper"
    if settings != "auto" and not isinstance(settings, Auto):
        raise ValueError(f'settings must be "auto", "paper" or Auto(...), not {settings!r}.')
    printed['on_nan="stop"'] = given.on_nan == "stop"  # the automatic method always shrinks
    for name, is_given in printed.items():
        if is_given:
            raise ValueError(f'{name} belongs to settings="paper"; leave one of them out.')
    return settings if isinstance(settings, Auto) else Auto()


def method(
    settings: Auto | Literal["paper"],
    given: Given,
    problem: Problem,
    key: Key,
    observations: Observations | None,
    budget: int | None,
    complete: Side | None,
) -> tuple[Method, dict[str, Any]]:
    """The method for a problem, and what the course of its runs depends on, by name."""
    if settings == "paper":
        return paper_method(given, problem, key)
    gradient, penalty = given.gradient, given.penalty
    by_name: dict[str, Any] = {
        "gradient": None if gradient is None else instance("gradient", gradient, GradientSource),
        "step_size": _schedule("step_size", given.step_size),
        "smoothing": _schedule("smoothing", given.smoothing),
        "penalty": None if penalty is None else positive("penalty", penalty),
        "complete": complete,
    }
    samples, in_turn, sampled = 0, False, observations is not None
    if isinstance(observations, Samples):
        samples, in_turn = len(observations.values), observations.order in ("epochs", "in order")
    announced = settings.budget or budget or 0
    setup = Setup(problem, settings, key, sampled, samples, in_turn, announced, **by_name)
    return Adaptive(setup), {"settings": settings, **by_name, "solver": SOLVER}


def _schedule(name: str, given: Any) -> Schedule | None:
    return None if given is None else schedule(name, given)
