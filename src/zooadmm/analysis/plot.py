"""Pictures of runs (extra `plot`): convergence, objective, variables, sensitivity, regret.

Each function draws on a given axis, or on a new figure, and returns the figure.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from zooadmm.analysis import sensitivity as measured
from zooadmm.analysis.iterates import Iterates
from zooadmm.analysis.style import GRAY, RUST, TEAL, dress, finished, label_lines, new_axes
from zooadmm.problem.named_variables import Parameters
from zooadmm.run.result import Result
from zooadmm.run.trace import Record, Trace

__all__ = ["Iterates", "convergence", "objective", "regret", "sensitivity", "trace", "variables"]

Column = NDArray[np.float64]

WINDOW = 20
"""A running mean is over this part, 1/20, of the rows, and over five rows at least."""

RISES = 0.25
"""An objective that rises in more than this part of the iterations is drawn as noisy."""

MOST_SHOWN = 24
"""Variables in a picture of sensitivities."""

MUCH_WORSE = 10.0
"""An error this many times the median one says that a value was hardly measured."""

MOST_NAMED = 8
"""Variables that are drawn in color and named: those that moved furthest."""


def convergence(result: Result, optimum: float | None = None, axis: Any = None) -> Any:
    """Draw the best objective so far against evaluations (needs `zooadmm[plot]`).

    optimum: the least objective, where it is known; the gap to it is then drawn on a log scale.
    For a loss that was sampled or noisy the running mean takes the place of the best so far, since
    the least of noisy values is too low.
    """
    at, values, counted = _objective(result.trace)
    noisy = _noisy(result)
    course = _running(values)[0] if noisy else np.fmin.accumulate(values)
    figure, axis = _on(axis)
    name = "running mean" if noisy else "best so far"
    if optimum is None:
        axis.set_ylabel("objective")
    else:
        course = np.where(course > optimum, course - optimum, np.nan)
        axis.set(yscale="log", ylabel="gap to the optimum")
    (line,) = axis.step(at, course, where="post", color=RUST, lw=1.8)
    axis.set_xlabel(counted)
    dress(axis)
    label_lines(axis, [(line, name)])
    return finished(figure)


def objective(result: Result, axis: Any = None) -> Any:
    """Draw f(x_t; w_t) + phi(y_t) against evaluations (needs `zooadmm[plot]`).

    For a loss that was sampled or noisy: the measurements, their running mean with a band of two
    standard errors, and `result.fun` with two of its own.
    """
    at, values, counted = _objective(result.trace)
    figure, axis = _on(axis)
    _draw_objective(axis, at, values, _noisy(result))
    if _noisy(result) and result.fun is not None and len(at) > 0:
        error = 2 * (result.fun_error or 0.0)
        axis.errorbar(at[-1], result.fun, error, fmt="o", color=TEAL, ms=5, capsize=3)
        axis.annotate("fun", (at[-1], result.fun), xytext=(-8, 0), textcoords="offset points",
                      color=TEAL, ha="right", va="center", fontsize="small")  # fmt: skip
    axis.set_xlabel(counted)
    return finished(figure)


def trace(record: Trace, axes: Any = None) -> Any:
    """Draw the objective, and the residuals where there are any (needs `zooadmm[plot]`).

    record: the trace of a run, `result.trace`.
    axes: two matplotlib axes to draw on; made when not given, as many as there is something for.
    """
    at, values, counted = _objective(record)
    sizes = [
        (name, record[column], color)
        for name, column, color in (
            (r"$\|Ax_t + By_t - c\|$", "residual", RUST),
            (r"$\|x_{t+1} - x_t\|$", "update", TEAL),
        )
        if (record[column] > 0).any()
    ]
    has_values = bool(np.isfinite(values).any())
    residual = axes is not None or not has_values or bool((record["residual"] > 0).any())
    if axes is None:
        figure, panels = new_axes(has_values + residual)
    else:
        panels = list(axes)
        figure = panels[0].figure
    if has_values:
        _draw_objective(panels[0], at, values, noisy=False)
    if residual:
        _draw_sizes(panels[-1], at, sizes)
    for panel in panels if axes is not None else panels[-1:]:
        panel.set_xlabel(counted)
    return figure if axes is not None else finished(figure)


def variables(path: Iterates, axis: Any = None) -> Any:
    """Draw the path of the variables against evaluations (needs `zooadmm[plot]`).

    path: what `minimize(..., callback=Iterates())` kept. The eight variables that moved furthest
    are named, the others are gray.
    """
    x, at = path.x, path.evaluations
    if len(x) == 0:
        raise ValueError("the path is empty; run minimize(..., callback=path) first.")
    names = path.names or [f"x{j}" for j in range(x.shape[1])]
    if len(names) != x.shape[1]:
        raise ValueError(f"there are {len(names)} names for {x.shape[1]} variables.")
    figure, axis = _on(axis)
    furthest = np.argsort(-np.ptp(x, axis=0), kind="stable")
    for j in furthest[MOST_NAMED:]:
        axis.plot(at, x[:, j], color=GRAY, lw=0.6, alpha=0.6)
    shades = np.linspace(1.0, 0.45, min(MOST_NAMED, len(names)))
    lines = []
    for rank, j in enumerate(furthest[:MOST_NAMED]):
        color = (RUST, TEAL)[rank % 2]
        (line,) = axis.plot(at, x[:, j], color=color, lw=1.4, alpha=shades[rank])
        lines.append((line, names[j]))
    axis.set(xlabel="evaluations", ylabel="variables")
    dress(axis)
    label_lines(axis, lines)
    return finished(figure)


def sensitivity(
    result: Result, history: Any, parameters: Parameters | None = None, axes: Any = None
) -> Any:
    """Draw slopes and curvatures of the loss at the answer (needs `zooadmm[plot,dataframe]`).

    history: what `minimize(..., history="evaluations")` wrote; no new evaluations are made. See
        `zooadmm.analysis.sensitivity.sensitivity`.
    parameters: the `Parameters` of the run, if it had any; a unit is then a whole scale.
    axes: two matplotlib axes to draw on; made when not given.

    Bars are two standard errors. Up to 24 variables are shown, those with the largest slopes first,
    then those with the largest curvatures.
    A slope that is not zero means that a bound or a regularizer holds the variable. A large
    curvature means that the variable must be set precisely.
    """
    found = measured.sensitivity(result, history, parameters)
    sure = np.abs(found.slope) > 2.0 * found.slope_error
    slope, curvature = np.where(sure, np.abs(found.slope), 0.0), np.nan_to_num(found.curvature)
    order = np.lexsort((-curvature, -slope))[:MOST_SHOWN]
    figure, (above, below) = new_axes(2, height=2.6) if axes is None else (axes[0].figure, axes)
    names = [found.names[j] for j in order]
    unit = "" if parameters is None else " on the scale"
    _draw_estimates(above, found.slope[order], found.slope_error[order], RUST, f"slope{unit}")
    _draw_estimates(
        below, found.curvature[order], found.curvature_error[order], TEAL, f"curvature{unit}"
    )
    turned = 90 if sum(map(len, names)) > 60 else 0
    below.set_xticks(range(len(names)), names, rotation=turned)
    return figure if axes is not None else finished(figure)


def _draw_estimates(axis: Any, values: Column, errors: Column, color: str, name: str) -> None:
    """Values with bars of two standard errors; those known much worse than others are left out."""
    places = np.arange(len(values))
    size = np.nanmax(np.abs(values), initial=0.0)
    clear = 2 * errors <= np.maximum(np.abs(values), 0.5 * size)
    usual = errors <= MUCH_WORSE * np.nanmedian(errors) if np.isfinite(errors).any() else False
    known = np.isfinite(values) & (clear | usual)
    axis.axhline(0.0, color="black", lw=0.6)
    axis.errorbar(
        places[known], values[known], 2 * errors[known], fmt="o", color=color, ms=6, capsize=3
    )
    axis.plot(places[~known], np.zeros((~known).sum()), "x", color=GRAY, ms=5)
    if not known.all():
        axis.text(1.0, 1.01, "x: too little was measured", color=GRAY, ha="right", va="bottom",
                  fontsize="small", transform=axis.transAxes)  # fmt: skip
    axis.set_ylabel(name)
    dress(axis)


def regret(
    record: Record | None, axis: Any = None, bound: Callable[[int], float] | None = None
) -> Any:
    """Draw the average regret against iterations (needs `zooadmm[plot]`).

    record: the regret that a run followed, `result.regret`. Regret may be negative: the scale is
        then linear around zero and logarithmic further out.
    bound: a function of T to draw beside it, such as
        `lambda T: theory.regret_bound(T, method, assumptions)`.
    """
    if record is None:
        raise ValueError("no regret was followed; run minimize(..., regret=Regret(x_star)).")
    figure, axis = _on(axis)
    t, lines = record["iteration"], []
    drawn: list[Column] = []
    for column, label, color, dashes in (
        ("iterates", "iterates", RUST, "-"),
        ("completed_y", "completed y", TEAL, "-"),
        ("completed_x", "completed x", TEAL, ":"),
        ("averages", "averages", RUST, ":"),
    ):
        values = record[column]
        seen = np.isfinite(values)
        if seen.any() and not any(_same(values[seen], other) for other in drawn):
            (line,) = axis.plot(t[seen], values[seen], color=color, ls=dashes, lw=1.4)
            lines.append((line, label))
            drawn.append(values[seen])
    if bound is not None:
        places = np.unique(np.geomspace(1, t[-1], 60).astype(int))
        (line,) = axis.plot(places, [bound(int(T)) for T in places], "--", color="black", lw=1)
        lines.append((line, "bound"))
    axis.set(xscale="log", xlabel="iterations", ylabel="average regret")
    _scale_signed(axis, np.concatenate([np.zeros(0), *drawn]))
    dress(axis)
    label_lines(axis, lines)
    return finished(figure)


def _same(values: Column, others: Column) -> bool:
    """Whether two curves differ by rounding only."""
    return len(values) == len(others) and bool(np.allclose(values, others, rtol=1e-6, atol=0.0))


def _scale_signed(axis: Any, values: Column) -> None:
    """A log scale where all are positive; else one that is linear around zero."""
    sizes = np.abs(values[values != 0.0])
    if len(sizes) == 0:
        return
    if (values > 0).all():
        axis.set_yscale("log")
        return
    axis.set_yscale("symlog", linthresh=float(np.quantile(sizes, 0.1)))
    axis.axhline(0.0, color="black", lw=0.6)


def _on(axis: Any) -> tuple[Any, Any]:
    """The figure of an axis, or a new one with its axis."""
    if axis is not None:
        return axis.figure, axis
    figure, (axis,) = new_axes(1, height=4.0)
    return figure, axis


def _objective(record: Record) -> tuple[Column, Column, str]:
    """Where the rows stand, f(x_t; w_t) + phi(y_t), and what is counted."""
    counts = bool(record["evaluations"].any())
    at = record["evaluations" if counts else "iteration"]
    return at, record["loss"] + record["regularizer"], "evaluations" if counts else "iterations"


def _noisy(result: Result) -> bool:
    """Whether the objective of an iteration is a sample of it, or rises as often as one would."""
    values = _objective(result.trace)[1]
    values = values[np.isfinite(values)]
    rises = bool(len(values) > 1 and np.mean(np.diff(values) > 0) > RISES)
    return result.fun_status == "estimated" or rises


def _draw_course(axis: Any, at: Column, values: Column, color: str) -> Any:
    """A line through the values; one between two that are missing is drawn as a point."""
    there = np.isfinite(values)
    beside = np.append(False, there[:-1]) | np.append(there[1:], False)
    alone = np.flatnonzero(there & ~beside).tolist()
    (line,) = axis.plot(at, values, color=color, lw=1.2, marker="o", ms=3, markevery=alone)
    return line


def _draw_objective(axis: Any, at: Column, values: Column, noisy: bool) -> None:
    if not noisy:
        _draw_course(axis, at, values, RUST)
    else:
        axis.plot(at, values, ".", color=GRAY, ms=3, alpha=0.5)
        mean, error = _running(values)
        (line,) = axis.plot(at, mean, color=RUST, lw=1.8)
        axis.fill_between(at, mean - 2 * error, mean + 2 * error, color=RUST, alpha=0.2, lw=0)
        label_lines(axis, [(line, "mean")])
    axis.set_ylabel("objective")
    dress(axis)


def _draw_sizes(axis: Any, at: Column, sizes: list[tuple[str, Column, str]]) -> None:
    lines = []
    for name, values, color in sizes:
        line = _draw_course(axis, at, np.where(values > 0, values, np.nan), color)
        lines.append((line, name))
    dress(axis)
    if not lines:
        axis.text(0.5, 0.5, "nothing was recorded", ha="center", transform=axis.transAxes)
        return
    axis.set(yscale="log", ylabel="size")
    label_lines(axis, lines)


def _running(values: Column) -> tuple[Column, Column]:
    """The mean of the latest rows and its standard error; rows without a value are left out.

    >>> _running(np.array([4.0, 2.0, np.nan]))[0]
    array([4., 3., 3.])
    """
    width = max(5, len(values) // WINDOW)
    mean, error = np.full((2, len(values)), np.nan)
    for k in range(len(values)):
        some = values[max(0, k + 1 - width) : k + 1]
        some = some[np.isfinite(some)]
        if len(some) > 0:
            mean[k] = some.mean()
            error[k] = some.std(ddof=1) / np.sqrt(len(some)) if len(some) > 1 else np.nan
    return mean, error
