"""Changes of the structured step on one face beside the step itself, with bounds and rows."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse

from zooadmm.problem.coordinates import coordinates
from zooadmm.problem.form import Form
from zooadmm.structure import faces
from zooadmm.structure.exact import ExactStep, Nearby


@pytest.mark.parametrize("seed", range(12))
def test_changes_on_a_face_are_those_of_the_step(seed: int) -> None:
    generator = np.random.default_rng(seed)
    m = int(generator.integers(4, 100))
    R = np.ones((1, m)) if seed % 2 else generator.standard_normal((3, m))
    x0 = np.abs(generator.standard_normal(m))
    wide = generator.random(len(R)) * (seed % 4 >= 2)
    psi = coordinates(len(R), R @ x0 - wide, R @ x0 + wide)
    step = ExactStep(Form(coordinates(m, lower=0.0), scipy.sparse.csr_array(R), psi))
    B, g = generator.standard_normal((m, m + 3)), generator.standard_normal(m)
    H = B @ B.T / m + 0.1 * np.eye(m)
    x = step(H, x0, g, x0)[0]
    scales = np.repeat([1e-6, 1e-3, 0.1, 1.0], 5)
    errors = scales[:, None] * generator.standard_normal((20, m))
    moves = step.nearby(H, x0, g, x, errors, Nearby(False, len(errors)))
    known = np.isfinite(moves[:, 0])
    assert known[:5].all()
    for error, move in zip(errors[known], moves[known], strict=True):
        to = step(H, x0, g + error, x)[0]
        np.testing.assert_allclose(x + move, to, atol=1e-9 * np.abs(to).max())
        assert ((x + move == 0.0) == (to == 0.0)).all()


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("kind", ["L1", "box", "variation", "fused", "rows", "rows in a box"])
def test_changes_across_faces_are_those_of_the_step(kind: str, seed: int) -> None:
    generator = np.random.default_rng(seed)
    m = int(generator.integers(90, 120) if kind == "rows in a box" else generator.integers(10, 100))
    phi, R, psi = coordinates(m), np.zeros((0, m)), coordinates(0)
    x0 = generator.standard_normal(m)
    if kind == "L1":
        phi = coordinates(m, below=-0.5, above=0.5)
    elif kind == "box":
        phi, x0 = coordinates(m, lower=-1.0, upper=1.0, curvature=0.1), np.clip(x0, -1.0, 1.0)
    elif kind == "variation":
        R, psi = np.diff(np.eye(m), axis=0), coordinates(m - 1, below=-0.5, above=0.5)
    elif kind == "fused":
        R = np.vstack([np.eye(m), np.diff(np.eye(m), axis=0)])
        psi = coordinates(2 * m - 1, below=-0.5, above=0.5)
    else:
        if kind == "rows in a box":
            phi, x0 = coordinates(m, lower=-1.0, upper=1.0), np.clip(x0, -1.0, 1.0)
        R = generator.standard_normal((5, m))
        psi = coordinates(5, upper=R @ x0 + generator.random(5))
    step = ExactStep(Form(phi, scipy.sparse.csr_array(R), psi))
    B, g = generator.standard_normal((m, m + 3)), generator.standard_normal(m)
    H = B @ B.T / m + 0.1 * np.eye(m)
    x = step(H, x0, g, x0)[0]
    errors = np.repeat([0.0, 1e-3, 1.0], 4)[:, None] * generator.standard_normal((12, m))
    moves = step.nearby(H, x0, g, x, errors, Nearby(True, len(errors)))
    assert np.isfinite(moves).all()
    for error, move in zip(errors, moves, strict=True):
        to = step(H, x0, g + error, x)[0]
        np.testing.assert_allclose(x + move, to, atol=1e-9 * np.abs(to).max())


def test_beyond_some_changes_are_to_first_order() -> None:
    """Those of the face of S(g), whether or not S(g + e) leaves it."""
    generator = np.random.default_rng(5)
    phi = coordinates(30, below=-0.5, above=0.5)
    step = ExactStep(Form(phi, scipy.sparse.csr_array((0, 30)), coordinates(0)))
    B, g, x0 = generator.standard_normal((30, 33)), generator.standard_normal(30), np.zeros(30)
    H = B @ B.T / 30 + 0.1 * np.eye(30)
    x = step(H, x0, g, x0)[0]
    errors = generator.standard_normal((6, 30))
    exact = step.nearby(H, x0, g, x, errors, Nearby(True, 6))
    some = step.nearby(H, x0, g, x, errors, Nearby(True, 2))
    np.testing.assert_allclose(some[:2], exact[:2], atol=1e-12)
    free = x != 0.0
    linear = np.zeros((4, 30))
    linear[:, free] = -np.linalg.solve(H[free][:, free], errors[2:, free].T).T
    np.testing.assert_allclose(some[2:], linear, atol=1e-12)
    assert np.abs(some[2:] - exact[2:]).max() > 1e-3


@pytest.mark.parametrize("seed", range(3))
def test_guesses_come_to_rest_where_rows_are_more_than_variables(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A fused lasso: of 32 changes about 28 took the iteration one by one."""
    generator, m = np.random.default_rng(seed), 60
    R = np.vstack([np.eye(m), np.diff(np.eye(m), axis=0)])
    to = np.repeat(np.where(np.arange(6) % 2 == 0, generator.normal(0.0, 2.0, 6), 0.0), 10)
    B = generator.standard_normal((m, 20))
    H, y, x0 = B @ B.T + np.eye(m), R @ to, np.zeros(m)
    g = -H @ to - R.T @ np.where(y != 0.0, np.sign(y), generator.uniform(-0.9, 0.9, len(y)))
    psi = coordinates(len(R), below=-1.0, above=1.0)
    step = ExactStep(Form(coordinates(m), scipy.sparse.csr_array(R), psi))
    x, found = step(H, x0, g, x0)
    errors, alone = 0.3 * generator.standard_normal((32, m)), list[int]()
    with monkeypatch.context() as patched:
        run = faces._Search.run
        patched.setattr(
            faces._Search, "run", lambda self, most: alone.append(most) or run(self, most)
        )
        assert np.isfinite(step.nearby(H, x0, g, x, errors, Nearby(True, 32))).all()
    assert len(alone) <= 4
    step.renew()
    cold = step(H, x0, g + errors[0], x0)
    step.renew()
    warm = step(H, x0, g + errors[0], x0, found.dual)
    assert warm[1].iterations < cold[1].iterations
    np.testing.assert_allclose(warm[0], cold[0], atol=1e-9)
