"""Data profiles (Moré and Wild 2009), performance profiles (Dolan and Moré 2002), intervals.

t_{p,s} is the number of evaluations that solver s needs on problem p until

    f(x) <= f_L + tau (f(x0) - f_L),

f_L the least value of any solver; infinite where it never does.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from benchmarks.yardstick.runs import Run
from benchmarks.yardstick.task import Array

TAUS = (1e-1, 1e-3, 1e-5)


def needed(run: Run, least: float, tau: float) -> float:
    """t_{p,s} of one run.

    >>> run = Run("p", "plain", "u", 1, "s", 0, 99, start=10.0, history="1:10 5:2 9:1.05")
    >>> [needed(run, 1.0, tau) for tau in (0.5, 0.1, 0.001)]
    [5.0, 9.0, inf]
    """
    target = least + tau * (run.start - least)
    return next((float(count) for count, value in run.records() if value <= target), math.inf)


def lowest(runs: Iterable[Run]) -> float:
    """f_L: the least feasible value of any run."""
    return min((value for run in runs for _, value in run.records()), default=math.inf)


def simplex_gradients(count: float, n: int) -> float:
    """Evaluations in units of n + 1."""
    return count / (n + 1)


def data_profile(times: Sequence[float], sizes: Sequence[int], alpha: float) -> float:
    """d_s(alpha): the share of problems solved within alpha simplex gradients.

    >>> data_profile([6.0, 30.0, math.inf], [2, 2, 2], 10.0)
    0.6666666666666666
    """
    solved = [simplex_gradients(t, n) <= alpha for t, n in zip(times, sizes, strict=True)]
    return sum(solved) / len(solved)


def performance_ratios(times: Mapping[str, Sequence[float]]) -> dict[str, list[float]]:
    """r_{p,s} = t_{p,s} / min_s t_{p,s}; infinite where s fails, also if everybody does.

    >>> performance_ratios({"a": [2.0, math.inf], "b": [4.0, math.inf]})
    {'a': [1.0, inf], 'b': [2.0, inf]}
    """
    table = np.array([list(row) for row in times.values()])
    best = table.min(axis=0)
    with np.errstate(invalid="ignore"):
        ratios = np.where(np.isfinite(table), table / best, math.inf)
    return {name: row.tolist() for name, row in zip(times, ratios, strict=True)}


def performance_profile(ratios: Sequence[float], factor: float) -> float:
    """rho_s(factor): the share of problems on which s needs at most `factor` times the fewest."""
    return sum(ratio <= factor for ratio in ratios) / len(ratios)


def bootstrap(
    values: Sequence[float] | Array, level: float = 0.9, draws: int = 2000, seed: int = 0
) -> tuple[float, float]:
    """An interval for the mean over problems: percentiles of means of resampled problems.

    >>> bootstrap([1.0, 1.0, 1.0])
    (1.0, 1.0)
    """
    known = np.asarray(values, dtype=np.float64)
    generator = np.random.default_rng(seed)
    means = known[generator.integers(len(known), size=(draws, len(known)))].mean(axis=1)
    low, high = np.quantile(means, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)
