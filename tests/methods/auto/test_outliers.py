"""Values that are mostly exact and now and then far off: each is repeated until two agree."""

from __future__ import annotations

import numpy as np
import pytest

import zooadmm as zoo
from zooadmm.methods.auto import outliers

M = 6
REMARK = "repeated until some were the same"


def problem(seed, kind):
    """A smooth loss with its minimum 0, and a start."""
    generator = np.random.default_rng([seed, 3])
    center, x0 = generator.uniform(-1.0, 1.0, (2, M))
    if kind == "quadratic":
        Q = np.linalg.qr(generator.standard_normal((M, M)))[0]
        curvatures = 10.0 ** generator.uniform(0.0, 2.0, M)
        return lambda x: 0.5 * float(curvatures @ np.square(Q @ (x - center))), x0
    return lambda x: float((np.logaddexp(*np.outer([1, -1], x - center)) - np.log(2.0)).sum()), x0


def spoiled(loss, part, seed, scale=1.0):
    """With a Cauchy error in a part of all values."""
    generator = np.random.default_rng([seed, 5])

    def f(x):
        off = scale * generator.standard_cauchy() if generator.random() < part else 0.0
        return loss(x) + off

    return f


@pytest.mark.parametrize("kind", ["quadratic", "cosh"])
@pytest.mark.parametrize("part", [0.01, 0.05, 0.2])
def test_outliers_do_not_keep_a_run_from_the_optimum(kind, part):
    gaps = []
    for seed in range(4):
        loss, x0 = problem(seed, kind)
        r = zoo.minimize(spoiled(loss, part, seed), x0, max_evaluations=500 * M, rng=seed)
        gaps.append(loss(r.x) / loss(x0))
    assert sorted(gaps)[2] < 1e-8


def test_a_run_that_repeats_values_says_so():
    loss, x0 = problem(0, "cosh")
    r = zoo.minimize(spoiled(loss, 0.2, 0), x0, max_evaluations=500 * M, rng=0)
    assert REMARK in r.learned


def test_a_resumed_run_among_outliers_is_the_unbroken_one(tmp_path):
    """Loaded again before each query, also where some values of the last one are open."""
    loss, x0 = problem(1, "quadratic")
    ends = []
    for broken in (False, True):
        f = spoiled(loss, 0.2, 1)
        optimizer = zoo.Optimizer(x0, max_iterations=200, rng=0)
        while (query := optimizer.ask()) is not None:
            optimizer.tell(query.id, [f(e.point) for e in query])
            if broken:
                optimizer.save(tmp_path / "run.zoo")
                optimizer = zoo.Optimizer(x0, max_iterations=200, rng=0)
                optimizer.load(tmp_path / "run.zoo")
        ends.append((optimizer.evaluations, optimizer.recommended()[0]))
        assert optimizer.state.learned.known.repeats > 1
    assert ends[0][0] == ends[1][0]
    np.testing.assert_array_equal(ends[0][1], ends[1][1])


def test_noise_is_not_taken_for_outliers():
    """Whole numbers behind noise agree by chance."""
    generator = np.random.default_rng(0)
    x0 = np.full(M, 3.0)

    def f(x):
        return float(np.round(10.0 * np.square(x).sum() + 5.0 * generator.standard_normal()))

    r = zoo.minimize(f, x0, max_evaluations=300 * M, rng=0)
    assert REMARK not in r.learned
    assert np.square(r.x).sum() < 0.02 * np.square(x0).sum()


def test_a_cell_has_the_value_that_occurs_most_or_the_median_where_all_differ():
    tries = np.array([[1.0, 7.0, 1.0], [2.0, 9.0, 4.0], [np.inf, 3.0, 3.0]])
    np.testing.assert_array_equal(outliers.values(tries), [1.0, 4.0, 3.0])
    np.testing.assert_array_equal(outliers.are_open(tries, 2), [False, True, False])
    np.testing.assert_array_equal(outliers.are_open(tries, 3), [True, True, True])
    many = np.arange(20.0)[None]
    assert not outliers.are_open(many, 2).any()
