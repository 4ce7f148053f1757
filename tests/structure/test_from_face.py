"""Newton steps face by face beside DAQP, on random programs with bounds and rows."""

from __future__ import annotations

import numpy as np
import pytest

from zooadmm.problem.coordinates import coordinates
from zooadmm.structure.factor import Hessian
from zooadmm.structure.quadratic_program import Limits, QuadraticProgram


def program(seed: int) -> tuple[QuadraticProgram, np.ndarray, Limits, np.ndarray]:
    """A program on nonnegative u, with equations or inequalities, and a point that satisfies it."""
    generator = np.random.default_rng(seed)
    m = int(generator.integers(2, 120))
    B, units = generator.standard_normal((m, m + 3)), 10.0 ** generator.uniform(-2, 2, m)
    H = (B @ B.T / m + 1e-3 * np.eye(m)) * (np.outer(units, units) if seed % 3 == 0 else 1.0)
    A = generator.standard_normal((3, m)) if seed % 2 else np.ones((1, m))
    x = np.abs(generator.standard_normal(m)) * (generator.random(m) < 0.7)
    wide = generator.random(len(A)) * (seed % 4 >= 2)
    g = generator.standard_normal(m) * 10.0 ** generator.uniform(-2, 2)
    return QuadraticProgram(Hessian(H), A), g, Limits(A @ x - wide, A @ x + wide), x


def test_both_find_the_same_minimizer_and_multipliers() -> None:
    found = 0
    for seed in range(60):
        solver, g, rows, x = program(seed)
        box = coordinates(len(g), lower=0.0)
        slow, fast = solver.active_set(g, box, rows), solver.from_face(g, box, rows, x)
        if fast is None:
            continue
        found += 1
        assert slow.solved
        assert fast.solved
        size = np.abs(slow.u).max()
        np.testing.assert_allclose(fast.u, slow.u, atol=1e-9 * size)
        np.testing.assert_allclose(fast.dual, slow.dual, rtol=1e-6, atol=1e-9 * np.abs(g).max())
        assert (fast.u[slow.u == 0.0] == 0.0).all()
    assert found > 40


@pytest.mark.parametrize("seed", range(4))
def test_a_start_on_the_face_of_the_minimizer_takes_one_step(seed: int) -> None:
    solver, g, rows, _ = program(seed)
    box = coordinates(len(g), lower=0.0)
    there = solver.active_set(g, box, rows).u
    again = solver.from_face(g, box, rows, there)
    assert again is not None
    assert again.iterations == 1
