"""Section 2: X = Y, A = I, B = -I, c = 0 and no phi is online projected gradient descent."""

from __future__ import annotations

import numpy as np
import pytest

import zooadmm as zoo

M = 6
TARGETS = np.random.default_rng(2).standard_normal((50, M))


@pytest.mark.parametrize(
    "domain", [zoo.Box(-0.5, 0.8), zoo.Simplex(2.0), zoo.sets.WholeSpace()], ids=str
)
def test_without_regularizer_the_dual_vanishes_and_x_descends(domain: object) -> None:
    """y = x and lambda = 0 throughout, so x_{t+1} = Proj_X(x_t - (eta_t/alpha_t) g_t)."""
    optimizer = zoo.Optimizer(
        domain.project(np.full(M, 0.4)),
        settings="paper",
        domain=domain,
        observations=zoo.Samples(TARGETS, order="in order"),
        gradient=zoo.paper.Smoothed(4),
        smoothing=1e-3,
        max_iterations=50,
        rng=0,
    )
    x = optimizer.state.x
    for t in range(1, 51):
        query = optimizer.ask()
        assert query is not None
        values = np.square(query.points[:, None, :] - query.observations[None, :, :]).sum(axis=2)
        z = (query.points[1:] - query.points[0]) / 1e-3
        g = ((values[1:, 0] - values[0, 0]) / 1e-3) @ z / 4
        optimizer.tell(query.id, values)
        eta = 1 / np.sqrt(M * t)
        x = domain.project(x - eta / (10 * eta + 1) * g)
        np.testing.assert_allclose(optimizer.state.x, x, atol=1e-8)
        np.testing.assert_allclose(optimizer.state.y, optimizer.state.x, atol=1e-14)
        np.testing.assert_allclose(optimizer.state.dual, 0, atol=1e-13)
