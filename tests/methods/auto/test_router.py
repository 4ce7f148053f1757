"""The list of strategies: which one is at work, why others are not, and what is handed over."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import zooadmm as zoo
from zooadmm.methods.auto.known import Learned
from zooadmm.methods.auto.probe import radius
from zooadmm.methods.auto.router import STRATEGIES
from zooadmm.methods.auto.strategy import Strategy

M = 4
ROWS = np.random.default_rng(0).standard_normal((40, M))
CENTER = np.arange(1.0, 1.0 + M)


def bowl(x, w=None):
    """A function of several combinations of the variables."""
    r = x - CENTER - (0.0 if w is None else 0.3 * w)
    return float(r @ r * (1.0 + 0.1 * r[0] ** 2))


def ridge(x, w):
    return float((w @ (x - CENTER)) ** 2)


class Noisy:
    def __init__(self):
        self.generator = np.random.default_rng(1)

    def __call__(self, x, w=None):
        return bowl(x, w) + 0.1 * float(self.generator.standard_normal())


CASES = {
    "plain": (bowl, {}, ""),
    "ridges": (ridge, {"observations": ROWS}, ""),
    "no ridges": (
        bowl,
        {"observations": ROWS},
        "Not used: ridges (observations depend on several combinations).",
    ),
    "noisy observations": (
        Noisy(),
        {"observations": ROWS},
        "Not used: ridges, sampled (values are noisy).",
    ),
    "few": (
        bowl,
        {"observations": ROWS[:5], "settings": zoo.Auto(without=("ridges",))},
        "Not used: ridges (left out); sampled (fewer than 8 observations).",
    ),
    "stream": (bowl, {"observations": iter(ROWS)}, "Not used: ridges, sampled (a stream)."),
    "step size": (bowl, {"step_size": 0.01}, "Not used: model (step_size was given)."),
    "single precision": (
        bowl,
        {"x0": np.full(M, 1 / M, dtype=np.float32), "domain": zoo.Simplex()},
        "Not used: model (x0 is float32).",
    ),
    "horizon": (bowl, {"settings": zoo.Auto(horizon=50)}, "Not used: model (the loss drifts)."),
    "small budget": (
        lambda x, w: bowl(x),
        {"max_evaluations": 35, "observations": [1, 2, 3]},
        "Not used: ridges (the budget is too small); sampled (fewer than 8 observations); model "
        "(the budget is too small: it needs 36 evaluations).",
    ),
    "jumps": (lambda x: float(np.floor(bowl(x))), {}, ""),
    "jumps behind noise": (
        lambda x: float(np.floor(bowl(x)) + 1e-3 * GENERATOR.standard_normal()),
        {"max_evaluations": 1200},
        "",
    ),
    "hidden": (
        lambda x: bowl(x) * 1e-9 + float(GENERATOR.standard_normal()),
        {},
        "",  # the filter serves it, however much noise there is
    ),
}
GENERATOR = np.random.default_rng(3)


@pytest.mark.parametrize("name", CASES)
def test_the_result_says_which_strategies_were_refused_and_why(name):
    loss, given, expected = CASES[name]
    given = {"max_evaluations": 600, **given}
    x0 = given.pop("x0", np.zeros(M))
    learned = zoo.minimize(loss, x0, rng=0, **given).learned
    _, found, reasons = learned.partition("Not used:")
    assert found + reasons == expected


def test_many_variables_without_zeros_have_no_model():
    result = zoo.minimize(
        lambda x: float(np.square(x - 1.0).sum()), np.ones(1501), max_evaluations=100, rng=0
    )
    assert result.learned.endswith(
        "Not used: model (more than 1500 variables); limited memory (the budget is too small: it "
        "needs 6030 evaluations)."
    )


def played(observations, loss, budget, **given):
    """A run, and the strategies at work one after the other."""
    optimizer = zoo.Optimizer(
        np.zeros(M), observations=observations, max_evaluations=budget, rng=0, **given
    )
    names, queries = [], []
    while (query := optimizer.ask()) is not None:
        names.append(type(optimizer.state.learned.state).__name__)
        queries.append(query)
        optimizer.tell(query.id, np.array([loss(*cell[1:]) for cell in query]))
    return optimizer, names, queries


def test_a_failed_ridge_test_does_not_pay_for_the_probe_again():
    _, names, queries = played(ROWS, bowl, 2_000)
    assert names[:2] == ["ProbeState", "RidgeState"]
    assert names.count("ProbeState") == 1
    ladder = 2 + 2 * len(radius.LADDER)
    assert sum(query.evaluations == ladder and query.shape[0] == ladder for query in queries) == 1
    assert {"SampledState", "Model"} <= set(names)


def test_strategies_follow_the_order_of_the_list_where_each_hands_over():
    optimizer, names, _ = played(ROWS, bowl, 4_000)
    order = {kind.__name__: i for i, one in enumerate(STRATEGIES) for kind in one.states}
    places = [order[name] for name in names]
    assert places == sorted(places)
    learned = optimizer.state.learned
    assert isinstance(learned, Learned)
    assert [failure.strategy for failure in learned.known.failures] == ["ridges"]


def test_every_state_belongs_to_one_strategy():
    kinds = [kind for strategy in STRATEGIES for kind in strategy.states]
    assert len(kinds) == len(set(kinds))
    assert all(issubclass(strategy, Strategy) for strategy in STRATEGIES)


def test_a_loss_whose_first_value_alone_differs_is_solved_as_exact():
    """As of a program that compiles at its first call: two values at x0 differ, no others do."""
    calls = []

    def loss(x):
        calls.append(1)
        return bowl(x) + (1e-3 if len(calls) == 1 else 0.0)

    result = zoo.minimize(loss, np.zeros(M), max_evaluations=600, rng=0)
    np.testing.assert_allclose(result.x, CENTER, atol=1e-6)
    assert "no noise" in result.learned


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("kind", ["exact", "sampled", "noisy"])
def test_a_run_that_goes_on_keeps_the_pace_of_its_first_budget(
    kind: str, seed: int, tmp_path: Path
) -> None:
    generator = np.random.default_rng(seed)
    A, b = generator.standard_normal((20, M)), generator.standard_normal(20)

    def loss(x: np.ndarray, i: int = 0) -> float:
        wave = 0.01 * np.sin(1e6 * float(A[0] @ x)) if kind == "noisy" else 0.0
        rows = slice(i, i + 1) if kind == "sampled" else slice(None)
        return float(np.square(A[rows] @ x - b[rows]).mean() + np.cos(x).sum() + wave)

    first, saved = 200 + 50 * seed, tmp_path / "run.zoo"
    given = {"rng": seed, "observations": range(20) if kind == "sampled" else None}
    for budget in (first, 900):
        resumed = zoo.minimize(loss, np.zeros(M), max_evaluations=budget, checkpoint=saved, **given)
    paced = zoo.Auto(budget=first)
    at_once = zoo.minimize(loss, np.zeros(M), settings=paced, max_evaluations=900, **given)
    np.testing.assert_array_equal(resumed.x, at_once.x)
    assert resumed.nfev == at_once.nfev


def test_a_run_that_goes_on_beyond_its_budget_has_all_strategies(tmp_path: Path) -> None:
    """Thirty evaluations are too few for a model of four variables; 250 are not."""
    saved = tmp_path / "run.zoo"
    zoo.minimize(bowl, np.zeros(M), max_evaluations=30, rng=0, checkpoint=saved)
    resumed = zoo.minimize(bowl, np.zeros(M), max_evaluations=250, rng=0, checkpoint=saved)
    at_once = zoo.minimize(
        bowl, np.zeros(M), settings=zoo.Auto(budget=30), max_evaluations=250, rng=0
    )
    assert bowl(resumed.x) < 1e-8
    assert "quadratic model" in resumed.learned
    np.testing.assert_array_equal(resumed.x, at_once.x)
