"""What the slopes of a batch say of the gradient of F and of its metric.

The mean slopes of b observations have the covariance nu H (1/b - 1/n) about those of F: for losses
that are minus a log-likelihood the covariance of slopes is the second derivative (Fisher), and nu
absorbs the units. So they enter the belief N(v, P) as in Kalman's filter,

    K = P (P + R)^-1,   v + K (g_b - v),   P - K P,   R = nu H (1/b - 1/n).

For the same reason the metric is H = D^1/2 [(N C + m I) / (N + m)] D^1/2, where C has the
covariance of the slopes of the N observations seen, in units of D and of their mean square, plus a
multiple of I that makes its mean diagonal 1, and D the curvatures at x0. No secant enters: between
slopes of different observations it would be noise.
"""

from __future__ import annotations

import math

import numpy as np
import scipy.linalg

from zooadmm.methods.auto.constants import LATEST, MOST_TAU, ROUNDED, SMALL_PART
from zooadmm.methods.auto.model.belief import Belief
from zooadmm.methods.auto.sampled.state import Batch, SampledState
from zooadmm.problem.arrays import Matrix, Vector


def added(batch: Batch, slopes: Matrix) -> Batch:
    """With the slopes of further observations, one a row; rows that are not finite are dropped."""
    g = slopes[np.isfinite(slopes).all(axis=1)]
    total, products = g.sum(axis=0), g.T @ g
    if batch.number == 0:
        return Batch(len(g), total, products)
    return Batch(batch.number + len(g), batch.total + total, batch.products + products)


def vanished(sampling: SampledState) -> bool:
    """Whether the first batch has no slopes where longer differences had: values have steps."""
    before = sampling.nu + float(np.mean(np.square(sampling.belief.v) / sampling.first))
    now = float(np.diagonal(sampling.batch.products).mean()) / sampling.batch.number
    return now < SMALL_PART * SMALL_PART * before  # of squared slopes


def conditioned(sampling: SampledState, samples: int) -> SampledState:
    """Belief and metric after a batch; samples: n, or 0 for a stream."""
    batch, m = sampling.batch, len(sampling.first)
    b = batch.number
    mean, squares = batch.total / b, np.diagonal(batch.products) / b
    spread = float(np.mean(np.maximum(squares - mean**2, 0.0))) * b / (b - 1)
    nu = sampling.nu + b / (sampling.seen + b) * (spread - sampling.nu)
    root = np.sqrt(sampling.first)
    (v, P), scaled = sampling.belief, sampling.H / np.outer(root, root)
    R = nu * max(1.0 / b - (1.0 / samples if samples > 0 else 0.0), 0.0) * scaled
    tau = _tau(sampling, mean - v / root, np.diagonal(R))
    ZPZ = P / np.outer(root, root)
    S = ZPZ + R
    S[np.diag_indices(m)] += ROUNDED * np.diagonal(S) + np.finfo(float).tiny
    gain = scipy.linalg.solve(S, ZPZ, assume_a="pos")
    ZPZ = ZPZ - ZPZ @ gain
    v = v + root * ((mean - v / root) @ gain)
    P = np.outer(root, root) * (0.5 * (ZPZ + ZPZ.T))
    products = sampling.products + b * covariance(batch)
    counted = sampling.counted + b
    return sampling._replace(
        belief=Belief(v, P),
        H=metric(sampling.first, products, counted),
        products=products,
        counted=counted,
        nu=nu,
        tau=tau,
        seen=sampling.seen + b,
    )


def covariance(batch: Batch) -> Matrix:
    """The covariance of slopes in units of their mean square; the rest of that is spread evenly.

    Where observations differ in little but a factor, as f(x; w) = c_w f(x), products of slopes show
    the direction of the gradient and no curvature: the part of the mean does not count.

    >>> same = np.ones((4, 2))
    >>> covariance(Batch(4, same.sum(axis=0), same.T @ same)).tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
    b, total, products = batch
    C = (products - np.outer(total, total) / b) / (b - 1)
    size = float(np.diagonal(products).mean()) / b
    if not size > 0.0:
        return np.eye(len(total))
    C = C / max(size, float(np.diagonal(C).mean()))
    C[np.diag_indices(len(total))] += 1.0 - float(np.diagonal(C).mean())
    return np.asarray(C)


def _tau(sampling: SampledState, surprise: Vector, R: Vector) -> float:
    """The relative error of H, from how far slopes after a step are from v + H s."""
    s, first = sampling.last, sampling.first
    if len(s) == 0:
        return sampling.tau
    Hs = sampling.H @ s
    expected = 0.5 * float(np.sum(float(s @ Hs) + np.square(Hs) / first))
    off = float(np.sum(np.square(surprise) - R - sampling.prior / first))
    now = min(max(off / expected, 0.0), MOST_TAU**2) if expected > 0.0 else 0.0
    return math.sqrt((1.0 - LATEST) * sampling.tau**2 + LATEST * now)


def metric(first: Vector, products: Matrix, count: int) -> Matrix:
    """H, from D and the sum of g g' over `count` observations."""
    m, root = len(first), np.sqrt(first)
    size = float(np.diagonal(products).mean())
    C = products / size if size > 0.0 else np.eye(m)
    weight = count / (count + m)
    return np.outer(root, root) * (weight * C + (1.0 - weight) * np.eye(m))


def diagonal(curvatures: Vector, squares: Vector, loss: float, chance: float = 1.0) -> Vector:
    """D: halfway between the curvatures of the few first observations and what slopes suggest.

    squares: the mean squared slope of each variable; curvatures are in proportion to it where
    the covariance of slopes is the second derivative. Where no curvature was seen, squares/|f|.
    chance: the part of the squares that is variance and not the mean slope, which suggests nothing
    about curvatures that were seen; what slopes suggest counts for half of it.
    """
    seen = (curvatures > 0.0) & (squares > 0.0)
    ratio = float(np.median(curvatures[seen] / squares[seen])) if seen.any() else 0.0
    if not ratio > 0.0:
        ratio = 1.0 / loss if loss > 0.0 else 1.0
    suggested = ratio * squares
    steep = suggested > 0.0
    typical = float(np.exp(np.log(suggested[steep]).mean())) if steep.any() else 1.0
    suggested = np.where(steep, suggested, typical)
    weights = np.where(curvatures > 0.0, 0.5 * chance, 0.5)
    return np.asarray((1.0 - weights) * curvatures + weights * suggested)
