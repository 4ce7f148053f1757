"""Changes of the structured step on one face beside the step itself, with bounds and rows."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse

from zooadmm.problem.coordinates import coordinates
from zooadmm.problem.form import Form
from zooadmm.structure.exact import ExactStep


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
    moves = step.nearby(H, x0, g, x, errors)
    known = np.isfinite(moves[:, 0])
    assert known[:5].all()
    for error, move in zip(errors[known], moves[known], strict=True):
        to = step(H, x0, g + error, x)[0]
        np.testing.assert_allclose(x + move, to, atol=1e-9 * np.abs(to).max())
        assert ((x + move == 0.0) == (to == 0.0)).all()
