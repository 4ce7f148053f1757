"""Slopes and curvatures from points in X: exact on quadratics, wherever X ends."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

import zooadmm as zoo
from zooadmm.methods.follow import probes
from zooadmm.problem.sets import ConvexSet

M = 6
DOMAINS: dict[str, tuple[ConvexSet, np.ndarray]] = {
    "inside a box": (zoo.Box(-5.0, 5.0), np.linspace(-1.0, 1.0, M)),
    "at a corner": (zoo.Box(0.0, 1.0), np.zeros(M)),
    "on a face": (zoo.Box(0.0, 1.0), np.array([0.0, 0.0, 0.5, 0.5, 0.95, 1.0])),
    "inside a simplex": (zoo.Simplex(), np.full(M, 1 / M)),
    "at a vertex": (zoo.Simplex(), np.eye(M)[2]),
}


def quadratic(seed: int) -> tuple[np.ndarray, np.ndarray]:
    generator = np.random.default_rng(seed)
    root = generator.standard_normal((M, M))
    return generator.standard_normal(M), root @ root.T


@pytest.mark.parametrize("place", DOMAINS)
def test_two_values_a_way_say_slope_and_curvature_of_a_quadratic(place: str) -> None:
    domain, x = DOMAINS[place]
    g, H = quadratic(1)
    ways = probes.beside(domain, x, 0.1, np.random.default_rng(2))
    rises = [w @ g + 0.5 * np.einsum("ki,ij,kj->k", w, H, w) for w in (ways.first, ways.second)]
    for points in (x + ways.first, x + ways.second):
        assert max(np.abs(domain.project(p) - p).max() for p in points) < 1e-12
    q = np.einsum("ki,ij,kj->k", ways.first, H, ways.first)
    np.testing.assert_allclose(ways.bends(*rises), q, rtol=1e-9, atol=1e-12)
    found = ways.slope(*rises, H)
    np.testing.assert_allclose(ways.first @ found, ways.first @ g, rtol=1e-8, atol=1e-10)


def test_pairs_on_both_sides_need_no_curvature() -> None:
    domain, x = DOMAINS["inside a box"]
    g, H = quadratic(3)
    ways = probes.beside(domain, x, 0.1, np.random.default_rng(4))
    assert (ways.ratios == -1.0).all()
    rises = [w @ g + 0.5 * np.einsum("ki,ij,kj->k", w, H, w) for w in (ways.first, ways.second)]
    np.testing.assert_allclose(ways.slope(*rises, np.zeros((M, M))), g, rtol=1e-8)


def test_curvatures_in_random_bases_show_all_of_a_hessian() -> None:
    _, H = quadratic(5)
    generator, found = np.random.default_rng(6), np.eye(M)
    errors = []
    for _ in range(60):
        ways = probes.beside(zoo.Box(-5.0, 5.0), np.zeros(M), 0.3, generator).first
        found = probes.learned(found, ways, np.einsum("ki,ij,kj->k", ways, H, ways), np.ones(M))
        errors.append(np.linalg.norm(found - H))
    assert all(b <= a * (1 + 1e-9) for a, b in pairwise(errors))
    assert errors[-1] < 1e-3 * errors[0]


@pytest.mark.parametrize("seed", range(3))
def test_a_noisy_target_beyond_a_simplex_is_followed(seed: int) -> None:
    """Curved axes, noise of a percent: the answers of late rounds are near the moving optimum."""
    generator = np.random.default_rng(seed)
    scales = np.logspace(0.0, 1.5, M)
    start, way = generator.standard_normal((2, M))
    noise = np.random.default_rng([seed, 1])

    def loss(x: np.ndarray, t: int) -> float:
        moved = x - start - way * t / 400
        return float(scales @ np.square(moved)) + 0.01 * noise.standard_normal()

    def best(t: int) -> np.ndarray:
        target, found = start + way * t / 400, np.full(M, 1 / M)
        for _ in range(3000):
            found = zoo.Simplex().project(found - scales / scales.max() * (found - target))
        return found

    result = zoo.minimize(
        loss,
        np.full(M, 1 / M),
        domain=zoo.Simplex(),
        observations=zoo.Stream(range(400)),
        settings="follow",
        rng=seed,
    )
    optimum = best(400)
    gap = scales @ (np.square(result.x - start - way) - np.square(optimum - start - way))
    first = scales @ (np.square(1 / M - start - way) - np.square(optimum - start - way))
    assert gap < 0.02 * first
