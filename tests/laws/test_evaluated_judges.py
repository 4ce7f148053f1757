"""Random programs with quadratic constraints, beside cvxpy, which knows their formulas."""

from __future__ import annotations

from typing import Any, NamedTuple

import cvxpy
import numpy as np
import pytest

import zooadmm as zoo
from zooadmm.problem.arrays import Matrix, Vector


class Quadratic(NamedTuple):
    """x'Qx/2 + q'x + r"""

    Q: Matrix
    q: Vector
    r: float

    def __call__(self, x: Vector) -> float:
        return float(0.5 * x @ self.Q @ x + self.q @ x + self.r)

    def for_cvxpy(self, x: Any) -> Any:
        return 0.5 * cvxpy.quad_form(x, cvxpy.psd_wrap(self.Q)) + self.q @ x + self.r


def quadratics(seed: int) -> tuple[Quadratic, list[Quadratic], Vector]:
    """f, constraints that hold at a hidden point, and a start that may violate them."""
    generator = np.random.default_rng(seed)
    m, k = int(generator.integers(2, 9)), int(generator.integers(1, 6))
    hidden = generator.standard_normal(m)
    functions = []
    for i in range(1 + k):
        root = generator.standard_normal((m, m)) * np.exp(generator.uniform(-1, 1, m))
        Q = root @ root.T / m
        if i > 0 and generator.random() < 0.3:
            Q = 0.0 * Q
        q, scale = 2.0 * generator.standard_normal(m), float(np.exp(generator.uniform(-4, 4)))
        slack = 0.0 if i == 0 else 0.5 * hidden @ Q @ hidden + q @ hidden + 0.3
        functions.append(Quadratic(scale * Q, scale * q, -scale * slack))
    return functions[0], functions[1:], 2.0 * generator.standard_normal(m)


STRUCTURES = ("nothing", "box", "l1", "rows")


@pytest.mark.parametrize("structure", STRUCTURES)
@pytest.mark.parametrize("seed", range(6))
def test_optima_are_those_of_cvxpy(seed: int, structure: str) -> None:
    f, constraints, x0 = quadratics(10 * seed + STRUCTURES.index(structure))
    m = len(x0)
    x = cvxpy.Variable(m)
    objective = f.for_cvxpy(x)
    limits = [c.for_cvxpy(x) <= 0 for c in constraints]
    given: dict[str, Any] = {}
    if structure == "box":
        x0 = np.clip(x0, -1.5, 1.5)
        given = {"domain": zoo.Box(-1.5, 1.5)}
        limits += [x >= -1.5, x <= 1.5]
    if structure == "l1":
        given = {"regularizer": zoo.L1(0.3)}
        objective = objective + 0.3 * cvxpy.norm1(x)
    if structure == "rows":
        given = {"constraint": zoo.Inequality(np.ones(m), upper=1.0)}
        limits += [cvxpy.sum(x) <= 1.0]
    problem = cvxpy.Problem(cvxpy.Minimize(objective), limits)
    problem.solve(solver=cvxpy.CLARABEL)
    found = zoo.minimize(
        lambda at: (f(at), *(c(at) for c in constraints)),
        x0,
        evaluated=len(constraints),
        max_evaluations=3_000,
        progress=False,
        **given,
    )
    if problem.status == "infeasible":
        assert not found.success
        assert found.constraints is not None
        assert found.constraints.max() > 0.0
        return
    assert found.success, found.message
    assert found.constraints is not None
    assert found.constraints.max() <= 1e-8
    assert found.fun == pytest.approx(problem.value, abs=1e-5 * max(1.0, abs(problem.value)))
    theirs = np.array([float(np.squeeze(row.dual_value)) for row in limits[: len(constraints)]])
    assert found.multipliers is not None
    assert np.abs(found.multipliers - theirs).max() <= 1e-3 * (1.0 + np.abs(theirs).max())
