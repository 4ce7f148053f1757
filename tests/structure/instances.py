"""Random instances of the structured step: bad units, singular and degenerate matrices."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from zooadmm.problem.coordinates import Coordinates, coordinates

Floats = NDArray[np.float64]


def definite(m: int, condition: float, rng: np.random.Generator, rank: int | None = None) -> Floats:
    """A symmetric matrix with eigenvalues from 1 to 1/condition, zeros from `rank` on."""
    Q, _ = np.linalg.qr(rng.normal(size=(m, m)))
    values = condition ** -np.linspace(0.0, 1.0, m)
    values[rank if rank is not None else m :] = 0.0
    H: Floats = (Q * values) @ Q.T
    return (H + H.T) / 2


def hard(seed: int) -> tuple[Floats, Floats, Coordinates]:
    """(H, g, phi): L1, L1 with a box, or a box; units of 1e-6 to 1e6, rank m/2, ties, or all."""
    rng = np.random.default_rng(seed)
    m = int(rng.choice([5, 20, 60, 90]))
    trouble = ("units", "rank", "ties", "all", "condition")[seed // 4 % 5]
    condition = 10.0 ** rng.uniform(0, 12 if trouble == "condition" else 6)
    H = definite(m, condition, rng, m // 2 if trouble in ("rank", "all") else None)
    z = rng.normal(size=m) * (rng.random(m) < 0.5)
    w = 0.1 * np.sqrt(np.diagonal(H))
    g = -H @ z + 0.1 * H @ rng.normal(size=m)
    if trouble in ("ties", "all"):  # half of the zeros have slopes at the edge
        edge = np.where(rng.random(m) < 0.5, w, w * rng.uniform(-1, 1, m))
        g = np.where(z != 0, -np.sign(z) * w, edge) - H @ z
    if trouble == "all":  # columns that repeat
        index = np.arange(m)
        index[rng.integers(0, m, m // 5)] = rng.integers(0, m, m // 5)
        H, g, w = H[np.ix_(index, index)], g[index], w[index]
    phi = (
        coordinates(m, below=-w, above=w),
        coordinates(m, -0.7, 0.5, 0.0, -w, w),
        coordinates(m, -0.5, 0.5),
        coordinates(m, 0.0, 2.0),
    )[seed % 4]
    if trouble in ("units", "all"):
        d = 10.0 ** rng.uniform(-6, 6, m)
        H, g = H * d * d[:, None], g * d
        lower, upper, kink, below, above, curvature = phi
        phi = Coordinates(lower / d, upper / d, kink / d, below * d, above * d, curvature * d * d)
    return H, g, phi


def small(seed: int) -> tuple[Floats, Floats, Coordinates]:
    """(H, g, phi) with kinks anywhere, infinite bounds, curvature, round numbers, any rank."""
    rng = np.random.default_rng(seed)
    m = int(rng.integers(1, 9))
    half = rng.normal(size=(m, int(rng.integers(1, m + 2))))
    half = np.round(half) if rng.random() < 0.3 else half
    kink = np.round(rng.normal(size=m), 1)
    lower = np.where(rng.random(m) < 0.5, -np.inf, np.round(kink - rng.exponential(size=m), 1))
    upper = np.where(rng.random(m) < 0.5, np.inf, np.round(kink + rng.exponential(size=m), 1))
    below = np.round(rng.normal(size=m), 1)
    above = below + np.round(rng.exponential(size=m), 1) * (rng.random(m) < 0.7)
    curvature = np.round(rng.exponential(size=m), 1) * (seed % 3 == 0)
    g = np.round(2 * rng.normal(size=m)) if seed % 2 else rng.normal(size=m)
    return half @ half.T, g, Coordinates(lower, upper, kink, below, above, curvature)


def polyhedron(seed: int) -> tuple[Floats, Floats, Floats, Floats, Floats, Floats]:
    """(lower, upper, A, row_lower, row_upper, v): rows repeat, depend or are empty."""
    rng = np.random.default_rng(seed)
    m, k = int(rng.integers(2, 30)), int(rng.integers(4, 30))
    A = rng.normal(size=(k, m)) * (rng.random((k, m)) < 0.5)
    A[-1], A[-2] = A[0], A[0] + A[1]
    A[2] = 0.0
    scale = 10.0 ** rng.uniform(-8, 8, k) if seed % 3 == 0 else np.ones(k)
    A *= scale[:, None]
    x = rng.normal(size=m)
    tight = rng.random(m) < 0.8
    lower = np.where(rng.random(m) < 0.6, x - rng.exponential(size=m) * tight, -np.inf)
    upper = np.where(rng.random(m) < 0.6, x + rng.exponential(size=m) * tight, np.inf)
    c = A @ x
    row_lower = np.where(rng.random(k) < 0.7, c - 0.3 * scale * rng.exponential(size=k), -np.inf)
    row_upper = np.where(rng.random(k) < 0.7, c, np.inf)
    equations = rng.random(k) < 0.3 * min(1.0, m / k)
    row_lower, row_upper = np.where(equations, c, row_lower), np.where(equations, c, row_upper)
    return lower, upper, A, row_lower, row_upper, x + 3 * rng.normal(size=m)
