"""From what a user gives by name to the parameters of the algorithm, or why not."""

from __future__ import annotations

import math
import warnings
from dataclasses import fields, replace
from typing import Any, TypeVar

from zooadmm.methods.schedule import Constant, Schedule
from zooadmm.problem.arguments import number, one_of
from zooadmm.problem.constraint import Constraint, Side

EXAMPLES = {
    "gradient": "Smoothed(num_directions=30), or Exact() with a loss that has a gradient",
    "metric": "Linearized() or Fixed(G)",
    "limits": "Limits(max_evaluations=1_000)",
}


Group = TypeVar("Group", bound=Any)


def fields_given(group: Any) -> dict[str, Any]:
    """The fields of a group of arguments that are not None, by name."""
    given = {}
    for field in fields(group):
        value = getattr(group, field.name)
        if value is not None:
            given[field.name] = value
    return given


def with_keywords(group: Group, named: Group) -> Group:
    """A group of arguments with those given by keyword, none of which may be given twice."""
    keywords = fields_given(named)
    for name in keywords.keys() & fields_given(group).keys():
        raise ValueError(f"{name} is given by keyword and in {group!r}; leave one of them out.")
    return replace(group, **keywords)


def instance(name: str, candidate: Any, kind: type) -> Any:
    """The candidate, if it is of that kind."""
    if isinstance(candidate, type):
        raise TypeError(
            f"{name} is the class {candidate.__name__}; pass an instance, such as {EXAMPLES[name]}."
        )
    if not isinstance(candidate, kind):
        raise TypeError(
            f"{name} must be a {kind.__name__}, such as {EXAMPLES[name]}, not a "
            f"{type(candidate).__name__}."
        )
    return candidate


def positive(name: str, value: Any) -> float:
    """A positive, finite number."""
    found = number(name, value)
    if not (found > 0 and math.isfinite(found)):
        raise ValueError(f"{name} = {value} must be positive and finite.")
    return found


def schedule(name: str, value: Any) -> Schedule:
    """A number as a constant schedule, a function of t as it is."""
    if isinstance(value, type):
        raise TypeError(f"{name} is the class {value.__name__}; give a number or a function of t.")
    if not callable(value):
        if isinstance(value, (bool, str)) or not hasattr(value, "__float__"):
            raise TypeError(f"{name} must be a number or a function of t, not {value!r}.")
        return Constant(positive(name, value))
    try:
        first = value(1)
    except Exception as error:
        raise TypeError(f"{name} must be a function of t; at t = 1 it raised {error!r}.") from error
    positive(f"{name} at t = 1", first)
    given: Schedule = value
    return given


def side_to_complete(asked: Any, constraint: Constraint) -> Side | None:
    """Which side is completed so that A x + B y = c holds (lines 7 to 11 of Algorithm 1)."""
    if asked is not None:
        asked = one_of("complete", asked, ("x", "y"))
    if asked == "y" and not constraint.B_invertible:
        raise ValueError('complete="y" needs an invertible B; use "x" if A has an inverse.')
    if asked == "x" and not constraint.A_invertible:
        raise ValueError('complete="x" needs an invertible A; use "y" if B has an inverse.')
    if asked == "x" or asked == "y":
        return "x" if asked == "x" else "y"
    if constraint.B_invertible:
        return "y"
    if constraint.A_invertible:
        return "x"
    warnings.warn(
        "neither A nor B has an inverse: no side can be completed, so the result satisfies "
        "A x + B y = c only up to its residual, and the theory does not cover the problem.",
        RuntimeWarning,
        stacklevel=4,
    )
    return None
