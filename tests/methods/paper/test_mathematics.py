"""What docs/mathematics.md states in numbers is what the code has."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import zooadmm as zoo
from zooadmm.structure import y_steps

PAGE = Path(__file__).parents[3] / "docs" / "mathematics.md"


def test_the_tolerance_of_the_y_step() -> None:
    text = re.sub(r"\s+", " ", PAGE.read_text(encoding="utf-8"))
    stated = re.search(
        r"until a step is at most \$10\^\{(-\d+)\}\$ times "
        r"\$\\lVert B\^\\top v \\rVert/L \+ \\lVert y \\rVert\$",
        text,
    )
    assert stated is not None, "the page states no tolerance of this form"
    assert 10.0 ** int(stated[1]) == y_steps.TOLERANCE


def test_the_y_step_ends_at_that_tolerance() -> None:
    """One more proximal gradient step from y_{t+1} moves it by hardly more than is stated."""
    rng = np.random.default_rng(0)
    B = rng.standard_normal((5, 3))
    run = zoo.Optimizer(
        np.ones(5),
        settings="paper",
        constraint=zoo.Linear(np.eye(5), B),
        regularizer=zoo.L1(0.3),
        penalty=2.0,
        complete="x",
        max_iterations=4,
    )
    assert isinstance(run.algorithm.y_step, y_steps.IterativeStep)
    while (query := run.ask()) is not None:
        dual = run.state.dual
        run.tell(query.id, np.square(query.points - 2.0).sum(axis=1))
        v, y = dual / 2.0 - run.state.x, run.state.y
        L = float(np.linalg.norm(B, 2)) ** 2
        newer = zoo.L1(0.3).prox(y - B.T @ (B @ y - v) / L, 1 / (2.0 * L))
        size = np.linalg.norm(B.T @ v) / L + np.linalg.norm(y)
        assert np.linalg.norm(newer - y) <= 10 * y_steps.TOLERANCE * size


def test_the_papers_start_of_y() -> None:
    """Sec. 6: y_1 = 0, by y0; the default is the point of Y nearest to satisfying x = y."""
    x_1, budget = np.full(4, 0.5), zoo.Budget(2.0)
    arguments = {"settings": "paper", "domain": zoo.Box(0, 1), "regularizer": budget, "rng": 0}
    default = zoo.Optimizer(x_1, **arguments, max_iterations=1)
    np.testing.assert_allclose(default.state.y, x_1)
    papers = zoo.Optimizer(x_1, **arguments, y0=np.zeros(4), max_iterations=3)
    assert not papers.state.y.any()
    query = papers.ask()
    assert query is not None
    papers.tell(query.id, query.points.sum(axis=1))
    assert papers.state.y.sum() == pytest.approx(2.0, rel=1e-15)  # from y_2 on it is in Y
