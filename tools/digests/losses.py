"""The losses that are minimized: small, and the same values every time unless they say noisy."""

from __future__ import annotations

from typing import Any

import numpy as np

M = 6
CENTER = np.array([0.9, -0.05, -0.7, 0.4, 0.02, -0.3])
START = np.full(M, 0.2)
ROWS = np.random.default_rng(11).normal(size=(40, M))
COUPLING = np.eye(M) + 0.2 * np.random.default_rng(12).normal(size=(M, M))
FEATURES = np.random.default_rng(13).normal(size=(80, 12))
OUTCOME = FEATURES[:, [1, 4, 7]] @ [1.5, -2.0, 1.0]
OUTCOME = OUTCOME + 0.1 * np.random.default_rng(14).normal(size=80)


COUNTED = np.random.default_rng(21).standard_normal((150, len(CENTER)))
LIMITS = np.random.default_rng(22).uniform(0.05, 1.5, 150)


def bowl(x: Any) -> float:
    """|C (x - center)|^2 + a term of the fourth order: smooth, not quadratic."""
    r = COUPLING @ (np.asarray(x, dtype=np.float64) - CENTER)
    return float(r @ r + 0.1 * np.sum(r**4))


def bowls(points: Any) -> Any:
    """The same for many points at once."""
    return np.array([bowl(point) for point in points])


def slope(x: Any) -> Any:
    """The gradient of `bowl`."""
    r = COUPLING @ (np.asarray(x, dtype=np.float64) - CENTER)
    return COUPLING.T @ (2.0 * r + 0.4 * r**3)


def steep(x: Any) -> float:
    """`bowl` in variables of scales a thousand apart."""
    return bowl(np.asarray(x) * np.logspace(-1.5, 1.5, M))


def curved(x: Any, w: Any) -> float:
    """A loss of an observation that is no function of one combination of the variables."""
    r = np.asarray(x, dtype=np.float64) - CENTER - 0.3 * w
    return float(r @ r * (1.0 + 0.1 * r[0] ** 2))


def regression(x: Any, i: Any) -> float:
    """The square of one residual: a ridge."""
    return float((FEATURES[i] @ x - OUTCOME[i]) ** 2)


def classification(x: Any, i: Any) -> float:
    """Logistic: a ridge that is not a square."""
    return float(np.logaddexp(0.0, -np.sign(OUTCOME[i]) * (FEATURES[i] @ x)))


def kinked(x: Any) -> float:
    """The L1 distance: no quadratic model fits it."""
    return float(np.abs(COUPLING @ (np.asarray(x) - CENTER)).sum())


def across(x: Any) -> float:
    """Kinks along sums of the variables, beside a bowl of these."""
    sums = np.cumsum(np.asarray(x, dtype=np.float64)) - 0.3
    return float(np.abs(sums).sum() + 0.5 * sums @ sums)


def folded(x: Any) -> float:
    """The larger of two bowls: one kink between them."""
    x = np.asarray(x, dtype=np.float64)
    return float(max(np.square(x - 1.0).sum(), 3.0 * np.square(x + 0.5).sum()))


def stepped(x: Any) -> float:
    """Plateaus and jumps."""
    return float(np.round(bowl(x), 2))


def barrier(x: Any) -> float:
    """Finite where all x > 0 only."""
    x = np.asarray(x)
    return float(np.sum(x - 0.3 * np.log(x))) if (x > 0).all() else float("nan")


def moving(x: Any, t: Any) -> float:
    """A bowl whose center drifts."""
    r = np.asarray(x) - CENTER * np.cos(0.01 * t)
    return float(r @ r)


class Noisy:
    """`bowl` and noise from a generator of its own, in the order of evaluation."""

    def __init__(self, level: float, seed: int = 5) -> None:
        self.level = level
        self._generator = np.random.default_rng(seed)

    def __call__(self, x: Any) -> float:
        return bowl(x) + self.level * float(self._generator.normal())


class NoisyCounts(Noisy):
    """How many sums of the variables are on the wrong side of their limits, and noise."""

    def __call__(self, x: Any) -> float:
        sums = COUNTED @ (np.asarray(x, dtype=np.float64) - CENTER)
        return float(np.mean(np.abs(sums) > LIMITS)) + self.level * float(self._generator.normal())


class NoisyRows(Noisy):
    """`curved` and noise."""

    def __call__(self, x: Any, w: Any = None) -> float:
        return curved(x, w) + self.level * float(self._generator.normal())


def edge(x: Any, w: Any = None) -> float:
    """A loss that is finite only on this side of its optimum."""
    return (bowl(x) if w is None else curved(x, w)) if x[0] <= 0.5 else float("nan")


def holes(x: Any, w: Any) -> float:
    """A loss that is not finite for some observations, far from the start."""
    return curved(x, w) if x[0] <= 0.6 + w[0] else float("inf")


def sparse_bowl(m: int, others: int = 0) -> Any:
    """A bowl of m variables, two of which matter, and so many others.

    Two with L1, because the sum of two numbers has no order: the BLAS sum of magnitudes that L1
    takes adds 256 entries or more in an order that depends on where in memory they lie.
    """
    weights = 1.0 + np.arange(m) % 3
    target = np.zeros(m)
    target[[50, 900]] = [-2.0, 1.5]
    target[70 : 70 + 3 * others : 3] = np.cos(np.arange(others))

    def values(points: Any) -> Any:
        r = np.asarray(points) - target
        return (weights * r * r).sum(axis=1) + 0.1 * (r[:, 900] * r[:, 50]) ** 2

    return values


def sparse_edge(m: int) -> Any:
    """The same, but not finite where x_900 > 1."""
    inner = sparse_bowl(m)

    def values(points: Any) -> Any:
        return np.where(np.asarray(points)[:, 900] > 1.0, np.nan, inner(points))

    return values
