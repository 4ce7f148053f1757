"""Methods beside each other on the same trials: ratios of a column, with their uncertainty."""

from __future__ import annotations

import numpy as np

from zooadmm_reproduction.intervals import Interval, mean_of
from zooadmm_reproduction.rows import Row, column, distinct, where


def budgets_of(rows: list[Row]) -> list[int]:
    """The budgets of these rows, from small to large."""
    return sorted(int(budget) for budget in distinct(rows, "budget"))


def ratios(rows: list[Row], method: str, rival: str, budget: int, of: str = "mse") -> list[float]:
    """MSE, in either reading, of the method over that of the rival, for each trial that has both.

    >>> rows = [{"trial": 0, "budget": 9, "method": "a", "mse": 3.0}]
    >>> rows.append({"trial": 0, "budget": 9, "method": "b", "mse": 2.0})
    >>> ratios(rows, "a", "b", 9)
    [1.5]
    """
    of_rival = {row["trial"]: float(row[of]) for row in where(rows, method=rival, budget=budget)}
    mine = where(rows, method=method, budget=budget)
    return [float(row[of]) / of_rival[row["trial"]] for row in mine if row["trial"] in of_rival]


def by_budget(rows: list[Row], method: str, rival: str, of: str = "mse") -> dict[int, Interval]:
    """The mean ratio at each budget of the method."""
    budgets = budgets_of(where(rows, method=method))
    return {budget: mean_of(ratios(rows, method, rival, budget, of)) for budget in budgets}


def overall(rows: list[Row], method: str, rival: str, of: str = "mse") -> Interval:
    """The mean over trials of each one's geometric mean over the budgets."""
    each = np.array([ratios(rows, method, rival, budget, of) for budget in budgets_of(rows)])
    return mean_of([float(np.exp(np.log(trial).mean())) for trial in each.T])


def means(rows: list[Row], method: str, name: str) -> dict[int, Interval]:
    """The mean of a column at each budget, over the trials."""
    mine = where(rows, method=method)
    return {at: mean_of(column(where(mine, budget=at), name)) for at in budgets_of(mine)}


def percent(ratio: Interval) -> Interval:
    """By how many percent a ratio is above 1.

    >>> print(percent(Interval(1.5, 1.25, 1.75)))
    50 [25, 75]
    """
    return Interval(*(100 * (part - 1) for part in (ratio.middle, ratio.low, ratio.high)))


def farthest(by: dict[int, Interval]) -> int:
    """The budget whose ratio is farthest from 1."""
    return max(by, key=lambda budget: abs(by[budget].middle - 1))
