"""`settings=Paper(...)`: Algorithm 1 with the constants of the paper's experiments (Sec. 6)."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

from zooadmm.methods.arguments import fields_given, instance, positive, schedule
from zooadmm.methods.paper.algorithm import Algorithm
from zooadmm.methods.schedule import Constant, LinearizedWeight, Power, Schedule
from zooadmm.oracle.gradients import GradientSource, Residual, Smoothed
from zooadmm.oracle.observations import Observations
from zooadmm.oracle.randomness import Key
from zooadmm.problem.arguments import one_of
from zooadmm.problem.problem import Problem
from zooadmm.structure.metrics import Linearized, Metric
from zooadmm.structure.y_steps import y_step_for

ON_NAN = ("stop", "shrink")
"""What to do about a probe whose value is not finite: stop, or probe nearer."""


@dataclass(frozen=True)
class Paper:
    """The settings "paper", and what is to differ from the paper's experiments (Section 6).

    None stands for the paper's choice. Each field is a keyword of `minimize` too.

    gradient: `Smoothed(num_directions=30)`; or `Paired`, `DoublySmoothed` for
        kinks, `Residual` for one value a round, or `Exact` for O-ADMM. Where none is given, points
        lie in the domain, but not with a budget: the directions of the paper are not along
        1'x = budget, those of `Smoothed(probes="inside")` are. A source given by name is as
        printed: its points may lie outside, unless it has probes="inside".
    step_size: eta_t = 1/sqrt(m t); a number or a function of t.
    smoothing: beta_t = 1/(m^1.5 t); a number or a function of t.
    penalty: rho = 10.
    proximal_weight: alpha_t, "varying" = rho eta_t lambda_max(A'A) + 1, "constant" = alpha_1, or a
        number of at least that.
    metric: G_t of the x-step, `Linearized()`; or `LinearizedDiagonal` or `Fixed`.
    on_nan: "stop" at a probe whose value is not finite, or "shrink": x stays, and the next probes
        are nearer to it.

    >>> Paper(penalty=1.0)
    Paper(penalty=1.0)
    """

    gradient: Any = None
    step_size: Any = None
    smoothing: Any = None
    penalty: Any = None
    proximal_weight: Any = None
    metric: Any = None
    on_nan: Any = None

    def __repr__(self) -> str:
        given = ", ".join(f"{name}={value!r}" for name, value in fields_given(self).items())
        return f"Paper({given})"


def with_one_value(given: Paper) -> Paper:
    """The settings for items that can be evaluated once: residual feedback, unless it was given."""
    if not isinstance(given.gradient, Residual | None):
        raise ValueError(
            f"gradient={type(given.gradient).__name__}() evaluates an item at several points, and "
            "observations=Once() has one evaluation an item; give gradient=Residual(), or Stream() "
            "if items can be evaluated again."
        )
    if given.smoothing is None:
        raise ValueError(
            "observations=Once() needs smoothing: a number of at least 3 L step_size sqrt(m), for "
            'a loss of slope L; settings="auto" has nothing to choose.'
        )
    return replace(given, gradient=Residual() if given.gradient is None else given.gradient)


def paper_method(
    given: Paper, problem: Problem, key: Key, observations: Observations | None
) -> tuple[Algorithm, dict[str, Any]]:
    """Algorithm 1 with the constants of the paper's experiments (Sec. 6), exactly, where not given.

    rho = 10, eta_t = 1/sqrt(m t), beta_t = 1/(m^1.5 t), alpha_t = rho eta_t lambda_max(A'A) + 1,
    directions uniform on the sphere of radius sqrt m, averaged over 30 of them. Also what the
    course of a run depends on, by name.
    """
    m, lambda_max = problem.m, problem.constraint.lambda_max
    source: GradientSource = Smoothed(30, probes=None)  # inside X where it has room
    if given.gradient is not None:  # as printed
        source = instance("gradient", given.gradient, GradientSource)
    source = source.fitted(problem.domain, m, observations, along=False)
    shrinks = given.on_nan is not None and one_of("on_nan", given.on_nan, ON_NAN) == "shrink"
    if shrinks and isinstance(source, Residual):
        raise ValueError(
            'on_nan="shrink" brings probes nearer, and Residual() needs them far from x_t; leave '
            "one of them out."
        )
    eta: Schedule = Power(1.0 / math.sqrt(m), 0.5)  # the step of Theorem 1 on the sphere, C1 = 1
    beta: Schedule = Power(1.0 / math.pow(m, 1.5), 1.0)  # (11) on the sphere, C2 = 1
    rho, metric = 10.0, Linearized()
    if given.step_size is not None:
        eta = schedule("step_size", given.step_size)
    if given.smoothing is not None:
        beta = schedule("smoothing", given.smoothing)
    if given.penalty is not None:
        rho = positive("penalty", given.penalty)
    if given.metric is not None:
        metric = instance("metric", given.metric, Metric)
    if given.proximal_weight is not None and not isinstance(metric, Linearized):
        raise ValueError("proximal_weight is the alpha of Linearized(); leave one of them out.")
    alpha: Schedule = LinearizedWeight(rho, eta, lambda_max)
    if given.proximal_weight is not None:
        alpha = _weight(given.proximal_weight, alpha)
    algorithm = Algorithm(
        problem=problem,
        source=source,
        step_size=eta,
        smoothing=beta,
        penalty=rho,
        proximal_weight=alpha,
        x_step=metric.x_step(problem, rho),
        y_step=y_step_for(problem, rho),
        key=key,
        shrinks=shrinks,
    )
    return algorithm, {
        "gradient": source,
        "step_size": eta,
        "smoothing": beta,
        "penalty": rho,
        "proximal_weight": alpha,
        "metric": metric,
    }


def _weight(weight: Any, smallest: Schedule) -> Schedule:
    """alpha_t: varying with eta_t, the smallest constant that will do, or the user's number."""
    if isinstance(weight, str):
        if weight == "varying":
            return smallest
        if weight == "constant":
            return Constant(smallest(1))
        raise ValueError(
            f'proximal_weight must be "varying", "constant", a number or a function of t, not '
            f"{weight!r}."
        )
    if callable(weight):
        return schedule("proximal_weight", weight)
    value = positive("proximal_weight", weight)
    if value < smallest(1):
        raise ValueError(
            f"proximal_weight = {value:g} is below penalty * step_size * lambda_max(A'A) + 1 = "
            f'{smallest(1):g}, so that G_t >= I fails; raise it, or use "varying".'
        )
    return Constant(value)
