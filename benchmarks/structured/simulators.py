"""Simulators with seeds: an observation is a seed, and the full loss is the mean over all seeds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.problem import Array


@dataclass(frozen=True, eq=False)
class Simulator:
    """f(x; seed): common random numbers at a seed; `demands` has one row of draws a seed."""

    draws: Array

    @property
    def observations(self) -> NDArray[np.intp]:
        return np.arange(len(self.draws))

    def values(self, points: Array, observations: Any = None) -> Array:
        rows = self.draws if observations is None else self.draws[np.asarray(observations)]
        table = np.stack([self.costs(x, rows) for x in points])
        return np.asarray(table.mean(axis=1) if observations is None else table)

    def gradient(self, x: Array, w: Any = None) -> Array:
        return np.zeros_like(x)  # nobody has it

    def costs(self, x: Array, rows: Array) -> Array:
        """The cost of x under each row of draws."""
        raise NotImplementedError


class Inventory(Simulator):
    """Order-up-to levels of m products that share a truck; lost sales and a cost of each order.

    Products are ordered together when one of them falls below half its level: the cost jumps there.
    draws: (seeds, periods, m) demands.
    """

    def costs(self, x: Array, rows: Array) -> Array:
        stock = np.tile(x, (len(rows), 1))
        total = np.zeros(len(rows))
        for period in range(rows.shape[1]):
            left = stock - rows[:, period]
            total += 4.0 * np.maximum(-left, 0.0).sum(axis=1)
            stock = np.maximum(left, 0.0)
            total += 0.5 * stock.sum(axis=1)
            ordered = (stock < 0.5 * x).any(axis=1)
            total += np.where(ordered, 2.0, 0.0)
            stock = np.where(ordered[:, None], x, stock)
        return np.asarray(total / rows.shape[1])


class Queue(Simulator):
    """Rates of m servers in a row within a budget: the mean time of a job in the line.

    draws: (seeds, jobs, m + 1) exponential times, the first of them between arrivals.
    """

    def costs(self, x: Array, rows: Array) -> Array:
        arrival = np.cumsum(rows[:, :, 0], axis=1)
        ready = arrival
        for server in range(len(x)):
            service = rows[:, :, server + 1] / max(float(x[server]), 1e-3)
            # Lindley: d_k = max(r_k, d_{k-1}) + s_k, as a running maximum
            sums = np.cumsum(service, axis=1)
            ready = np.maximum.accumulate(ready - sums + service, axis=1) + sums
        return np.asarray((ready - arrival).mean(axis=1))
