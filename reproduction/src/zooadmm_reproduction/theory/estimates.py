"""Gradient estimates at a point that does not move, as the library makes them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

import zooadmm as zoo

Values = Callable[[NDArray[Any], Any], NDArray[np.float64]]


def estimates(
    source: Any,
    values: Values,
    observations: NDArray[np.float64],
    x: NDArray[np.float64],
    smoothing: float,
    count: int,
    rng: int,
) -> Iterator[tuple[NDArray[Any], NDArray[Any]]]:
    """(points, g) for t = 1..count: where the loss was evaluated, and the estimate.

    X = {x}, so that x_t = x; observations are drawn with replacement.
    """
    run = zoo.Optimizer(
        x,
        settings="paper",
        domain=zoo.Box(x, x),
        observations=zoo.Samples(observations),
        gradient=source,
        smoothing=smoothing,
        max_iterations=count,
        max_trace_rows=0,
        rng=rng,
    )
    while (query := run.ask()) is not None:
        tables = list(query.tables())
        cells = [values(table.points, table.observations).ravel() for table in tables]
        answer = np.concatenate(cells).reshape(query.shape)
        yield tables[0].points, run.algorithm.source.gradient(query, answer)
        run.tell(query.id, answer)


def linear(points: NDArray[Any], slopes: Any) -> NDArray[np.float64]:
    """f(x; w) = <w, x>."""
    return np.asarray(points @ np.asarray(slopes).T)
