"""Cells that are dropped and probes that are not finite: what becomes of the averages and of x."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import zooadmm as zoo
from twins.bowl import CENTERS, M, bowl
from twins.workshop import driven, optimizer, slope
from zooadmm.evaluation import InProcess
from zooadmm.oracle.queries import ForwardQuery, PointsQuery, Query
from zooadmm.oracle.randomness import key_from
from zooadmm.run.dropping import without

KEY = key_from(2)
X = np.linspace(-1.0, 1.0, M)
SOURCES: dict[str, Any] = {
    "forward": zoo.paper.Smoothed(6),
    "forward hybrid": zoo.paper.Smoothed(6, 4),
    "central": zoo.paper.Smoothed(5, difference="central"),
    "central hybrid": zoo.paper.Smoothed(5, 3, difference="central"),
    "paired": zoo.paper.Paired(7),
    "central paired": zoo.paper.Paired(7, difference="central"),
}


def query_of(label: str) -> Query:
    source = SOURCES[label]
    batch = np.arange(source.num_observations)
    return source.query(3, X, 0.1, KEY, batch, zoo.sets.WholeSpace())


def differences(label: str, query: Query, values: np.ndarray) -> dict[tuple[int, ...], Any]:
    """(cells of a difference) -> (it, its direction), slowly."""
    z = query.directions(0, query.total)
    if "paired" in label:
        return {(2 * j, 2 * j + 1): (values[2 * j + 1] - values[2 * j], z[j]) for j in range(7)}
    q2, q1 = query.shape[1], query.total
    found = {}
    for j in range(q1):
        for i in range(q2):
            plus, minus = (2 * j * q2 + i, (2 * j + 1) * q2 + i)
            if label.startswith("forward"):
                plus, minus = (1 + j) * q2 + i, i
            found[plus, minus] = (values[plus] - values[minus], z[j])
    return found


@pytest.mark.parametrize("label", SOURCES)
def test_the_average_is_over_the_rest(label: str) -> None:
    source, rng = SOURCES[label], np.random.default_rng(0)
    for _ in range(20):
        query = query_of(label)
        answer = InProcess(bowl)(query)
        dropped = rng.random(query.cells) < 0.2
        dropped[0] = False
        left = {
            cells: found
            for cells, found in differences(label, query, answer.reshape(-1)).items()
            if not dropped[list(cells)].any()
        }
        assert len(left) > 0
        read, counted = without(query, answer, dropped)
        beta = query.radius * (2 if "central" in label else 1)
        expected = sum(slope * z for slope, z in left.values()) / beta / len(left)
        np.testing.assert_allclose(source.gradient(query, read, counted), expected, rtol=1e-12)
        used = {cell for cells in left for cell in cells}
        at = sorted(
            cell for cell in used
            if "central" in label or (cell % 2 == 0 if "paired" in label else cell < query.shape[1])
        )  # fmt: skip
        assert source.loss(query, read, counted) == pytest.approx(answer.reshape(-1)[at].mean())


def test_gradients_are_averaged_over_the_rest() -> None:
    run = optimizer("gradients")
    query = run.ask()
    assert query is not None
    answer = InProcess(zoo.Loss(gradient=slope))(query)
    read, _ = without(query, answer, np.array([True, False, False]))
    assert np.array_equal(zoo.paper.Exact(3).gradient(query, read), answer[1:].sum(axis=0) / 2)


def test_in_a_query_without_differences_there_is_no_value() -> None:
    query = PointsQuery(1, np.ones((2, 3)), np.arange(2))
    read, _ = without(query, np.ones((2, 2)), np.array([False, True, False, False]))
    assert np.array_equal(read, [[1.0, np.nan], [1.0, 1.0]], equal_nan=True)


def test_without_f_of_x_an_iteration_only_passes() -> None:
    run = optimizer("forward")
    before = run.state
    query = run.ask()
    assert isinstance(query, ForwardQuery)
    values = dict(enumerate(InProcess(bowl)(query).reshape(-1)))
    info = run.tell(query.id, {**values, 0: np.ma.masked})
    assert info is not None
    assert (info.dropped, info.update, math.isnan(info.gradient_norm)) == (1, 0.0, True)
    assert run.state.t == 2
    assert run.state.x.tobytes() == before.x.tobytes()
    assert run.state.dual.tobytes() == before.dual.tobytes()
    assert driven(run, InProcess(bowl))


def test_where_all_is_dropped_there_is_an_error_and_nothing_changes() -> None:
    def loss(x: np.ndarray, w: int) -> float:
        raise OSError("gone")

    for label in ("forward", "auto", "gradients"):
        run = optimizer(label)
        query = run.ask()
        assert query is not None
        nothing = dict.fromkeys(range(query.cells), np.ma.masked)
        with pytest.raises(ValueError, match=rf"all {query.cells} evaluations of query 1 were"):
            run.tell(query.id, nothing)
        assert driven(run, InProcess(zoo.Loss(bowl, gradient=slope)))
    with pytest.raises(ValueError, match="were dropped, so nothing is left"):
        zoo.minimize(loss, X, observations=range(9), max_iterations=3, on_error="drop")


def test_dropped_cells_survive_a_checkpoint(tmp_path: Path) -> None:
    runs = [optimizer("forward"), optimizer("forward")]
    for run in runs:
        query = run.ask()
        assert query is not None
        run.tell(query.id, {2: np.ma.masked, 3: 1.5})
    runs[0].save(tmp_path / "run.zoo")
    resumed = optimizer("forward")
    resumed.load(tmp_path / "run.zoo")
    with pytest.raises(ValueError, match="cell 2 of query 1 was told before with another value"):
        resumed.tell(1, {2: 0.0})
    rest = {cell: 1.0 * cell for cell in range(31) if cell not in (2, 3)}
    for run in (runs[1], resumed):
        run.tell(1, rest)
    assert resumed.state.x.tobytes() == runs[1].state.x.tobytes()
    assert resumed.result().message == runs[1].result().message
    assert "1 evaluation(s) failed and were dropped." in resumed.result().message


@pytest.mark.parametrize("settings", ["auto", "paper"])
def test_failures_by_chance_do_not_keep_a_run_from_getting_there(settings: Any) -> None:
    calls = np.random.default_rng(0).random(10**5) < 0.02
    count = iter(calls)

    def loss(x: np.ndarray) -> float:
        if next(count):
            raise OSError("lost on the way")
        return float(np.square(x - CENTERS[0]).sum())

    result = zoo.minimize(
        loss, np.zeros(M), settings=settings, max_evaluations=6000, rng=0, on_error="drop",
        output="last",
    )  # fmt: skip
    assert result.trace["dropped"][-1] > (50 if settings == "paper" else 2)
    assert np.abs(result.x - CENTERS[0]).max() < 0.05


# Probes that are not finite


def bounded(x: np.ndarray) -> float:
    """Finite only near the origin, where the minimum is."""
    return float(x @ x) if np.abs(x).max() < 0.5 else math.nan


def near_the_edge(loss: Any = bounded, **given: Any) -> zoo.Result:
    return zoo.minimize(
        loss, np.full(4, 0.499), settings="paper", gradient=zoo.paper.Smoothed(5), smoothing=0.01,
        domain=zoo.Box(-0.499, 0.499), step_size=0.02, max_iterations=60, rng=0, **given,
    )  # fmt: skip


def test_a_probe_that_is_not_finite_is_an_error_by_default() -> None:
    with pytest.raises(ValueError, match="of query 1 is nan, not finite"):
        near_the_edge()


def test_or_it_is_taken_nearer_and_said_once(tmp_path: Path) -> None:
    with pytest.warns(RuntimeWarning, match="at iteration 1 a probe was not finite") as warned:
        result = near_the_edge(on_nan="shrink")
    assert len(warned) == 1
    trace = result.trace
    still = np.flatnonzero(np.isnan(trace["step_size"]))
    assert 0 < len(still) < 30
    assert f"In {len(still)} iteration(s) a probe was not finite" in result.message
    assert (trace["update"][still] == 0.0).all()
    assert trace["smoothing"][still[0] + 1] == pytest.approx(0.0025)
    assert trace["smoothing"][-1] == pytest.approx(0.01)  # and it grows back
    assert np.isfinite(result.x).all()
    assert np.abs(result.x_last).max() < 0.3
    path = tmp_path / "run.zoo"
    with pytest.warns(RuntimeWarning, match="at iteration 1"):
        near_the_edge(lambda x: bounded(x), on_nan="shrink", checkpoint=path, callback=_stop_at(2))
    resumed = near_the_edge(on_nan="shrink", checkpoint=path)  # which is not said again
    assert resumed.x.tobytes() == result.x.tobytes()
    assert resumed.message == result.message


def _stop_at(t: int) -> Any:
    def callback(info: zoo.run.Info) -> None:
        if info.t == t:
            raise StopIteration

    return callback


def test_a_loss_that_is_not_finite_at_x_itself_is_an_error_all_the_same() -> None:
    with pytest.raises(ValueError, match="the loss is not finite at x_t"):
        near_the_edge(lambda x: math.nan, on_nan="shrink")
    only_here = np.full(4, 0.499)
    with (
        pytest.warns(RuntimeWarning, match="not finite"),
        pytest.raises(ValueError, match="or nowhere around it"),
    ):
        near_the_edge(lambda x: 0.0 if np.array_equal(x, only_here) else math.inf, on_nan="shrink")


def test_the_automatic_method_takes_probes_nearer_by_itself() -> None:
    result = zoo.minimize(bounded, np.full(4, 0.499), max_evaluations=600, rng=0, on_nan="shrink")
    assert np.abs(result.x).max() < 0.05


# What is refused


@pytest.mark.parametrize(
    ("given", "error", "said"),
    [
        ({"on_error": "ignore"}, ValueError, 'on_error must be "stop", "drop" or Retry'),
        ({"on_nan": "ignore"}, ValueError, 'on_nan must be "stop" or "shrink"'),
        ({"on_nan": "stop"}, ValueError, 'on_nan="stop" belongs to Algorithm 1'),
        ({"workers": 0}, ValueError, "workers = 0 must be a whole number"),
        ({"workers": True}, ValueError, "workers = True must be"),
        ({"workers": 2, "evaluator": zoo.evaluation.Threads(2)}, ValueError, "give one of them"),
        ({"evaluator": 2}, TypeError, "evaluator must be an engine"),
    ],
)
def test_arguments_that_make_no_sense(given: dict[str, Any], error: type, said: str) -> None:
    if given == {"on_nan": "stop"}:
        given = {**given, "settings": "auto"}
    with pytest.raises(error, match=said):
        zoo.minimize(bounded, np.zeros(4), max_iterations=2, **given)


def test_engines_and_policies_that_make_no_sense() -> None:
    for make in (zoo.Processes, zoo.evaluation.Threads):
        with pytest.raises(ValueError, match=r"workers = 1.5 must be a whole number"):
            make(1.5)  # type: ignore[arg-type]
    for timeout in (0, -1.0, True, "1"):
        with pytest.raises(ValueError, match="must be a number of seconds above 0, or None"):
            zoo.Processes(1, timeout=timeout)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="times = 0 must be"):
        zoo.Retry(0)
    with pytest.raises(ValueError, match='then must be "stop" or "drop"'):
        zoo.Retry(1, then="go on")  # type: ignore[arg-type]
