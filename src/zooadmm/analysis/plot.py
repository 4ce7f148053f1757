"""Pictures of runs (extra `plot`): what a run recorded, and its regret."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from zooadmm.analysis.regret import Regret
from zooadmm.run.trace import Trace


def trace(record: Trace, axes: Any = None) -> Any:
    """Draw the objective and the residuals against evaluations (needs `zooadmm[plot]`).

    record: the trace of a run, `result.trace`.
    axes: two matplotlib axes to draw on; made when not given. Returns the figure.
    """
    import matplotlib.pyplot as plt

    if axes is None:
        _, axes = plt.subplots(2, 1, figsize=(7, 6), layout="constrained")
    above, below = axes
    counts_evaluations = record["evaluations"].any()
    at = record["evaluations" if counts_evaluations else "iteration"]
    objective = record["loss"] + record["regularizer"]
    above.plot(at, objective, lw=1, label=r"$f(x_t; w_t) + \phi(y_t)$")
    above.set_ylabel("objective")
    for column, label in (
        ("residual", r"$\|Ax_t + By_t - c\|$"),
        ("update", r"$\|x_{t+1} - x_t\|$"),
    ):
        values = record[column]
        below.plot(at, np.where(values > 0, values, np.nan), lw=1, label=label)
    below.set_yscale("log")
    for axis in (above, below):
        axis.set_xlabel("evaluations" if counts_evaluations else "iterations")
        axis.legend(frameon=False, fontsize="small")
        axis.grid(alpha=0.3)
    return above.figure


def regret(
    record: Regret | None, axis: Any = None, bound: Callable[[int], float] | None = None
) -> Any:
    """Draw the regret against iterations (needs `zooadmm[plot]`).

    record: the regret that a run followed, `result.regret`.
    axis: matplotlib axes to draw on; made when not given. Returns the figure.
    bound: a function of T to draw beside it, such as
        `lambda T: theory.regret_bound(T, method, assumptions)`.
    """
    import matplotlib.pyplot as plt

    if record is None:
        raise ValueError("no regret was followed; run minimize(..., regret=Regret(x_star)).")
    if axis is None:
        _, axis = plt.subplots(figsize=(7, 4), layout="constrained")
    t = record["iteration"]
    for column, label in (
        ("iterates", r"$\{x_t, y_t\}$"),
        ("completed_y", r"$\{x_t, y'_t\}$"),
        ("completed_x", r"$\{x'_t, y_t\}$"),
        ("averages", "gap of the averages"),
    ):
        values = record[column]
        seen = np.isfinite(values) & (values > 0)
        if seen.any():
            axis.plot(t[seen], values[seen], lw=1, label=label)
    if bound is not None:
        places = np.unique(np.geomspace(1, t[-1], 60).astype(int))
        axis.plot(places, [bound(int(T)) for T in places], "k--", lw=1, label="bound")
    axis.set(xscale="log", yscale="log", xlabel="iterations", ylabel="average regret")
    axis.legend(frameon=False, fontsize="small")
    axis.grid(alpha=0.3)
    return axis.figure
