"""Sampled losses whose observations are ridges with kinks: absolute deviations, quantiles."""

import numpy as np
import pytest
import scipy.optimize

import zooadmm as zoo
from twins.problems import make_problem
from zooadmm.methods.auto.ridges.cuts import CutModel, Cuts, rounded, scale
from zooadmm.methods.auto.ridges.fit import Pulled
from zooadmm.methods.auto.ridges.state import Along
from zooadmm.methods.auto.ridges.tangents import NO_TANGENTS, Tangents
from zooadmm.problem.constraint import Consensus
from zooadmm.problem.regularizers import Zero
from zooadmm.problem.sets import WholeSpace
from zooadmm.structure.minimizer import Minimizer


def data(seed, n, m):
    rng = np.random.default_rng([41, seed])
    A = rng.standard_normal((n, m)) * 10.0 ** rng.uniform(-0.5, 0.5, m)
    return A, A @ rng.standard_normal(m) + rng.standard_t(3, n)


def least(A, b, level, strength=0.0, bound=None):
    """The optimum of the mean pinball loss with L1 or within a box, by a linear program."""
    n, m = A.shape
    cost = np.r_[np.full(2 * m, strength), np.full(n, level / n), np.full(n, (1 - level) / n)]
    rows = np.hstack([A, -A, np.eye(n), -np.eye(n)])
    bounds = [(0, bound)] * (2 * m) + [(0, None)] * (2 * n)
    return scipy.optimize.linprog(cost, A_eq=rows, b_eq=b, bounds=bounds, method="highs").fun


def pinball(A, b, level):
    def values(points, rows):
        rest = b[rows] - points @ A[rows].T
        return np.maximum(level * rest, (level - 1.0) * rest)

    return zoo.Loss(values=values)


def objective(A, b, level, x):
    rest = b - A @ x
    return float(np.maximum(level * rest, (level - 1.0) * rest).mean())


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(
    "structure",
    [{}, {"regularizer": zoo.L1(0.1)}, {"domain": zoo.Box(-0.4, 0.4)}],
    ids=["none", "l1", "box"],
)
def test_sampled_quantiles_are_solved(structure, seed):
    A, b = data(seed, n=100, m=8)
    found = zoo.minimize(
        pinball(A, b, 0.8),
        np.zeros(8),
        observations=np.arange(100),
        max_evaluations=10_000,
        rng=seed,
        **structure,
    )
    phi = structure.get("regularizer")
    bound = 0.4 if "domain" in structure else None
    best = least(A, b, 0.8, 0.0 if phi is None else phi.strength, bound)
    start = objective(A, b, 0.8, np.zeros(8))
    value = objective(A, b, 0.8, found.x) + (0.0 if phi is None else phi(found.x))
    assert value - best <= 1e-6 * (start - best)
    assert found.nfev < 10_000, "it knows that nothing is left to be gained"


def test_deviations_improve_at_every_budget():
    """3k to 30k evaluations, without a budget: each checkpoint at most half of the one before."""
    gaps = []
    for seed in range(3):
        A, b = data(10 + seed, n=400, m=20)
        start, best = objective(A, b, 0.5, np.zeros(20)), least(A, b, 0.5)
        gaps.append([])
        for count in (1_000, 3_000, 10_000, 30_000):
            found = zoo.minimize(
                pinball(A, b, 0.5),
                np.zeros(20),
                observations=np.arange(400),
                settings=zoo.Auto(budget=10**9),
                max_evaluations=count,
                rng=seed,
            )
            gaps[-1].append((objective(A, b, 0.5, found.x) - best) / (start - best))
    medians = np.median(gaps, axis=0)
    assert (medians[1:] < 0.5 * medians[:-1]).all(), medians
    assert medians[-1] < 1e-6


def test_pieces_of_several_combinations_are_no_ridges():
    """The larger of two planes is straight nearly everywhere, but no function of one number."""
    rng = np.random.default_rng(5)
    A, C = rng.standard_normal((2, 60, 6))

    def values(points, rows):
        return (
            np.maximum(points @ A[rows].T + 1.0, points @ C[rows].T)
            + np.abs(points).sum(axis=1)[:, None]
        )

    found = zoo.minimize(
        zoo.Loss(values=values),
        np.ones(6),
        observations=np.arange(60),
        max_evaluations=2_000,
        rng=0,
    )
    assert "ridges (observations depend on several combinations)" in found.learned


@pytest.mark.parametrize("seed", range(5))
def test_tangents_of_all_pieces_give_the_optimum(seed):
    """With both pieces of each observation known, the minimizer is that of the linear program."""
    n, m = 90, 6 + 4 * (seed % 3)
    A, b = data(seed, n, m)
    slopes = np.repeat([[-0.8], [0.2]], n, axis=1)
    problem = make_problem(np.zeros(m), Zero(), WholeSpace(), Consensus())
    minimizer = Minimizer(problem)
    center = minimizer.init(*problem.start(np.zeros(m), None, None))
    model = CutModel(minimizer, Pulled(minimizer, metric=True))
    cuts = Cuts(Tangents(-slopes * b, slopes), A, center, np.zeros(m))
    x = model(cuts, 1e-8 * scale(A), np.zeros(m)).x
    start, best = objective(A, b, 0.8, np.zeros(m)), least(A, b, 0.8)
    assert objective(A, b, 0.8, x) - best <= 1e-5 * (start - best)


def test_the_rounded_maximum_has_its_slopes_and_curvatures():
    rng = np.random.default_rng(3)
    tangents = Tangents(rng.standard_normal((5, 40)), rng.standard_normal((5, 40)))
    tangents.heights[3:, :10] = -np.inf
    z, d = rng.standard_normal(40), 1e-5
    low, here, high = (rounded(tangents, z + k * d, 0.3) for k in (-1, 0, 1))
    np.testing.assert_allclose(here.slope, (high.value - low.value) / (2 * d), atol=1e-8)
    np.testing.assert_allclose(here.curvature, (high.slope - low.slope) / (2 * d), atol=1e-8)
    assert (here.value <= rounded(tangents, z, 0.1).value + 3.0).all()


def test_lines_above_a_value_go():
    """A slope that was measured across a kink does not outlive a value below its line."""
    sound = np.ones(1, dtype=bool)
    wrong = Along(np.array([1.0]), np.array([0.5]), np.zeros(1), sound)
    right = Along(np.array([1.0]), np.array([-1.0]), np.zeros(1), sound)
    h = np.full(1, 1e-6)
    both = NO_TANGENTS.plus(np.array([1.0]), wrong, h).plus(np.array([2.0]), right, h)
    value, slope = both.highest(np.array([3.0]))
    assert value == pytest.approx(0.0)
    assert slope == -1.0
