"""Slopes and curvatures at the answer, from the values that a run measured anyway."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import scipy.optimize
from numpy.typing import NDArray

from zooadmm.problem.named_variables import Parameters
from zooadmm.run.result import Result

Column = NDArray[np.float64]
Table = NDArray[np.float64]

MOST_POINTS = 3_000
"""Points that are fitted at most: those nearest to the answer."""

MOST_CROSSED = 40
"""Variables up to which the fit has products of two; beyond, these count as errors."""

ROUNDS = 6
"""How often the sizes of the errors and the fit are estimated in turn."""

NEARER = (0.35, 0.5, 0.7, 0.85)
"""Parts of the points, the nearest ones, that are fitted alone to check the errors."""

INFORMED = 5.0
"""Such a fit counts if its own error is below this many times that of the fit of all points.

Bars of two standard errors hold 91 % (with 3), 95 % (5), 96 % (10) of the curvatures of 18 losses
that are not quadratic, each with and without noise; with 10, bars of noisy quadratics become ten
times as long. Of 30 further losses they hold 86 % with 5. Without this check it is 61 %.
"""


class Sensitivity(NamedTuple):
    """What the loss does around the answer, variable by variable.

    slope, curvature: of the loss f, without the regularizer; per unit of the variable, and per unit
        squared. The unit of a parameter is its whole scale, from low to high, log scales included.
        nan where too little was measured.
    slope_error, curvature_error: their standard errors.
    points: how many evaluated points were used.
    """

    names: list[str]
    slope: Column
    slope_error: Column
    curvature: Column
    curvature_error: Column
    points: int


def sensitivity(
    result: Result, history: str | Path | Any, parameters: Parameters | None = None
) -> Sensitivity:
    """Fit `f(x + d) = f(x) + <g, d> + d'Hd / 2` to the evaluated points near the answer.

    history: what `minimize(..., history=...)` wrote, a path, or a DataFrame with its columns (needs
        pandas).
    parameters: the `Parameters` of the run, if it had any. The fit is made on their scales, so
        slopes of parameters with different units can be compared.

    It takes no new evaluations, so it knows only what the run had to find out; the errors say how
    well. Points are weighted by two errors that are estimated on the way: one of every value, which
    is noise or rounding, and one that grows like |d|^3. Where the loss is not quadratic, errors are
    at least what the fit changes by when only the nearest points are fitted. With more than 40
    variables products of two are left out of the fit, and curvatures are rough. A loss with
    observations is refused.

    >>> import tempfile
    >>> import zooadmm as zoo
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     result = zoo.minimize(
    ...         lambda x: 4 * (x[0] - 2) ** 2 + (x[1] - 0.5) ** 2, np.zeros(2),
    ...         domain=zoo.Box(0, 1), max_evaluations=200, rng=0, history=f"{folder}/all.csv",
    ...     )
    ...     found = sensitivity(result, f"{folder}/all.csv")
    >>> np.round(found.slope, 3) + 0.0, np.round(found.curvature, 3)
    (array([-8.,  0.]), array([8., 2.]))
    """
    points, values, names = _table(history)
    if parameters is not None:
        points = _on_scale(points, names, parameters)
    elif isinstance(result.named, dict):
        raise ValueError(
            "the run had Parameters: give them, sensitivity(result, history, parameters), so that "
            "the fit is made on their scales."
        )
    x = _answer(result, names)
    kept = _nearest(points - x)
    d, values = (points - x)[kept], values[kept]
    scale = np.sqrt(np.mean(np.square(d), axis=0))
    scale = np.where(scale > 0.0, scale, 1.0)
    u = d / scale
    found, errors = _fit(u, values)
    m = len(names)
    return Sensitivity(
        names,
        found[:m] / scale,
        errors[:m] / scale,
        found[m : 2 * m] / scale**2,
        errors[m : 2 * m] / scale**2,
        len(values),
    )


def _table(history: Any) -> tuple[Table, Column, list[str]]:
    """(points, values, names of the variables)."""
    import pandas as pd

    if isinstance(history, (str, Path)):
        read = pd.read_parquet if Path(history).suffix == ".parquet" else pd.read_csv
        history = read(Path(history))
    if history["observation"].notna().any():
        raise ValueError(
            "sensitivity needs a loss without observations, and this history is of single ones: "
            "run minimize on the mean over them, from this answer, and take its history."
        )
    values = history["value"].to_numpy(dtype=np.float64)
    points = history.iloc[:, 3:].to_numpy(dtype=np.float64)
    seen = np.isfinite(values)
    return points[seen], values[seen], [str(name) for name in history.columns[3:]]


def _on_scale(points: Table, names: list[str], parameters: Parameters) -> Table:
    """The points between 0 and 1 on the scales of the parameters."""
    if tuple(names) != parameters.names:
        raise ValueError(
            f"the history has {', '.join(names)} and parameters {', '.join(parameters.names)}: "
            "give those of the same run."
        )
    return np.array([parameters.point(dict(zip(names, row, strict=True))) for row in points])


def _answer(result: Result, names: list[str]) -> Column:
    """The answer, where it has as many variables as the table."""
    x = result.x
    if len(x) != len(names):
        raise ValueError(
            f"the history has {len(names)} variables and the result {len(x)}: give the history of "
            "the same run."
        )
    return np.asarray(x, dtype=np.float64)


def _nearest(d: Table) -> NDArray[np.intp]:
    """The points nearest to the answer first, in units of how far each variable was moved."""
    spread = np.median(np.abs(d), axis=0)
    spread = np.where(spread > 0.0, spread, np.where(d.any(axis=0), np.abs(d).max(axis=0), 1.0))
    away = np.linalg.norm(d / spread, axis=1)
    return np.asarray(np.argsort(away, kind="stable")[:MOST_POINTS])


def _design(u: Table) -> Table:
    """Columns for the slopes, the curvatures and, for few variables, the products of two."""
    m = u.shape[1]
    parts = [u, np.square(u) / 2]
    if m <= MOST_CROSSED:
        i, j = np.triu_indices(m, 1)
        parts.append(u[:, i] * u[:, j])
    return np.hstack(parts)


def _fit(u: Table, values: Column) -> tuple[Column, Column]:
    """Weighted least squares: the coefficients without the constant, and their standard errors.

    Errors of neighboring points are alike where the loss is not quadratic, which the weights do not
    know. So the nearest points are fitted alone, too, and the errors are at least as large as what
    that changes, where so few points still say enough.
    """
    X = _design(u)
    away = np.linalg.norm(u, axis=1)
    crossed = np.square(away) - np.square(u).max(axis=1)
    if u.shape[1] <= MOST_CROSSED:
        crossed = np.zeros_like(away)
    rounding = 4 * np.finfo(np.float64).eps * max(1e-300, float(np.abs(values).max()))
    sizes = np.array([rounding, *[np.std(values) + rounding] * 2])
    shapes = np.column_stack([np.ones_like(away), away**3, crossed])
    found, errors, m = np.zeros(X.shape[1]), np.full(X.shape[1], np.nan), u.shape[1]
    usual = float(np.std(values)) + rounding
    for _ in range(ROUNDS):
        weights = 1.0 / np.sqrt(np.square(shapes) @ np.square(sizes))
        found, errors, left = _least_squares(X, values, weights, 2 * m, usual)
        sizes = _sizes(left, shapes, sizes, rounding)
        sure = np.isfinite(errors[m : 2 * m])
        if sure.any():
            usual = float(np.sqrt(np.mean(np.square(found[m : 2 * m][sure])))) + rounding
    smallest = errors
    for part in NEARER:
        near = slice(0, int(part * len(values)))
        again, larger, _ = _least_squares(X[near], values[near], weights[near], 2 * m, usual)
        changed = np.abs(again - found)
        shown = (larger < INFORMED * smallest) & (changed > larger)
        errors = np.where(shown, np.fmax(errors, changed), errors)
    return found, errors


def _least_squares(
    X: Table, values: Column, weights: Column, free: int, usual: float
) -> tuple[Column, Column, Column]:
    """(coefficients, standard errors, residuals); nan where the points say too little.

    Coefficients from number `free` on, those of products, are expected around 0, up to `usual`.
    """
    squares = np.square(weights) / np.square(weights).sum()
    within, y = X - squares @ X, values - squares @ values
    expected = np.eye(X.shape[1])[free:] / usual
    rows = np.vstack([within * weights[:, None], expected])
    U, s, V = np.linalg.svd(rows, full_matrices=False)
    used = s > 1e-13 * max(float(s[0]), 1e-300)
    V = V[used]
    targets = np.concatenate([weights * y, np.zeros(len(expected))])
    found = V.T @ ((U[:, used].T @ targets) / s[used])
    errors = np.sqrt(np.sum(np.square(V / s[used][:, None]), axis=0))
    unknown = np.sum(np.square(V), axis=0) < 0.99
    residuals = y - within @ found
    return np.where(unknown, np.nan, found), np.where(unknown, np.nan, errors), residuals


def _sizes(left: Column, shapes: Table, sizes: Column, least: float) -> Column:
    """The errors' sizes that make these residuals most likely."""
    squares = np.square(left)
    active = shapes.any(axis=0)

    def unlikely(logs: Column) -> float:
        variance = np.square(shapes[:, active]) @ np.exp(2 * logs) + least**2
        return float(np.sum(np.log(variance) + squares / variance))

    start = np.log(np.maximum(sizes[active], least))
    best = scipy.optimize.minimize(unlikely, start, method="Nelder-Mead", options={"maxiter": 200})
    updated = np.full(3, least)
    updated[active] = np.maximum(np.exp(best.x), least)
    return updated
