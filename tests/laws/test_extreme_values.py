"""Losses and variables at the ends of the range of floats: an answer, or a sentence; no warnings.

Seeded. Python's arithmetic raises where numpy gives inf; neither reaches the user.
"""

from __future__ import annotations

import random
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import zooadmm as zoo

VALUES: dict[str, Callable[[np.ndarray], float]] = {
    "squares": lambda z: z @ z,
    "absolute values": lambda z: np.abs(z).sum(),
    "exponential": lambda z: np.exp(min(z.sum(), 700.0)),
    "linear": lambda z: z.sum(),
    "observations": lambda z: z @ z,
}
SCALES = [1e-320, 1e-300, 1e-160, 1e-20, 1.0, 1e20, 1e150, 1e160, 1e200, 1e300, 1e307]
UNITS = [1e-300, 1e-160, 1e-100, 1.0, 1.0, 1e100, 1e160, 1e300]


def problem(kind: str, rng: random.Random) -> dict[str, Any]:
    m, scale, unit = rng.choice([1, 2, 5, 12]), rng.choice(SCALES), rng.choice(UNITS)
    numbers = np.random.default_rng(rng.randrange(10**6))
    center, value = numbers.normal(size=m), VALUES[kind]

    def loss(x: np.ndarray, w: int = 0) -> float:
        with np.errstate(all="ignore"):
            return float(scale * value(x / unit - center - 0.1 * w))

    given: dict[str, Any] = {"loss": loss, "x0": numbers.normal(size=m) * rng.choice([0.0, unit])}
    if kind == "observations":
        given["observations"] = np.arange(7)
    if rng.random() < 0.3:
        given["regularizer"] = zoo.L1(rng.choice([1e-300, 1.0, 1e300]))
    if rng.random() < 0.3:
        given["domain"] = zoo.Box(-unit, unit)
        given["x0"] = given["domain"].project(given["x0"])
    return given


@pytest.mark.parametrize("kind", VALUES)
@pytest.mark.parametrize("settings", ["auto", "paper"])
def test_extreme_values_end_with_an_answer_or_a_sentence(kind: str, settings: str) -> None:
    rng = random.Random(kind)
    for number in range(16):
        with warnings.catch_warnings():
            warnings.filterwarnings("error", message=".*encountered in|.*ill-conditioned")
            warnings.filterwarnings("ignore", message="^(?!.*encountered in)")  # ours: a sentence
            budget = rng.choice([50, 200])
            try:
                result = zoo.minimize(
                    **problem(kind, rng), max_evaluations=budget, rng=number, settings=settings
                )
            except (ValueError, FloatingPointError) as error:
                assert len(str(error)) > 30, error  # noqa: PT017 - or an answer
            else:
                assert np.isfinite(result.x).all()


@pytest.mark.parametrize(
    "loss",
    [
        lambda x: float(-np.exp(x).sum()),
        lambda x: float(np.sinh(x).sum()),
        lambda x: -np.inf if x[0] > 1.0 else float(-x.sum()),
    ],
)
def test_a_loss_that_reaches_minus_infinity_is_unbounded(loss):
    with np.errstate(all="ignore"):  # of the loss
        result = zoo.minimize(loss, np.full(2, 0.1), max_evaluations=600, rng=0)
    assert result.status is zoo.Status.UNBOUNDED
    assert not result.success
    assert "Give a domain" in result.message
    assert np.isfinite(result.x).all()
    assert result.fun <= loss(np.full(2, 0.1))


def falls_off(x):
    return -np.inf if x[0] > 1 else float(-x.sum())


@pytest.mark.parametrize("loss", [falls_off, lambda x: -float(np.sinh(x).sum())])
def test_evaluations_count_where_the_step_is_refused(loss, tmp_path):
    calls, path = [], tmp_path / "run.npz"

    def counted(x):
        calls.append(x)
        with np.errstate(all="ignore"):
            return loss(x)

    given = {"max_evaluations": 600, "rng": 0}
    result = zoo.minimize(counted, np.full(2, 0.1), checkpoint=path, **given)
    assert result.status is zoo.Status.UNBOUNDED
    assert 0 < result.nfev == len(calls) - result.nfev_report
    optimizer = zoo.Optimizer(np.full(2, 0.1), **given)
    optimizer.load(path)
    assert optimizer.ask() is None
    assert optimizer.status is zoo.Status.UNBOUNDED
    assert optimizer.evaluations == result.nfev
    with pytest.raises(ValueError, match="nothing is pending"):
        optimizer.tell(optimizer.state.t, [0.0])


@pytest.mark.parametrize("seed", range(12))
def test_the_answer_is_finite_where_the_loss_is_not_everywhere(seed):
    def loss(x):
        return float(np.sqrt(x).sum()) if (x >= 0.0).all() else np.nan

    x0 = np.abs(np.random.default_rng(seed).standard_normal(2)) + 0.1
    result = zoo.minimize(loss, x0, max_evaluations=600, rng=0)
    assert result.fun == loss(result.x)
    assert result.fun < 0.2 * loss(x0)


def test_a_model_beyond_the_range_of_floats_does_not_end_the_run() -> None:
    """A rate of exp(x) at an x that an equation fixes: the first model has an infinite entry."""
    a = np.array([0.1, -0.72, -0.64, 1.7, -1.17, -0.86, -2.2, 0.82, 0.36, -2.63, 0.92, -2.9])
    b = np.array([2.1, 1.1, 1.1, 0.1, 4.1, 2.1, 3.1, 1.1, 0.1, 6.1, 2.1, 7.1])

    def loss(x: np.ndarray) -> float:
        with np.errstate(over="ignore"):
            return float((np.exp(a * x[0]) - b * a * x[0]).mean())

    equation = zoo.Equality([[1.14243206]], [0.05012987])
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        result = zoo.minimize(
            loss, np.array([-0.27639146]), constraint=equation, max_evaluations=600, rng=0
        )
    assert result.x[0] == pytest.approx(0.05012987 / 1.14243206, abs=1e-9)
    assert result.fun == pytest.approx(loss(result.x), abs=1e-12)


@pytest.mark.parametrize("settings", ["auto", "paper"])
@pytest.mark.parametrize("regularizer", [None, zoo.L1(0.1)])
def test_a_loss_whose_squares_overflow_is_refused_by_its_size(settings, regularizer):
    with pytest.raises(FloatingPointError, match=r"a value is 1e\+300.*Scale the loss"):
        zoo.minimize(
            lambda x: 1e300 * (1.0 + float(x @ x)),
            np.zeros(3),
            regularizer=regularizer,
            settings=settings,
            max_evaluations=300,
            rng=0,
        )


@pytest.mark.parametrize("settings", ["auto", "paper"])
@pytest.mark.parametrize("seed", range(8))
def test_a_loss_whose_squares_underflow_is_refused_by_its_size(settings, seed):
    """A likelihood, not its logarithm, of a thousand observations; no false success."""
    generator = np.random.default_rng(seed)
    scale, center = 10.0 ** generator.uniform(-290, -155), generator.standard_normal(4)
    with pytest.raises(FloatingPointError, match=r"the largest value is .*Scale the loss"):
        zoo.minimize(
            lambda x: scale * (1.0 - np.exp(-np.square(x - center).sum())),
            np.zeros(4),
            settings=settings,
            max_evaluations=300,
            rng=seed,
        )
