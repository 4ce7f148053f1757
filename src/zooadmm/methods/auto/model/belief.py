"""What is believed of the gradient: g ~ N(v, P), from slopes along some directions at some points.

The metric H is what is known of the second derivatives of f. What is not known of them is taken to
be random, E = tau H^1/2 W H^1/2 with W symmetric and normal (E|W_ij|^2 = 1/2, twice that on the
diagonal), so a step s changes the gradient by H s + E s with

    E[E s] = 0,   Cov[E s] = (tau^2 / 2) (|s|_H^2 H + H s s'H).

A slope z'g measured with variance r is conditioned on as in Kalman's filter. What it says of the
change d = (H + E) s, which the metric learns from, is not all that v changes by: where g was in
doubt before the step, most of that is a correction of v. So d is believed in beside g,

    E[d | slopes] = H s + C Z'(Z P Z' + R)^-1 (slopes - Z v),   C = Cov[d, g] = Cov[E s] at first.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import scipy.linalg

from zooadmm.methods.auto.constants import NEARLY, ROUNDED, SINGULAR_PART, SMALL_PART
from zooadmm.problem.arrays import Matrix, Vector


class Belief(NamedTuple):
    """g ~ N(v, P)"""

    v: Vector
    P: Matrix


class Change(NamedTuple):
    """The belief about the change (H + E) s of the gradient over the last step."""

    d: Vector
    """The mean of the change"""
    C: Matrix
    """The covariance of the change with g"""


NO_CHANGE = Change(np.zeros(0), np.zeros((0, 0)))


def moved(belief: Belief, H: Matrix, s: Vector, tau: float) -> tuple[Belief, Change]:
    """After a step s: g + (H + E) s, and the change by itself."""
    Hs = H @ s
    doubt = 0.5 * tau**2
    C = doubt * float(s @ Hs) * H
    C += doubt * np.outer(Hs, Hs)
    return Belief(belief.v + Hs, belief.P + C), Change(Hs, C)


def conditioned(
    belief: Belief, change: Change, Z: Matrix, slopes: Vector, variances: Vector
) -> tuple[Belief, Change]:
    """Given Z g = slopes, up to errors of these variances.

    Rounding makes P indefinite where some variances are far below others. Then these alone count,
    and are those of slopes at least, where slopes show them; none grows beyond the largest before.
    """
    try:
        return _conditioned(belief, change, Z, slopes, variances)
    except np.linalg.LinAlgError:
        before, seen = np.diagonal(belief.P), np.square(Z).max(axis=0)
        least = variances.max() / np.maximum(seen, np.finfo(float).tiny)
        most = float(before.max()) if before.max() > 0.0 else math.inf
        least = np.where(seen > 0.0, np.minimum(least, most), 0.0)
        sound = np.diag(np.maximum(before, least))
        return _conditioned(Belief(belief.v, sound), change, Z, slopes, variances)


def _conditioned(
    belief: Belief, change: Change, Z: Matrix, slopes: Vector, variances: Vector
) -> tuple[Belief, Change]:
    (v, P), (d, C) = belief, change
    ZP = Z @ P
    S = ZP @ Z.T
    cancelled = np.square(np.abs(Z) @ np.sqrt(np.maximum(np.diagonal(P), 0.0)))
    S[np.diag_indices(len(S))] += variances + SINGULAR_PART * cancelled
    gain, surprise = _solved(S, ZP), slopes - Z @ v
    if len(d) > 0:
        CZ = C @ Z.T
        d, C = d + CZ @ _solved(S, surprise[:, None])[:, 0], C - CZ @ gain
    half = (ZP - 0.5 * (S @ gain)).T @ gain  # Joseph's form: no gain makes P indefinite
    return Belief(v + surprise @ gain, P - (half + half.T)), Change(d, C)


def fallen(
    belief: Belief, change: Change, s: Vector, fall: float, variance: float
) -> tuple[Belief, Change]:
    """Given how far f has changed over the step s, <g - d / 2, s>, before slopes are measured."""
    (v, P), (d, C) = belief, change
    half = 0.5 * (C @ s)
    across = P @ s - half
    total = float(s @ (across - 0.5 * half)) + variance
    if not total > 0.0:
        return belief, change
    gain = (fall - float((v - 0.5 * d) @ s)) / total
    known = Belief(v + gain * across, P - np.outer(across, across) / total)
    return known, Change(d + gain * half, C - np.outer(half, across) / total)


def is_sound(after: Belief, before: Belief, H: Matrix) -> bool:
    """Whether rounding has left what slopes made of a belief: numbers, and variances above zero.

    It has not where a loss with kinks has made H, and P with it, grow beyond all bounds.
    """
    units = np.diagonal(H)
    least, most = (np.diagonal(after.P) / units).min(), (np.diagonal(before.P) / units).max()
    return bool(np.isfinite(after.v).all() and least >= -SMALL_PART * most)


def _solved(S: Matrix, right: Matrix) -> Matrix:
    """S^-1 right, for an S that is positive definite up to rounding."""
    unit = np.sqrt(np.maximum(np.diagonal(S), np.finfo(float).tiny))
    scaled = S / np.outer(unit, unit) + NEARLY * np.eye(len(S))
    factor, failed = scipy.linalg.lapack.dpotrf(scaled, lower=1)
    if failed != 0:
        raise np.linalg.LinAlgError("indefinite")
    solution, _ = scipy.linalg.lapack.dpotrs(factor, right / unit[:, None], lower=1)
    return np.asarray(solution / unit[:, None])


def draws(belief: Belief, normals: Matrix) -> Matrix:
    """Errors of v as the belief has them, a row each, from rows of standard normal numbers."""
    spread = np.sqrt(np.maximum(np.diagonal(belief.P), 0.0))
    unit = np.where(spread > 0.0, spread, 1.0)
    scaled = belief.P / np.outer(unit, unit)
    factor, order, rank, _ = scipy.linalg.lapack.dpstrf(scaled, tol=ROUNDED, lower=1)
    L = np.ascontiguousarray(factor)
    for i, row in enumerate(L):  # np.tril takes four times as long
        row[min(i + 1, rank) :] = 0.0
    errors = np.empty_like(normals)
    errors[:, order - 1] = normals @ L.T
    return np.asarray(errors * spread)
