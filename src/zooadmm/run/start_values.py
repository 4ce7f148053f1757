"""`start_values=`: points that the user has evaluated already, with their values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from zooadmm.methods.auto import Auto
from zooadmm.methods.auto.model.regression import Values
from zooadmm.oracle.loss import LARGEST
from zooadmm.problem.arguments import listed, real_array
from zooadmm.problem.arrays import Matrix, Vector
from zooadmm.problem.named_variables import Parameters
from zooadmm.run.names import names_of

FORMS = (
    "start_values must be pairs [(x, f), ...], two arrays (X, f) with a point a row, or a table "
    'with a column "value" and one for each variable'
)
VALUE = "value"
"""The column of the values, as in a history."""


def best_point(given: Any) -> Vector:
    """The point with the least value, to start at where x0 is None."""
    if given is None:
        raise ValueError("x0 is None: give a start point, or start_values to start at their best.")
    if isinstance(given, Iterator):
        raise TypeError("x0 is None: start_values are read twice; give a list of pairs.")
    if _is_table(given):
        raise ValueError("x0 is None: a table of start_values needs x0, whose variables it names.")
    X, values = _finite(*_arrays(given))
    return np.asarray(X[int(np.argmin(values))])


def start_values(given: Any, x0: Any, m: int, settings: object, observed: bool) -> Values:
    """The points and values as the run has them, each point once; or a sentence.

    x0: as the user gave it, which names the variables.
    observed: whether the loss has observations.
    """
    if not isinstance(settings, Auto):
        raise ValueError(
            'start_values belong to settings="auto"; leave them out, and start at the best of them.'
        )
    if observed:
        raise ValueError(
            "start_values are of a loss without observations: a mean over all of them cannot be "
            "compared with values on a few. Leave them out, and start at the best of them."
        )
    names = names_of(x0)
    X, values = _columns(given, names, m) if _is_table(given) else _arrays(given)
    if X.shape[1] != m:
        raise ValueError(f"start_values has points of {X.shape[1]} numbers, and x0 has {m}.")
    if isinstance(names, Parameters):
        X = np.array([_point(names, row, i) for i, row in enumerate(X)])
    return _distinct(*_finite(X, values))


def _is_table(given: Any) -> bool:
    return isinstance(given, Mapping) or hasattr(given, "columns")


def _columns(given: Any, names: Any, m: int) -> tuple[Matrix, Vector]:
    """The columns of a table, such as a history."""
    if names is None:
        names = [f"x{j}" for j in range(m)]
    needed = [VALUE, *(names.names if isinstance(names, Parameters) else names)]
    there = {str(name): given[name] for name in given}
    missing = [str(name) for name in needed if str(name) not in there]
    if missing:
        raise ValueError(
            f"start_values has no column {missing[0]!r}; it needs {', '.join(map(str, needed))}."
        )
    values, *columns = (_numbers(there[str(name)], str(name)) for name in needed)
    return np.stack(columns, axis=1), values


def _numbers(column: Any, name: str) -> Vector:
    return np.asarray(real_array(f"start_values, column {name!r},", column), dtype=np.float64)


def _arrays(given: Any) -> tuple[Matrix, Vector]:
    """(X, f) from two arrays or from pairs."""
    rows = listed(given)
    if rows is None:
        raise TypeError(f"{FORMS}, not {type(given).__name__}.")
    if len(rows) != 2 or np.ndim(_last(rows[0])) == 0:
        pairs = [listed(row) for row in rows]
        if not pairs or any(pair is None or len(pair) != 2 for pair in pairs):
            raise ValueError(f"{FORMS}.")
        rows = [[pair[0] for pair in pairs if pair], [pair[1] for pair in pairs if pair]]
    try:
        X = np.asarray(real_array("start_values, points,", rows[0]), dtype=np.float64)
        values = np.asarray(real_array("start_values, values,", rows[1]), dtype=np.float64)
    except ValueError:
        raise ValueError(f"{FORMS}: points of different lengths.") from None
    if X.ndim != 2 or values.ndim != 1 or len(X) != len(values):
        raise ValueError(f"{FORMS}; points have shape {X.shape}, values {values.shape}.")
    return X, values


def _last(row: Any) -> Any:
    """The second of a pair, or the last row of a table of points."""
    entries = listed(row)
    return entries[-1] if entries else ()


def _point(parameters: Parameters, row: Vector, i: int) -> Vector:
    try:
        return parameters.point(dict(zip(parameters.names, row.tolist(), strict=True)))
    except ValueError as error:
        raise ValueError(f"start_values, point {i}: {error}") from None


def _finite(X: Matrix, values: Vector) -> tuple[Matrix, Vector]:
    """Without values that are not finite, or too large for a loss: they say nothing."""
    wrong = np.flatnonzero(~np.isfinite(X).all(axis=1))
    if len(wrong) > 0:
        raise ValueError(f"start_values, point {wrong[0]}, is not finite: {X[wrong[0]]}.")
    seen = np.abs(values) <= LARGEST  # not so where it is nan
    if not seen.any():
        raise ValueError("start_values has no finite value; leave it out.")
    return X[seen], values[seen]


def _distinct(X: Matrix, values: Vector) -> Values:
    """Each point once, with the mean of its values, and the largest distance of a value from it."""
    points, first, place = np.unique(X, axis=0, return_index=True, return_inverse=True)
    place = place.reshape(-1)
    means = np.bincount(place, weights=values) / np.bincount(place)
    exact = np.array([np.ptp(values[place == i]) == 0.0 for i in range(len(points))])
    means = np.where(exact, values[first], means)  # without the rounding of sums
    return Values(points, means, float(np.abs(values - means[place]).max()))
