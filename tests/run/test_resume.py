"""A run that was saved and loaded is the run that never stopped, byte for byte."""

from __future__ import annotations

import io
import itertools
import json
import os
import pickle
import zipfile
from collections import OrderedDict, namedtuple
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyproximal
import pytest
from scipy import sparse
from scipy.sparse.linalg import aslinearoperator

import zooadmm as zoo
from zooadmm.oracle.queries import GradientQuery, Query
from zooadmm.run.checkpoint.archive import put

M = 4
ITERATIONS = 11
CENTER = np.linspace(-1.0, 1.0, M)
DATA = np.random.default_rng(7).normal(size=(9, M))
DIFFERENCES = sparse.diags_array([-1.0, 1.0], offsets=[0, 1], shape=(M - 1, M), format="csr")

Keywords = dict[str, Any]
Contents = dict[str, tuple[str, tuple[int, ...], bytes]]


class Bowl:
    """|x - w|^2 (1 + x_1^2 / 10), with w = CENTER where there are no observations."""

    def __init__(self) -> None:
        self.calls = 0

    def __call__(self, x: np.ndarray, w: Any = CENTER) -> float:
        self.calls += 1
        x = np.asarray(x)
        if isinstance(w, dict):
            w = w["center"] + len(w["name"]) * w["scale"]
        return float(np.square(x - w).sum() * (1 + 0.1 * x[0] ** 2))

    def gradient(self, x: np.ndarray, w: Any = CENTER) -> np.ndarray:
        return 2 * (x - w) * (1 + 0.1 * x[0] ** 2)


class Rewindable:
    """An iterable that starts from its beginning each time, and counts how often."""

    def __init__(self, items: Iterable[Any]) -> None:
        self.items = list(items)
        self.starts = 0

    def __iter__(self) -> Iterator[Any]:
        self.starts += 1
        return iter(self.items)


def described(w: np.ndarray) -> dict[str, Any]:
    return {"center": w, "name": "ab", "scale": float(w[0]), "rest": (1, None, [True, w[:2]])}


def live(items: Iterable[Any]) -> Iterator[Any]:
    yield from items


REUSED_OPERATOR = pyproximal.L1(sigma=0.2)  # it counts its calls

ALL_COORDINATES = zoo.paper.Smoothed(M, distribution=zoo.paper.Coordinate())
DISTRIBUTIONS = [
    zoo.paper.Sphere(),
    zoo.paper.Gaussian(),
    zoo.paper.Rademacher(),
    zoo.paper.Coordinate(),
    zoo.paper.Orthogonal(),
]
CASES: dict[str, Callable[[], Keywords]] = {
    **{
        f"{d}": lambda d=d: {"gradient": zoo.paper.Smoothed(6, distribution=d)}
        for d in DISTRIBUTIONS
    },
    **{
        f"{d}, central pairs": lambda d=d: {
            "gradient": zoo.paper.Paired(3, distribution=d, difference="central"),
            "observations": DATA,
        }
        for d in DISTRIBUTIONS
    },
    "central": lambda: {"gradient": zoo.paper.Smoothed(3, difference="central")},
    "paired": lambda: {"gradient": zoo.paper.Paired(3), "observations": DATA},
    "exact": lambda: {"gradient": zoo.paper.Exact()},
    "exact, observed": lambda: {"gradient": zoo.paper.Exact(3), "observations": DATA},
    **{
        order: lambda order=order: {
            "gradient": zoo.paper.Smoothed(2, 2),
            "observations": zoo.Samples(DATA, order=order),
        }
        for order in ("with replacement", "without replacement", "in order", "epochs")
    },
    "a list": lambda: {"gradient": zoo.paper.Smoothed(2, 2), "observations": list(DATA)},
    "a list of dicts": lambda: {
        "gradient": zoo.paper.Smoothed(2, 2),
        "observations": [described(w) for w in DATA],
    },
    "stream": lambda: {
        "gradient": zoo.paper.Smoothed(2, 3),
        "observations": zoo.Stream([*DATA, *DATA]),
    },
    "stream that ends": lambda: {
        "gradient": zoo.paper.Smoothed(2, 3),
        "observations": iter_of(DATA[:8]),
    },
    "stream, exact": lambda: {
        "gradient": zoo.paper.Exact(3),
        "observations": iter_of([*DATA, *DATA]),
    },
    "stream of dicts": lambda: {
        "gradient": zoo.paper.Smoothed(2, 3),
        "observations": iter_of([described(w) for w in [*DATA, *DATA]]),
    },
    "stream of numpy's numbers": lambda: {
        "gradient": zoo.paper.Smoothed(2, 3),
        "observations": zoo.Stream(DATA.ravel()),
        "x0": np.full(M, 0.25, dtype=np.float32),
        "smoothing": 0.05,
    },
    "time": lambda: {"gradient": zoo.paper.Smoothed(3), "observations": zoo.Time()},
    "sparse": lambda: {"constraint": zoo.Linear(DIFFERENCES), "gradient": zoo.paper.Smoothed(3)},
    "sparse with c and B": lambda: {
        "constraint": zoo.Linear(
            sparse.eye_array(M, format="coo") * 2.0,
            sparse.csc_array(np.fliplr(np.eye(M))),
            np.arange(float(M)),
        ),
        "regularizer": zoo.regularizers.Within(zoo.L1(0.1), zoo.Box(-1.0, 2.0)),
        "gradient": zoo.paper.Smoothed(3),
    },
    "operator": lambda: {
        "constraint": zoo.Linear(aslinearoperator(DIFFERENCES)),
        "gradient": zoo.paper.Smoothed(3),
    },
    "float32": lambda: {
        "x0": np.full(M, 0.25, dtype=np.float32),
        "gradient": zoo.paper.Smoothed(3),
        "smoothing": 0.05,
    },
    "warm": lambda: {"y0": np.ones(M), "dual0": -CENTER, "gradient": zoo.paper.Smoothed(3)},
    "domain": lambda: {
        "domain": zoo.Simplex(1.0),
        "gradient": zoo.paper.Smoothed(3, distribution=zoo.paper.Rademacher(), probes="inside"),
    },
    "another's operator": lambda: {"regularizer": REUSED_OPERATOR},
    "groups": lambda: {"regularizer": zoo.GroupL2(0.3, [[0, 1], [2, 3]])},
    "schedules": lambda: {
        "step_size": lambda t: 0.3 / t,
        "smoothing": zoo.paper.schedules.Power(0.1, 1.0),
        "penalty": 2.0,
        "proximal_weight": "constant",
    },
    "weight as a function": lambda: {"proximal_weight": lambda t: 9.0 + 1.0 / t},
    "metric": lambda: {
        "metric": zoo.paper.Fixed(np.linspace(1.0, 2.0, M)),
        "gradient": zoo.paper.Smoothed(3),
    },
    "metric, a matrix": lambda: {
        "metric": zoo.paper.Fixed(np.eye(M) + 0.1),
        "constraint": zoo.Linear(DIFFERENCES),
        "gradient": zoo.paper.Smoothed(3),
    },
    "any B": lambda: {
        "constraint": zoo.Linear(np.eye(M), np.tri(M) / M + np.eye(M)),
        "gradient": zoo.paper.Smoothed(3),
    },
    "thinned": lambda: {"max_trace_rows": 3},
    "one row": lambda: {"max_trace_rows": 1},
    "no trace": lambda: {"max_trace_rows": 0},
    "target": lambda: {"target": 1.9, "gradient": ALL_COORDINATES, "step_size": 0.02},
    "tolerance": lambda: {"tolerance": 0.2, "gradient": zoo.paper.Exact(), "regularizer": None},
}
every_case = pytest.mark.parametrize("case", CASES)


def iter_of(items: Iterable[Any]) -> Rewindable:
    return Rewindable(items)


def keywords(case: str, **changes: Any) -> Keywords:
    common = {
        "x0": np.full(M, 0.25),
        "settings": "paper",
        "regularizer": zoo.L1(0.2),
        "max_iterations": ITERATIONS,
        "rng": 3,
    }
    return {**common, **CASES[case](), **changes}


def optimizer_of(case: str, **changes: Any) -> zoo.Optimizer:
    return zoo.Optimizer(**keywords(case, **changes))


def answer_to(query: Query) -> np.ndarray:
    answer, loss = np.full(query.shape, np.nan), Bowl()
    if isinstance(query, GradientQuery):
        seen = [()] if query.observations is None else [(w,) for w in query.observations]
        answer.reshape(len(seen), M)[:] = [loss.gradient(query.x, *w) for w in seen]
        return answer
    for cell, point, observation in query:
        w = () if query.observations is None else (observation,)
        answer.reshape(-1)[cell] = loss(point, *w)
    return answer


def part_of(query: Query, answer: np.ndarray, cells: Iterable[int]) -> dict[int, Any]:
    rows = answer.reshape(query.cells, -1)
    return {cell: rows[cell] for cell in cells}


def run(optimizer: zoo.Optimizer, iterations: int = 10**6) -> zoo.Optimizer:
    for _ in range(iterations):
        if (query := optimizer.ask()) is None:
            break
        optimizer.tell(query.id, answer_to(query))
    return optimizer


def read(path: Path) -> Contents:
    with np.load(path, allow_pickle=False) as file:
        return {
            name: (str(file[name].dtype), file[name].shape, file[name].tobytes())
            for name in file.files
        }


def contents(optimizer: zoo.Optimizer, directory: Path) -> Contents:
    """Everything a checkpoint holds: the state, the trace, the ledger, what is pending."""
    path = directory / "contents.npz"
    optimizer.save(path)
    return read(path)


def reloaded(optimizer: zoo.Optimizer, path: Path, case: str, **changes: Any) -> zoo.Optimizer:
    """A new optimizer that goes on from a file."""
    optimizer.save(path)
    another = optimizer_of(case, **changes)
    another.load(path)
    return another


def assert_same_result(one: zoo.Result, other: zoo.Result, but: tuple[str, ...] = ()) -> None:
    for name in ("x", "y", "x_average", "y_average", "x_last", "y_last", "dual"):
        assert getattr(one, name).dtype == getattr(other, name).dtype
        assert getattr(one, name).tobytes() == getattr(other, name).tobytes(), name
    for name in ("fun", "fun_status", "fun_error", "nit", "nfev", "njev", "residual", "status"):
        assert name in but or getattr(one, name) == getattr(other, name), name
    for name in ("success", "message", "nfev_report", "x_violation", "y_violation"):
        assert name in but or getattr(one, name) == getattr(other, name), name
    assert one.trace.rows().tobytes() == other.trace.rows().tobytes()
    assert one.trace.stride == other.trace.stride


# Optimizer.save and load


@every_case
def test_a_new_optimizer_for_every_iteration_and_within_it(case: str, tmp_path: Path) -> None:
    """Saved and loaded before each ask, after it, and with one half of the answer told."""
    unbroken, path = run(optimizer_of(case)), tmp_path / "run.npz"
    optimizer = optimizer_of(case)
    rng = np.random.default_rng(0)
    for _ in range(ITERATIONS + 1):
        optimizer = reloaded(optimizer, path, case)
        if (query := optimizer.ask()) is None:
            break
        answer = answer_to(query)
        order = rng.permutation(query.cells)
        optimizer = reloaded(optimizer, path, case)
        half = len(order) // 2
        assert optimizer.tell(query.id, part_of(query, answer, order[:half])) is None
        optimizer = reloaded(optimizer, path, case)
        again = optimizer.ask()
        assert again is not None
        assert again.id == query.id
        assert again.points.tobytes() == query.points.tobytes()
        assert answer_to(again).tobytes() == answer.tobytes()
        assert optimizer.tell(query.id, part_of(query, answer, order[half:])) is not None
    assert optimizer.ask() is None
    assert unbroken.state.t > 4
    assert contents(optimizer, tmp_path) == contents(unbroken, tmp_path)
    assert_same_result(optimizer.result(), unbroken.result())


@pytest.mark.parametrize("case", ["Sphere()", "epochs", "stream", "thinned"])
def test_split_once_at_any_iteration(case: str, tmp_path: Path) -> None:
    unbroken = contents(run(optimizer_of(case)), tmp_path)
    for k in range(ITERATIONS + 1):
        first = run(optimizer_of(case, max_iterations=k))
        second = reloaded(first, tmp_path / "run.npz", case)
        assert second.state.t == k + 1
        assert contents(run(second), tmp_path) == unbroken


def test_a_live_stream_goes_on(tmp_path: Path) -> None:
    """The window, and what was shown and not yet answered, come from the file."""
    items = [*DATA, *DATA]
    gradient, path = zoo.paper.Smoothed(2, 3), tmp_path / "run.npz"

    def optimizer_on(stream: Iterator[Any]) -> zoo.Optimizer:
        x0 = np.zeros(M)
        return zoo.Optimizer(
            x0, settings="paper", observations=stream, gradient=gradient, max_iterations=11, rng=1
        )

    unbroken = run(optimizer_on(live(items)))
    for k in range(11):
        for asked in (False, True):
            stream = live(items)
            first = run(optimizer_on(stream), k)
            pending = first.ask() if asked else None
            first.save(path)
            second = optimizer_on(stream)
            second.load(path)
            assert len(second.state.window) == min(k, 3)
            if pending is not None:
                answer = answer_to(pending)
                again = second.ask()
                assert again is not None
                assert answer_to(again).tobytes() == answer.tobytes()
            assert contents(run(second), tmp_path) == contents(unbroken, tmp_path)
            assert sum(1 for _ in stream) == len(items) - 11


def test_a_stream_is_rewound_and_must_be_as_long(tmp_path: Path) -> None:
    path, gradient = tmp_path / "run.npz", zoo.paper.Smoothed(2, 3)
    first = run(
        zoo.Optimizer(
            np.zeros(M), settings="paper", observations=iter_of(DATA), gradient=gradient, rng=1
        ),
        7,
    )
    first.save(path)
    short = zoo.Optimizer(
        np.zeros(M), settings="paper", observations=iter_of(DATA[:5]), gradient=gradient, rng=1
    )
    with pytest.raises(ValueError, match="only 5 items, but the checkpoint has seen 7"):
        short.load(path)
    source = iter_of(DATA)
    other = zoo.Optimizer(
        np.zeros(M), settings="paper", observations=source, gradient=gradient, rng=1
    )
    run(other, 2)
    other.load(path)
    assert (source.starts, other.state.t) == (2, 8)
    assert contents(run(other), tmp_path) == contents(run(first), tmp_path)


def test_a_load_that_is_refused_changes_nothing(tmp_path: Path) -> None:
    """Not even the place in a stream: the run goes on as if nobody had tried."""
    path, gradient = tmp_path / "run.npz", zoo.paper.Smoothed(2, 3)

    def optimizer(**changes: Any) -> zoo.Optimizer:
        given = {"observations": iter_of(DATA[:6]), "gradient": gradient, "rng": 1, **changes}
        return zoo.Optimizer(np.zeros(M), settings="paper", **given)

    undisturbed = contents(run(optimizer()), tmp_path)
    run(optimizer(observations=iter_of(DATA)), 8).save(path)
    longer = path.read_bytes()
    run(optimizer(penalty=3.0), 4).save(path)
    refusals = {
        "only 6 items, but the checkpoint has seen 8": longer,
        "another penalty": path.read_bytes(),
        "is not a checkpoint": longer[:500],
    }
    for asked in (False, True):
        for partly in (False, True):
            disturbed = run(optimizer(), 3)
            pending = disturbed.ask() if asked or partly else None
            if partly and pending is not None:
                disturbed.tell(pending.id, {0: answer_to(pending)[0, 0]})
            before = contents(disturbed, tmp_path)
            for sentence, file in refusals.items():
                path.write_bytes(file)
                with pytest.raises(ValueError, match=sentence):
                    disturbed.load(path)
                assert contents(disturbed, tmp_path) == before
                assert pending is None or disturbed.ask() is pending
            assert contents(run(disturbed), tmp_path) == undisturbed
            assert disturbed.state.t == 7


def test_an_answer_that_takes_a_week(tmp_path: Path) -> None:
    """Asked here, told in another process, which does not have to ask again."""
    asked_here, told_there = optimizer_of("Sphere()"), optimizer_of("Sphere()")
    query = asked_here.ask()
    assert query is not None
    asked_here.save(tmp_path / "run.npz")
    told_there.load(tmp_path / "run.npz")
    assert told_there.tell(query.id, answer_to(query)) is not None


def test_going_back_to_an_earlier_file(tmp_path: Path) -> None:
    for case in ("stream", "target", "thinned", "exact, observed"):
        optimizer = run(optimizer_of(case), 4)
        optimizer.save(tmp_path / "early.npz")
        end = contents(run(optimizer), tmp_path)
        optimizer.load(tmp_path / "early.npz")
        assert optimizer.state.t == 5
        assert contents(run(optimizer), tmp_path) == end


def test_what_was_loaded_is_read_only(tmp_path: Path) -> None:
    optimizer = reloaded(run(optimizer_of("warm"), 3), tmp_path / "run.npz", "warm")
    for vector in (optimizer.state.x, optimizer.state.y, optimizer.state.dual):
        with pytest.raises(ValueError, match="read-only"):
            vector[0] = 1.0


# minimize(checkpoint=...)


def minimized(loss: Any, case: str, **changes: Any) -> zoo.Result:
    given = keywords(case, **changes)
    return zoo.minimize(loss, given.pop("x0"), **given)


@every_case
def test_calling_again_with_a_larger_limit(case: str, tmp_path: Path) -> None:
    unbroken_loss, path = Bowl(), tmp_path / "run.npz"
    unbroken = minimized(unbroken_loss, case)
    calls = report = 0
    for limit in (0, 1, 4, 5, ITERATIONS):
        loss = Bowl()
        result = minimized(loss, case, max_iterations=limit, checkpoint=path)
        calls += loss.calls - result.nfev_report
        report = result.nfev_report
    assert_same_result(result, unbroken)
    assert calls == unbroken.nfev == unbroken_loss.calls - report


@pytest.mark.parametrize("budget", [29, 30, 31, 100])
def test_calling_again_with_more_evaluations(budget: int, tmp_path: Path) -> None:
    limits = {"max_iterations": None, "max_evaluations": 300}
    unbroken = minimized(Bowl(), "with replacement", **limits)
    path = tmp_path / "run.npz"
    less = {"max_iterations": None, "max_evaluations": budget}
    assert minimized(Bowl(), "with replacement", **less, checkpoint=path).nfev <= budget
    again = minimized(Bowl(), "with replacement", **limits, checkpoint=path)
    assert_same_result(again, unbroken)


@every_case
def test_calling_again_evaluates_nothing_but_the_report(case: str, tmp_path: Path) -> None:
    path, infos = tmp_path / "run.npz", []
    first = minimized(Bowl(), case, checkpoint=path)
    before = read(path)
    loss = Bowl()
    second = minimized(loss, case, checkpoint=path, callback=infos.append)
    assert_same_result(second, first)
    assert loss.calls == second.nfev_report
    assert infos == []
    assert read(path) == before


def test_a_target_that_was_met_stays_met(tmp_path: Path) -> None:
    path, loss = tmp_path / "run.npz", Bowl()
    limits = {"target": 1.0, "max_iterations": 1000}
    first = minimized(Bowl(), "target", **limits, checkpoint=path)
    assert first.status is zoo.Status.TARGET
    assert 3 < first.nit < 1000
    second = minimized(loss, "target", **limits, checkpoint=path)
    assert_same_result(second, first)
    assert loss.calls == second.nfev_report == 2
    assert second.x.tobytes() != second.x_last.tobytes()
    lower = minimized(Bowl(), "target", target=0.7, max_iterations=1000, checkpoint=path)
    unbroken = minimized(Bowl(), "target", target=0.7, max_iterations=1000)
    assert lower.nit > first.nit
    assert_same_result(lower, unbroken)


def test_a_target_counts_only_where_it_is_set(tmp_path: Path) -> None:
    """Steps taken without it leave no objective behind that a later call could take for met."""
    path = tmp_path / "run.npz"
    met = minimized(Bowl(), "target", target=1.0, max_iterations=1000, checkpoint=path)
    assert met.status is zoo.Status.TARGET
    without = {"target": None, "max_iterations": met.nit + 3, "checkpoint": path}
    further = minimized(Bowl(), "target", **without)
    assert (further.nit, further.status) == (met.nit + 3, zoo.Status.MAX_ITERATIONS)
    ledger = json.loads(read(path)["meta"][2])["ledger"]
    assert ledger["objective"] is None
    assert "met_x" not in read(path)
    again = minimized(Bowl(), "target", target=1.0, max_iterations=1000, checkpoint=path)
    assert again.status is zoo.Status.TARGET
    assert again.nit == met.nit + 4  # one step, to see; and the pair that met it is of that step
    assert again.fun is not None
    assert again.fun <= 1.0
    assert again.x.tobytes() != met.x.tobytes()


def test_a_tolerance_counts_only_where_it_is_set(tmp_path: Path) -> None:
    path = tmp_path / "run.npz"
    met = minimized(Bowl(), "tolerance", tolerance=0.05, max_iterations=10_000, checkpoint=path)
    assert met.status is zoo.Status.TOLERANCE
    without = {"tolerance": None, "max_iterations": met.nit + 2, "checkpoint": path}
    further = minimized(Bowl(), "tolerance", **without)
    assert (further.nit, further.status) == (met.nit + 2, zoo.Status.MAX_ITERATIONS)
    assert json.loads(read(path)["meta"][2])["ledger"]["accuracy"] is None
    optimizer = optimizer_of("tolerance", tolerance=0.05, max_iterations=10_000)
    optimizer.load(path)
    assert optimizer.ask() is not None
    assert optimizer.status is zoo.Status.RUNNING


def test_divergence_is_remembered(tmp_path: Path) -> None:
    path, calls = tmp_path / "run.npz", []

    def steep(x: np.ndarray) -> float:
        calls.append(1)
        return float(x @ x)

    given = {"step_size": 3.0, "penalty": 1e-3, "smoothing": 1e-3, "regularizer": None}
    given |= {"max_iterations": 500, "checkpoint": path}
    first = minimized(steep, "Sphere()", **given)
    assert (first.status, first.success) == (zoo.Status.DIVERGED, False)
    assert first.nit < 500
    calls.clear()
    second = minimized(steep, "Sphere()", **given)
    assert_same_result(second, first)
    assert len(calls) == second.nfev_report == 2


def test_a_tolerance_that_was_met_stays_met(tmp_path: Path) -> None:
    path = tmp_path / "run.npz"
    limits = {"tolerance": 0.05, "max_iterations": 10_000}
    first = minimized(Bowl(), "tolerance", **limits, checkpoint=path)
    assert first.status is zoo.Status.TOLERANCE
    assert_same_result(minimized(Bowl(), "tolerance", **limits, checkpoint=path), first)
    finer = {**limits, "tolerance": 0.01}
    unbroken = minimized(Bowl(), "tolerance", **finer)
    assert_same_result(minimized(Bowl(), "tolerance", **finer, checkpoint=path), unbroken)
    assert unbroken.nit > first.nit


def test_stopped_by_the_callback_and_taken_up_again(tmp_path: Path) -> None:
    path = tmp_path / "run.npz"

    def stop(info: zoo.run.Info) -> None:
        if info.t == 5:
            raise StopIteration

    stopped = minimized(Bowl(), "epochs", checkpoint=path, callback=stop)
    assert (stopped.nit, stopped.status) == (5, zoo.Status.CALLBACK)
    assert_same_result(minimized(Bowl(), "epochs", checkpoint=path), minimized(Bowl(), "epochs"))


def test_the_checkpoint_is_saved_as_often_as_asked(tmp_path: Path) -> None:
    path, seen = tmp_path / "run.npz", []

    def look(info: zoo.run.Info) -> None:
        seen.append(int(json.loads(read(path)["meta"][2])["t"]))

    minimized(Bowl(), "Sphere()", checkpoint=path, checkpoint_seconds=0.0, callback=look)
    assert seen == list(range(1, ITERATIONS + 1))
    path.unlink()
    minimized(Bowl(), "Sphere()", checkpoint=str(path), callback=look)
    assert seen[ITERATIONS:] == [1] * ITERATIONS


@pytest.mark.parametrize("never", [float("inf"), 1e300, 3600.0])
def test_a_checkpoint_that_is_never_due_is_still_saved_at_the_end(
    never: float, tmp_path: Path
) -> None:
    path, seen = tmp_path / "run.npz", []

    def look(info: zoo.run.Info) -> None:
        seen.append(json.loads(read(path)["meta"][2])["t"])

    given = {"checkpoint": path, "checkpoint_seconds": never}
    minimized(Bowl(), "Sphere()", **given, callback=look)
    assert seen == [1] * ITERATIONS
    assert json.loads(read(path)["meta"][2])["t"] == ITERATIONS + 1
    loss = Bowl()
    assert_same_result(minimized(loss, "Sphere()", **given), minimized(Bowl(), "Sphere()"))
    assert loss.calls == 2


def test_a_loss_that_changes_directory_does_not_move_the_checkpoint(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here, elsewhere = tmp_path / "here", tmp_path / "elsewhere"
    here.mkdir()
    elsewhere.mkdir()
    monkeypatch.chdir(here)

    def loss(x: np.ndarray) -> float:
        monkeypatch.chdir(elsewhere)
        return Bowl()(x)

    minimized(loss, "Sphere()", max_iterations=4, checkpoint="run.npz", checkpoint_seconds=0.0)
    assert [p.name for p in here.iterdir()] == ["run.npz"]
    assert list(elsewhere.iterdir()) == []
    monkeypatch.chdir(here)
    again = minimized(Bowl(), "Sphere()", checkpoint="run.npz")
    assert_same_result(again, minimized(Bowl(), "Sphere()"))


def test_a_home_directory_is_understood(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    minimized(Bowl(), "Sphere()", max_iterations=2, checkpoint="~/run.npz")
    assert [p.name for p in tmp_path.iterdir()] == ["run.npz"]


def test_two_processes_do_not_share_a_temporary_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written: list[str] = []
    replace = os.replace

    def watched(source: Any, target: Any) -> None:
        written.append(Path(source).name)
        assert Path(source).parent == Path(target).parent  # a rename within one file system
        replace(source, target)

    monkeypatch.setattr(os, "replace", watched)
    optimizer = run(optimizer_of("Sphere()"), 2)
    for process in (os.getpid(), 12345):
        monkeypatch.setattr(os, "getpid", lambda process=process: process)
        optimizer.save(tmp_path / "run.npz")
        assert str(process) in written[-1]
    assert len(set(written)) == 2
    assert [p.name for p in tmp_path.iterdir()] == ["run.npz"]


def test_an_observation_that_cannot_be_kept_is_refused_before_the_first_evaluation(
    tmp_path: Path,
) -> None:
    loss, path = Bowl(), tmp_path / "run.npz"
    given = {"observations": live([{1, 2}] * 9), "checkpoint": path}
    with pytest.raises(TypeError, match="observations of type set cannot be kept in a checkpoint"):
        minimized(loss, "Sphere()", **given)
    assert loss.calls == 0
    dated = live([np.datetime64("2020-01-01") + k for k in range(ITERATIONS)])
    result = minimized(
        lambda x, w: float(x @ x) + w.astype(int) % 7 * x[0],
        "Sphere()",
        observations=dated,
        checkpoint=path.with_name("dated.npz"),
        checkpoint_seconds=0.0,
    )
    assert result.nit == ITERATIONS


def test_a_path_relative_to_where_we_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    minimized(Bowl(), "epochs", max_iterations=3, checkpoint="run")
    assert_same_result(minimized(Bowl(), "epochs", checkpoint="run"), minimized(Bowl(), "epochs"))
    assert [p.name for p in tmp_path.iterdir()] == ["run"]


def test_a_checkpoint_in_a_missing_directory_fails_before_the_first_evaluation(
    tmp_path: Path,
) -> None:
    loss = Bowl()
    with pytest.raises(ValueError, match=r"missing.*is in a folder that does not exist"):
        minimized(loss, "Sphere()", checkpoint=tmp_path / "missing" / "run.npz")
    assert loss.calls == 0
    (tmp_path / "directory").mkdir()
    with pytest.raises(ValueError, match=r"directory.*is a folder"):
        minimized(loss, "Sphere()", checkpoint=tmp_path / "directory")
    assert loss.calls == 0


def test_a_loss_that_fails_leaves_a_checkpoint_that_goes_on(tmp_path: Path) -> None:
    unbroken, path = minimized(Bowl(), "epochs"), tmp_path / "run.npz"

    class Failing(Bowl):
        def __init__(self, patience: int, with_nan: bool) -> None:
            super().__init__()
            self.patience, self.with_nan = patience, with_nan

        def __call__(self, x: np.ndarray, w: Any = CENTER) -> float:
            if self.calls == self.patience:
                if self.with_nan:
                    return float("nan")
                raise ZeroDivisionError("the simulator crashed")
            return super().__call__(x, w)

    for k, (with_nan, error) in enumerate([(False, ZeroDivisionError), (True, ValueError)] * 3):
        with pytest.raises(error, match=r"the simulator crashed|not finite"):
            minimized(Failing(7 + 2 * k, with_nan), "epochs", checkpoint=path)
    assert 1 < json.loads(read(path)["meta"][2])["t"] < ITERATIONS
    assert_same_result(minimized(Bowl(), "epochs", checkpoint=path), unbroken)


# What a checkpoint is held against

BASE: Keywords = {
    "x0": np.full(M, 0.25),
    "settings": "paper",
    "regularizer": zoo.L1(0.2),
    "observations": DATA,
    "gradient": zoo.paper.Smoothed(2, 2),
    "rng": 3,
    "max_iterations": 5,
}
MANY = [described(w) for w in DATA]
CHANGED: dict[str, tuple[str, Keywords, Keywords]] = {
    "x0": ("x0", {}, {"x0": np.full(M, 0.26)}),
    "x0, its type": ("x0", {}, {"x0": np.full(M, 0.25, dtype=np.float32)}),
    "x0, its length": ("x0", {}, {"x0": np.full(M + 1, 0.25), "observations": DATA[:, :1]}),
    "y0": ("y0", {}, {"y0": np.zeros(M)}),
    "y0, another": ("y0", {"y0": np.ones(M)}, {"y0": np.zeros(M)}),
    "dual0": ("dual0", {}, {"dual0": np.ones(M)}),
    "regularizer": ("regularizer", {}, {"regularizer": zoo.L1(0.3)}),
    "no regularizer": ("regularizer", {}, {"regularizer": None}),
    "regularizer that moves y0": ("regularizer", {}, {"regularizer": zoo.Box(0.5, 1.0)}),
    "weights": (
        "regularizer",
        {"regularizer": zoo.L1(0.2, weights=np.ones(M))},
        {"regularizer": zoo.L1(0.2, weights=np.arange(1.0, M + 1))},
    ),
    "groups": (
        "regularizer",
        {"regularizer": zoo.GroupL2(0.2, [[0, 1], [2, 3]])},
        {"regularizer": zoo.GroupL2(0.2, [[0, 2], [1, 3]])},
    ),
    "another's operator": (
        "regularizer",
        {"regularizer": pyproximal.L1(sigma=0.2)},
        {"regularizer": pyproximal.L1(sigma=0.3)},
    ),
    "domain": ("domain", {}, {"domain": zoo.Box(-9.0, 9.0)}),
    "domain, its bounds": (
        "domain",
        {"domain": zoo.Box(-9.0, 9.0)},
        {"domain": zoo.Box(-9.0, np.array([9.0, 9.0, 8.0, 9.0]))},
    ),
    "constraint": ("constraint", {}, {"constraint": zoo.Linear(2 * np.eye(M))}),
    "constraint, another length": ("constraint", {}, {"constraint": zoo.Linear(DIFFERENCES)}),
    "constraint, an entry": (
        "constraint",
        {"constraint": zoo.Linear(DIFFERENCES), "x0": np.zeros(M)},
        {"constraint": zoo.Linear(DIFFERENCES * 1.5), "x0": np.zeros(M)},
    ),
    "constraint, c": (
        "constraint",
        {"constraint": zoo.Linear(DIFFERENCES)},
        {"constraint": zoo.Linear(DIFFERENCES, c=np.ones(M - 1))},
    ),
    "constraint, an operator": (
        "constraint",
        {"constraint": zoo.Linear(aslinearoperator(DIFFERENCES)), "x0": np.zeros(M)},
        {"constraint": zoo.Linear(aslinearoperator(DIFFERENCES * 2)), "x0": np.zeros(M)},
    ),
    "observations": ("observations", {}, {"observations": DATA + 1e-9}),
    "fewer observations": ("observations", {}, {"observations": DATA[:-1]}),
    "observations in another order": (
        "observations",
        {},
        {"observations": zoo.Samples(DATA, order="epochs")},
    ),
    "observations of another kind": ("observations", {}, {"observations": iter_of(DATA)}),
    "a list of observations": (
        "observations",
        {"observations": list(DATA)},
        {"observations": [*DATA[1:], DATA[0]]},
    ),
    "a list of dicts": (
        "observations",
        {"observations": MANY},
        {"observations": [*MANY[:-1], {**MANY[-1], "scale": 0.0}]},
    ),
    "gradient": ("gradient", {}, {"gradient": zoo.paper.Smoothed(3, 2)}),
    "difference": ("gradient", {}, {"gradient": zoo.paper.Smoothed(2, 2, difference="central")}),
    "distribution": (
        "gradient",
        {},
        {"gradient": zoo.paper.Smoothed(2, 2, distribution=zoo.paper.Gaussian())},
    ),
    "another source": ("gradient", {}, {"gradient": zoo.paper.Paired(2)}),
    "probes": (
        "gradient",
        {"domain": zoo.Box(-9.0, 9.0)},
        {"domain": zoo.Box(-9.0, 9.0), "gradient": zoo.paper.Smoothed(2, 2, probes="inside")},
    ),
    "metric": ("metric", {}, {"metric": zoo.paper.Fixed(2.0)}),
    "metric, a number": (
        "metric",
        {"metric": zoo.paper.Fixed(3.0)},
        {"metric": zoo.paper.Fixed(2.0)},
    ),
    "metric, its entries": (
        "metric",
        {"metric": zoo.paper.LinearizedDiagonal(np.ones(M))},
        {"metric": zoo.paper.LinearizedDiagonal(np.arange(1.0, M + 1))},
    ),
    "proximal_weight, a function": (
        "proximal_weight",
        {"proximal_weight": lambda t: 9.0 + t},
        {"proximal_weight": lambda t: 9.0 + 2 * t},
    ),
    "step_size": ("step_size", {}, {"step_size": 0.1}),
    "step_size, a function": (
        "step_size",
        {"step_size": lambda t: 0.1 / t},
        {"step_size": lambda t: 0.1 / t**2},
    ),
    "smoothing": ("smoothing", {}, {"smoothing": 0.1}),
    "penalty": ("penalty", {}, {"penalty": 9.0}),
    "proximal_weight": ("proximal_weight", {}, {"proximal_weight": "constant"}),
    "proximal_weight, a number": ("proximal_weight", {}, {"proximal_weight": 20.0}),
    "rng": ("rng", {}, {"rng": 4}),
}


@pytest.mark.parametrize(
    ("there", "here"), [*itertools.permutations(["auto", "paper", "follow"], 2)]
)
def test_other_settings_are_refused_by_name(there: str, here: str, tmp_path: Path) -> None:
    """Not as a file that is damaged: what another method has learned is of another type."""
    path = tmp_path / "run.npz"
    begun = zoo.Optimizer(np.zeros(M), observations=DATA, rng=0, settings=there)
    begun.ask()
    begun.save(path)
    with pytest.raises(ValueError, match=r"run\.npz was written with another settings: "):
        zoo.Optimizer(np.zeros(M), observations=DATA, rng=0, settings=here).load(path)


@pytest.mark.parametrize("label", CHANGED)
def test_a_changed_argument_is_refused_by_name(label: str, tmp_path: Path) -> None:
    name, given, other = CHANGED[label]
    path = tmp_path / "run.npz"
    run(zoo.Optimizer(**{**BASE, **given})).save(path)
    file = path.read_bytes()
    zoo.Optimizer(**{**BASE, **given}).load(path)
    changed = zoo.Optimizer(**{**BASE, **other})
    before = contents(changed, tmp_path)
    with pytest.raises(ValueError, match=rf"run\.npz was written with another {name}: "):
        changed.load(path)
    assert contents(changed, tmp_path) == before
    keys = {**BASE, **other}
    loss = Bowl()
    with pytest.raises(ValueError, match=f"another {name}: .* or another path to start anew"):
        zoo.minimize(loss, keys.pop("x0"), **keys, checkpoint=path)
    assert loss.calls == 0
    assert path.read_bytes() == file


@pytest.mark.parametrize(
    "changes",
    [
        {"max_iterations": 9},
        {"max_iterations": 2},
        {"max_iterations": None, "max_evaluations": 100},
        {"max_iterations": None, "max_seconds": 0.01},
        {"target": -1.0},
        {"tolerance": 0.0},
        {"output": "last"},
        {"max_trace_rows": 3},
        {"max_trace_rows": 1},
        {"max_trace_rows": 0},
        {"max_trace_rows": None},
        {"complete": "x"},
        {"step_size": zoo.paper.schedules.general_step_size(M)},
        {"rng": np.random.SeedSequence(3)},
        {"rng": None},
        {"observations": DATA.copy(order="F")},
        {"x0": [0.25] * M},
        {"y0": np.full(M, 0.25), "dual0": np.zeros(M)},
    ],
    ids=str,
)
def test_limits_and_spellings_may_change(changes: Keywords, tmp_path: Path) -> None:
    path = tmp_path / "run.npz"
    first = run(zoo.Optimizer(**BASE))
    first.save(path)
    other = zoo.Optimizer(**{**BASE, **changes})
    other.load(path)
    assert other.state.t == 6
    for value, wanted in zip(other.state, first.state, strict=True):
        assert np.asarray(value).tobytes() == np.asarray(wanted).tobytes()
    if changes.get("max_trace_rows") is not None:
        fresh = run(zoo.Optimizer(**{**BASE, **changes}))
        assert other.result().trace.rows().tobytes() == fresh.result().trace.rows().tobytes()
        assert other.result().trace.stride == fresh.result().trace.stride
    longer = zoo.Optimizer(**{**BASE, **changes, "max_iterations": 9, "tolerance": None})
    longer.load(path)
    through = run(zoo.Optimizer(**{**BASE, "max_iterations": 9}))
    if {"max_evaluations", "max_seconds"}.isdisjoint(changes):
        assert run(longer).state.x.tobytes() == through.state.x.tobytes()


def test_without_a_seed_the_random_numbers_of_the_file_go_on(tmp_path: Path) -> None:
    path = tmp_path / "run.npz"
    seeded = minimized(Bowl(), "epochs")
    minimized(Bowl(), "epochs", max_iterations=4, checkpoint=path)
    assert_same_result(minimized(Bowl(), "epochs", rng=None, checkpoint=path), seeded)
    first, second = optimizer_of("epochs", rng=None), optimizer_of("epochs", rng=None)
    assert run(first, 4).state.x.tobytes() != run(second, 4).state.x.tobytes()
    first.save(path)
    second.load(path)
    assert contents(run(second), tmp_path) == contents(run(first), tmp_path)


def test_another_numpy_is_said(tmp_path: Path) -> None:
    path = tmp_path / "run.npz"
    run(optimizer_of("Sphere()"), 3).save(path)
    rewrite(path, numpy="1.0.0")
    optimizer = optimizer_of("Sphere()")
    with pytest.warns(RuntimeWarning, match=r"written under numpy 1\.0\.0") as caught:
        optimizer.load(path)
    assert [warning.filename for warning in caught] == [__file__]
    assert optimizer.state.t == 4


def test_the_random_numbers_of_a_file_are_named_in_a_few_letters(tmp_path: Path) -> None:
    path = tmp_path / "run.npz"
    run(zoo.Optimizer(**BASE), 2).save(path)
    number = r"random numbers [0-9a-f]{32}"
    with pytest.raises(ValueError, match=f"another rng: {number} there, {number} here"):
        zoo.Optimizer(**{**BASE, "rng": 4}).load(path)


def test_a_warning_is_not_said_twice(tmp_path: Path) -> None:
    path = tmp_path / "run.npz"
    with pytest.warns(RuntimeWarning, match="larger smoothing"):
        minimized(Bowl(), "Sphere()", smoothing=1e-17, max_iterations=2, checkpoint=path)
    minimized(Bowl(), "Sphere()", smoothing=1e-17, checkpoint=path)


# What a window may hold


def assert_alike(one: Any, other: Any) -> None:
    """Equal, and of the same types, all the way down."""
    assert type(one) is type(other)
    if isinstance(one, (tuple, list)):
        assert len(one) == len(other)
        for a, b in zip(one, other, strict=True):
            assert_alike(a, b)
    elif isinstance(one, dict):
        assert list(one) == list(other)
        for key in one:
            assert_alike(one[key], other[key])
    elif isinstance(one, (np.ndarray, np.generic)):
        assert (one.dtype, one.shape, one.tobytes()) == (other.dtype, other.shape, other.tobytes())
    else:
        assert repr(one) == repr(other)  # repr tells -0.0 from 0.0 and knows nan


OBSERVATIONS = [
    np.arange(3.0),
    np.arange(6, dtype=np.int32).reshape(2, 3),
    np.array([1 + 2j]),
    np.array(["a", "bcd"]),
    np.array(2.5),
    np.zeros((0, 2)),
    np.array([True, False]),
    np.arange(6.0).reshape(2, 3).T,
    np.arange(3.0, dtype=">f4"),
    np.float64(0.1),
    np.float32(0.1),
    np.int64(7),
    np.bool_(True),
    np.str_("word"),
    np.datetime64("2020-01-01T12:30"),
    np.datetime64("NaT"),
    np.timedelta64(90, "m"),
    np.array(["2020-01-01", "2024-02-29"], dtype="datetime64[D]"),
    np.array([1, 2, 3], dtype="timedelta64[ns]"),
    (np.datetime64(3, "s"), {"waited": np.timedelta64(5, "s")}),
    0.1,
    -0.0,
    float("nan"),
    float("inf"),
    5e-324,
    2**70,
    True,
    None,
    "wörd \N{SNOWMAN} \ud800",
    "",
    (),
    [],
    {},
    (1, (2.0, [np.ones(2), {"deep": np.zeros(1)}])),
    {"array": np.ones(2), "scalar": True, "dict": {"float": "0x1p0"}, "tuple": (1,)},
    [np.ones(1)] * 12,
]


@pytest.mark.parametrize("observation", OBSERVATIONS, ids=lambda w: type(w).__name__)
def test_a_window_survives_in_the_file(observation: Any, tmp_path: Path) -> None:
    shown = [np.ones(2), observation, "x"]

    def optimizer() -> zoo.Optimizer:
        return zoo.Optimizer(
            np.zeros(2),
            settings="paper",
            observations=zoo.Stream(live(shown)),
            gradient=zoo.paper.Smoothed(1, 3),
            max_iterations=4,
            rng=0,
        )

    first, second = optimizer(), optimizer()
    for t in (1, 2):
        first.tell(t, np.arange(first.ask().evaluations, dtype=float))  # type: ignore[union-attr]
    first.save(tmp_path / "run.npz")
    second.load(tmp_path / "run.npz")
    assert_alike(second.state.window, (observation, shown[0]))
    pending = first.ask()
    assert pending is not None
    first.save(tmp_path / "run.npz")
    second.load(tmp_path / "run.npz")
    again = second.ask()
    assert again is not None
    assert_alike(again.observations, ("x", observation, shown[0]))
    assert_alike(second.state.window, (observation, shown[0]))
    assert_no_pickle(tmp_path / "run.npz")


Point = namedtuple("Point", "x y")


@pytest.mark.parametrize(
    "observation",
    [
        object(),
        {1, 2},
        b"bytes",
        1 + 2j,
        {1: "a key that is no string"},
        Point(1.0, 2.0),
        OrderedDict(a=1),
        np.ma.masked_array([1.0, 2.0], mask=[True, False]),
        np.array([object()]),
        np.void(b"raw"),
        np.zeros(2, dtype=[("a", float)]),
        [1, (2, {"deep": {3}})],
    ],
    ids=lambda w: type(w).__name__,
)
def test_an_observation_that_would_not_survive_is_refused(observation: Any, tmp_path: Path) -> None:
    path = tmp_path / "run.npz"
    optimizer = zoo.Optimizer(
        np.zeros(2), settings="paper", observations=live([observation] * 9), rng=0
    )
    optimizer.save(path)
    before = read(path)
    query = optimizer.ask()
    assert query is not None
    with pytest.raises(TypeError, match=r"observations of type \w+ cannot be kept in a checkpoint"):
        optimizer.save(path)
    assert read(path) == before
    assert optimizer.tell(query.id, np.arange(float(len(query))).reshape(query.shape)) is not None


# What a file may be


def assert_no_pickle(path: Path) -> None:
    """Each member is an npy of plain numbers or text."""
    with zipfile.ZipFile(path) as archive:
        for name in archive.namelist():
            raw = archive.read(name)
            assert raw.startswith(b"\x93NUMPY")
            np.lib.format.read_array(io.BytesIO(raw), allow_pickle=False)
    with np.load(path, allow_pickle=False) as file:
        assert all(file[name].dtype.kind in "biufcSUmM" for name in file.files)


@every_case
def test_there_is_no_pickle_in_the_file(case: str, tmp_path: Path) -> None:
    optimizer = run(optimizer_of(case), 4)
    if (query := optimizer.ask()) is not None and query.cells > 1:
        optimizer.tell(query.id, part_of(query, answer_to(query), [1]))
    optimizer.save(tmp_path / "run.npz")
    assert_no_pickle(tmp_path / "run.npz")
    assert [p.name for p in tmp_path.iterdir()] == ["run.npz"]


def rewrite(path: Path, **changes: Any) -> None:
    """Change the metadata of a checkpoint."""
    with np.load(path) as file:
        arrays = {name: file[name] for name in file.files}
    meta = {**json.loads(arrays.pop("meta").tobytes()), **changes}
    path.write_bytes(sealed(meta, arrays))


def sealed(meta: dict[str, Any], arrays: dict[str, Any]) -> bytes:
    """A checkpoint whose checksum is right."""
    text = np.frombuffer(json.dumps(meta).encode(), dtype=np.uint8)
    file = io.BytesIO()
    put({"meta": text, **arrays}, file)
    return file.getvalue()


def npz(**arrays: Any) -> bytes:
    file = io.BytesIO()
    np.savez(file, **arrays)
    return file.getvalue()


def npy(array: np.ndarray) -> bytes:
    file = io.BytesIO()
    np.save(file, array)
    return file.getvalue()


@pytest.mark.parametrize(
    "foreign",
    [
        b"",
        b"x",
        b"Dear diary,\n",
        b"\x89PNG\r\n\x1a\n" + bytes(100),
        pickle.dumps({"t": 1}),
        npy(np.ones(3)),
        npy(np.array([{"t": 1}])),
        npz(x=np.ones(3)),
        npz(meta=np.ones(3)),
        npz(meta=np.frombuffer(b"[1, 2]", dtype=np.uint8)),
        npz(meta=np.frombuffer(b"1", dtype=np.uint8)),
        npz(meta=np.array([{"t": 1}])),
    ],
    ids=[
        "empty",
        "a byte",
        "text",
        "a picture",
        "a pickle",
        "npy",
        "npy with a pickle",
        "npz",
        "npz with another meta",
        "npz with a list",
        "npz with a number",
        "npz with a pickle",
    ],
)
def test_a_foreign_file_is_refused_in_a_sentence(foreign: bytes, tmp_path: Path) -> None:
    path, loss = tmp_path / "run.npz", Bowl()
    path.write_bytes(foreign)
    with pytest.raises(ValueError, match=r"run\.npz is not a checkpoint of zooadmm") as refused:
        minimized(loss, "Sphere()", checkpoint=path)
    assert "pickle" not in str(refused.value)
    assert loss.calls == 0
    assert path.read_bytes() == foreign


def partial(path: Path) -> list[tuple[str, bytes]]:
    """The checkpoint without one of its parts, each in turn."""
    with np.load(path) as file:
        arrays = {name: file[name] for name in file.files}
    meta = json.loads(arrays.pop("meta").tobytes())
    files = []
    for missing in (*arrays, *meta):
        rest = {name: array for name, array in arrays.items() if name != missing}
        told = {name: note for name, note in meta.items() if name != missing}
        files.append((missing, sealed(told, rest)))
    return files


def test_a_file_without_some_of_its_parts_is_refused_in_a_sentence(tmp_path: Path) -> None:
    path = tmp_path / "run.npz"
    first = run(optimizer_of("stream"), 4)
    assert first.ask() is not None
    first.save(path)
    undisturbed = contents(run(optimizer_of("stream")), tmp_path)
    optimizer = run(optimizer_of("stream"), 2)
    before = contents(optimizer, tmp_path)
    files = partial(path)
    assert {"x", "dual", "y_sum", "trace", "window0", "shown2", "key", "ledger", "t"} <= {
        missing for missing, _ in files
    }
    for missing, file in files:
        path.write_bytes(file)
        with pytest.raises(
            ValueError, match=r"run\.npz is not a checkpoint .* or only part of one"
        ):
            optimizer.load(path)
        assert contents(optimizer, tmp_path) == before, missing
    assert contents(run(optimizer), tmp_path) == undisturbed


def test_a_later_format_is_refused_in_a_sentence(tmp_path: Path) -> None:
    path = tmp_path / "run.npz"
    run(optimizer_of("Sphere()"), 2).save(path)
    rewrite(path, format=99)
    said = r"written by zooadmm 0\.1\.0 in checkpoint format 99; .* reads format 17"
    with pytest.raises(ValueError, match=said):
        optimizer_of("Sphere()").load(path)


def test_a_truncated_file_is_refused_wherever_it_ends(tmp_path: Path) -> None:
    path = tmp_path / "run.npz"
    run(optimizer_of("stream"), 4).save(path)
    whole = path.read_bytes()
    optimizer = optimizer_of("stream")
    for length in [*range(0, len(whole), 61), *range(len(whole) - 30, len(whole))]:
        path.write_bytes(whole[:length])
        with pytest.raises(ValueError, match=r"run\.npz is (not a checkpoint|damaged)"):
            optimizer.load(path)
    path.write_bytes(whole)
    optimizer.load(path)


def test_a_damaged_file_is_refused_or_the_damage_is_of_no_consequence(tmp_path: Path) -> None:
    path = tmp_path / "run.npz"
    run(optimizer_of("Sphere()"), 4).save(path)
    whole = path.read_bytes()
    untouched, refused, places = read(path), 0, range(0, len(whole), 7)
    for place in places:
        damaged = bytearray(whole)
        damaged[place] ^= 0x55
        path.write_bytes(damaged)
        optimizer = optimizer_of("Sphere()")
        try:
            optimizer.load(path)
        except ValueError:
            refused += 1
        else:
            assert contents(optimizer, tmp_path) == untouched
    assert refused > len(places) / 2
