"""Minimizers in a diagonal metric against a search over the line and their conditions."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

from structure.instances import small
from zooadmm.problem.coordinates import coordinates
from zooadmm.structure import diagonal, faces
from zooadmm.structure.factor import Hessian
from zooadmm.structure.solution import Status


@pytest.mark.parametrize("seed", range(60))
def test_prox_is_the_minimizer_of_each_coordinate(seed: int) -> None:
    _, v, phi = small(seed)
    M = np.random.default_rng(seed).exponential(size=len(v)) + 0.1
    z = diagonal.prox(v, M, phi)
    for i in range(len(v)):
        one = phi.restricted(np.array([i]))

        def objective(t: float, one=one, i=i) -> float:  # type: ignore[no-untyped-def]
            return M[i] * (t - v[i]) ** 2 / 2 + one.value(one.clip(np.array([t])))

        low, high = max(one.lower[0], -100.0), min(one.upper[0], 100.0)
        best = minimize_scalar(objective, bounds=(low, high), options={"xatol": 1e-12})
        assert objective(z[i]) <= best.fun + 1e-12 * (1 + abs(best.fun))


@pytest.mark.parametrize("seed", range(60))
def test_a_dense_solver_finds_the_same_prox(seed: int) -> None:
    _, v, phi = small(seed)
    M = np.random.default_rng(seed).exponential(size=len(v)) + 0.1
    dense = faces.minimizer(Hessian(np.diag(M)), -M * v, phi)
    assert np.abs(dense.u - diagonal.prox(v, M, phi)).max() <= 1e-12 * (1 + np.abs(v).max())


@pytest.mark.parametrize("seed", range(60))
def test_prox_row_satisfies_its_conditions(seed: int) -> None:
    _, v, phi = small(seed)
    rng = np.random.default_rng(seed)
    M = rng.exponential(size=len(v)) * 10.0 ** rng.uniform(-4, 4, len(v))
    a = np.ones(len(v)) if seed % 3 == 0 else np.round(rng.normal(size=len(v)), 1)
    low = float(a @ phi.clip(rng.normal(size=len(v))))
    high = low if seed % 2 else low + 0.5
    found = diagonal.prox_row(v, M, phi, a, low, high)
    assert found.status is Status.SOLVED
    z, price = found.u, float(found.dual[0])
    slope = M * (z - v) + phi.curvature * z + price * a
    size = np.abs(M * v).max() + np.abs(price * a).max() + 10.0
    assert np.abs(phi.distances(z, slope)).max() <= 1e-11 * size
    total, terms = float(a @ z), 1e-12 * max(1.0, abs(low), float(np.abs(a) @ np.abs(z)))
    assert low - terms <= total <= high + terms
    assert price <= 0 or total >= high - terms
    assert price >= 0 or total <= low + terms


def test_a_row_out_of_reach_is_infeasible() -> None:
    box = coordinates(3, 0.0, 1.0)
    found = diagonal.prox_row(np.zeros(3), 1.0, box, np.ones(3), 4.0, 5.0)
    assert found.status is Status.INFEASIBLE
