"""Monte Carlo against the exact first and second moments of the gradient estimates.

Seeds are fixed, the Monte Carlo index is the iteration t, and every bound is 4 standard errors of
the mean over t. Observations are drawn with replacement from a finite population, so that the mean
and the covariance of what the loss sees are exact numbers and not estimates.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import zooadmm as zoo
from zooadmm.oracle.directions import Address, Distribution
from zooadmm.oracle.gradients.differences import DifferenceSource
from zooadmm.oracle.randomness import Key, key_from

STANDARD_ERRORS = 4.0
ROUNDING = 1e-9  # for what is exact up to rounding, where the standard error is zero

INDEPENDENT = (zoo.paper.Sphere(), zoo.paper.Gaussian(), zoo.paper.Rademacher())
WITHOUT_REPLACEMENT = (zoo.paper.Coordinate(), zoo.paper.Orthogonal())
DISTRIBUTIONS = INDEPENDENT + WITHOUT_REPLACEMENT
CONSTANT_LENGTH = tuple(mu for mu in DISTRIBUTIONS if mu != zoo.paper.Gaussian())

M = 6
RADIUS = 0.3
X = np.array([0.4, -0.2, 1.0, 0.0, -0.7, 0.5])


def named(mu: Distribution) -> str:
    return type(mu).__name__


def assert_mean(samples: np.ndarray, expected: Any) -> None:
    """The mean of the rows is the expected one, entry by entry, within 4 standard errors."""
    error = samples.std(axis=0, ddof=1) / math.sqrt(len(samples))
    off = np.abs(samples.mean(axis=0) - expected)
    allowed = STANDARD_ERRORS * error + ROUNDING * (1.0 + np.abs(expected))
    worst = np.max(off / allowed) * STANDARD_ERRORS
    assert np.all(off <= allowed), f"off by {worst:.1f} standard errors"


# The directions by themselves


def directions(mu: Distribution, m: int, q: int, iterations: int, seed: int = 0) -> np.ndarray:
    """z_{t,j} for t = 1..iterations and j = 1..q."""
    key = key_from(seed)
    every_t = range(1, iterations + 1)
    return np.stack([mu.rows(Address(key, t, q), 0, q, m, np.float64) for t in every_t])


@pytest.mark.parametrize("q", [1, 4, 8])
@pytest.mark.parametrize("mu", DISTRIBUTIONS, ids=named)
def test_covariance_is_the_identity(mu: Distribution, q: int) -> None:
    m = 5  # q = 8 runs into a second cycle of the directions without replacement
    z = directions(mu, m, q, iterations=4000, seed=1)
    of_iteration = np.einsum("tji,tjk->tik", z, z) / q
    assert_mean(of_iteration, np.eye(m))


@pytest.mark.parametrize("mu", DISTRIBUTIONS, ids=named)
def test_covariance_is_the_identity_for_every_place_in_the_iteration(mu: Distribution) -> None:
    m, q = 4, 6
    z = directions(mu, m, q, iterations=4000, seed=2)
    for j in range(q):
        assert_mean(np.einsum("ti,tk->tik", z[:, j], z[:, j]), np.eye(m))


@pytest.mark.parametrize("m", [1, 2, 7, 64, 65, 1000])
@pytest.mark.parametrize("mu", CONSTANT_LENGTH, ids=named)
def test_length_is_the_square_root_of_m(mu: Distribution, m: int) -> None:
    lengths = np.linalg.norm(directions(mu, m, 5, iterations=20), axis=2)
    np.testing.assert_allclose(lengths, math.sqrt(m), rtol=1e-13)


@pytest.mark.parametrize("m", [3, 20])
@pytest.mark.parametrize("mu", DISTRIBUTIONS, ids=named)
def test_s_and_M_are_what_they_are_said_to_be(mu: Distribution, m: int) -> None:
    z = directions(mu, m, 1, iterations=6000, seed=3)[:, 0]
    a = np.cos(np.arange(m))
    along = z @ a
    assert_mean(np.square(along) * np.square(z).sum(axis=1), mu.s(m) * (a @ a))
    assert_mean(np.square(z).sum(axis=1) ** 3, mu.M(m) ** 2)


@pytest.mark.parametrize("q", [1, 3, 8])
@pytest.mark.parametrize("mu", DISTRIBUTIONS, ids=named)
def test_directions_are_symmetric(mu: Distribution, q: int) -> None:
    """z is distributed like -z: it has no first and no third moments."""
    z = directions(mu, 4, q, iterations=8_000)
    assert_mean(z, 0.0)
    assert_mean(np.einsum("tja,tjb,tjc->tabc", z, z, z) / q, 0.0)


@pytest.mark.parametrize("m", [3, 20])
@pytest.mark.parametrize("mu", DISTRIBUTIONS, ids=named)
def test_reach_bounds_every_entry_and_is_not_far_from_attained(mu: Distribution, m: int) -> None:
    largest = np.abs(directions(mu, m, m, iterations=2000)).max()
    if mu == zoo.paper.Gaussian():
        assert math.isinf(mu.reach(m))
    else:
        assert largest <= mu.reach(m) * (1 + 1e-12)
        assert largest >= 0.7 * mu.reach(m)


@pytest.mark.parametrize("m", [2, 5, 8, 33])
def test_orthogonal_directions_are_orthogonal_within_every_m_of_them(m: int) -> None:
    q = 2 * m + m // 2  # two whole cycles and a part of the third
    for z in directions(zoo.paper.Orthogonal(), m, q, iterations=10):
        for start in range(0, q, m):
            cycle = z[start : start + m]
            np.testing.assert_allclose(cycle @ cycle.T, m * np.eye(len(cycle)), atol=1e-12 * m)


@pytest.mark.parametrize("mu", INDEPENDENT, ids=named)
def test_independent_directions_are_uncorrelated(mu: Distribution) -> None:
    z = directions(mu, 4, 2, iterations=4000, seed=4)
    assert_mean(np.einsum("ti,tk->tik", z[:, 0], z[:, 1]), 0.0)
    assert_mean(np.einsum("ti,ti->t", z[:, 0], z[:, 1]) ** 2, 4.0)  # E <z, z'>^2 = tr I


# Losses whose moments are known


def population(m: int, spread: float, count: int = 16) -> np.ndarray:
    """Slopes w of <w, x>, one a row; their mean has length 1 and tr Cov = spread, exactly."""
    rng = np.random.default_rng(7)
    mean = rng.standard_normal(m)
    noise = rng.standard_normal((count, m))
    noise -= noise.mean(axis=0)
    noise *= math.sqrt(spread * count / np.square(noise).sum())
    return mean / np.linalg.norm(mean) + noise


def trace_of_covariance(slopes: np.ndarray) -> float:
    return float(np.square(slopes - slopes.mean(axis=0)).sum() / len(slopes))


SLOPES = population(M, spread=2.0)
CURVATURE = np.array(
    [
        [2.0, 0.5, 0.0, 0.0, 0.0, -0.3],
        [0.5, 1.0, 0.2, 0.0, 0.0, 0.0],
        [0.0, 0.2, 0.5, 0.1, 0.0, 0.0],
        [0.0, 0.0, 0.1, -1.0, 0.4, 0.0],
        [0.0, 0.0, 0.0, 0.4, 1.5, 0.0],
        [-0.3, 0.0, 0.0, 0.0, 0.0, 3.0],
    ]
)


def linear(points: np.ndarray, observations: np.ndarray) -> np.ndarray:
    """f(x; w) = <w, x>."""
    return points @ np.asarray(observations).T


def quadratic(points: np.ndarray, observations: np.ndarray) -> np.ndarray:
    """f(x; w) = <w, x> + x'Hx/2."""
    curved = 0.5 * np.einsum("pi,ik,pk->p", points, CURVATURE, points)
    return linear(points, observations) + curved[:, None]


def estimates(
    source: DifferenceSource,
    *losses: Callable[..., np.ndarray],
    iterations: int,
    seed: int,
    slopes: np.ndarray = SLOPES,
    x: np.ndarray = X,
    radius: float = RADIUS,
) -> np.ndarray:
    """g_t of every loss at one x for t = 1..iterations, one a row."""
    key: Key = key_from(seed)
    observations = zoo.Samples(slopes)
    source.fitted(zoo.sets.WholeSpace(), len(x), observations, along=False)
    rows = np.empty((len(losses), iterations, len(x)))
    for t in range(1, iterations + 1):
        batch = observations.draw(t, source.num_observations, key, ())
        query = source.query(t, x, radius, key, batch, zoo.sets.WholeSpace())
        tables = list(query.tables())
        for of_loss, loss in zip(rows, losses, strict=True):
            answer = [loss(table.points, table.observations).ravel() for table in tables]
            of_loss[t - 1] = source.gradient(query, np.concatenate(answer).reshape(query.shape))
    return rows


STRATEGIES: dict[str, Callable[..., DifferenceSource]] = {
    "two-point": lambda **named: zoo.paper.Smoothed(1, 1, **named),
    "directions": lambda **named: zoo.paper.Smoothed(3, 1, **named),
    "observations": lambda **named: zoo.paper.Smoothed(1, 4, **named),
    "hybrid": lambda **named: zoo.paper.Smoothed(4, 3, **named),
    "all directions": lambda **named: zoo.paper.Smoothed(M, 2, **named),
    "more than m directions": lambda **named: zoo.paper.Smoothed(M + 3, 2, **named),
    "paired": lambda **named: zoo.paper.Paired(4, **named),
    "more than m pairs": lambda **named: zoo.paper.Paired(M + 3, **named),
}

every_strategy = pytest.mark.parametrize("strategy", STRATEGIES)
every_distribution = pytest.mark.parametrize("mu", DISTRIBUTIONS, ids=named)
both_differences = pytest.mark.parametrize("difference", ["forward", "central"])


def second_moment(source: DifferenceSource, m: int, slopes: np.ndarray) -> float:
    """E |g|^2 for f(x; w) = <w, x>, exactly.

    With a = E w and V = E |w - a|^2. Directions z_1, ..., z_q that are independent have
    E |<w, z> z|^2 = s |w|^2 and E[z_i z_i' z_j z_j'] = I, hence

        crossed with q2 observations:     (1 + (s - 1)/q1) (|a|^2 + V/q2),
        each with an observation its own: (s/q) (|a|^2 + V) + (1 - 1/q) |a|^2.

    Without replacement, k whole cycles of m directions and r more make sum_j z_j z_j' = m (k I + P)
    with P a random projection of rank r, E P = (r/m) I, hence

        crossed: (m/q1)^2 (k^2 + 2 k r/m + r/m) (|a|^2 + V/q2),   which is m/q1 (...) for q1 <= m,
        paired:  (m/q) (|a|^2 + V) + c |a|^2,

    where c counts the pairs of directions from different cycles, c = (q^2 - k m^2 - r^2)/q^2:
    directions of one cycle are orthogonal to each other.
    """
    a, V = slopes.mean(axis=0), trace_of_covariance(slopes)
    size, s = float(a @ a), source.distribution.s(m)
    q = source.count
    cycles, rest = divmod(q, m)
    if isinstance(source, zoo.paper.Paired):
        if source.distribution in INDEPENDENT:
            return s / q * (size + V) + (1 - 1 / q) * size
        across = (q * q - cycles * m * m - rest * rest) / (q * q)
        return m / q * (size + V) + across * size
    if source.distribution in INDEPENDENT:
        factor = 1 + (s - 1) / q
    else:
        factor = (m / q) ** 2 * (cycles**2 + (2 * cycles + 1) * rest / m)
    return factor * (size + V / source.num_observations)


# First and second moments of the estimates


@both_differences
@every_distribution
@every_strategy
def test_linear_and_quadratic_loss(strategy: str, mu: Distribution, difference: str) -> None:
    """E g = grad f for both, E |g|^2 as above for the linear one, and Lemma 1 for the quadratic.

    In general E g = grad f + (beta/2) E[(z'Hz) z], the gradient of the smoothed loss; but every
    distribution is symmetric, z like -z, and so has no third moments.
    """
    source = STRATEGIES[strategy](distribution=mu, difference=difference)
    g, curved = estimates(source, linear, quadratic, iterations=1000, seed=11)
    assert_mean(g, SLOPES.mean(axis=0))
    assert_mean(np.square(g).sum(axis=1), second_moment(source, M, SLOPES))

    gradient = SLOPES.mean(axis=0) + CURVATURE @ X
    assert_mean(curved, gradient)
    Lg = np.linalg.norm(CURVATURE, 2)
    bound = 0.5 * RADIUS * Lg * cubed_length(mu, M)
    error = math.sqrt(curved.var(axis=0, ddof=1).sum() / len(curved))
    assert np.linalg.norm(curved.mean(axis=0) - gradient) <= bound + STANDARD_ERRORS * error


def cubed_length(mu: Distribution, m: int) -> float:
    """E |z|^3."""
    if mu == zoo.paper.Gaussian():
        return 2**1.5 * math.gamma((m + 3) / 2) / math.gamma(m / 2)
    return m**1.5


@both_differences
def test_all_coordinates_are_the_gradient_by_finite_differences(difference: str) -> None:
    """Forward, each entry is off by (beta/2) sqrt(m) H_ii, up or down as its direction points."""
    source = zoo.paper.Smoothed(M, 1, distribution=zoo.paper.Coordinate(), difference=difference)
    (g,) = estimates(source, quadratic, iterations=20, seed=13, slopes=SLOPES[:1])
    off = g - (SLOPES[0] + CURVATURE @ X)
    if difference == "central":
        np.testing.assert_allclose(off, 0.0, atol=1e-12)
        return
    z = directions(zoo.paper.Coordinate(), M, M, iterations=20, seed=13)
    signs = np.sign(z.sum(axis=1))  # the one direction along each coordinate
    bias = 0.5 * RADIUS * math.sqrt(M) * np.diag(CURVATURE)
    np.testing.assert_allclose(off, signs * bias, atol=1e-12)


def test_lemma_1_where_the_bias_is_not_zero() -> None:
    """f(x) = sum cos(x_i): E g by Gaussian directions is -exp(-beta^2/2) sin(x)."""
    source = zoo.paper.Smoothed(20, distribution=zoo.paper.Gaussian())
    (g,) = estimates(
        source,
        lambda points, _: np.cos(points).sum(axis=1)[:, None],
        iterations=3000,
        seed=14,
        slopes=SLOPES[:1],
        radius=1.0,
    )
    assert_mean(g, -math.exp(-0.5) * np.sin(X))
    bias = np.linalg.norm((1 - math.exp(-0.5)) * np.sin(X))
    error = math.sqrt(g.var(axis=0, ddof=1).sum() / len(g))
    assert bias > 10 * error  # so the bound below is about the bias
    assert np.linalg.norm(g.mean(axis=0) + np.sin(X)) <= 0.5 * cubed_length(zoo.paper.Gaussian(), M)


# Corollary 3 as printed


@pytest.mark.parametrize(("q1", "q2", "exact"), [(1, 50, 100.02), (5, 10, 20.82), (1, 400, 100.0)])
@pytest.mark.parametrize("mu", [zoo.paper.Sphere(), zoo.paper.Rademacher()], ids=named)
def test_the_printed_second_moment_of_corollary_3_does_not_hold(
    mu: Distribution, q1: int, q2: int, exact: float
) -> None:
    """Directions and observations that are crossed do not act as q1 q2 independent pairs.

    m = 100, |g| = 1, tr Cov = 0.01. For (1, 50) the corollary prints a bound of 6.06 and the second
    moment is 100.02: averaging over observations leaves the noise of the single direction as it is.
    """
    m, slopes = 100, population(100, spread=0.01)
    printed = 2 * (1 + m / (q1 * q2)) * (1 + 0.01)
    source = zoo.paper.Smoothed(q1, q2, distribution=mu)
    assert second_moment(source, m, slopes) == pytest.approx(exact, abs=0.01)
    (g,) = estimates(source, linear, iterations=1500, seed=15, slopes=slopes, x=np.zeros(m))
    squares = np.square(g).sum(axis=1)
    assert_mean(squares, exact)
    error = squares.std(ddof=1) / math.sqrt(len(squares))
    assert squares.mean() - 2 * STANDARD_ERRORS * error > printed


def test_the_printed_figures() -> None:
    printed = {(1, 50): 6.06, (5, 10): 6.06, (1, 400): 2.525}
    for (q1, q2), figure in printed.items():
        assert 2 * (1 + 100 / (q1 * q2)) * (1 + 0.01) == pytest.approx(figure)


@every_distribution
def test_the_printed_second_moment_holds_for_pairs(mu: Distribution) -> None:
    m, q, slopes = 100, 50, population(100, spread=0.01)
    source = zoo.paper.Paired(q, distribution=mu)
    (g,) = estimates(source, linear, iterations=300, seed=16, slopes=slopes, x=np.zeros(m))
    squares = np.square(g).sum(axis=1)
    assert_mean(squares, second_moment(source, m, slopes))
    assert squares.mean() < 2 * (1 + mu.s(m) / q) * (1 + 0.01)


def test_counts_may_be_whole_floats() -> None:
    source = zoo.paper.Smoothed(1e1, 2.0)  # type: ignore[arg-type]
    assert (source.num_directions, source.num_observations) == (10, 2)
    assert source == zoo.paper.Smoothed(10, 2)
