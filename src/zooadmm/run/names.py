"""Names of variables: of `Parameters`, or the index of a pandas Series."""

from __future__ import annotations

from typing import Any

from zooadmm.problem.arrays import Vector
from zooadmm.problem.named_variables import Parameters
from zooadmm.problem.sets import ConvexSet


def names_of(x0: Any) -> Any:
    """The Parameters, or the index of a Series; None for a plain vector."""
    if isinstance(x0, Parameters):
        return x0
    is_series = hasattr(x0, "iloc") and getattr(x0, "ndim", 0) == 1
    return x0.index if is_series else None


def named(names: Any, x: Vector) -> Any:
    """x by name."""
    if names is None:
        return None
    if isinstance(names, Parameters):
        return names.at(x)
    import pandas as pd

    return pd.Series(x.copy(), index=names)


def start_like(x0: Any, x: Vector) -> Any:
    """Another start with the names of x0; x: a point of the run."""
    if isinstance(x0, Parameters):
        return x0.starting_at(x0.table(x[None])[0])
    names = names_of(x0)
    return x if names is None else named(names, x)


def start_of(parameters: Parameters, domain: ConvexSet | None) -> tuple[Vector, ConvexSet]:
    """(x0, X): the unit box."""
    if domain is not None:
        raise ValueError("Parameters have bounds of their own; leave domain out.")
    return parameters.x0, parameters.domain
