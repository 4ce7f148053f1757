"""The bounds of `zooadmm.analysis.theory` against runs whose constants are known.

Seeds are fixed. A bound on an expectation has to hold for the mean over runs plus 4 standard
errors; a violation has to show in the mean minus 4 standard errors.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pytest
import scipy.sparse

import zooadmm as zoo
from zooadmm.analysis import theory
from zooadmm.analysis.theory import Assumptions, Method, method_of
from zooadmm.evaluation import InProcess
from zooadmm.methods.paper.schedules import general_smoothing, general_step_size
from zooadmm.methods.schedule import Constant, Power
from zooadmm.oracle.directions import Address, Distribution
from zooadmm.oracle.randomness import key_from
from zooadmm.problem.sets import L2Ball

STANDARD_ERRORS = 4.0
INDEPENDENT = (zoo.paper.Sphere(), zoo.paper.Gaussian(), zoo.paper.Rademacher())
DISTRIBUTIONS = (*INDEPENDENT, zoo.paper.Coordinate(), zoo.paper.Orthogonal())


def named(thing: object) -> str:
    return type(thing).__name__


class Mean(NamedTuple):
    """A mean over runs and its standard error."""

    value: float
    error: float

    @property
    def low(self) -> float:
        return self.value - STANDARD_ERRORS * self.error

    @property
    def high(self) -> float:
        return self.value + STANDARD_ERRORS * self.error


def mean(samples: Any) -> Mean:
    samples = np.asarray(samples)
    return Mean(float(samples.mean()), float(samples.std(ddof=1)) / math.sqrt(len(samples)))


def slope(at: Sequence[float], values: Sequence[float]) -> float:
    """The exponent p of the power law values ~ at^p that fits best."""
    return float(np.polyfit(np.log(at), np.log(values), 1)[0])


# The inequality itself, path by path


def test_the_inequality_holds_on_every_path_and_is_not_far_from_attained() -> None:
    """f_t = <g_t, x> + (sigma/2)|x|^2 with exact gradients: nothing is random in (*).

    The start, the comparator and the dual vector are chosen to make the left-hand side large. It
    comes to three quarters of the right-hand side, so no term of it is there for nothing.
    """
    rng = np.random.default_rng(0)
    largest = 0.0
    for _ in range(1500):
        m, T = int(rng.integers(1, 4)), int(rng.integers(1, 6))
        A = rng.standard_normal((rng.integers(1, 4), m)) if rng.random() < 0.5 else np.eye(m)
        B, rows = -float(rng.choice([0.5, 1.0, 2.0])), len(A)
        strength, sigma = float(rng.choice([0.0, 0.3, 3.0])), float(rng.choice([0.0, 0.0, 0.5]))
        size, rho = 10 ** rng.uniform(-1, 1, size=2)
        x_1 = np.sign(rng.standard_normal(m))
        x, y = (-x_1 if rng.random() < 0.5 else rng.uniform(-1, 1, m)), rng.uniform(-1, 1, rows)
        run = zoo.Optimizer(
            x_1,
            y0=-np.sign(y),
            domain=zoo.Box(-1, 1),
            regularizer=zoo.regularizers.Within(zoo.L1(strength), zoo.Box(-1, 1)),
            constraint=zoo.Linear(A, B, A @ x + B * y),
            settings="paper",
            gradient=zoo.paper.Exact(),
            step_size=Power(10 ** rng.uniform(-1, 1), rng.choice([0.0, 0.5, 1.0])),
            penalty=rho,
            proximal_weight=rng.choice(["varying", "constant"]),
            max_iterations=T,
        )
        xs, ys, gradients, regret = [], [], [], 0.0
        while (query := run.ask()) is not None:
            g = x_1 - x + 0.3 * rng.standard_normal(m)
            g *= size / np.linalg.norm(g)
            at = run.state
            regret += g @ (at.x - x) + sigma / 2 * (at.x @ at.x - x @ x)
            regret += strength * (np.abs(at.y).sum() - np.abs(y).sum())
            xs.append(at.x)
            ys.append(at.y)
            gradients.append(g + sigma * at.x)
            run.tell(query.id, gradients[-1])
        r = np.array([*xs, run.state.x]) @ A.T + B * np.array([*ys, run.state.y]) - (A @ x + B * y)
        known = Assumptions(
            R=2 * math.sqrt(max(m, rows)),
            L1=max(np.linalg.norm(g) for g in gradients),
            L2=strength * math.sqrt(rows),
            Lg=0.0,
            sigma=sigma,
        )
        left = regret + rho / 2 * np.square(r[2:]).sum()
        against = np.linalg.norm(r[:-1].sum(axis=0))
        for dual_norm in (0.0, 1.0, rho * against):  # l points where it costs most
            right = T * theory.fixed_dual_bound(T, method_of(run.algorithm), known, dual_norm)
            assert left + dual_norm * against <= right
            largest = max(largest, (left + dual_norm * against) / right)
    assert largest > 0.75


# The printed Theorem 1 against a counterexample that meets all assumptions

M = 5
HORIZONS = (1_000, 3_162, 10_000, 31_623, 100_000)
KNOWN = Assumptions(R=2 * math.sqrt(M), L1=math.sqrt(M), L2=math.sqrt(M), Lg=0.0)


def counterexample(
    gradient: zoo.paper.Smoothed | zoo.paper.Exact, **arguments: Any
) -> zoo.Optimizer:
    """f_t = <random signs, x>, phi = |y|_1, X = Y = [-1, 1]^5, x = y, constant alpha, rho = 0.1."""
    return zoo.Optimizer(
        np.zeros(M),
        domain=zoo.Box(-1, 1),
        regularizer=zoo.regularizers.Within(zoo.L1(1.0), zoo.Box(-1, 1)),
        gradient=gradient,
        step_size=general_step_size(M),
        penalty=0.1,
        settings="paper",
        proximal_weight="constant",
        **arguments,
    )


def steps(
    runs: int, T: int
) -> Iterator[tuple[int, np.ndarray, np.ndarray, np.ndarray, np.ndarray]]:
    """(t, w_t, g_t, x_t, y_t) of many independent runs side by side, one a row, by hand.

    g_t is the two-point estimate (5), which is <w, z> z for a linear loss.
    """
    rng, chunk, rho = np.random.default_rng(1), 2_000, 0.1
    x, y, dual = np.zeros((3, runs, M))
    alpha = 1 + rho / math.sqrt(M)
    for start in range(0, T, chunk):
        w = rng.integers(0, 2, (chunk, runs, M)) * 2.0 - 1.0
        z = rng.standard_normal((chunk, runs, M))
        z *= math.sqrt(M) / np.linalg.norm(z, axis=2, keepdims=True)
        g = (w * z).sum(axis=2, keepdims=True) * z
        for t in range(start + 1, min(start + chunk, T) + 1):
            k = t - 1 - start
            yield t, w[k], g[k], x, y
            eta = 1 / math.sqrt(M * t)
            x = np.minimum(np.maximum(x + eta / alpha * (dual - rho * (x - y) - g[k]), -1), 1)
            v = x - dual / rho
            y = v - np.minimum(np.maximum(v, -1 / rho), 1 / rho)
            y = np.minimum(np.maximum(y, -1), 1)
            dual = dual - rho * (x - y)


@dataclass
class Figures:
    """Means over runs, by horizon."""

    regret: dict[int, Mean]
    completed_regret: dict[int, Mean]
    average_gap: dict[int, Mean]
    residual: dict[int, Mean]
    squared_residual: dict[int, Mean]


one_process = pytest.mark.xdist_group("figures of theory")
"""For tests of the same figures, which take a while."""


@pytest.fixture(scope="module")
def figures() -> Figures:
    """The best fixed x is 0, in hindsight as in expectation, once no mean of signs reaches 1."""
    runs = 24
    found = Figures({}, {}, {}, {}, {})
    loss, at_y, at_x, r, r_squared = np.zeros((5, runs))
    x_sum = np.zeros((runs, M))
    for t, w, _, x, y in steps(runs, HORIZONS[-1]):
        loss += (w * x).sum(axis=1)
        at_y += np.abs(y).sum(axis=1)
        at_x += np.abs(x).sum(axis=1)  # y' = x
        square = np.square(x - y).sum(axis=1)
        r += np.sqrt(square)
        r_squared += square
        x_sum += x
        if t in HORIZONS:
            found.regret[t] = mean((loss + at_y) / t)
            found.completed_regret[t] = mean((loss + at_x) / t)
            found.average_gap[t] = mean(np.abs(x_sum / t).sum(axis=1))
            found.residual[t] = mean(r / t)
            found.squared_residual[t] = mean(r_squared / t)
    return found


METHOD = method_of(counterexample(zoo.paper.Smoothed(1)).algorithm)


def test_the_loop_by_hand_is_the_library() -> None:
    run = counterexample(zoo.paper.Exact(), max_iterations=300)
    for _, _, g, x, y in steps(2, 300):
        query = run.ask()
        assert query is not None
        np.testing.assert_allclose(run.state.x, x[1], atol=1e-12)
        np.testing.assert_allclose(run.state.y, y[1], atol=1e-12)
        run.tell(query.id, g[1])


@one_process
def test_the_printed_theorem_1_does_not_hold(figures: Figures) -> None:
    """At {x_t, y'_t} the regret is 0.398 after 10^5 iterations; the bound, with all of K, is 0.145.

    With exact gradients in place of the two-point estimate it is 0.319, above the bound as well.
    """
    printed = theory.printed_theorem_1(100_000, METHOD, KNOWN)
    assert printed == pytest.approx(0.1453, abs=1e-4)
    assert figures.completed_regret[100_000].value == pytest.approx(0.398, abs=0.004)
    for T in (10_000, 31_623, 100_000):
        assert figures.completed_regret[T].low > 1.5 * theory.printed_theorem_1(T, METHOD, KNOWN)
        rate = theory.printed_regret_rate(T, METHOD, KNOWN, C1=1.0, C2=1.0)
        assert figures.completed_regret[T].low > 1.5 * rate
    assert slope(HORIZONS[2:], [figures.completed_regret[T].value for T in HORIZONS[2:]]) > -0.35


@one_process
def test_the_sound_bounds_do(figures: Figures) -> None:
    for T in HORIZONS:
        assert figures.regret[T].high <= theory.regret_bound(T, METHOD, KNOWN)
        assert figures.average_gap[T].high <= theory.average_gap_bound(T, METHOD, KNOWN)
        assert figures.squared_residual[T].high <= theory.residual_bound(T, METHOD, KNOWN)
        bound = theory.completed_regret_bound(T, METHOD, KNOWN)
        assert figures.completed_regret[T].high <= bound
        # what the completed bound adds to the regret: L2 |B^-1| mean |r|
        cost = math.sqrt(M) * figures.residual[T].high
        assert figures.completed_regret[T].value <= figures.regret[T].high + cost


@one_process
def test_how_fast_they_fall(figures: Figures) -> None:
    """Regret at {x_t, y_t} like T^-1/2, and a bound of that order within a factor of 5."""
    late = HORIZONS[2:]
    assert slope(late, [figures.regret[T].value for T in late]) <= -0.4
    assert slope(late, [theory.regret_bound(T, METHOD, KNOWN) for T in late]) <= -0.49
    assert slope(late, [theory.completed_regret_bound(T, METHOD, KNOWN) for T in late]) <= -0.24
    assert theory.regret_bound(late[-1], METHOD, KNOWN) < 5 * figures.regret[late[-1]].value
    assert figures.regret[100_000].value == pytest.approx(0.0285, abs=0.001)
    assert figures.average_gap[100_000].value == pytest.approx(0.002, abs=0.0005)


# Corollary 3 as printed


@pytest.mark.parametrize(("q1", "q2"), [(1, 50), (5, 10), (1, 400)])
def test_the_printed_second_moment_holds_for_pairs_only(q1: int, q2: int) -> None:
    """m = 100, |E grad f| = 1, tr Cov = 0.01, f linear, so that `second_moment` is exact."""
    m, noise = 100, 0.01
    L1 = math.sqrt(1 + noise)
    crossed, pairs = zoo.paper.Smoothed(q1, q2), zoo.paper.Paired(q1 * q2)
    printed = theory.printed_second_moment(crossed, m, L1)
    assert printed == theory.printed_second_moment(pairs, m, L1)
    assert printed == pytest.approx(2.02 * (1 + m / (q1 * q2)))
    assert theory.second_moment(crossed, m, 1.0, noise) > 3 * printed
    assert theory.second_moment(pairs, m, 1.0, noise) < printed
    for mu in DISTRIBUTIONS:
        single = zoo.paper.Smoothed(q1, 1, distribution=mu)
        assert theory.second_moment(single, m, 1.0, noise) <= theory.printed_second_moment(
            single, m, L1
        )


@pytest.mark.parametrize("mu", DISTRIBUTIONS, ids=named)
@pytest.mark.parametrize("q", [1, 3, 5, 8, 13])
def test_spread_is_what_it_is_said_to_be(mu: Distribution, q: int) -> None:
    """m = 5: less than a cycle of the directions without replacement, one, and parts of more."""
    key, a, samples = key_from(21), np.array([1.0, -2.0, 0.5, 0.0, 3.0]), []
    for t in range(1, 2001):
        z = mu.rows(Address(key, t, q), 0, q, 5, np.float64)
        samples.append(np.square(z.T @ (z @ a) / q).sum() / (a @ a))
    measured = mean(samples)
    off = abs(measured.value - mu.spread(5, q))
    assert off <= STANDARD_ERRORS * measured.error + 1e-12
    assert mu.spread(5, 1) == mu.s(5)


CURVATURES = np.array([2.0, 0.5, 1.0, 0.0, 1.5])
SLOPES = np.array([[1.0, 0.0, 2.0, 0.0, 0.0], [0.0, 0.5, -1.0, 0.0, 0.3]])
NOISE = float(np.square(SLOPES - SLOPES.mean(axis=0)).sum() / 2)

SOURCES: dict[str, Callable[[Distribution], zoo.paper.Smoothed | zoo.paper.Paired]] = {
    "two-point": lambda mu: zoo.paper.Smoothed(1, 1, distribution=mu),
    "hybrid": lambda mu: zoo.paper.Smoothed(3, 2, distribution=mu),
    "more than m directions": lambda mu: zoo.paper.Smoothed(8, 2, distribution=mu),
    "paired": lambda mu: zoo.paper.Paired(3, distribution=mu),
    "more than m pairs": lambda mu: zoo.paper.Paired(8, distribution=mu),
}


def bowl(curvatures: np.ndarray) -> Callable[..., np.ndarray]:
    """f(x; w) = sum_i c_i x_i^2/2 - <w, x>, with w a row of SLOPES."""

    def values(points: np.ndarray, observations: np.ndarray) -> np.ndarray:
        curved = 0.5 * (np.square(points) @ curvatures)[:, None]
        return np.asarray(curved - points @ np.asarray(observations).T)

    return values


@pytest.mark.parametrize("mu", DISTRIBUTIONS, ids=named)
@pytest.mark.parametrize("kind", SOURCES)
def test_second_moments(kind: str, mu: Distribution) -> None:
    """`second_moment` is E|g|^2 for a linear loss, and a bound on it for a smooth one.

    It is itself below Lemma 1 where that applies.
    """
    source, x, beta, Lg = SOURCES[kind](mu), np.array([0.4, -1.0, 0.0, 2.0, 0.7]), 0.4, 2.0
    evaluators = [InProcess(zoo.Loss(values=bowl(c))) for c in (np.zeros(M), CURVATURES)]
    key, observations, squares = key_from(22), zoo.Samples(SLOPES), []
    for t in range(1, 1501):
        batch = observations.draw(t, source.num_observations, key, ())
        query = source.query(t, x, beta, key, batch, zoo.sets.WholeSpace())
        gradients = [source.gradient(query, evaluate(query)) for evaluate in evaluators]
        squares.append(np.square(gradients).sum(axis=1))
    linear, smooth = (mean(column) for column in np.transpose(squares))

    slope_at = float(np.linalg.norm(SLOPES.mean(axis=0)))
    exact = theory.second_moment(source, M, slope_at, NOISE, smoothing=beta)
    assert linear.low <= exact <= linear.high

    slope_at = float(np.linalg.norm(CURVATURES * x - SLOPES.mean(axis=0)))
    bound = theory.second_moment(source, M, slope_at, NOISE, beta, Lg)
    assert smooth.high <= bound
    if kind == "two-point":
        rms = math.sqrt(slope_at**2 + NOISE)
        assert bound <= theory.lemma_1_second_moment(mu, M, rms, beta, Lg)


def test_the_second_moment_of_exact_gradients() -> None:
    assert theory.second_moment(zoo.paper.Exact(4), M, 3.0, 2.0, smoothing=1.0, Lg=1.0) == 9.5


# Smooth losses with known constants, in the library


@dataclass(frozen=True)
class Separable:
    """f(x; w) = sum_i h(x_i - w_i), phi = strength |y|_1, X = [-1, 1]^m, a_i x_i = b y_i.

    w is a uniformly drawn row of `population`.
    """

    curve: Callable[[np.ndarray], np.ndarray]
    population: np.ndarray
    strength: float
    a: np.ndarray
    b: float

    def values(self, points: np.ndarray, observations: np.ndarray) -> np.ndarray:
        return self.curve(points[:, None] - np.asarray(observations)[None]).sum(axis=2)

    def run(self, T: int, rng: int, **arguments: Any) -> tuple[Any, ...]:
        """(method, x_1..x_T, y_1..y_T, the observations of each iteration)."""
        limit = float(self.a.max()) / self.b
        run = zoo.Optimizer(
            np.ones(len(self.a)),
            settings="paper",
            domain=zoo.Box(-1, 1),
            regularizer=zoo.regularizers.Within(zoo.L1(self.strength), zoo.Box(-limit, limit)),
            constraint=zoo.Linear(np.diag(self.a), -self.b),
            observations=self.population,
            max_iterations=T,
            rng=rng,
            **arguments,
        )
        evaluate, xs, ys, ws = InProcess(zoo.Loss(values=self.values)), [], [], []
        while (query := run.ask()) is not None:
            xs.append(run.state.x)
            ys.append(run.state.y)
            ws.append(query.observations)
            run.tell(query.id, evaluate(query))
        return method_of(run.algorithm), np.array(xs), np.array(ys), np.array(ws)

    def regret(self, xs: Any, ys: Any, ws: Any, x: Any) -> np.ndarray:
        """The average regret at {x_t, y_t} after t = 1..T iterations, against x."""
        losses = self.curve(xs[:, None] - ws).sum(axis=2).mean(axis=1)
        losses -= self.curve(x - ws).sum(axis=2).mean(axis=1)
        phi = self.strength * (np.abs(ys).sum(axis=1) - np.abs(self.a * x / self.b).sum())
        return np.asarray(np.cumsum(losses + phi) / np.arange(1, len(xs) + 1))

    def squared_residuals(self, xs: Any, ys: Any) -> np.ndarray:
        squares = np.square(self.a * xs - self.b * ys).sum(axis=1)
        return np.asarray(np.cumsum(squares) / np.arange(1, len(xs) + 1))


SIGNS = np.array(list(itertools.product([-1.0, 1.0], repeat=4)))

HUBER = Separable(
    curve=lambda u: np.sqrt(0.25 + np.square(u)),
    population=3.0 * SIGNS,
    strength=2.0,
    a=np.array([1.0, 2.0, 1.5, 2.0]),
    b=2.0,
)
"""|h'| < 1 and h'' <= 2 everywhere, and x = 0 is best for every w: |h'| is below 2 a_i/b."""

HUBER_KNOWN = Assumptions(
    R=4.0,
    L1=2.0,
    L2=4.0,
    Lg=2.0,
    # half the signs pull either way: |h'(x - 3) + h'(x + 3)|/2 is largest at x = 1
    mean_gradient=2.0 * 0.5 * (4 / math.sqrt(16.25) - 2 / math.sqrt(4.25)),
)

STRATEGIES = {
    "two-point": lambda mu: zoo.paper.Smoothed(1, 1, distribution=mu),
    "directions": lambda mu: zoo.paper.Smoothed(4, 1, distribution=mu),
    "observations": lambda mu: zoo.paper.Smoothed(1, 4, distribution=mu),
    "hybrid": lambda mu: zoo.paper.Smoothed(3, 2, distribution=mu),
    "paired": lambda mu: zoo.paper.Paired(4, distribution=mu),
}


@pytest.mark.parametrize("mu", INDEPENDENT, ids=named)
@pytest.mark.parametrize("strategy", STRATEGIES)
def test_regret_and_residuals_of_a_smooth_loss(strategy: str, mu: Distribution) -> None:
    T, runs = 300, 6
    regrets, residuals, completed = [], [], []
    for seed in range(runs):
        method, xs, ys, ws = HUBER.run(
            T,
            seed,
            gradient=STRATEGIES[strategy](mu),
            smoothing=general_smoothing(4, C2=1.0, distribution=mu),
            penalty=0.5,
        )
        regrets.append(HUBER.regret(xs, ys, ws, np.zeros(4)))
        completed.append(HUBER.regret(xs, HUBER.a * xs / HUBER.b, ws, np.zeros(4)))
        residuals.append(HUBER.squared_residuals(xs, ys))
    for t in (1, 2, 10, 100, T):
        bound = theory.regret_bound(t, method, HUBER_KNOWN)
        assert mean([regret[t - 1] for regret in regrets]).high <= bound
        bound = theory.completed_regret_bound(t, method, HUBER_KNOWN)
        assert mean([regret[t - 1] for regret in completed]).high <= bound
        bound = theory.residual_bound(t, method, HUBER_KNOWN)
        assert mean([residual[t - 1] for residual in residuals]).high <= bound


def test_the_constants_of_that_loss() -> None:
    """What is measured stays below what is known, and comes near to it."""
    points = list(np.linspace(-1.0, 1.0, 41)[:, None] * np.ones(4))

    def gradient(x: np.ndarray, w: np.ndarray) -> np.ndarray:
        return (x - w) / np.sqrt(0.25 + np.square(x - w))

    L1, Lg = theory.measured_constants(gradient, points, list(HUBER.population))
    assert 0.95 * HUBER_KNOWN.L1 < L1 <= HUBER_KNOWN.L1
    assert Lg <= HUBER_KNOWN.Lg
    means = [np.linalg.norm(np.mean([gradient(x, w) for w in SIGNS * 3.0], axis=0)) for x in points]
    assert max(means) == pytest.approx(HUBER_KNOWN.mean_gradient)


def test_strong_convexity_makes_the_regret_fall_like_log_T_over_T() -> None:
    """f(x; w) = |x - w|^2/2: sigma = Lg = 1, eta_t = 1/t, which a constant alpha does not allow."""
    center, T, runs = np.array([0.5, -0.8, 0.1, 0.0]), 3_000, 8
    squares = Separable(
        curve=lambda u: 0.5 * np.square(u),
        population=center + 0.5 * SIGNS,
        strength=0.2,
        a=np.ones(4),
        b=1.0,
    )
    farthest = float(np.square(1 + np.abs(center)).sum())
    known = Assumptions(
        R=4.0,
        L1=math.sqrt(farthest + 1.0),
        L2=0.4,
        Lg=1.0,
        sigma=1.0,
        mean_gradient=math.sqrt(farthest),
    )
    regrets, residuals = [], []
    for seed in range(runs):
        method, xs, ys, ws = squares.run(
            T,
            seed,
            gradient=zoo.paper.Smoothed(1),
            step_size=zoo.paper.schedules.strongly_convex_step_size(1.0),
            penalty=1.0,
        )
        w = ws.mean(axis=(0, 1))
        best = np.clip(w - np.clip(w, -0.2, 0.2), -1, 1)  # in hindsight of all T
        regrets.append(squares.regret(xs, ys, ws, best))
        residuals.append(squares.squared_residuals(xs, ys))
    horizons = [100, 200, 400, 800, 1500, T]
    for t in (1, 10, *horizons):
        bound = theory.regret_bound(t, method, known)
        # (x, y) may depend on observations, later ones too
        assert mean([regret[t - 1] for regret in regrets]).high <= bound
        bound = theory.residual_bound(t, method, known)
        assert mean([residual[t - 1] for residual in residuals]).high <= bound
    values = [float(np.mean([regret[t - 1] for regret in regrets])) for t in horizons]
    assert 0.9 <= slope([math.log(t) / t for t in horizons], values) <= 1.15
    assert slope(horizons, values) < -0.8
    bounds = [theory.regret_bound(t, method, known) for t in horizons]
    assert 0.9 <= slope([(1 + math.log(t)) / t for t in horizons], bounds) <= 1.15


# How the number of iterations grows with m


def iterations_to(error: float, m: int, step_size: Power, limit: int) -> int:
    """Until the average regret of f(x) = <g, x>, |g| = 1, on the unit ball is down to an error."""
    g = np.random.default_rng(m).standard_normal(m)
    g /= np.linalg.norm(g)
    regrets = np.zeros(limit)
    for seed in range(6):
        run = zoo.Optimizer(
            np.zeros(m),
            settings="paper",
            domain=L2Ball(1.0),
            gradient=zoo.paper.Smoothed(1),
            step_size=step_size,
            penalty=0.1,
            max_iterations=limit,
            rng=seed,
        )
        while (query := run.ask()) is not None:
            regrets[query.id - 1] += g @ run.state.x + 1
            run.tell(query.id, query.points @ g)
    averages = np.cumsum(regrets / 6) / np.arange(1, limit + 1)
    assert averages[-1] <= error
    return int(np.argmax(averages <= error)) + 1


def test_the_number_of_iterations_grows_like_m() -> None:
    """With eta_t = C1/sqrt(m t): the error sqrt(m/T) means T ~ m, and not sqrt m."""
    sizes = [16, 32, 64, 128, 256]
    needed = [iterations_to(0.2, m, general_step_size(m, C1=0.5), 10 * m) for m in sizes]
    assert 0.8 <= slope(sizes, needed) <= 1.2


def test_with_the_step_of_11_as_printed_it_grows_like_m_squared() -> None:
    sizes = [8, 16, 32]
    needed = [iterations_to(0.3, m, Power(0.5 / m, 0.5), 3 * m * m) for m in sizes]
    assert slope(sizes, needed) > 1.6


# The formulas, by hand


def by_hand(**changes: Any) -> Method:
    """eta_t = 0.5/sqrt t, beta_t = 0.1/t, alpha = 8, rho = 2; |A| = 2, |B| = 3, |B^-1| = 1/3."""
    parts: dict[str, Any] = {
        "m": 2,
        "source": zoo.paper.Smoothed(1),
        "step_size": Power(0.5, 0.5),
        "smoothing": Power(0.1, 1.0),
        "proximal_weight": Constant(8.0),
        "penalty": 2.0,
        "A": np.diag([1.0, 2.0]),
        "B": -3.0,
    }
    return Method(**{**parts, **changes})


BY_HAND = Assumptions(R=1.0, L1=3.0, L2=6.0, Lg=2.0)


def test_every_term_of_K() -> None:
    for dual_norm in (0.0, 1.5):
        terms = [
            8.0 * 1 / (2 * 0.5),  # alpha_1 R^2/(2 eta_1)
            2.0 / 2 * 1 * 9,  # (rho/2) R^2 |B|^2
            1 * 6.0,  # R L2
            dual_norm * 1 * (2 + 3),  # |l| R (|A| + |B|)
            dual_norm**2 / (2 * 2.0),  # |l|^2/(2 rho)
        ]
        assert theory.constant(by_hand(), BY_HAND, dual_norm) == pytest.approx(sum(terms))
    printed = [
        8.0 * 1 / (2 * 0.5),
        1 * 2.0 * math.sqrt(5),  # R |l| |A|_F with |l| = 6/3
        2.0**2 / (2 * 2.0),
        1 * math.sqrt(18) * 2.0,  # R |B|_F |l|
        1 * (6.0 + 6.0),  # R (L2 + |B'l|)
    ]
    assert theory.printed_constant(by_hand(), BY_HAND) == pytest.approx(sum(printed))


def test_one_iteration() -> None:
    """T = 1: K, one step and one bias. M(mu) = 2^1.5, so the bias is 0.1 * 2 * 2^1.5/2."""
    K, bias = theory.constant(by_hand(), BY_HAND), 0.1 * 2**1.5
    moment = (math.sqrt(2 * 9) + bias) ** 2
    assert theory.regret_bound(1, by_hand(), BY_HAND) == pytest.approx(K + 0.25 * moment + bias)
    exact = by_hand(source=zoo.paper.Exact())
    assert theory.regret_bound(1, exact, BY_HAND) == pytest.approx(K + 0.25 * 9)
    largest = (1 * (2 + 3)) ** 2
    assert theory.residual_bound(1, by_hand(), BY_HAND) == pytest.approx(largest)
    printed = theory.printed_constant(by_hand(), BY_HAND) + 2 * 9 * 0.5 + 8 * 4 / 4 * 0.5 * 0.01
    assert theory.printed_theorem_1(1, by_hand(), BY_HAND) == pytest.approx(printed)


def test_three_iterations() -> None:
    eta, bias = 0.5 / np.sqrt([1, 2, 3]), 0.1 / np.array([1, 2, 3]) * 2**1.5
    rest = (eta / 2 * np.square(math.sqrt(18) + bias)).sum() + bias.sum()
    K = theory.constant(by_hand(), BY_HAND)
    growth = 8.0 / 2 * (math.sqrt(3) - 1) / 0.5
    bound = theory.regret_bound(3, by_hand(), BY_HAND)
    assert bound == pytest.approx((growth + rest + K) / 3)
    varying = by_hand(proximal_weight=lambda t: 2.0 * 0.5 / math.sqrt(t) * 4 + 1)  # alpha_1 = 5
    K += (5.0 - 8.0) / (2 * 0.5)
    bound = theory.regret_bound(3, varying, BY_HAND)
    assert bound == pytest.approx((growth / 8 + rest + K) / 3)
    convex = Assumptions(R=1.0, L1=3.0, L2=6.0, Lg=2.0, sigma=0.2)
    bound = theory.regret_bound(3, varying, convex)
    assert bound == pytest.approx((growth / 8 - 2 * 0.2 / 2 + rest + K) / 3)


def test_what_completing_costs() -> None:
    T, method = 50, by_hand()
    gap = theory.average_gap_bound(T, method, BY_HAND)
    assert gap == theory.fixed_dual_bound(T, method, BY_HAND, 6.0 / 3)  # L2 |B^-1|
    gap = theory.average_gap_bound(T, method, BY_HAND, complete="x")
    assert gap == theory.fixed_dual_bound(T, method, BY_HAND, 3.0)  # L1 |A^-1|
    given = Assumptions(R=1.0, L1=3.0, L2=0.0, Lg=2.0, dual=4.0)  # an indicator that binds
    bound = 2 / 2.0 * theory.fixed_dual_bound(T, method, given, 4.0) + 2 * 25 / T
    assert theory.residual_bound(T, method, given) == pytest.approx(min(25, bound))
    bound = theory.regret_bound(T, method, BY_HAND)
    bound += 2.0 * math.sqrt(theory.residual_bound(T, method, BY_HAND))
    assert theory.completed_regret_bound(T, method, BY_HAND) == pytest.approx(bound)


def test_the_printed_rates() -> None:
    T, method = 400, by_hand(source=zoo.paper.Smoothed(2, 3))
    known = Assumptions(R=1.0, L1=3.0, L2=6.0, Lg=2.0, sigma=0.5)
    K = theory.printed_constant(method, known)
    rate = 8.0 / (2 * 4.0) + 2 * 4.0 * 9
    wanted = rate * math.sqrt(2 / T) + 5 * 4.0 * 0.09 * 4 / 12 / T + K / T
    assert theory.printed_regret_rate(T, method, known, C1=4.0, C2=0.3) == pytest.approx(wanted)
    wanted = 8.0 * 9 / 0.5 * 2 * math.log(T) / T + 3 * 8.0 * 0.09 * 4 / (8 * 0.5) / T + K / T
    assert theory.printed_corollary_2(T, method, known, C2=0.3) == pytest.approx(wanted)
    wanted = rate * math.sqrt((1 + 2 / 6) / T) + 5 * 4.0 * 0.09 * 4 / 6 / T + K / T
    assert theory.printed_corollary_3(T, method, known, C1=4.0, C2=0.3) == pytest.approx(wanted)
    assert theory.printed_second_moment(method.source, 2, 3.0, 0.1, 2.0) == pytest.approx(
        2 * (1 + 2 / 6) * 9 + 7 / 12 * 0.01 * 4 * 8
    )


def test_the_printed_rate_is_the_printed_theorem_with_its_sums_bounded() -> None:
    """(12) follows from (10) for eta_t = C1/sqrt(m t), and would not for C1/(m sqrt t)."""
    m, C1, C2 = 9, 0.7, 2.0
    known = Assumptions(R=1.0, L1=1.0, L2=1.0, Lg=1.0)
    for T in (1, 10, 1000):
        method = by_hand(
            m=m,
            A=1.0,
            step_size=general_step_size(m, C1),
            smoothing=general_smoothing(m, C2),
        )
        rate = theory.printed_regret_rate(T, method, known, C1, C2)
        assert theory.printed_theorem_1(T, method, known) <= rate
        method = by_hand(m=m, A=1.0, step_size=Power(C1 / m, 0.5))
    rate = theory.printed_regret_rate(1000, method, known, C1, C2)
    assert theory.printed_theorem_1(1000, method, known) > rate


def test_corollary_2_forgets_a_one() -> None:
    """After one iteration (13) has K and the bias only, though (10) has a step in it."""
    known = Assumptions(R=1.0, L1=3.0, L2=6.0, Lg=0.0, sigma=20.0)
    method = by_hand(step_size=Power(8.0 / 20.0, 1.0))
    assert theory.printed_corollary_2(1, method, known, C2=1.0) < theory.printed_theorem_1(
        1, method, known
    )


def test_observations_lower_the_bound_only_where_there_is_noise() -> None:
    few, many = by_hand(source=zoo.paper.Smoothed(3, 1)), by_hand(source=zoo.paper.Smoothed(3, 9))
    assert theory.regret_bound(9, few, BY_HAND) == theory.regret_bound(9, many, BY_HAND)
    noisy = Assumptions(R=1.0, L1=3.0, L2=6.0, Lg=2.0, mean_gradient=1.0)
    assert theory.regret_bound(9, few, noisy) > theory.regret_bound(9, many, noisy)
    assert theory.regret_bound(9, few, noisy) == theory.regret_bound(9, few, BY_HAND)


@pytest.mark.parametrize("B", [None, 2.5, "orthogonal", "tall", "any"])
@pytest.mark.parametrize("form", [np.asarray, scipy.sparse.csr_array])
def test_the_norms_of_an_algorithm(B: Any, form: Any) -> None:
    rng = np.random.default_rng(3)
    A, Q = rng.standard_normal((4, 6)), np.linalg.qr(rng.standard_normal((4, 4)))[0]
    general = rng.standard_normal((4, 4)) + 2 * np.eye(4)
    B = {"orthogonal": 2 * Q, "tall": 2 * Q[:, :3], "any": general}.get(B, B)
    dense = np.eye(4) * (-1.0 if B is None else B) if B is None or np.isscalar(B) else B
    constraint = zoo.Linear(form(A), B if B is None or np.isscalar(B) else form(B))
    arguments = {"complete": "y"} if dense.shape == (4, 4) else {}
    with nullcontext() if arguments else pytest.warns(RuntimeWarning, match="neither A nor B"):
        run = zoo.Optimizer(
            np.zeros(6),
            settings="paper",
            constraint=constraint,
            regularizer=zoo.regularizers.SquaredL2(1.0),
            **arguments,
        )
    method = method_of(run.algorithm)
    assert method.reach == pytest.approx(np.linalg.norm(A, 2) + np.linalg.norm(dense, 2))
    known = Assumptions(R=1.0, L1=1.0, L2=1.0, Lg=0.0)
    if not arguments:
        with pytest.raises(ValueError, match="B has no inverse"):
            theory.average_gap_bound(10, method, known)
        return
    size = np.linalg.norm(np.linalg.inv(dense), 2)
    bound = theory.fixed_dual_bound(10, method, known, size)
    assert theory.average_gap_bound(10, method, known) == pytest.approx(bound)
    change = theory.printed_constant(method, known) - theory.constant(method, known)
    wanted = size * (np.linalg.norm(A) + np.linalg.norm(dense)) + size**2 / 20 + 1
    assert change + 5 * np.linalg.norm(dense, 2) ** 2 == pytest.approx(wanted)


def test_what_the_theory_is_not_about_is_refused() -> None:
    inside = zoo.paper.Smoothed(1, probes="inside")
    for source, error in ((inside, ValueError), ("exact", TypeError)):
        with pytest.raises(error, match="the theory is about"):
            by_hand(source=source)
    with pytest.raises(TypeError, match="Smoothed and Paired"):
        theory.printed_theorem_1(10, by_hand(source=zoo.paper.Exact()), BY_HAND)
    with pytest.raises(ValueError, match=r"proximal_weight\(1\) = 4 is below"):
        theory.regret_bound(10, by_hand(proximal_weight=Constant(4.0)), BY_HAND)
    with pytest.raises(ValueError, match="metric Linearized"):
        method_of(
            zoo.Optimizer(np.zeros(3), settings="paper", metric=zoo.paper.Fixed(2.0)).algorithm
        )
    with pytest.raises(ValueError, match="penalty"):
        by_hand(penalty=0.0)
    with pytest.raises(ValueError, match="needs m = 2 columns"):
        by_hand(A=np.eye(3))
    with pytest.raises(ValueError, match="as many rows"):
        by_hand(B=np.eye(3))
    with pytest.raises(ValueError, match="T = 0"):
        theory.regret_bound(0, by_hand(), BY_HAND)
    with pytest.raises(ValueError, match="complete must be"):
        theory.average_gap_bound(3, by_hand(), BY_HAND, complete="both")  # type: ignore[arg-type]
    for name in ("R", "L1", "L2", "Lg", "sigma", "dual"):
        with pytest.raises(ValueError, match=f"{name} = -1"):
            Assumptions(**{"R": 1.0, "L1": 1.0, "L2": 1.0, "Lg": 1.0, name: -1.0})
    with pytest.raises(ValueError, match="is above L1"):
        Assumptions(R=1.0, L1=1.0, L2=1.0, Lg=1.0, mean_gradient=2.0)
