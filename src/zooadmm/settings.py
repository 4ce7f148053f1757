"""Named settings, and the method that they and what the user gives by name lead to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from zooadmm.algorithm import Algorithm, Method
from zooadmm.auto import Adaptive, Auto, Setup
from zooadmm.configuration import instance, positive, proximal_weight_schedule, schedule
from zooadmm.constraint import Side
from zooadmm.gradients import Exact, GradientSource, Smoothed
from zooadmm.metrics import Linearized, Metric
from zooadmm.observations import Observations, Samples
from zooadmm.problem import Problem
from zooadmm.randomness import Key
from zooadmm.schedules import Schedule, general_smoothing, general_step_size
from zooadmm.y_steps import y_step_for

SettingsName = Literal["auto", "paper"]
ProximalWeight = float | Literal["varying", "constant"]
OnNaN = Literal["stop", "shrink"]
"""What to do about a probe whose value is not finite: stop, or probe nearer."""


@dataclass(frozen=True)
class Given:
    """What the user gave by name, None where nothing: it wins over the settings."""

    gradient: Any = None
    step_size: Any = None
    smoothing: Any = None
    penalty: Any = None
    proximal_weight: Any = None
    metric: Any = None
    on_nan: Any = None


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


def paper(given: Given, problem: Problem, key: Key) -> tuple[Algorithm, dict[str, Any]]:
    """Algorithm 1 with the constants of the paper's experiments (Sec. 6), exactly, where not given.

    rho = 10, eta_t = 1/sqrt(m t), beta_t = 1/(m^1.5 t), alpha_t = rho eta_t lambda_max(A'A) + 1,
    directions uniform on the sphere of radius sqrt m, averaged over 30 of them. Also what the
    course of a run depends on, by name.
    """
    m, lambda_max = problem.m, problem.constraint.lambda_max
    source = Smoothed(num_directions=30) if given.gradient is None else given.gradient
    source = instance("gradient", source, GradientSource)
    eta = schedule("step_size", _or(given.step_size, general_step_size(m)))
    beta = schedule("smoothing", _or(given.smoothing, general_smoothing(m)))
    rho = positive("penalty", _or(given.penalty, 10.0))
    metric = instance("metric", _or(given.metric, Linearized()), Metric)
    if given.proximal_weight is not None and not isinstance(metric, Linearized):
        raise ValueError("proximal_weight is the alpha of Linearized(); leave one of them out.")
    weight = _or(given.proximal_weight, "varying")
    algorithm = Algorithm(
        problem=problem,
        source=source,
        step_size=eta,
        smoothing=beta,
        penalty=rho,
        proximal_weight=proximal_weight_schedule(weight, rho, eta, lambda_max),
        x_step=metric.x_step(problem, rho),
        y_step=y_step_for(problem, rho),
        key=key,
        shrinks=given.on_nan == "shrink",
    )
    return algorithm, {
        "gradient": source,
        "step_size": eta,
        "smoothing": beta,
        "penalty": rho,
        "proximal_weight": algorithm.proximal_weight,
        "metric": metric,
    }


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
        return paper(given, problem, key)
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
    setup = Setup(problem, settings, key, sampled, samples, in_turn, budget or 0, **by_name)
    return Adaptive(setup), {"settings": settings, **by_name}


def _schedule(name: str, given: Any) -> Schedule | None:
    return None if given is None else schedule(name, given)


def _or(given: Any, default: Any) -> Any:
    return default if given is None else given
