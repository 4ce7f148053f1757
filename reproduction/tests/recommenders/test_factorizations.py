"""Factorizations, imputations and the autoencoder beside slow twins."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from recommenders.tiny_ratings import TALL, WIDE, ByPair, Numbers, everywhere, left_by, table_of
from scipy.optimize import approx_fprime

from zooadmm_reproduction.recommenders import Training
from zooadmm_reproduction.recommenders.adam import descend
from zooadmm_reproduction.recommenders.alternating import AlternatingLeastSquares
from zooadmm_reproduction.recommenders.autoencoder import LinearAutoencoder
from zooadmm_reproduction.recommenders.biases import Center
from zooadmm_reproduction.recommenders.descent import (
    DescentFactors,
    ImplicitFactors,
    Residuals,
    factor_gradients,
    implicit_gradients,
    rated_items,
)
from zooadmm_reproduction.recommenders.imputation import PrincipalComponents, SoftImputation

BOTH = pytest.mark.parametrize("training", [TALL, WIDE], ids=["tall", "wide"])


def ridge(rows: list[Numbers], values: list[float], l2: float, rank: int) -> Numbers:
    if not rows:
        return np.zeros(rank)
    a = np.array(rows)
    return np.linalg.solve(a.T @ a + l2 * np.eye(rank), a.T @ np.array(values))


@BOTH
@pytest.mark.parametrize("center", ["mean", "biases"])
def test_alternating_least_squares(training: Training, center: Center) -> None:
    rank, sweeps = 2, 4
    offsets, left = left_by(training, center)
    l2 = 0.3 * np.linalg.norm(table_of(training, left), 2)
    p = np.zeros((training.num_users, rank))
    q = 0.1 * np.random.default_rng(0).standard_normal((training.num_items, rank))
    for _ in range(sweeps):
        for u in range(training.num_users):
            mine = {i: z for (v, i), z in left.items() if v == u}
            p[u] = ridge([q[i] for i in mine], list(mine.values()), l2, rank)
        for i in range(training.num_items):
            mine = {u: z for (u, j), z in left.items() if j == i}
            q[i] = ridge([p[u] for u in mine], list(mine.values()), l2, rank)
    found = everywhere(AlternatingLeastSquares(rank, 0.3, sweeps, center), training)
    np.testing.assert_allclose(found, offsets + p @ q.T, atol=1e-10)


def scaled(left: ByPair) -> ByPair:
    scale = np.std(list(left.values()))
    return {pair: z / scale for pair, z in left.items()}


def implied(training: Training, p: Numbers, y: Numbers) -> Numbers:
    """p_u + |N_u|^(-1/2) sum_{j in N_u} y_j."""
    whole = p.copy()
    for u in range(training.num_users):
        rated = training.item[training.user == u]
        whole[u] += sum(y[j] for j in rated) / np.sqrt(max(1, len(rated)))
    return whole


@BOTH
def test_gradients_are_those_of_the_stated_losses(training: Training) -> None:
    rank, l2 = 2, 0.3
    left = scaled(left_by(training, "biases")[1])
    n, m = training.num_users * rank, training.num_items * rank

    def loss(z: Numbers) -> float:
        p, q, y = (part.reshape(-1, rank) for part in np.split(z, [n, n + m]))
        whole = implied(training, p, y)
        errors = sum((value - whole[u] @ q[i]) ** 2 for (u, i), value in left.items())
        return 0.5 * float(errors) + 0.5 * l2 * float(z @ z)

    z = np.random.default_rng(1).standard_normal(n + 2 * m)
    p, q, y = (part.reshape(-1, rank) for part in np.split(z, [n, n + m]))
    residuals, rated = Residuals.of(training), rated_items(training)
    found = implicit_gradients(residuals, rated, (p, q, y), l2)
    np.testing.assert_allclose(
        np.concatenate([g.ravel() for g in found]), approx_fprime(z, loss), atol=1e-5
    )
    z[n + m :] = 0.0
    found = factor_gradients(residuals, (p, q), l2)
    np.testing.assert_allclose(
        np.concatenate([g.ravel() for g in found]), approx_fprime(z, loss)[: n + m], atol=1e-5
    )


def test_adam_is_adam() -> None:
    x, mean, square = 2.0, 0.0, 0.0
    for t in range(1, 8):
        g = x**3
        mean, square = 0.9 * mean + 0.1 * g, 0.999 * square + 0.001 * g**2
        x -= 0.1 * (mean / (1 - 0.9**t)) / np.sqrt(square / (1 - 0.999**t))
    start = (np.array([2.0]),)
    (found,) = descend(start, lambda z: (z[0] ** 3,), 7, 0.1)
    assert found[0] == pytest.approx(x, rel=1e-6)
    assert start[0][0] == 2.0


@BOTH
def test_predictions_are_what_the_factors_mean(training: Training) -> None:
    rank, steps = 2, 6
    offsets, left = left_by(training, "biases")
    scale = np.std(list(left.values()))
    l2 = 0.3 * np.linalg.norm(table_of(training, left) / scale, 2)
    generator = np.random.default_rng(0)
    sizes = (training.num_users, training.num_items, training.num_items)
    start = tuple(0.1 * generator.standard_normal((size, rank)) for size in sizes)
    residuals, rated = Residuals.of(training), rated_items(training)
    p, q = descend(start[:2], lambda z: factor_gradients(residuals, z, l2), steps, 0.03)
    found = everywhere(DescentFactors(rank, 0.3, steps), training)
    np.testing.assert_allclose(found, offsets + scale * p @ q.T)
    p, q, y = descend(start, lambda z: implicit_gradients(residuals, rated, z, l2), steps, 0.03)
    found = everywhere(ImplicitFactors(rank, 0.3, steps), training)
    np.testing.assert_allclose(found, offsets + scale * implied(training, p, y) @ q.T)


def imputation_twin(
    training: Training, change: Callable[[Numbers], Numbers], sweeps: int
) -> Numbers:
    offsets, left = left_by(training, "biases")
    filled = table_of(training, left)
    for _ in range(sweeps):
        u, s, vt = np.linalg.svd(filled, full_matrices=False)
        low_rank = u @ np.diag(change(s)) @ vt
        filled = low_rank.copy()
        for pair, z in left.items():
            filled[pair] = z
    return offsets + low_rank


@BOTH
def test_imputation(training: Training) -> None:
    shift = 0.2 * np.linalg.norm(table_of(training, left_by(training, "biases")[1]), 2)
    soft = imputation_twin(training, lambda s: np.maximum(s - shift, 0.0), 5)
    np.testing.assert_allclose(everywhere(SoftImputation(0.2, 5), training), soft, atol=1e-9)
    hard = imputation_twin(training, lambda s: np.where(np.arange(len(s)) < 2, s, 0.0), 5)
    np.testing.assert_allclose(everywhere(PrincipalComponents(2, 5), training), hard, atol=1e-9)


@BOTH
def test_the_autoencoder_regresses_each_item_on_the_others(training: Training) -> None:
    offsets, left = left_by(training, "biases")
    table = table_of(training, left)
    l2 = 0.2 * np.linalg.norm(table, 2) ** 2
    twin = offsets.copy()
    for i in range(training.num_items):
        others = np.delete(table, i, axis=1)
        gram = others.T @ others + l2 * np.eye(others.shape[1])
        twin[:, i] += others @ np.linalg.solve(gram, others.T @ table[:, i])
    np.testing.assert_allclose(everywhere(LinearAutoencoder(0.2), training), twin, atol=1e-10)
