"""What a run leaves behind: its trace, its result, and how it says it ended."""

from __future__ import annotations

import gc
import math
import signal
import threading
import tracemalloc
from collections.abc import Iterator
from typing import Any

import matplotlib as mpl
import numpy as np
import pytest
from scipy import sparse

import zooadmm as zoo
from zooadmm.trace import COLUMNS

mpl.use("Agg")

M = 4
CENTER = np.linspace(-1.0, 1.0, M)
DATA = np.random.default_rng(7).normal(size=(50, M))


class Bowl:
    """|x - w|^2, with w = CENTER where there are no observations; it counts its evaluations."""

    def __init__(self) -> None:
        self.calls = 0

    def __call__(self, x: np.ndarray, w: Any = CENTER) -> float:
        self.calls += 1
        return float(np.square(x - w).sum())

    def gradient(self, x: np.ndarray, w: Any = CENTER) -> np.ndarray:
        return 2 * (x - w)


def run(**given: Any) -> zoo.Result:
    """A run of 20 iterations, or as told."""
    endless = {"max_evaluations", "max_seconds", "target", "tolerance"}.isdisjoint(given)
    loss = given.pop("loss", None) or Bowl()
    x0 = given.pop("x0", np.full(M, 0.25))
    common = {"gradient": zoo.Smoothed(3), "rng": 3, **({"max_iterations": 20} if endless else {})}
    return zoo.minimize(loss, x0, **{**common, **given})


@pytest.fixture
def _ctrl_c() -> Iterator[None]:
    """SIGINT as in a program at a terminal, wherever the tests are run from."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


# The trace


def test_the_columns_are_what_they_are_said_to_be() -> None:
    infos: list[zoo.Info] = []
    phi, eta = zoo.L1(0.2), zoo.schedules.Power(0.3, 0.5)
    A = np.diff(np.eye(M), axis=0)
    result = run(
        regularizer=phi,
        constraint=zoo.Linear(A),
        step_size=eta,
        smoothing=0.01,
        callback=infos.append,
    )
    trace, x = result.trace, np.array([*(info.x for info in infos), result.x_last])
    y = np.array([info.y for info in infos])
    assert trace.rows().shape == (20, len(COLUMNS)) == (len(trace), 9)
    assert trace["iteration"].tolist() == [info.t for info in infos] == list(range(1, 21))
    assert trace["evaluations"].tolist() == [4 * t for t in range(1, 21)]
    np.testing.assert_allclose(trace["loss"], [Bowl()(v) for v in x[:-1]], rtol=1e-15)
    np.testing.assert_allclose(trace["regularizer"], [phi(v) for v in y], rtol=1e-15)
    np.testing.assert_allclose(
        trace["residual"], np.linalg.norm(x[:-1] @ A.T - y, axis=1), atol=1e-15
    )
    np.testing.assert_allclose(trace["update"], np.linalg.norm(np.diff(x, axis=0), axis=1))
    assert trace["gradient_norm"].tolist() == [info.gradient_norm for info in infos]
    assert trace["step_size"].tolist() == [eta(t) for t in range(1, 21)]
    assert trace["smoothing"].tolist() == [0.01] * 20
    for column, row in zip(COLUMNS[2:], np.transpose(trace.rows())[2:], strict=True):
        assert row.tolist() == [getattr(info, column) for info in infos]


def test_with_exact_gradients_the_loss_is_unknown() -> None:
    trace = run(gradient=zoo.Exact()).trace
    assert np.isnan(trace["loss"]).all()
    assert (trace["evaluations"] == 0).all()
    assert (trace["gradient_norm"] > 0).all()


@pytest.mark.parametrize("iterations", [0, 1, 2, 3, 63, 64, 65, 100])
@pytest.mark.parametrize("max_rows", [1, 2, 3, 8, 63, 64])
def test_the_trace_never_outgrows_its_limit(max_rows: int, iterations: int) -> None:
    whole = run(max_iterations=iterations, max_trace_rows=None).trace
    thin = run(max_iterations=iterations, max_trace_rows=max_rows).trace
    again = run(max_iterations=iterations, max_trace_rows=max_rows).trace
    assert len(whole) == iterations
    assert len(thin) <= max_rows
    assert len(thin) >= min(iterations, max_rows / 2)
    assert thin.rows().tobytes() == again.rows().tobytes()
    kept = thin["iteration"].astype(int)
    assert kept.tolist() == list(range(1, iterations + 1, thin.stride))
    assert thin.rows().tobytes() == whole.rows()[kept - 1].tobytes()
    if iterations <= max_rows:
        assert thin.stride == 1


def test_no_trace_and_too_little_of_one() -> None:
    result = run(max_trace_rows=0)
    assert (len(result.trace), repr(result.trace), result.nit) == (0, "Trace(empty)", 20)
    with pytest.raises(ValueError, match="max_trace_rows = -1 must be at least 0"):
        run(max_trace_rows=-1)


def test_an_unknown_column_is_named_with_the_known_ones() -> None:
    with pytest.raises(KeyError, match="no column 'los'; it has iteration, evaluations, loss"):
        run().trace["los"]


def test_a_trace_says_how_long_it_is() -> None:
    assert repr(run().trace).startswith("Trace(20 rows, iterations 1 to 20: iteration, evalu")


def test_the_trace_as_a_dataframe() -> None:
    trace = run(max_trace_rows=7).trace
    frame = trace.to_dataframe()
    assert list(frame.columns) == list(COLUMNS)
    assert frame.to_numpy(dtype=float).tobytes() == trace.rows().tobytes()
    assert frame["iteration"].dtype.kind == frame["evaluations"].dtype.kind == "i"
    assert list(run(max_iterations=0).trace.to_dataframe().columns) == list(COLUMNS)


def test_rows_are_copies() -> None:
    trace = run().trace
    trace.rows()[:] = 0.0
    trace["loss"][:] = 0.0
    assert (trace["loss"] > 0).all()


@pytest.mark.parametrize("exact", [False, True])
def test_the_trace_as_a_picture(exact: bool, tmp_path: Any) -> None:
    import matplotlib.pyplot as plt

    trace = run(gradient=zoo.Exact() if exact else None, regularizer=zoo.L1(0.2)).trace
    figure = trace.plot()
    above, below = figure.axes
    assert below.get_xlabel() == ("iterations" if exact else "evaluations")
    assert below.get_yscale() == "log"
    at = trace["iteration" if exact else "evaluations"].tolist()
    assert [line.get_xdata().tolist() for line in above.lines + below.lines] == [at] * 3
    objective, residual = above.lines[0].get_ydata(), below.lines[0].get_ydata()
    np.testing.assert_array_equal(objective, trace["loss"] + trace["regularizer"])
    positive = trace["residual"] > 0
    assert 10 < positive.sum() < 20  # which a logarithmic axis can show
    np.testing.assert_array_equal(residual[positive], trace["residual"][positive])
    figure.savefig(tmp_path / "trace.png")
    assert (tmp_path / "trace.png").stat().st_size > 5_000
    mine, axes = plt.subplots(1, 2)
    assert trace.plot(axes) is mine
    assert len(mine.axes) == 2
    plt.close("all")


def test_the_picture_of_nothing() -> None:
    import matplotlib.pyplot as plt

    assert len(run(max_iterations=0).trace.plot().axes) == 2
    plt.close("all")


def test_memory_does_not_grow_with_the_iterations() -> None:
    def peak(iterations: int, rows: int | None) -> int:
        gc.collect()
        tracemalloc.start()
        run(gradient=zoo.Smoothed(1), max_iterations=iterations, max_trace_rows=rows)
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return most

    peak(100, 16)  # what is imported and cached on first use
    bound = 50_000
    assert peak(2100, 16) - peak(100, 16) < bound
    assert peak(2100, None) - peak(100, None) > bound


# fun


def test_fun_without_observations_is_exact() -> None:
    loss, phi = Bowl(), zoo.L1(0.2)
    result = run(loss=loss, regularizer=phi)
    assert result.fun == Bowl()(result.x) + phi(result.y)
    assert (result.fun_status, result.fun_error, result.nfev_report) == ("exact", None, 1)
    assert (result.nfev, result.njev) == (20 * 4, 0)
    assert loss.calls == result.nfev + result.nfev_report


def test_fun_over_all_observations_is_exact() -> None:
    loss, few = Bowl(), DATA[:8]
    result = run(loss=loss, observations=few, gradient=zoo.Smoothed(3, 2))
    assert result.fun == pytest.approx(np.mean([Bowl()(result.x, w) for w in few]), rel=1e-14)
    assert (result.fun_status, result.fun_error, result.nfev_report) == ("exact", None, 8)
    assert loss.calls == result.nfev + 8 == 20 * 8 + 8


def test_fun_over_some_observations_is_estimated() -> None:
    loss = Bowl()
    result = run(loss=loss, observations=DATA, gradient=zoo.Smoothed(6, 2), regularizer=zoo.L1(0.2))
    assert (result.fun_status, result.nfev_report) == ("estimated", 14)
    assert loss.calls == result.nfev + 14
    values = np.array([Bowl()(result.x, w) for w in DATA])
    truth = values.mean() + zoo.L1(0.2)(result.y)
    assert result.fun is not None
    assert result.fun_error is not None
    assert 0.5 < result.fun_error / (values.std(ddof=1) / math.sqrt(14)) < 2.0
    assert abs(result.fun - truth) < 4 * result.fun_error
    again = run(observations=DATA, gradient=zoo.Smoothed(6, 2), regularizer=zoo.L1(0.2))
    assert (again.fun, again.fun_error) == (result.fun, result.fun_error)


def test_fun_on_a_stream_is_over_its_window() -> None:
    result = run(observations=zoo.Stream(DATA), gradient=zoo.Smoothed(3, 5))
    window = DATA[15:20][::-1]
    values = np.array([Bowl()(result.x, w) for w in window])
    assert result.fun == pytest.approx(values.mean(), rel=1e-14)
    assert result.fun_error == pytest.approx(values.std(ddof=1) / math.sqrt(5), rel=1e-12)
    assert (result.fun_status, result.nfev_report) == ("estimated", 5)


def test_fun_of_a_loss_that_changes_with_time() -> None:
    def loss(x: np.ndarray, t: int) -> float:
        return float(np.square(x - t).sum())

    result = run(loss=loss, observations=zoo.Time())
    assert result.fun == loss(result.x, 21)
    assert (result.fun_status, result.fun_error, result.nfev_report) == ("estimated", None, 1)


def test_fun_is_unknown_where_there_are_no_values() -> None:
    result = run(loss=zoo.Loss(gradient=Bowl().gradient), gradient=zoo.Exact())
    assert (result.fun, result.fun_status, result.fun_error) == (None, "unknown", None)
    assert (result.nfev, result.njev, result.nfev_report) == (0, 20, 0)
    assert "fun: unknown" in repr(result)


def test_fun_is_unknown_where_the_loss_is_not_finite() -> None:
    loss = Bowl()
    result = run(loss=lambda x: loss(x) if loss.calls < 80 else math.inf)
    assert (result.nfev, result.nfev_report) == (80, 1)
    assert (result.fun, result.fun_status) == (None, "unknown")


def test_fun_takes_phi_at_the_nearest_point_that_has_one() -> None:
    result = run(regularizer=zoo.Box(0.0, 0.3), complete="y", output="last", max_iterations=3)
    assert result.y_violation > 0
    assert result.fun == Bowl()(result.x)


def test_gradients_are_counted_apart() -> None:
    loss = Bowl()
    result = run(loss=loss, observations=DATA, gradient=zoo.Exact(3))
    assert (result.nfev, result.njev, result.nfev_report) == (0, 60, 3)
    assert loss.calls == 3
    assert "20 iterations, 0 evaluations, 60 gradients (and 3 to report fun)" in repr(result)


# How a run ends


def test_it_ended_at_a_limit() -> None:
    by_iterations = run(max_iterations=7)
    assert (by_iterations.status, by_iterations.nit) == (zoo.Status.MAX_ITERATIONS, 7)
    assert by_iterations.success
    assert by_iterations.message == "All 7 iterations were made."
    by_evaluations = run(max_evaluations=31)
    assert (by_evaluations.status, by_evaluations.nit) == (zoo.Status.MAX_EVALUATIONS, 7)
    assert by_evaluations.success
    assert "31 evaluations" in by_evaluations.message
    by_time = run(max_seconds=0.05)
    assert by_time.status is zoo.Status.MAX_SECONDS
    assert by_time.success
    assert by_time.nit > 1
    assert "0.05 seconds" in by_time.message


def test_it_ended_with_the_stream() -> None:
    result = run(observations=zoo.Stream(DATA[:9]), max_iterations=None)
    assert (result.status, result.success, result.nit) == (zoo.Status.STREAM_ENDED, True, 9)
    assert result.message == "The stream of observations ended."


@pytest.mark.parametrize("constant", [0.2, 0.02])
def test_it_ended_at_the_target_with_the_pair_that_met_it(constant: float) -> None:
    infos: list[zoo.Info] = []
    phi = zoo.L1(constant)
    given = {"regularizer": phi, "target": 1.4, "max_iterations": 1000, "step_size": 0.02}
    given["gradient"] = zoo.Smoothed(M, distribution=zoo.Coordinate())
    result = run(**given, callback=infos.append)
    assert (result.status, result.success) == (zoo.Status.TARGET, True)
    assert 3 < result.nit == len(infos) < 1000
    assert [info.objective <= 1.4 for info in infos] == [False] * (result.nit - 1) + [True]
    assert infos[-1].objective == Bowl()(infos[-1].x) + phi(infos[-1].y)
    assert result.x.tobytes() == infos[-1].x.tobytes() != result.x_last.tobytes()
    other_way = run(**given, complete="x")
    assert other_way.y.tobytes() == infos[-1].y.tobytes()
    assert "target 1.4 was reached" in result.message


def test_the_pair_that_met_the_target_stays_as_it_was_where_no_side_can_be_completed() -> None:
    infos: list[zoo.Info] = []
    A = np.vstack([np.eye(M), np.ones((1, M))])
    B = np.eye(M + 1, M)
    with pytest.warns(RuntimeWarning, match="neither A nor B has an inverse"):
        result = run(
            constraint=zoo.Linear(A, B),
            target=3.0,
            max_iterations=1000,
            step_size=0.02,
            callback=infos.append,
        )
    assert result.status is zoo.Status.TARGET
    assert result.x.tobytes() == infos[-1].x.tobytes()
    assert result.y.tobytes() == infos[-1].y.tobytes()
    assert result.residual == pytest.approx(np.linalg.norm(A @ result.x + B @ result.y), rel=1e-12)


def test_it_ended_at_the_tolerance() -> None:
    infos: list[zoo.Info] = []
    given = {"gradient": zoo.Exact(), "regularizer": zoo.L1(0.2), "step_size": 0.5}
    result = run(**given, tolerance=1e-6, max_iterations=10_000, callback=infos.append)
    assert (result.status, result.success) == (zoo.Status.TOLERANCE, True)
    assert [info.accuracy <= 1e-6 for info in infos] == [False] * (result.nit - 1) + [True]
    solution = np.sign(CENTER) * np.maximum(np.abs(CENTER) - 0.1, 0.0)
    np.testing.assert_allclose(result.x_last, solution, atol=1e-5)
    np.testing.assert_allclose(result.dual, 2 * (solution - CENTER), atol=1e-5)


def test_an_accuracy_that_was_asked_for_and_not_reached_is_no_success() -> None:
    for asked in ({"target": -1.0}, {"tolerance": 1e-12}):
        result = run(**asked, max_iterations=5)
        assert (result.status, result.success) == (zoo.Status.MAX_ITERATIONS, False)
        result = run(**asked, max_evaluations=50)
        assert (result.status, result.success) == (zoo.Status.MAX_EVALUATIONS, False)
        result = run(**asked, observations=zoo.Stream(DATA))
        assert (result.status, result.success) == (zoo.Status.STREAM_ENDED, False)


def test_the_callback_ended_it() -> None:
    def callback(info: zoo.Info) -> None:
        if info.t == 6:
            raise StopIteration

    result = run(callback=callback)
    assert (result.status, result.success, result.nit) == (zoo.Status.CALLBACK, True, 6)
    assert result.fun is not None
    assert result.message == "The callback stopped the run."
    assert result.x_last.tobytes() == run(max_iterations=6).x_last.tobytes()


def test_an_error_of_the_callback_is_the_users() -> None:
    def callback(info: zoo.Info) -> None:
        raise LookupError("mine")

    with pytest.raises(LookupError, match="mine"):
        run(callback=callback)


@pytest.mark.usefixtures("_ctrl_c")
def test_ctrl_c_during_an_evaluation() -> None:
    loss = Bowl()

    def interrupted(x: np.ndarray) -> float:
        value = loss(x)
        if loss.calls == 4 * 6 + 2:
            signal.raise_signal(signal.SIGINT)
        return value

    result = run(loss=interrupted)
    assert (result.status, result.success, result.nit) == (zoo.Status.INTERRUPTED, False, 6)
    assert (result.fun, result.fun_status, result.nfev_report) == (None, "unknown", 0)
    assert loss.calls == 26
    assert result.x.tobytes() == run(max_iterations=6).x.tobytes()
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@pytest.mark.usefixtures("_ctrl_c")
def test_ctrl_c_between_evaluations_waits_for_the_next() -> None:
    seen: list[int] = []

    def callback(info: zoo.Info) -> None:
        if info.t == 6:
            signal.raise_signal(signal.SIGINT)
            signal.raise_signal(signal.SIGINT)
        seen.append(info.t)

    result = run(callback=callback)
    assert (result.status, result.nit) == (zoo.Status.INTERRUPTED, 6)
    assert seen == [1, 2, 3, 4, 5, 6]


@pytest.mark.usefixtures("_ctrl_c")
def test_the_users_own_handler_of_ctrl_c_is_left_in_place() -> None:
    heard: list[int] = []

    def handler(number: int, frame: Any) -> None:
        heard.append(number)

    signal.signal(signal.SIGINT, handler)

    def callback(info: zoo.Info) -> None:
        signal.raise_signal(signal.SIGINT)

    result = run(callback=callback)
    assert (result.nit, len(heard)) == (20, 20)
    assert signal.getsignal(signal.SIGINT) is handler


def test_a_run_in_another_thread() -> None:
    results: list[zoo.Result] = []
    thread = threading.Thread(target=lambda: results.append(run()))
    thread.start()
    thread.join(timeout=60)
    assert results[0].x.tobytes() == run().x.tobytes()


def test_a_run_that_is_not_over_says_so() -> None:
    optimizer = zoo.Optimizer(np.zeros(M), max_iterations=3, rng=0)
    result = optimizer.result()
    assert (result.status, result.success, result.nit) == (zoo.Status.RUNNING, False, 0)
    assert result.message == "The run is not finished."
    assert (result.fun, result.fun_status) == (None, "unknown")


# The recommended pair


def collected(**given: Any) -> tuple[zoo.Result, np.ndarray, np.ndarray]:
    """A run, and all its iterates x_1..x_T and y_1..y_T."""
    xs: list[np.ndarray] = []
    ys: list[np.ndarray] = []

    def callback(info: zoo.Info) -> None:
        xs.append(info.x)
        ys.append(info.y)

    result = run(**given, callback=callback)
    return result, np.array(xs), np.array(ys)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_the_averages_are_the_means_of_all_iterates(dtype: type) -> None:
    result, xs, ys = collected(
        max_iterations=300,
        regularizer=zoo.L1(0.2),
        x0=np.full(M, 5.0, dtype=dtype),
        smoothing=0.05,
        max_trace_rows=3,
    )
    rounding = 300 * np.finfo(dtype).eps
    assert result.x_average.dtype == dtype
    np.testing.assert_allclose(result.x_average, xs.mean(axis=0, dtype=float), rtol=rounding)
    np.testing.assert_allclose(result.y_average, ys.mean(axis=0, dtype=float), rtol=rounding)
    assert len(xs) == 300


def test_the_average_or_the_last() -> None:
    for complete, kept, made in (("y", "x", "y"), ("x", "y", "x")):
        for output in ("average", "last"):
            result = run(output=output, complete=complete, regularizer=zoo.L1(0.2))
            recommended = getattr(result, kept)
            assert recommended.tobytes() == getattr(result, f"{kept}_{output}").tobytes()
            assert getattr(result, made).tobytes() == recommended.tobytes()  # x = y
    first = run(max_iterations=0)
    assert first.x.tolist() == first.x_average.tolist() == first.x_last.tolist() == [0.25] * M


SQUARE = np.random.default_rng(1).normal(size=(M, M)) + 3 * np.eye(M)
CONSTRAINTS: dict[str, zoo.Constraint] = {
    "consensus": zoo.Consensus(),
    "dense": zoo.Linear(SQUARE, c=np.arange(float(M))),
    "sparse": zoo.Linear(sparse.csr_array(SQUARE), B=2.0, c=np.ones(M)),
    "rotated": zoo.Linear(SQUARE, B=np.fliplr(np.eye(M)) * 3.0),
}


@pytest.mark.parametrize("output", ["average", "last"])
@pytest.mark.parametrize("complete", ["x", "y", None])
@pytest.mark.parametrize("label", CONSTRAINTS)
def test_the_completed_pair_satisfies_the_constraint(
    label: str, complete: Any, output: Any
) -> None:
    constraint = CONSTRAINTS[label]
    phi = zoo.SquaredL2(0.2)
    result = run(constraint=constraint, complete=complete, output=output, regularizer=phi)
    if isinstance(constraint, zoo.Linear):
        A = constraint.A.toarray() if sparse.issparse(constraint.A) else constraint.A
        B = constraint.B * np.eye(M) if isinstance(constraint.B, float) else constraint.B
        c = np.zeros(M) if constraint.c is None else constraint.c
    else:
        A, B, c = np.eye(M), -np.eye(M), np.zeros(M)
    assert np.linalg.norm(A @ result.x + B @ result.y - c) <= 1e-10
    assert result.residual <= 1e-10
    iterates = np.linalg.norm(A @ result.x_last + B @ result.y_last - c)
    assert iterates > 1e-6  # which they do not do by themselves


def test_a_wide_constraint_is_completed_in_y() -> None:
    A = np.diff(np.eye(M), axis=0)
    result = run(constraint=zoo.Linear(A, c=np.ones(M - 1)), regularizer=zoo.L1(0.2))
    assert np.linalg.norm(A @ result.x - result.y - 1.0) <= 1e-10
    assert result.x.tobytes() == result.x_average.tobytes()


def test_violations_are_reported() -> None:
    box = zoo.Box(0.0, 0.3)
    inside = run(domain=box, regularizer=box)
    assert inside.x_violation == inside.y_violation == 0.0
    assert "violated" not in repr(inside)
    high = zoo.Box(0.2, 0.3)
    x_leaves = run(domain=high, regularizer=zoo.SquaredL2(9.0), complete="x", max_iterations=3)
    assert x_leaves.x_violation == high.distance(x_leaves.x) > 1e-6
    assert x_leaves.y_violation == 0.0
    assert f"violated: x is {x_leaves.x_violation:.3g} from its domain" in repr(x_leaves)
    y_leaves = run(regularizer=box, complete="y", output="last", max_iterations=3)
    assert y_leaves.y_violation == box.distance(y_leaves.y) > 1e-6
    assert y_leaves.x_violation == 0.0
    assert f"y is {y_leaves.y_violation:.3g} from its own" in repr(y_leaves)


def test_a_callback_can_look_but_not_touch() -> None:
    def callback(info: zoo.Info) -> None:
        for name in ("x", "y", "dual"):
            vector = getattr(info, name)
            assert not vector.flags.writeable
            with pytest.raises(ValueError, match="read-only"):
                vector[0] = 7.0
            with pytest.raises(AttributeError):
                setattr(info, name, vector)

    touched = run(callback=callback, regularizer=zoo.L1(0.2))
    assert touched.x.tobytes() == run(regularizer=zoo.L1(0.2)).x.tobytes()


def test_a_result_is_the_users_own() -> None:
    optimizer = zoo.Optimizer(np.zeros(M), max_iterations=3, rng=0)
    for _ in range(2):
        result = optimizer.result()
        for name in ("x", "y", "x_average", "y_average", "x_last", "y_last", "dual"):
            assert getattr(result, name).tolist() == [0.0] * M
            getattr(result, name)[:] = 7.0


def test_an_info_says_what_it_is_about() -> None:
    infos: list[zoo.Info] = []
    run(callback=infos.append)
    info = infos[4]
    assert repr(info).startswith("Info(t=5, evaluations=20, loss=")
    assert info.update > 0
    assert info.step_size == pytest.approx(1 / math.sqrt(M * 5))
    assert info.smoothing == pytest.approx(1 / (M**1.5 * 5))


# The result in words


def test_a_result_prints_what_matters() -> None:
    result = run(regularizer=zoo.L1(0.2))
    lines = repr(result).splitlines()
    assert lines[0] == "success: All 20 iterations were made."
    assert lines[1].strip() == f"fun: {result.fun:.8g} (exact)"
    assert lines[2].strip().startswith("x: [")
    assert lines[2].endswith("(4 entries)")
    assert lines[3].strip() == "work: 20 iterations, 80 evaluations (and 1 to report fun)"
    assert lines[4].strip() == "residual: |Ax + By - c| = 0"
    assert len(lines) == 5


def test_a_result_prints_y_where_it_differs() -> None:
    result = run(constraint=zoo.Linear(np.diff(np.eye(M), axis=0)))
    assert "  y: [" in repr(result)
    assert "(3 entries" in repr(result)


def test_a_sparse_result_counts_its_zeros() -> None:
    result = run(regularizer=zoo.L1(50.0), complete="x", output="last", x0=np.zeros(M))
    assert "x: [0. 0. 0. 0.]  (4 entries, 4 zero)" in repr(result)


def test_a_long_result_is_abridged() -> None:
    result = run(loss=lambda x: float(np.square(x).sum()), x0=np.ones(10_000), max_iterations=2)
    text = repr(result)
    assert "..." in text
    assert "(10000 entries)" in text
    assert len(text) < 500


def test_a_failure_is_said_first() -> None:
    result = run(target=-1.0, max_iterations=5, observations=DATA, gradient=zoo.Smoothed(6, 2))
    text = repr(result)
    assert text.startswith("no success: All 5 iterations were made.")
    assert f"fun: {result.fun:.8g} +- {result.fun_error:.2g} (estimated)" in text
