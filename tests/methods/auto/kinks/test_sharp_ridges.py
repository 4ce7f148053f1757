"""Sharp ridges: the slope along one is far less than differences across it are wrong by."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import zooadmm as zoo
from twins.problems import make_problem
from zooadmm.methods.auto.kinks import KinkDescent
from zooadmm.methods.auto.model.initial import unmeasured
from zooadmm.structure.minimizer import Minimizer
from zooadmm.structure.splitting import Solved

Loss = Callable[[np.ndarray], float]


def ridge(seed: int, m: int, weight: float) -> tuple[Loss, np.ndarray]:
    """z_1^2 + weight |(z_2, ..., z_m)| for z = Q (x - c), and a start."""
    random = np.random.default_rng(seed)
    Q = np.linalg.qr(random.standard_normal((m, m)))[0]
    c, x0 = random.uniform(-3.0, 3.0, m), random.uniform(-4.0, 4.0, m)

    def loss(x: np.ndarray) -> float:
        z = Q @ (x - c)
        return float(z[0] ** 2 + weight * np.linalg.norm(z[1:]))

    return loss, x0


@pytest.mark.parametrize("domain", [None, zoo.Box(-5.0, 5.0)])
def test_a_sharp_ridge_is_followed_to_its_end(domain: zoo.Box | None) -> None:
    left = []
    for seed in range(6):
        loss, x0 = ridge(seed, 8, 100.0)
        result = zoo.minimize(loss, x0, domain=domain, max_evaluations=6_000, rng=0, progress=False)
        left.append(loss(result.x))
    assert np.mean(np.array(left) < 1e-7) >= 0.8, left


@pytest.mark.parametrize("steps", [0, 1, 5, 6, 50])
def test_a_model_of_m_steps_hands_over_its_metric(steps: int) -> None:
    """Its H has the direction of the ridge, which a diagonal learns anew in m steps or never."""
    m = 6
    zero = np.zeros(m)
    problem = make_problem(
        zero, zoo.regularizers.Zero(), zoo.sets.WholeSpace(), zoo.problem.Consensus()
    )
    root = np.random.default_rng(0).standard_normal((m, m))
    H = root @ root.T + np.eye(m)

    def normals(rows: int, columns: int = m) -> np.ndarray:
        return np.ones((rows, columns))

    model = unmeasured(problem.domain, Solved(zero, zero, zero), 1.0, 1e-15)
    model = model._replace(H=H, steps=steps, belief=model.belief._replace(v=np.ones(m)))
    descent = KinkDescent(Minimizer(problem))
    state = descent.init(model, 1.0, normals)
    again = np.ones(len(state.ask))
    state = descent.update(state, again)
    ways = state.ask - state.trial.solved.x
    if steps < m:
        assert len(state.H) == 0
        assert np.count_nonzero(ways) == m
    else:
        assert np.array_equal(state.H, H)
        assert np.allclose(ways @ H @ ways.T, 1e-15 * np.eye(m), atol=1e-20)
