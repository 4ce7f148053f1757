"""A first belief about gradient and second derivatives, from values at points that are known.

In the units u of the variables, z = (x_i - x) / u, a value is taken to be

    f(x_i) = f(x) + <g, z> + h |z|^2 / 2 + <z, E z> / 2 + error,   g ~ N(0, (k h)^2 I),

E = h W with the W of `belief`, and an error of SMALL_PART of the quadratic term beside that of the
values: third derivatives. Then the values are normal, with mean h |z|^2 / 2 and covariance

    h^2 (k^2 <z, w> + <z, w>^2 / 4) + errors.

k, the distance to a minimum, is from 1/64 to 256. For each of these h, the typical curvature, is
that of the largest likelihood, which has a form where errors are in units of h. What g and E are,
given the values, is a mixture over k by likelihood, and the belief has its mean and covariance. u
is how far the points lie apart along each variable.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import scipy.linalg

from zooadmm.methods.auto.constants import AT_ONCE, FACTORS, NEARLY, SMALL_PART
from zooadmm.methods.auto.model.belief import Belief
from zooadmm.oracle.loss import LARGEST
from zooadmm.problem.arrays import Matrix, Vector

ROUNDS = 3
"""Rounds in which the typical curvature is found: where errors are small the first has it."""


class Values(NamedTuple):
    """Points, one a row, and the values of the loss there."""

    points: Matrix
    values: Vector
    off: float = 0.0
    """Error of given values at most, beside noise and rounding"""


NO_VALUES = Values(np.zeros((0, 0)), np.zeros(0))


class Regression(NamedTuple):
    """The loss at x as values show it."""

    belief: Belief
    H: Matrix


def fitted(known: Values, x: Vector, loss: float, off: float) -> Regression | None:
    """From the nearest points other than x; None where they do not show how the loss changes.

    off: the standard deviation of a value, by noise or rounding.
    """
    ways, changes = known.points - x, known.values - loss
    off = max(off, known.off)
    seen = ways.any(axis=1) & np.isfinite(changes)
    ways, changes = ways[seen], changes[seen]
    if not (np.abs(changes) > off).any():
        return None
    units = _units(ways)
    Z = ways / units
    lengths = np.sqrt(np.square(Z).sum(axis=1))  # rows of length 1: values become slopes
    near = np.argsort(lengths, kind="stable")[:AT_ONCE]
    Z, lengths, changes = Z[near], lengths[near], changes[near]
    Z, slopes, errors = Z / lengths[:, None], changes / lengths, off / lengths
    if not 1.0 / LARGEST < float(np.abs(slopes).max()) < LARGEST:  # squares would not be numbers
        return None
    fits = [_likelihood(k, Z, lengths, slopes, errors) for k in FACTORS]
    logs = np.array([fit.likelihood for fit in fits])
    weights = np.exp(logs - logs.max())
    return _mixed(fits, weights / weights.sum(), Z, lengths, slopes, units)


def _units(ways: Matrix) -> Vector:
    """The root mean square of each variable, as far as these differ by more than chance.

    The logarithm of one of n numbers varies by 1 / (2 n) by chance; the rest of the variance over
    the variables is what their units differ by (James and Stein).
    """
    size = np.sqrt(np.square(ways).mean(axis=0))
    logs = np.log(size[size > 0.0])
    seen = float(logs.var())
    part = max(0.0, 1.0 - 0.5 / (len(ways) * seen)) if seen > 0.0 else 0.0
    units = np.full(len(size), math.exp(float(logs.mean())))
    units[size > 0.0] *= np.exp(part * (logs - logs.mean()))
    return units


class _Fit(NamedTuple):
    likelihood: float
    k: float
    h: float
    factor: tuple[Matrix, bool]
    """Cholesky factor of the covariance of the slopes"""


def _likelihood(k: float, Z: Matrix, lengths: Vector, slopes: Vector, errors: Vector) -> _Fit:
    """The best h for this k; by a few rounds, because errors are not in units of h."""
    cosines, mean = Z @ Z.T, 0.5 * lengths
    shape = k**2 * cosines + np.outer(mean, mean) * np.square(cosines)
    shape[np.diag_indices(len(Z))] += np.square(SMALL_PART * mean) + NEARLY * k**2
    common = np.outer(errors, errors) + np.diag(np.square(errors))  # that of f(x) is in all
    h, n = float(np.abs(slopes).max()) / (k + float(mean.max())), len(Z)
    for _ in range(ROUNDS):
        factor = scipy.linalg.cho_factor(shape + common / h**2, lower=True)
        a = float(slopes @ scipy.linalg.cho_solve(factor, slopes))
        b = float(mean @ scipy.linalg.cho_solve(factor, slopes))
        h = a / (0.5 * b + math.sqrt((0.5 * b) ** 2 + a * n))
    factor = scipy.linalg.cho_factor(h**2 * shape + common, lower=True)
    rest = slopes - h * mean
    size = float(rest @ scipy.linalg.cho_solve(factor, rest))
    return _Fit(-0.5 * size - float(np.log(np.diagonal(factor[0])).sum()), k, h, factor)


def _mixed(
    fits: list[_Fit], weights: Vector, Z: Matrix, lengths: Vector, slopes: Vector, units: Vector
) -> Regression:
    """Mean and covariance over k in the units of x, and a metric that is positive definite."""
    m, both = len(units), np.outer(units, units)
    means, P, H, h = np.zeros((len(fits), m)), np.zeros((m, m)), np.zeros((m, m)), 0.0
    for i, (fit, weight) in enumerate(zip(fits, weights, strict=True)):
        size = (fit.k * fit.h) ** 2
        inner = scipy.linalg.cho_solve(fit.factor, slopes - 0.5 * fit.h * lengths)
        means[i] = size * (Z.T @ inner)
        P += weight * (size * np.eye(m) - size**2 * (Z.T @ scipy.linalg.cho_solve(fit.factor, Z)))
        H += weight * (0.5 * fit.h**2 * (Z.T * (inner * lengths)) @ Z)
        h += weight * fit.h
    v = weights @ means
    P += ((means - v).T * weights) @ (means - v)
    curvatures, axes = np.linalg.eigh(h * np.eye(m) + 0.5 * (H + H.T))
    H = (axes * np.maximum(curvatures, 0.5 * h)) @ axes.T
    return Regression(Belief(v / units, P / both), 0.5 * (H + H.T) / both)
