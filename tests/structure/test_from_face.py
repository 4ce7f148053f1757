"""Newton steps face by face beside DAQP, on random programs with bounds and rows."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

from zooadmm.problem.coordinates import FREE, coordinates
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


def test_free_variables_at_most_double(monkeypatch: pytest.MonkeyPatch) -> None:
    """From a vertex of the simplex half of the bounds seem wrong, and few are."""
    generator = np.random.default_rng(1)
    m = 300
    B = generator.standard_normal((m, m + 3))
    solver = QuadraticProgram(Hessian(B @ B.T / m), np.ones((1, m)))
    box, rows = coordinates(m, lower=0.0), Limits(np.ones(1), np.ones(1))
    g, counts = generator.standard_normal(m), list[int]()
    on_face = QuadraticProgram._on_face

    def counted(self: QuadraticProgram, problem: Any, face: Any) -> Any:
        counts.append(int((face[:m] == FREE).sum()))
        return on_face(self, problem, face)

    monkeypatch.setattr(QuadraticProgram, "_on_face", counted)
    found = solver.from_face(g, box, rows, np.eye(m)[np.argmax(g)])
    assert found is not None
    np.testing.assert_allclose(found.u, solver.active_set(g, box, rows).u, atol=1e-12)
    assert len(counts) > 2
    assert all(now <= before + max(before + 1, 16) for before, now in itertools.pairwise(counts))


def test_only_the_face_has_to_be_curved() -> None:
    """A bound holds the variable along which H is nothing."""
    H, A = np.diag([1.0, 2.0, 0.0]), np.array([[1.0, 1.0, 0.0]])
    solver = QuadraticProgram(Hessian(H), A)
    box, rows = coordinates(3, lower=0.0), Limits(np.ones(1), np.ones(1))
    found = solver.from_face(np.array([-1.0, -1.0, 1.0]), box, rows, np.array([1.0, 0.0, 0.0]))
    assert found is not None
    np.testing.assert_allclose(found.u, [2.0 / 3.0, 1.0 / 3.0, 0.0], atol=1e-12)
    start = np.array([0.5, 0.5, 1.0])
    assert solver.from_face(np.array([-1.0, -1.0, 1.0]), box, rows, start) is None
