"""Which method runs: from the settings and what the user gives by name."""

from __future__ import annotations

from typing import Any, Literal

from zooadmm.methods.arguments import fields_given, instance, positive, schedule, with_keywords
from zooadmm.methods.auto import Adaptive, Auto, Given
from zooadmm.methods.auto.model.regression import Values
from zooadmm.methods.compare import Compare
from zooadmm.methods.compare.method import compare_method
from zooadmm.methods.evaluated import Evaluated, evaluated_method
from zooadmm.methods.follow import Follow
from zooadmm.methods.follow.settings import follow_method
from zooadmm.methods.method import Method
from zooadmm.methods.paper.settings import ON_NAN, Paper, paper_method, with_one_value
from zooadmm.methods.variance_reduced import SPIDER, SVRG
from zooadmm.methods.variance_reduced.settings import Corrections, variance_reduced_method
from zooadmm.oracle.gradients import DoublySmoothed, Exact, GradientSource, Residual
from zooadmm.oracle.observations import Observations, Samples
from zooadmm.oracle.once import Once
from zooadmm.oracle.randomness import Key
from zooadmm.problem.arguments import one_of
from zooadmm.problem.constraint import Side
from zooadmm.problem.problem import Problem
from zooadmm.problem.sets import WholeSpace
from zooadmm.structure.quadratic_program import SOLVER

Settings = (
    Literal["auto", "paper", "follow", "compare", "svrg", "spider"]
    | Auto
    | Paper
    | Follow
    | Compare
    | SVRG
    | SPIDER
)
Group = Auto | Paper | Follow | Compare | Corrections
ProximalWeight = float | Literal["varying", "constant"]
OnNaN = Literal["stop", "shrink"]
"""What to do about a probe whose value is not finite: stop, or probe nearer."""


GROUPS: dict[str, type[Group]] = {
    "auto": Auto,
    "paper": Paper,
    "follow": Follow,
    "compare": Compare,
    "svrg": SVRG,
    "spider": SPIDER,
}
"""The settings with a name."""


def chosen(
    settings: Settings, named: Paper, evaluated: int | Evaluated | None
) -> Group | Evaluated:
    """The settings that are meant, with what was given by keyword."""
    group: Group
    if evaluated is not None:
        if settings != "auto" or named != Paper():
            raise ValueError(
                "evaluated= has a method of its own: leave out settings, gradient, step_size, "
                "smoothing, penalty, proximal_weight, metric and on_nan."
            )
        return evaluated if isinstance(evaluated, Evaluated) else Evaluated(evaluated)
    if isinstance(settings, (Auto, Paper, Follow, Compare, Corrections)):
        group = settings
    else:
        name = one_of("settings", settings, tuple(GROUPS), "Auto(...)", "Paper(...)")
        group = GROUPS[name]()
    keywords = fields_given(named)
    if not keywords:
        return group
    if isinstance(group, Follow | Compare):
        kind = "follow" if isinstance(group, Follow) else "compare"
        name = next(iter(keywords))
        raise ValueError(f'settings="{kind}" has no {name}: it learns it; leave it out.')
    if not isinstance(group, Paper):
        _refuse_of_algorithm_1(group, named)
    return group if isinstance(group, Auto) else with_keywords(group, named)


def _refuse_of_algorithm_1(group: Auto | Corrections, named: Paper) -> None:
    """Refuse what only the paper's settings know."""
    gradient, on_nan = named.gradient, named.on_nan
    if on_nan is not None:
        one_of("on_nan", on_nan, ON_NAN)
    if isinstance(group, Corrections):
        foreign = {"gradient": gradient is not None, "on_nan": on_nan is not None}
    else:
        foreign = {
            "gradient=Exact()": isinstance(gradient, Exact),
            "gradient=DoublySmoothed()": isinstance(gradient, DoublySmoothed),
            "gradient=Residual()": isinstance(gradient, Residual),
            'on_nan="stop"': on_nan == "stop",  # the automatic method always shrinks
        }
    foreign["proximal_weight"] = named.proximal_weight is not None
    foreign["metric"] = named.metric is not None
    for name, is_given in foreign.items():
        if is_given:
            raise ValueError(
                f'{name} belongs to Algorithm 1 as printed: add settings="paper", or leave it out.'
            )


def method(
    settings: Group | Evaluated,
    named: Paper,
    problem: Problem,
    key: Key,
    observations: Observations | None,
    budget: int | None,
    complete: Side | None,
    values: Values,
) -> tuple[Method, dict[str, Any]]:
    """The method for a problem, and what the course of its runs depends on, by name.

    values: points that the user has evaluated already.
    """
    if isinstance(settings, Paper):
        if isinstance(observations, Once):
            settings = with_one_value(settings)
        return paper_method(settings, problem, key, observations)
    if isinstance(settings, Follow):
        if isinstance(observations, Once):
            raise ValueError(
                'settings="follow" evaluates an item at several points, and observations=Once() '
                "has one evaluation an item; give Stream() if items can be evaluated again, or "
                "settings=Auto(horizon=...)."
            )
        return follow_method(problem, key)
    if isinstance(settings, Compare):
        if observations is not None:
            raise ValueError(
                'settings="compare" is for a loss(x, other) without observations; leave them out.'
            )
        return compare_method(settings, problem, key), {"settings": settings, "solver": SOLVER}
    if isinstance(settings, Evaluated):
        if observations is not None:
            raise ValueError("evaluated= is for a loss without observations; average over them.")
        return evaluated_method(settings, problem, key), {"evaluated": settings, "solver": SOLVER}
    if isinstance(settings, Corrections):
        return variance_reduced_method(settings, problem, key, observations)
    gradient, eta, beta, penalty = (named.gradient, named.step_size, named.smoothing, named.penalty)
    by_name: dict[str, Any] = {
        "gradient": None
        if gradient is None
        else _source(gradient, settings, problem, observations),
        "step_size": None if eta is None else schedule("step_size", eta),
        "smoothing": None if beta is None else schedule("smoothing", beta),
        "penalty": None if penalty is None else positive("penalty", penalty),
        "complete": complete,
    }
    samples, in_turn, once = 0, False, isinstance(observations, Once)
    sampled = observations is not None and not once
    if isinstance(observations, Samples):
        samples, in_turn = len(observations.values), observations.order in ("epochs", "in order")
    announced = settings.budget or budget or 0
    if isinstance(observations, Once):  # a noisy loss of x alone
        announced = min(filter(None, (announced, observations.length)), default=0)
    given = Given(
        problem,
        settings,
        key,
        sampled,
        samples,
        in_turn,
        announced,
        **by_name,
        once=once,
        values=values,
    )
    if len(values.values) > 0:
        by_name["start_values"] = tuple(values)
    return Adaptive(given), {"settings": settings, **by_name, "solver": SOLVER}


def _source(
    gradient: object, settings: Auto, problem: Problem, observations: Observations | None
) -> GradientSource:
    source: GradientSource = instance("gradient", gradient, GradientSource)
    domain = problem.domain if settings.probes == "inside" else WholeSpace()
    return source.fitted(domain, problem.m, observations, along=True)
