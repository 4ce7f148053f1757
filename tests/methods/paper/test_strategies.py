"""Different spellings of one thing agree."""

from __future__ import annotations

import numpy as np
import pytest

import zooadmm as zoo
from zooadmm.evaluation import InProcess
from zooadmm.oracle.queries import Query

M = 8
GENERATOR = np.random.default_rng(11)
CURVATURE = GENERATOR.standard_normal((M, M))
CURVATURE = CURVATURE @ CURVATURE.T / M
CENTERS = GENERATOR.standard_normal((20, M))


def value(x: np.ndarray, w: np.ndarray) -> float:
    return float((x - w) @ CURVATURE @ (x - w)) / 2


def gradient(x: np.ndarray, w: np.ndarray) -> np.ndarray:
    return CURVATURE @ (x - w)


LOSS = zoo.Loss(value, gradient=gradient)


def run(source: object, **arguments: object) -> zoo.Result:
    return zoo.minimize(
        LOSS,
        np.zeros(M),
        settings="paper",
        regularizer=zoo.L1(0.05),
        domain=zoo.Box(-2, 2),
        observations=zoo.Samples(CENTERS, order="in order"),
        gradient=source,
        max_iterations=100,
        **arguments,
    )


@pytest.mark.parametrize("difference", ["forward", "central"])
def test_all_coordinates_follow_o_admm_up_to_beta(difference: str) -> None:
    """With +-sqrt(m) e_j for all j the estimate is the gradient by finite differences."""
    exact = run(zoo.paper.Exact()).x_last
    errors = []
    for beta in (1e-3, 1e-4):
        source = zoo.paper.Smoothed(M, distribution=zoo.paper.Coordinate(), difference=difference)
        errors.append(np.linalg.norm(run(source, smoothing=beta, rng=0).x_last - exact))
    if difference == "central":  # exact for a quadratic, up to rounding
        assert max(errors) < 1e-10
    else:  # off by (beta/2) z'Hz in each entry, with the sign of z
        C = M**1.5 * np.linalg.norm(CURVATURE, 2)
        assert errors[0] <= C * 1e-3
        assert errors[1] <= C * 1e-4
        assert errors[1] == pytest.approx(errors[0] / 10, rel=0.05)


def test_all_orthogonal_directions_follow_o_admm() -> None:
    exact = run(zoo.paper.Exact()).x_last
    source = zoo.paper.Smoothed(M, distribution=zoo.paper.Orthogonal(), difference="central")
    np.testing.assert_allclose(run(source, smoothing=1e-3, rng=0).x_last, exact, atol=1e-9)


def estimate(
    source: zoo.paper.Smoothed | zoo.paper.Paired, batch: np.ndarray
) -> tuple[Query, np.ndarray]:
    x = np.linspace(-1, 1, M)
    query = source.query(5, x, 1e-3, (1, 2), batch, zoo.sets.WholeSpace())
    return query, source.gradient(query, InProcess(LOSS)(query))


@pytest.mark.parametrize("difference", ["forward", "central"])
def test_hybrid_is_the_average_of_its_observations(difference: str) -> None:
    """Equation (16) with q2 observations is the mean of (14) over them, directions shared."""
    batch = CENTERS[:3]
    _, hybrid = estimate(zoo.paper.Smoothed(4, 3, difference=difference), batch)
    single = [
        estimate(zoo.paper.Smoothed(4, 1, difference=difference), batch[i : i + 1])[1]
        for i in range(3)
    ]
    np.testing.assert_allclose(hybrid, np.mean(single, axis=0), rtol=1e-9)


def test_hybrid_with_one_direction_averages_over_observations() -> None:
    """Equation (15), recomputed from the points and values."""
    batch = CENTERS[:5]
    query, g = estimate(zoo.paper.Smoothed(1, 5), batch)
    x, probe = query.points
    slopes = [(value(probe, w) - value(x, w)) / 1e-3 for w in batch]
    np.testing.assert_allclose(g, np.mean(slopes) * (probe - x) / 1e-3, rtol=1e-6)


def test_paired_with_one_pair_is_the_two_point_estimate() -> None:
    _, paired = estimate(zoo.paper.Paired(1), CENTERS[:1])
    _, two_point = estimate(zoo.paper.Smoothed(1, 1), CENTERS[:1])
    np.testing.assert_array_equal(paired, two_point)


@pytest.mark.parametrize("difference", ["forward", "central"])
def test_paired_is_the_average_of_its_pairs(difference: str) -> None:
    query, g = estimate(zoo.paper.Paired(4, difference=difference), CENTERS[:4])
    expected = np.zeros(M)
    for low, high, w in zip(query.points[0::2], query.points[1::2], CENTERS, strict=False):
        radius = np.linalg.norm(high - low) / np.sqrt(M)
        z = (high - low) / radius
        expected += (value(high, w) - value(low, w)) / radius * z / 4
    np.testing.assert_allclose(g, expected, rtol=1e-6)


class Batched:
    """The same loss for many points and observations at once."""

    def values(self, points: np.ndarray, observations: np.ndarray) -> np.ndarray:
        shifted = points[:, None, :] - np.asarray(observations)[None, :, :]
        return np.einsum("pwi,ij,pwj->pw", shifted, CURVATURE, shifted) / 2


@pytest.mark.parametrize(
    "source",
    [
        zoo.paper.Smoothed(5, 3),
        zoo.paper.Smoothed(5, 3, difference="central"),
        zoo.paper.Paired(4),
        zoo.paper.Paired(4, difference="central"),
    ],
    ids=str,
)
def test_point_by_point_and_batched_losses_agree(
    source: zoo.paper.Smoothed | zoo.paper.Paired,
) -> None:
    query, _ = estimate(source, CENTERS[: source.num_observations])
    np.testing.assert_allclose(InProcess(Batched())(query), InProcess(LOSS)(query), rtol=1e-12)


def test_large_queries_are_made_in_blocks_with_the_same_values() -> None:
    """Beyond what is kept in memory directions are made twice; nothing else changes."""
    m, source = 40_000, zoo.paper.Smoothed(30, distribution=zoo.paper.Rademacher())
    x = np.zeros(m)
    query = source.query(1, x, 0.5, (3, 4), None, zoo.sets.WholeSpace())
    assert query.kept is None
    loss = zoo.Loss(values=lambda points: points.sum(axis=1))
    g = source.gradient(query, InProcess(loss)(query))
    directions = (query.points[1:] - x) / 0.5
    np.testing.assert_allclose(g, (directions.sum(axis=1) @ directions) / 30, rtol=1e-9, atol=1e-9)
