"""Sensor selection by those who know the formula: Newton with a barrier, gradients, greed."""

from __future__ import annotations

from typing import Any

import numpy as np

import zooadmm as zoo
from zooadmm.applications.formulation import Array
from zooadmm.applications.selection import Mask
from zooadmm.losses import LogDeterminant

BARRIER_FACTOR = 10.0
"""By how much the barrier is lowered from one centering to the next."""

LARGEST_STEP = 0.99
"""The part of the way to the boundary that a Newton step may go."""

ENOUGH = 1e-4
"""The part of the promised decrease that a step must bring (Armijo)."""

TOGETHER = 2**18
"""About this many numbers are processed at a time, which a processor's cache can hold."""


def second_order(A: Any, budget: float, tolerance: float = 1e-8) -> Array:
    """The weights of the relaxed problem after Joshi and Boyd (2009): Newton with a barrier.

        minimize  f(x) - kappa sum_i [log x_i + log(1 - x_i)]   subject to  1'x = budget

    for kappa falling by tens until 2 m kappa, which bounds f(x) - f*, is at most `tolerance`.

    A: (T, m, n) or (m, n).
    """
    vectors = _three(A)
    loss, m = LogDeterminant(vectors), vectors.shape[1]
    if budget == m:
        return np.ones(m)
    x, kappa, last = np.full(m, budget / m), 1.0, tolerance / (2 * m)
    while True:
        x = _centered(loss, vectors, x, kappa)
        if kappa <= last:
            return x
        kappa = max(kappa / BARRIER_FACTOR, last)


def _centered(loss: LogDeterminant, vectors: Array, x: Array, kappa: float) -> Array:
    """The minimum with this barrier, from x."""
    for _ in range(100):
        gradient, hessian = log_determinant_derivatives(vectors, x)
        gradient = gradient - kappa * (1 / x - 1 / (1 - x))
        hessian[np.diag_indices_from(hessian)] += kappa * (1 / x**2 + 1 / (1 - x) ** 2)
        solved = np.linalg.solve(hessian, np.column_stack([gradient, np.ones_like(x)]))
        multiplier = solved[:, 0].sum() / solved[:, 1].sum()
        step = multiplier * solved[:, 1] - solved[:, 0]  # 1'step = 0
        promised = float(gradient @ step)
        if -promised <= 1e-3 * kappa:
            return x
        with np.errstate(divide="ignore"):
            room = np.where(step > 0, (1 - x) / step, np.where(step < 0, -x / step, np.inf))
        length, here = min(1.0, LARGEST_STEP * float(room.min())), _barred(loss, x, kappa)
        while _barred(loss, x + length * step, kappa) > here + ENOUGH * length * promised:
            length /= 2
            if length < 1e-10:
                return x
        x = x + length * step
    return x


def log_determinant_derivatives(vectors: Array, x: Array) -> tuple[Array, Array]:
    """Gradient and Hessian of the mean of -log det M_t:

    -mean_t G_ii and mean_t G_ij^2, with G_t = a_t M_t^-1 a_t'.

    With M_t = L_t L_t' and b_i = L_t^-1 a_i, G_ij^2 is the inner product of b_i b_i' and b_j b_j':
    the Hessian is one product of matrices, whose columns hold the entries of b_i b_i' on and above
    the diagonal, those above it times sqrt 2.
    """
    T, m, n = vectors.shape
    gradient, hessian = np.zeros(m), np.zeros((m, m))
    row, column = np.triu_indices(n)
    times = np.where(row == column, 1.0, np.sqrt(2.0))[:, None]
    together = max(1, TOGETHER // (m * len(row)))
    for first in range(0, T, together):
        a = vectors[first : first + together]
        L = np.linalg.cholesky((x[:, None] * a).transpose(0, 2, 1) @ a)
        b = np.linalg.inv(L) @ a.transpose(0, 2, 1)
        products = b[:, row] * b[:, column]
        gradient -= products[:, row == column].sum(axis=(0, 1))
        flat = (times * products).reshape(-1, m)
        hessian += flat.T @ flat
    return gradient / T, hessian / T


def _barred(loss: LogDeterminant, x: Array, kappa: float) -> float:
    return loss(x) - kappa * float(np.sum(np.log(x) + np.log(1 - x)))


def projected_gradient(
    A: Any, budget: float, max_iterations: int = 1000, tolerance: float = 1e-8
) -> Array:
    """The weights of the relaxed problem by projected gradients, with a step that is searched for.

    It ends when a step moves x by less than `tolerance`, or after `max_iterations`.
    """
    vectors = _three(A)
    loss, m = LogDeterminant(vectors), vectors.shape[1]
    feasible = zoo.BoxBudget(0.0, 1.0, budget)
    x = np.full(m, budget / m)
    value, step = loss(x), 1.0
    for _ in range(max_iterations):
        gradient = loss.gradient(x)
        step *= 2
        while True:
            to = np.asarray(feasible.project(x - step * gradient))
            moved = to - x
            bound = value + gradient @ moved + moved @ moved / (2 * step)
            if (after := loss(to)) <= bound + 1e-14 * abs(value) or step < 1e-14:
                break
            step /= 2
        x, value = to, min(value, after)
        if np.linalg.norm(moved) <= tolerance:
            break
    return x


def greedy(A: Any, budget: int) -> Mask:
    """Add the sensor that raises the log-determinant most, again and again.

    It starts from a little of everything, as no choice of fewer than n sensors has any.
    """
    vectors = _three(A)
    loss, m = LogDeterminant(vectors), vectors.shape[1]
    chosen = np.zeros(m, dtype=np.bool_)
    for _ in range(budget):
        left = np.flatnonzero(~chosen)
        trials = np.tile(chosen + 1e-6, (len(left), 1))
        trials[np.arange(len(left)), left] += 1.0
        chosen[left[int(np.argmin(loss.values(trials)))]] = True
    return chosen


def _three(A: Any) -> Array:
    vectors = np.asarray(A, dtype=np.float64)
    return vectors[None] if vectors.ndim == 2 else vectors
