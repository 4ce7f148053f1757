"""ZO-SVRG-ADMM and ZO-SPIDER-ADMM against a transcription, and as runs like any other."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import zooadmm as zoo
from twins.paper import lambda_max, soft_threshold
from zooadmm.oracle.observations import Samples

M, N = 4, 27
GENERATOR = np.random.default_rng(3)
ROWS = GENERATOR.standard_normal((N, M))
LABELS = np.sign(ROWS @ [1.0, -1.0, 0.5, 0.0] + 0.3 * GENERATOR.standard_normal(N))
DIFFERENCES = np.diff(np.eye(M), axis=0)
KEYS = {"svrg": (9, 3), "spider": (6, 6)}
"""Batch and period of the theory: n^(2/3) and n^(1/3); sqrt n."""


def sigmoid(x: np.ndarray, w: Any) -> float:
    """1 / (1 + exp(b a'x)): smooth, bounded and not convex."""
    return float(1.0 / (1.0 + np.exp(LABELS[w] * (ROWS[w] @ x))))


def estimate(x: np.ndarray, batch: Any, length: float) -> np.ndarray:
    """Central differences along each variable, a mean over observations."""
    slopes = [
        [(sigmoid(x + length * e, w) - sigmoid(x - length * e, w)) / (2 * length) for w in batch]
        for e in np.eye(M)
    ]
    return np.mean(slopes, axis=1)


def transcription(name: str, A: np.ndarray, key: Any, iterations: int) -> list[np.ndarray]:
    """The iterates x_1, x_2, ... of the method, as its authors print it, for phi = 0.05 |y|_1."""
    eta, (batch, period) = 0.5, KEYS[name]
    rho = 1 / eta
    weight = rho * eta * lambda_max(A) + 1
    x, y, dual = np.full(M, 0.1), A @ np.full(M, 0.1), np.zeros(len(A))
    anchor, anchored, found = x, np.zeros(M), [x]
    for t in range(1, iterations):
        length = 1 / (M * np.sqrt(t))
        if (t - 1) % period == 0:
            v = estimate(x, range(N), length)
        else:
            sampled = Samples(np.arange(N)).draw(t, batch, key, ())
            v = estimate(x, sampled, length) - estimate(anchor, sampled, length) + anchored
        if name == "spider" or (t - 1) % period == 0:
            anchor, anchored = x, v
        y = soft_threshold(A @ x - dual / rho, 0.05 / rho)
        x = x - eta / weight * (v - A.T @ (dual - rho * (A @ x - y)))
        dual = dual - rho * (A @ x - y)
        found.append(x)
    return found


def optimizer(name: str, **given: Any) -> zoo.Optimizer:
    return zoo.Optimizer(
        np.full(M, 0.1),
        **{
            "observations": np.arange(N),
            "settings": name,
            "step_size": 0.5,
            "regularizer": zoo.L1(0.05),
            "rng": 5,
            "max_iterations": 30,
            **given,
        },
    )


def tell(run: zoo.Optimizer) -> bool:
    """One iteration; False where the run has ended."""
    query = run.ask()
    if query is not None:
        values = np.array([sigmoid(cell.point, cell.observation) for cell in query])
        run.tell(query.id, values)
    return query is not None


@pytest.mark.parametrize("name", KEYS)
@pytest.mark.parametrize("A", [np.eye(M), DIFFERENCES], ids=["A = I", "differences"])
def test_iterates_equal_the_transcription(name: str, A: np.ndarray) -> None:
    constraint = None if len(A) == M else zoo.Linear(A)
    run = optimizer(name, constraint=constraint)
    expected = transcription(name, A, run.method.key, 30)
    for x in expected:
        np.testing.assert_allclose(run.state.x, x, rtol=1e-9, atol=1e-12)
        tell(run)


@pytest.mark.parametrize("name", KEYS)
def test_a_resumed_run_is_the_unbroken_one(name: str, tmp_path: Path) -> None:
    whole = optimizer(name)
    while tell(whole):
        pass
    for split in (1, 2, 4, 5):
        first, second = optimizer(name), optimizer(name)
        for _ in range(split):
            tell(first)
        first.save(tmp_path / "run")
        second.load(tmp_path / "run")
        while tell(second):
            pass
        assert second.state.x.tobytes() == whole.state.x.tobytes()
        assert second.state.dual.tobytes() == whole.state.dual.tobytes()


def test_evaluations_are_those_of_the_theory() -> None:
    run = optimizer("svrg", max_iterations=3)
    while tell(run):
        pass
    batch, _ = KEYS["svrg"]
    assert run.evaluations == 2 * M * N + 2 * (2 * 2 * M * batch)


def test_a_dropped_cell_is_left_out_at_both_points() -> None:
    run = optimizer("svrg", max_iterations=2)
    tell(run)
    query = run.ask()
    assert query is not None
    values = np.ma.masked_array([sigmoid(c.point, c.observation) for c in query], mask=False)
    batch = KEYS["svrg"][0]
    values[0] = np.ma.masked  # the plus side of the first direction, on the first observation
    run.tell(query.id, values)
    other = optimizer("svrg", max_iterations=2)
    tell(other)
    other.ask()
    values.mask = False
    values[[0, batch, 2 * M * batch, 2 * M * batch + batch]] = (
        np.ma.masked
    )  # both sides, both points
    other.tell(query.id, values)
    np.testing.assert_array_equal(run.state.x, other.state.x)
    assert np.isfinite(run.state.x).all()


@pytest.mark.parametrize("name", KEYS)
def test_no_point_leaves_a_box(name: str) -> None:
    run = optimizer(name, domain=zoo.Box(-0.2, 0.2))
    while (query := run.ask()) is not None:
        assert np.abs(query.points).max() <= 0.2
        run.tell(query.id, [sigmoid(cell.point, cell.observation) for cell in query])
    assert np.abs(run.result().x).max() == pytest.approx(0.2)


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"step_size": None}, "needs step_size"),
        ({"observations": None}, "finite sample"),
        ({"observations": zoo.Stream([1, 2])}, "finite sample"),
        ({"metric": zoo.paper.Fixed()}, "metric belongs to Algorithm 1"),
        ({"gradient": zoo.paper.Smoothed()}, "gradient belongs to Algorithm 1"),
        ({"penalty": -1.0}, "penalty"),
        ({"settings": zoo.variance_reduced.SVRG(step_size=1.0)}, "step_size is given by keyword"),
    ],
)
def test_what_does_not_fit_is_refused(given: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        optimizer("svrg", **given)


def test_sizes_must_be_whole_numbers() -> None:
    with pytest.raises(ValueError, match="batch = 0"):
        zoo.variance_reduced.SPIDER(batch=0)
