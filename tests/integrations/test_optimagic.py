"""The algorithm for optimagic, in the real optimagic."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import zooadmm as zoo

om = pytest.importorskip("optimagic", reason="optimagic is absent: make test-optimagic")

from zooadmm.integrations.optimagic import ZooADMM  # noqa: E402
from zooadmm.problem.arrays import Vector  # noqa: E402

CENTER = np.array([1.0, -0.5, 2.0])


def sphere(x: Vector) -> float:
    return float(np.square(x - CENTER).sum())


def minimized(**arguments: Any) -> Any:
    given: dict[str, Any] = {"fun": sphere, "params": np.zeros(3), "algorithm": ZooADMM(seed=0)}
    return om.minimize(**{**given, **arguments})


def test_it_has_the_bits_of_scipys_interface() -> None:
    found = minimized(bounds=om.Bounds(lower=np.full(3, -1.0), upper=np.full(3, 1.5)))
    twin = zoo.scipy_method(sphere, np.zeros(3), bounds=[(-1.0, 1.5)] * 3, rng=0)
    assert found.params.tobytes() == twin.x.tobytes()
    assert found.fun == twin.fun
    assert found.n_fun_evals == twin.nfev
    assert found.success
    assert found.algorithm == "zooadmm"


def test_a_function_without_bounds_and_a_nested_start() -> None:
    found = om.minimize(
        lambda p: (p["a"] - 1) ** 2 + np.square(p["b"] - [2.0, 3.0]).sum(),
        params={"a": 0.0, "b": np.zeros(2)},
        algorithm=ZooADMM(seed=0),
    )
    assert found.params["a"] == pytest.approx(1.0)
    assert found.params["b"] == pytest.approx([2.0, 3.0])


def test_maximize() -> None:
    found = om.maximize(lambda x: -sphere(x), params=np.zeros(3), algorithm=ZooADMM(seed=0))
    assert found.params == pytest.approx(CENTER)
    assert found.fun == pytest.approx(0.0, abs=1e-9)


def test_linear_constraints_by_a_function_hold_at_the_answer() -> None:
    sums = om.NonlinearConstraint(
        selector=lambda x: x, func=lambda x: x.sum(), lower_bound=-1.0, upper_bound=1.0
    )
    equal = om.NonlinearConstraint(selector=lambda x: x[:2], func=lambda x: x[0] - x[1], value=0.5)
    found = minimized(constraints=[sums, equal])
    assert found.params.sum() <= 1.0 + 1e-9
    assert found.params[0] - found.params[1] == pytest.approx(0.5, abs=1e-9)
    rows = zoo.Inequality([[1.0, 1.0, 1.0]], -1.0, 1.0), zoo.Equality([1.0, -1.0, 0.0], 0.5)
    twin = zoo.minimize(sphere, np.zeros(3), constraint=list(rows), max_evaluations=2000, rng=0)
    assert found.fun == pytest.approx(twin.fun, rel=1e-6)


@pytest.mark.filterwarnings("ignore:The inplace keyword")  # of pandas, in optimagic
def test_linear_constraints_of_optimagic() -> None:
    line = om.LinearConstraint(selector=lambda x: x, weights=1.0, value=1.0)
    found = minimized(constraints=line, params=np.full(3, 1 / 3))
    assert found.params.sum() == pytest.approx(1.0, abs=1e-9)
    assert found.params == pytest.approx(CENTER - 0.5, abs=1e-4)


def test_fixed_parameters_and_a_simplex() -> None:
    fixed = om.FixedConstraint(selector=lambda x: x[0])
    assert minimized(constraints=fixed).params == pytest.approx([0.0, -0.5, 2.0])
    simplex = om.ProbabilityConstraint(selector=lambda x: x)
    found = minimized(constraints=simplex, params=np.full(3, 1 / 3))
    assert found.params.sum() == pytest.approx(1.0)
    assert sphere(found.params) <= sphere(np.array([0.0, 0.0, 1.0])) + 1e-3


def test_a_constraint_that_is_not_linear_is_evaluated() -> None:
    ball = om.NonlinearConstraint(selector=lambda x: x, func=lambda x: x @ x, upper_bound=1.0)
    found = minimized(constraints=ball, error_handling="raise")
    assert found.params == pytest.approx(CENTER / np.linalg.norm(CENTER), abs=1e-5)


def test_structure_and_limits() -> None:
    chosen = ZooADMM(seed=0, regularizer=zoo.L1(1.5), stopping_maxfun=300)
    found = minimized(algorithm=chosen)
    assert found.params == pytest.approx([0.25, 0.0, 1.25], abs=1e-6)
    assert found.params[1] == 0.0
    few = minimized(algorithm=ZooADMM(seed=0).with_stopping(maxfun=10))
    assert few.n_fun_evals <= 10
    assert not few.success


def test_noise_is_handled() -> None:
    dice = np.random.default_rng(0)
    noisy = minimized(
        fun=lambda x: sphere(x) + 0.01 * dice.standard_normal(),
        algorithm=ZooADMM(seed=0, stopping_maxfun=2_000),
    )
    assert sphere(noisy.params) < 1e-3
