"""Gradient descent with steps scaled by the recent size of the gradient (Adam)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from zooadmm_reproduction.recommenders.recommender import Numbers

Parameters = tuple[Numbers, ...]


def descend(
    start: Parameters, gradients: Callable[[Parameters], Parameters], steps: int, rate: float
) -> Parameters:
    """The parameters after that many steps of Adam with the usual constants 0.9 and 0.999."""
    parameters = tuple(array.copy() for array in start)
    means = tuple(np.zeros_like(array) for array in start)
    squares = tuple(np.zeros_like(array) for array in start)
    for t in range(1, steps + 1):
        step = rate * np.sqrt(1.0 - 0.999**t) / (1.0 - 0.9**t)
        for x, g, mean, square in zip(
            parameters, gradients(parameters), means, squares, strict=True
        ):
            mean += 0.1 * (g - mean)
            square += 0.001 * (g**2 - square)
            x -= step * mean / (np.sqrt(square) + 1e-8)
    return parameters
