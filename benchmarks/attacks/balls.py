"""Norms as a lower bound needs them: how far units reach, and nearest points with a proof.

A proof is a multiplier. For every lambda >= 0

    min |d| over G d <= h, l <= d <= u   is at least   min |d| + <lambda, G d - h> over l <= d <= u,

whose right-hand side has a closed form. So a bound holds however well the program was solved.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import daqp
import numpy as np
import scipy.optimize
from numpy.typing import NDArray

Floats = NDArray[np.float64]

UNLIMITED = 1e30
"""DAQP's infinity."""


class Relaxed(NamedTuple):
    """d: a nearest point of G d <= h, None where there is none. bound: no such point is nearer."""

    d: Floats | None
    bound: float


class Ball(NamedTuple):
    """A norm. size: |d|. reach: upper bounds on the columns of W'd over |d| <= r, l <= d <= u."""

    size: Callable[[Floats], float]
    reach: Callable[[Floats, float, Floats, Floats], Floats]
    nearest: Callable[[Floats, Floats, Floats, Floats], Relaxed]


def _reach_l2(W: Floats, radius: float, lower: Floats, upper: Floats) -> Floats:
    """min over mu of mu r^2 / 2 + sum_i max_d (w_i d - mu d^2 / 2), on a grid of mu."""
    lengths = np.maximum(np.linalg.norm(W, axis=0), 1e-300)
    best = np.full(W.shape[1], np.inf)
    for part in np.geomspace(0.02, 1.0, 25):
        mu = part * lengths / radius
        D = np.clip(W / mu, lower[:, None], upper[:, None])
        best = np.minimum(best, (W * D - mu / 2 * D * D).sum(axis=0) + mu * radius**2 / 2)
    return best


def _reach_l1(W: Floats, radius: float, lower: Floats, upper: Floats) -> Floats:
    """min over mu of mu r + sum_i max_d (w_i d - mu |d|); the least is at some mu = |w_i|."""
    mu = np.abs(W)[:, None, :]  # (candidates, 1, units)
    gains = np.maximum(W - mu, 0.0) * upper[:, None] + np.maximum(-W - mu, 0.0) * -lower[:, None]
    return np.asarray((mu[:, 0] * radius + gains.sum(axis=1)).min(axis=0))


def _reach_linf(W: Floats, radius: float, lower: Floats, upper: Floats) -> Floats:
    above, below = np.minimum(upper, radius)[:, None], np.maximum(lower, -radius)[:, None]
    return np.asarray(np.maximum(W * above, W * below).sum(axis=0))


def _nearest_l2(G: Floats, h: Floats, lower: Floats, upper: Floats) -> Relaxed:
    m, k = len(lower), len(h)
    unit = max(float((-h).max(initial=0.0)), 1e-9)
    d, _, flag, info = daqp.solve(
        np.eye(m),
        np.zeros(m),
        np.ascontiguousarray(G),
        np.concatenate([upper, h]) / unit,
        np.concatenate([lower / unit, np.full(k, -UNLIMITED)]),
        np.zeros(m + k, dtype=np.int32),
    )
    if flag not in (1, 2):
        return Relaxed(None, np.inf)
    multipliers = np.maximum(np.asarray(info["lam"])[m:], 0.0) * unit
    v = -(G.T @ multipliers)
    lagrangian = np.clip(v, lower, upper)
    value = float((lagrangian**2 / 2 - v * lagrangian).sum() - multipliers @ h)
    return Relaxed(np.asarray(d) * unit, float(np.sqrt(max(2 * value, 0.0))))


def _nearest_l1(G: Floats, h: Floats, lower: Floats, upper: Floats) -> Relaxed:
    m = len(lower)
    bounds = np.stack([np.zeros(2 * m), np.concatenate([upper, -lower])], axis=1)
    found = scipy.optimize.linprog(np.ones(2 * m), np.hstack([G, -G]), h, bounds=bounds)
    if found.status != 0:
        return Relaxed(None, np.inf if found.status == 2 else 0.0)
    multipliers = np.maximum(-found.ineqlin.marginals, 0.0)
    v = -(G.T @ multipliers)
    gains = np.maximum(v - 1, 0.0) * upper + np.maximum(-v - 1, 0.0) * -lower
    return Relaxed(found.x[:m] - found.x[m:], float(-gains.sum() - multipliers @ h))


def _nearest_linf(G: Floats, h: Floats, lower: Floats, upper: Floats) -> Relaxed:
    m = len(lower)
    eye, ones = np.eye(m), np.ones((m, 1))
    rows = np.block([[G, np.zeros((len(h), 1))], [eye, -ones], [-eye, -ones]])
    bounds = np.stack([np.append(lower, 0.0), np.append(upper, 1.0)], axis=1)
    cost, sides = np.append(np.zeros(m), 1.0), np.concatenate([h, np.zeros(2 * m)])
    found = scipy.optimize.linprog(cost, rows, sides, bounds=bounds)
    if found.status != 0:
        return Relaxed(None, np.inf if found.status == 2 else 0.0)
    multipliers = np.maximum(-found.ineqlin.marginals[: len(h)], 0.0)
    v = -(G.T @ multipliers)
    radii = np.unique(np.concatenate([[0.0], -lower, upper]))  # kinks of the convex function below
    above, below = np.minimum(upper[:, None], radii), np.maximum(lower[:, None], -radii)
    gains = np.maximum(v[:, None] * above, v[:, None] * below).sum(axis=0)
    return Relaxed(found.x[:m], float((radii - gains).min() - multipliers @ h))


BALLS = {
    "L2": Ball(lambda d: float(np.linalg.norm(d)), _reach_l2, _nearest_l2),
    "L1": Ball(lambda d: float(np.abs(d).sum()), _reach_l1, _nearest_l1),
    "Linf": Ball(lambda d: float(np.abs(d).max()), _reach_linf, _nearest_linf),
}
