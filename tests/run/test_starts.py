"""Several starts: shares, bits, what is reported of each, and what is refused."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import zooadmm as zoo
from zooadmm.run.starts import shares

WELLS = np.array([[-1.5, 0.5], [1.0, 1.0], [0.5, -1.5]])
DEPTHS = np.array([1.0, 3.0, 2.0])


def wells(x: np.ndarray) -> float:
    """Three wells in a bowl; the deepest is the second."""
    far = np.square(x - WELLS).sum(axis=1)
    return float(0.1 * x @ x - DEPTHS @ np.exp(-2.0 * far))


def deepest() -> float:
    """By brute force on a grid."""
    ticks = np.linspace(-2.0, 2.0, 401)
    return min(wells(np.array([a, b])) for a in ticks[::4] for b in ticks[::4])


def run(loss: Any = wells, x0: Any = None, **given: Any) -> zoo.Result:
    keywords: dict[str, Any] = {"domain": zoo.Box(-2.0, 2.0), "max_evaluations": 2000, "rng": 0}
    start = np.array([-1.4, 0.4]) if x0 is None else x0
    return zoo.minimize(loss, start, **{**keywords, **given})


def test_several_starts_find_what_one_misses() -> None:
    assert run().fun > deepest() + 0.5
    result = run(starts=8)
    assert result.fun == pytest.approx(deepest(), abs=0.01)
    assert result.success
    assert "of 8 starts reached this value" in result.message


@pytest.mark.parametrize("count", [2, 3, 5, 8, 17])
@pytest.mark.parametrize("budget", [100, 1000, 12345])
def test_shares_halve_and_stay_within_the_budget(count: int, budget: int) -> None:
    rounds = shares(count, budget)
    assert rounds[0].runs == count
    assert rounds[-1].runs == 1
    assert sum(share.runs * share.evaluations for share in rounds) <= budget
    for before, after in pairwise(rounds):
        assert after.runs == -(-before.runs // 2) or after.runs == before.runs // 2


def test_a_start_without_a_finite_value_is_left_out() -> None:
    def partly(x: np.ndarray) -> float:
        return wells(x) if x[0] > 0.0 else np.nan

    further = [[-1.0, 1.0], [0.2, -0.5], [-0.5, -0.5]]
    result = run(partly, np.array([0.5, 0.5]), starts=further)
    assert result.fun == pytest.approx(deepest(), abs=0.01)
    assert "At 2 of them the loss is not finite." in result.message
    assert [start.fun is None for start in result.starts] == [False, False, True, True]
    assert result.nfev <= 2000
    with pytest.raises(ValueError, match="not finite at x0"):
        run(lambda x: np.nan, starts=further)


@pytest.mark.parametrize("budget", [1, 2, 3])
def test_a_budget_that_none_of_the_starts_can_use_is_refused(budget: int) -> None:
    with pytest.raises(ValueError, match=f"max_evaluations = {budget} is too few for 8 starts"):
        run(starts=8, max_evaluations=budget)


@pytest.mark.parametrize("budget", [60, 200, 1000])
def test_no_more_is_evaluated_than_allowed(budget: int) -> None:
    calls = 0

    def counted(x: np.ndarray) -> float:
        nonlocal calls
        calls += 1
        return wells(x)

    result = run(counted, starts=6, max_evaluations=budget)
    assert result.nfev <= budget
    assert calls >= result.nfev
    assert sum(start.nfev for start in result.starts) == result.nfev


def test_each_start_is_reported_best_first() -> None:
    points = np.array([[1.1, 0.9], [0.4, -1.4]])
    result = run(starts=points)
    assert len(result.starts) == 3
    values = [start.fun for start in result.starts]
    assert values == sorted(values)
    assert values[0] == result.fun
    reached = {tuple(start.x0): wells(start.x) for start in result.starts}
    assert set(reached) == {(-1.4, 0.4), (1.1, 0.9), (0.4, -1.4)}
    for start in result.starts:
        assert start.fun == pytest.approx(reached[tuple(start.x0)], abs=1e-12)


def test_the_same_seed_gives_the_same_bits() -> None:
    one, two = (run(starts=5, rng=np.random.default_rng(7)) for _ in range(2))
    assert one.x.tobytes() == two.x.tobytes()
    assert [s.x0.tobytes() for s in one.starts] == [s.x0.tobytes() for s in two.starts]
    assert one.starts[1].x0.tobytes() != run(starts=5, rng=8).starts[1].x0.tobytes()


def test_no_start_leaves_a_simplex() -> None:
    seen = []

    def loss(x: np.ndarray) -> float:
        seen.append(x.copy())
        return -float(x @ x)

    others = np.random.default_rng(0).dirichlet(np.ones(4), 3)
    zoo.minimize(
        loss, np.full(4, 0.25), domain=zoo.Simplex(), starts=others, max_evaluations=400, rng=0
    )
    assert np.min(seen) >= 0
    np.testing.assert_allclose(np.sum(seen, axis=1), 1.0, atol=1e-9)


def test_named_parameters_keep_their_names() -> None:
    parameters = zoo.Parameters({"a": (-2, 2), "b": (-2, 2)})
    result = run(
        lambda p: wells(np.array([p["a"], p["b"]])), parameters, domain=None, starts=[[1.0, 1.0]]
    )
    assert result.fun == pytest.approx(deepest(), abs=0.01)
    assert result.named["a"] == pytest.approx(WELLS[1][0], abs=0.1)


def test_a_sampled_loss_is_judged_on_the_same_observations() -> None:
    shifts = np.random.default_rng(0).normal(0.0, 0.05, (60, 2))
    result = run(lambda x, w: wells(x + w), observations=shifts, starts=6, max_evaluations=20_000)
    assert result.fun == pytest.approx(deepest(), abs=0.15)


def test_a_saved_result_has_its_starts(tmp_path: Path) -> None:
    result = run(starts=3)
    result.save(tmp_path / "result.json")
    loaded = zoo.Result.load(tmp_path / "result.json")
    assert [vars(start)["nfev"] for start in loaded.starts] == [s.nfev for s in result.starts]
    np.testing.assert_array_equal(loaded.starts[-1].x, result.starts[-1].x)
    assert loaded.starts[0].status is result.starts[0].status


def test_a_callback_stops_all_runs() -> None:
    def stop(info: Any) -> None:
        if info.t == 3:
            raise StopIteration

    result = run(starts=4, callback=stop)
    assert result.status is zoo.Status.CALLBACK
    assert result.nfev < 200


def test_a_target_ends_all_runs() -> None:
    result = run(starts=8, target=-0.5, max_evaluations=5000)
    assert result.status is zoo.Status.TARGET
    assert result.fun <= -0.5
    assert result.nfev < 2500


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"starts": 1}, "starts = 1 must be at least 2"),
        ({"starts": True}, "starts = True must be at least 2"),
        ({"starts": 4, "domain": None}, "drawn within bounds"),
        ({"starts": np.zeros((2, 3))}, "rows of length 2"),
        ({"starts": 4, "max_evaluations": None, "max_seconds": 5.0}, "share max_evaluations"),
        ({"starts": 4, "checkpoint": "here"}, "checkpoint belongs to a single run"),
        ({"starts": 4, "regret": zoo.Regret(np.zeros(2))}, "regret belongs to a single run"),
    ],
)
def test_what_does_not_fit_is_refused(given: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        run(**given)
