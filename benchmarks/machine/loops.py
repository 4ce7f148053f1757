"""The same run twice: as a bare numpy loop, and through the library.

The loss is a sum of squares on many points at once, cheap on purpose: everything dearer makes the
ratio of the two smaller.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

import zooadmm as zoo
from zooadmm.oracle.directions import Distribution
from zooadmm.problem.arrays import Matrix, Vector

CENTER = 0.3


def loss(points: Matrix) -> Vector:
    shifted = points - CENTER
    values: Vector = np.einsum("pm,pm->p", shifted, shifted)
    return values


def bare(m: int, q: int, iterations: int, directions: str) -> Vector:
    """Algorithm 1 with the paper's constants, written down as a loop.

    directions: "sphere" or "signs" for a loop as most people would write it, "lean sphere", "lean
        signs" and so on for one that reuses its array of points and counts its numpy calls.
    """
    generator = np.random.Generator(np.random.Philox(0))
    rho, strength = 10.0, 0.05
    x, y, dual = np.zeros(m), np.zeros(m), np.zeros(m)
    x_mean, y_mean = np.zeros(m), np.zeros(m)
    lean = directions.startswith("lean")
    points = np.empty((q + 1, m)) if lean else x
    z: Matrix
    for t in range(1, iterations + 1):
        eta, beta = 1 / math.sqrt(m * t), 1 / (m**1.5 * t)
        alpha = rho * eta + 1
        if directions == "sphere":
            z = generator.standard_normal((q, m))
            z *= math.sqrt(m) / np.linalg.norm(z, axis=1, keepdims=True)
        elif directions == "lean sphere":
            z = generator.standard_normal((q, m))
            z *= (math.sqrt(m) / np.sqrt(np.einsum("jm,jm->j", z, z)))[:, None]
        elif directions == "signs" or directions == "lean signs":
            z = 1.0 - 2.0 * generator.integers(0, 2, size=(q, m), dtype=np.int8)
        else:
            z = _OTHERS[directions](generator, q, m)
        if lean:
            points[0] = x
            np.multiply(z, beta, out=points[1:])
            points[1:] += x
            values = loss(points)
        else:
            values = loss(np.vstack([x, x + beta * z]))
        g = ((values[1:] - values[0]) / beta) @ z / q
        x_mean += (x - x_mean) / t
        y_mean += (y - y_mean) / t
        x = x + eta / alpha * (dual - rho * (x - y) - g)
        v = x - dual / rho
        y = v - np.minimum(np.maximum(v, -strength / rho), strength / rho)
        dual = dual - rho * (x - y)
    return x


def gaussian(generator: np.random.Generator, q: int, m: int) -> Matrix:
    return generator.standard_normal((q, m))


def coordinates(generator: np.random.Generator, q: int, m: int) -> Matrix:
    z = np.zeros((q, m))
    for start in range(0, q, m):
        count = min(m, q - start)
        chosen = generator.choice(m, size=count, replace=False)
        z[np.arange(start, start + count), chosen] = math.sqrt(m)
    return z


def orthogonal(generator: np.random.Generator, q: int, m: int) -> Matrix:
    parts = [
        np.linalg.qr(generator.standard_normal((m, min(m, q - start))))[0].T
        for start in range(0, q, m)
    ]
    return math.sqrt(m) * np.concatenate(parts)


_OTHERS: dict[str, Callable[[np.random.Generator, int, int], Matrix]] = {
    "lean Gaussian": gaussian,
    "lean coordinate": coordinates,
    "lean orthogonal": orthogonal,
}


def library(m: int, q: int, iterations: int, distribution: Distribution) -> Vector:
    """The same run through `minimize`, with the trace recorded at every iteration."""
    return zoo.minimize(
        zoo.Loss(values=loss),
        np.zeros(m),
        regularizer=zoo.L1(0.05),
        settings="paper",
        gradient=zoo.paper.Smoothed(q, distribution=distribution),
        max_iterations=iterations,
        max_trace_rows=None,
        rng=0,
    ).x_last
