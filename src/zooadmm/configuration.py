"""From what a user gives by name to the parameters of the algorithm, or why not."""

from __future__ import annotations

import math
import warnings
from typing import Any, Literal

from zooadmm.constraint import Constraint
from zooadmm.schedules import Constant, LinearizedWeight, Schedule

Side = Literal["x", "y"]


def instance(name: str, candidate: Any, kind: type) -> Any:
    """The candidate, if it is of that kind."""
    if not isinstance(candidate, kind):
        raise TypeError(f"{name} must be a {kind.__name__} of zooadmm, not {candidate!r}.")
    return candidate


def positive(name: str, value: Any) -> float:
    """A positive, finite number."""
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise TypeError(f"{name} must be a number, not {value!r}.") from None
    if not (number > 0 and math.isfinite(number)):
        raise ValueError(f"{name} = {value} must be positive and finite.")
    return number


def schedule(name: str, value: Any) -> Schedule:
    """A number as a constant schedule, a function of t as it is."""
    if not callable(value):
        return Constant(positive(name, value))
    positive(f"{name} at t = 1", value(1))
    given: Schedule = value
    return given


def proximal_weight_schedule(weight: Any, rho: float, eta: Schedule, lambda_max: float) -> Schedule:
    """alpha_t: varying with eta_t, the smallest constant that will do, or the user's number."""
    smallest = LinearizedWeight(rho, eta, lambda_max)
    if weight == "varying":
        return smallest
    if weight == "constant":
        return Constant(smallest(1))
    if isinstance(weight, str):
        raise ValueError(
            f'proximal_weight must be "varying", "constant" or a number, not {weight!r}.'
        )
    value = positive("proximal_weight", weight)
    if value < smallest(1):
        raise ValueError(
            f"proximal_weight = {value:g} is below penalty * step_size * lambda_max(A'A) + 1 = "
            f'{smallest(1):g}, so that G_t >= I fails; raise it, or use "varying".'
        )
    return Constant(value)


def side_to_complete(asked: Any, constraint: Constraint) -> Side | None:
    """Which side is completed so that A x + B y = c holds (lines 7 to 11 of Algorithm 1)."""
    if asked == "y" and not constraint.B_invertible:
        raise ValueError('complete="y" needs an invertible B; use "x" if A has an inverse.')
    if asked == "x" and not constraint.A_invertible:
        raise ValueError('complete="x" needs an invertible A; use "y" if B has an inverse.')
    if asked == "x" or asked == "y":
        return "x" if asked == "x" else "y"
    if asked is not None:
        raise ValueError(f'complete must be "x" or "y", not {asked!r}.')
    if constraint.B_invertible:
        return "y"
    if constraint.A_invertible:
        return "x"
    warnings.warn(
        "neither A nor B has an inverse: no side can be completed, so the result satisfies "
        "A x + B y = c only up to its residual, and the theory does not cover the problem.",
        RuntimeWarning,
        stacklevel=3,
    )
    return None
