"""What a run leaves behind: its trace, its result, and how it says it ended."""

from __future__ import annotations

import gc
import math
import signal
import threading
import time
import tracemalloc
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from scipy import sparse

import zooadmm as zoo
from zooadmm.run.trace import COLUMNS, Record

UNMEASURED = "x is not shown to be an optimum: no gradient was measured there."

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
    limit = {"max_iterations": 20} if endless else {}
    common = {"settings": "paper", "gradient": zoo.paper.Smoothed(3), "rng": 3, **limit}
    return zoo.minimize(loss, x0, **{**common, **given})


@pytest.fixture
def _ctrl_c() -> Iterator[None]:
    """SIGINT as in a program at a terminal, wherever the tests are run from."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


# The trace


def test_the_columns_are_what_they_are_said_to_be() -> None:
    infos: list[zoo.run.Info] = []
    phi, eta = zoo.L1(0.2), zoo.paper.schedules.Power(0.3, 0.5)
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
    assert trace.rows().shape == (20, len(COLUMNS)) == (len(trace), 11)
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
    assert trace["penalty"].tolist() == [10.0] * 20
    for column, row in zip(COLUMNS[2:], np.transpose(trace.rows())[2:], strict=True):
        assert row.tolist() == [getattr(info, column) for info in infos]


def test_with_exact_gradients_the_loss_is_unknown() -> None:
    trace = run(gradient=zoo.paper.Exact()).trace
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
    with pytest.raises(ValueError, match="max_trace_rows = -1 must be"):
        run(max_trace_rows=-1)


def test_a_record_that_begins_late_is_thinned_by_iterations() -> None:
    """As after a resume from a run without a trace."""
    record = Record(("iteration",), max_rows=10)
    for t in range(8, 41):
        if record.wants(t):
            record.append((float(t),))
    np.testing.assert_array_equal(record["iteration"], np.arange(9, 41, 4))
    assert "iterations 9 to 37" in repr(record)


def test_an_unknown_column_is_named_with_the_known_ones() -> None:
    with pytest.raises(KeyError, match=r"no column 'los'; .* iteration, evaluations, loss"):
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


def test_the_trace_of_a_result_is_of_its_moment() -> None:
    optimizer = zoo.Optimizer(
        np.zeros(M), settings="paper", max_iterations=9, max_trace_rows=4, rng=0
    )
    traces: list[zoo.run.Trace] = []
    while (query := optimizer.ask()) is not None:
        optimizer.tell(query.id, [Bowl()(point) for point in query.points])
        traces.append(optimizer.result().trace)
    assert [len(trace) for trace in traces] == [1, 2, 3, 4, 3, 3, 4, 4, 3]
    assert [trace["iteration"][-1] for trace in traces] == [1, 2, 3, 4, 5, 5, 7, 7, 9]


def test_rows_are_copies() -> None:
    trace = run().trace
    trace.rows()[:] = 0.0
    trace["loss"][:] = 0.0
    assert (trace["loss"] > 0).all()


def test_memory_does_not_grow_with_the_iterations() -> None:
    def peak(iterations: int, rows: int | None) -> int:
        gc.collect()
        tracemalloc.start()
        run(gradient=zoo.paper.Smoothed(1), max_iterations=iterations, max_trace_rows=rows)
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return most

    peak(100, 16)  # what is imported and cached on first use
    bound = 50_000
    assert peak(2100, 16) - peak(100, 16) < bound
    assert peak(2100, None) - peak(100, None) > bound


@pytest.mark.parametrize("difference", ["forward", "central"])
@pytest.mark.parametrize(
    "distribution",
    [
        zoo.paper.Sphere(),
        zoo.paper.Gaussian(),
        zoo.paper.Rademacher(),
        zoo.paper.Coordinate(),
        zoo.paper.Orthogonal(),
    ],
    ids=lambda mu: type(mu).__name__,
)
def test_an_iteration_needs_six_vectors_beside_its_state(
    distribution: Any, difference: Any
) -> None:
    """However many directions it has; the state is x, y, the dual and two sums."""
    x0, peaks = np.full(200_000, 1e-3), []

    def callback(info: zoo.run.Info) -> None:
        peaks.append(tracemalloc.get_traced_memory()[1] / x0.nbytes)
        tracemalloc.reset_peak()

    gradient = zoo.paper.Smoothed(8, distribution=distribution, difference=difference)
    gc.collect()
    tracemalloc.start()
    run(
        loss=lambda x: float(x @ x),
        x0=x0,
        gradient=gradient,
        regularizer=zoo.L1(0.1),
        max_iterations=3,
        callback=callback,
    )
    tracemalloc.stop()
    assert len(peaks) == 3
    assert max(peaks) < 5 + 6 + 0.1  # what does not grow with m is a small part of a vector


# fun


def test_fun_without_observations_is_exact() -> None:
    """It is evaluated twice, to see whether it is noisy."""
    loss, phi = Bowl(), zoo.L1(0.2)
    result = run(loss=loss, regularizer=phi)
    assert result.fun == Bowl()(result.x) + phi(result.y)
    assert (result.fun_status, result.fun_error, result.nfev_report) == ("exact", None, 2)
    assert (result.nfev, result.njev) == (20 * 4, 0)
    assert loss.calls == result.nfev + result.nfev_report
    assert result.message == f"The limit of 20 iterations is reached. {UNMEASURED}"


@pytest.mark.parametrize("batched", [False, True])
def test_fun_of_a_noisy_loss_is_estimated(batched: bool) -> None:
    noise = np.random.default_rng(0)
    seen: list[float] = []

    def noisy(x: np.ndarray) -> float:
        seen.append(Bowl()(x) + 0.3 * noise.standard_normal())
        return seen[-1]

    loss = zoo.Loss(values=lambda points: [noisy(x) for x in points]) if batched else noisy
    result = run(loss=loss, smoothing=0.5, regularizer=zoo.L1(0.2))
    assert (result.fun_status, result.nfev_report) == ("estimated", result.nfev // 10)
    values = np.array(seen[-result.nfev_report :])
    assert result.fun == pytest.approx(values.mean() + zoo.L1(0.2)(result.y), rel=1e-14)
    assert result.fun_error == pytest.approx(values.std(ddof=1) / math.sqrt(len(values)), rel=1e-12)
    apart = f"{abs(values[0] - values[1]):.2g}"
    assert f"The loss is noisy: two values at x differ by {apart}. Give a smoothing" in (
        result.message
    )
    assert "(estimated)" in repr(result)


def test_fun_over_all_observations_is_exact() -> None:
    loss, few = Bowl(), DATA[:8]
    result = run(loss=loss, observations=few, gradient=zoo.paper.Smoothed(3, 2))
    assert result.fun == pytest.approx(np.mean([Bowl()(result.x, w) for w in few]), rel=1e-14)
    assert (result.fun_status, result.fun_error, result.nfev_report) == ("exact", None, 8)
    assert loss.calls == result.nfev + 8 == 20 * 8 + 8


@pytest.mark.parametrize(
    ("source", "iterations", "count"),
    [
        (zoo.paper.Smoothed(6, 2), 5, 14),  # one iteration makes 14, a tenth of the run 7
        (zoo.paper.Smoothed(6, 2), 20, 28),  # a tenth of 280
        (zoo.paper.Smoothed(6, 2), 35, 49),
        (zoo.paper.Paired(7), 2, 14),
        (zoo.paper.Paired(7), 30, 42),
        (zoo.paper.Smoothed(6, difference="central"), 1, 12),
    ],
    ids=str,
)
def test_fun_over_some_observations_is_estimated(source: Any, iterations: int, count: int) -> None:
    """Over as many as an iteration's evaluations, or a tenth of all."""
    loss, given = Bowl(), {"observations": DATA, "gradient": source, "max_iterations": iterations}
    result = run(loss=loss, **given, regularizer=zoo.L1(0.2))
    assert (result.fun_status, result.nfev_report) == ("estimated", count)
    assert loss.calls == result.nfev + count
    values = np.array([Bowl()(result.x, w) for w in DATA])
    truth = values.mean() + zoo.L1(0.2)(result.y)
    assert result.fun is not None
    assert result.fun_error is not None
    assert 0.5 < result.fun_error / (values.std(ddof=1) / math.sqrt(count)) < 2.0
    assert abs(result.fun - truth) < 4 * result.fun_error
    again = run(**given, regularizer=zoo.L1(0.2))
    assert (again.fun, again.fun_error) == (result.fun, result.fun_error)


def test_fun_after_a_long_run_is_over_all_observations() -> None:
    result = run(
        observations=DATA, gradient=zoo.paper.Smoothed(6, 2), max_iterations=36
    )  # 504 // 10
    assert result.fun == pytest.approx(np.mean([Bowl()(result.x, w) for w in DATA]), rel=1e-14)
    assert (result.fun_status, result.fun_error, result.nfev_report) == ("exact", None, 50)


def test_fun_on_a_stream_is_over_its_window() -> None:
    result = run(observations=zoo.Stream(DATA), gradient=zoo.paper.Smoothed(3, 5))
    window = DATA[15:20][::-1]
    values = np.array([Bowl()(result.x, w) for w in window])
    assert result.fun == pytest.approx(values.mean(), rel=1e-14)
    assert result.fun_error == pytest.approx(values.std(ddof=1) / math.sqrt(5), rel=1e-12)
    assert (result.fun_status, result.nfev_report) == ("estimated", 5)


@pytest.mark.parametrize(("iterations", "w"), [(0, 1), (1, 1), (2, 2), (20, 20)])
def test_fun_of_a_loss_that_changes_with_time(iterations: int, w: int) -> None:
    """It is of the last moment that the run has seen."""
    seen: list[int] = []

    def loss(x: np.ndarray, t: int) -> float:
        seen.append(t)
        return float(np.square(x - t).sum())

    result = run(loss=loss, observations=zoo.Time(), max_iterations=iterations)
    assert seen[-1] == w
    assert result.fun == loss(result.x, w)
    assert (result.fun_status, result.fun_error, result.nfev_report) == ("estimated", None, 1)


def test_fun_is_unknown_where_there_are_no_values() -> None:
    result = run(loss=zoo.Loss(gradient=Bowl().gradient), gradient=zoo.paper.Exact())
    assert (result.fun, result.fun_status, result.fun_error) == (None, "unknown", None)
    assert (result.nfev, result.njev, result.nfev_report) == (0, 20, 0)
    assert "fun: unknown" in repr(result)


class Later:
    """A bowl for 80 evaluations, and then something else."""

    def __init__(self, then: Any) -> None:
        self.loss = Bowl()
        self.then = then

    def __call__(self, x: np.ndarray, *w: Any) -> float:
        return self.loss(x, *w) if self.loss.calls < 80 else self.then()


@pytest.mark.parametrize("bad", [math.inf, -math.inf, math.nan])
@pytest.mark.parametrize("observed", [False, True])
def test_fun_is_unknown_where_the_loss_is_not_finite(observed: bool, bad: float) -> None:
    result = run(loss=Later(lambda: bad), observations=DATA if observed else None)
    assert (result.nfev, result.nfev_report) == (80, 8 if observed else 2)
    assert (result.fun, result.fun_status, result.fun_error) == (None, "unknown", None)
    assert result.message == (
        f"The limit of 20 iterations is reached. {UNMEASURED} The loss is not finite at x."
    )
    assert not result.success
    assert "fun: unknown" in repr(result)


def test_fun_is_unknown_where_the_loss_fails() -> None:
    def fail() -> float:
        raise ZeroDivisionError("no licence")

    result = run(loss=Later(fail))
    assert (result.nit, result.nfev, result.success) == (20, 80, False)
    assert (result.fun, result.fun_status, result.fun_error) == (None, "unknown", None)
    assert result.message == (
        f"The limit of 20 iterations is reached. {UNMEASURED} "
        "The loss could not be evaluated at x: "
        "ZeroDivisionError('no licence')."
    )
    assert result.x.tobytes() == run().x.tobytes()


def test_an_x_that_is_completed_from_y_stays_in_the_domain() -> None:
    """The average of y may lie outside X; the answer and what the loss is shown do not."""
    high = zoo.Box(0.2, 0.3)
    given = {"domain": high, "regularizer": zoo.regularizers.SquaredL2(9.0), "complete": "x"}
    inside = zoo.paper.Smoothed(3, probes="inside")

    def loss(x: np.ndarray) -> float:
        assert high.distance(x) == 0.0
        return Bowl()(x)

    result = run(**given, loss=loss, gradient=inside, smoothing=0.01)
    assert result.x_violation == high.distance(result.x) == 0.0
    assert result.fun_status == "exact"


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("output", ["average", "last"])
@pytest.mark.parametrize(
    "domain", [zoo.Simplex(), zoo.BoxBudget(0.0, 1.0, 2.0), zoo.Budget(100.0), zoo.Box(0.0, 0.3)]
)
def test_rounding_is_no_reason_not_to_know_fun(domain: Any, output: Any, dtype: type) -> None:
    """A total that is right to the last digit but one is still inside; bounds hold exactly."""

    def loss(x: np.ndarray) -> float:
        if not isinstance(domain, zoo.Budget):
            assert x.min() >= 0.0
        return float(np.square(x - 0.3).sum() + x[0])

    for seed in range(10):
        result = run(
            loss=loss,
            x0=domain.project(np.full(9, 1 / 7, dtype=dtype)),
            domain=domain,
            gradient=zoo.paper.Smoothed(3, probes="inside"),
            smoothing=0.1,
            output=output,
            rng=seed,
        )
        assert result.fun == pytest.approx(loss(result.x), rel=1e-5)
        assert (result.fun_status, result.nfev_report) == ("exact", 2)
        assert "violated" not in repr(result)


@pytest.mark.usefixtures("_ctrl_c")
def test_ctrl_c_during_the_report_keeps_the_result() -> None:
    def interrupt() -> float:
        signal.raise_signal(signal.SIGINT)
        raise AssertionError("the interrupt comes first")

    result = run(loss=Later(interrupt))
    assert (result.nit, result.nfev) == (20, 80)
    assert (result.fun, result.fun_status) == (None, "unknown")
    assert result.x.tobytes() == run().x.tobytes()
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_fun_takes_phi_at_the_nearest_point_that_has_one() -> None:
    result = run(regularizer=zoo.Box(0.0, 0.3), complete="y", output="last", max_iterations=3)
    assert result.y_violation > 0
    assert result.fun == Bowl()(result.x)


def test_gradients_are_counted_apart() -> None:
    loss = Bowl()
    result = run(loss=loss, observations=DATA, gradient=zoo.paper.Exact(3))
    assert (result.nfev, result.njev, result.nfev_report) == (0, 60, 3)
    assert loss.calls == 3
    assert "20 iterations, 0 evaluations, 60 gradients (and 3 to report fun)" in repr(result)


# How a run ends


def test_it_ended_at_a_limit() -> None:
    by_iterations = run(max_iterations=7)
    assert (by_iterations.status, by_iterations.nit) == (zoo.Status.MAX_ITERATIONS, 7)
    assert not by_iterations.success
    assert by_iterations.message == f"The limit of 7 iterations is reached. {UNMEASURED}"
    by_evaluations = run(max_evaluations=31)
    assert (by_evaluations.status, by_evaluations.nit) == (zoo.Status.MAX_EVALUATIONS, 7)
    assert not by_evaluations.success
    assert "31 evaluations" in by_evaluations.message
    by_time = run(max_seconds=1.0, callback=lambda info: info.t == 3 and time.sleep(1.0))
    assert by_time.status is zoo.Status.MAX_SECONDS
    assert not by_time.success
    assert by_time.nit == 3
    assert "1.0 seconds" in by_time.message


def test_without_an_iteration_there_is_no_success() -> None:
    nothing = run(max_iterations=0)
    assert (nothing.status, nothing.success, nothing.nit) == (
        zoo.Status.MAX_ITERATIONS,
        False,
        0,
    )
    assert nothing.message == "The limit of 0 iterations is reached."
    late = run(max_seconds=0.0)
    assert (late.status, late.success, late.nit) == (zoo.Status.MAX_SECONDS, False, 0)


@pytest.mark.parametrize(
    ("kind", "source", "needed"),
    [
        ("none", None, 31),
        ("none", zoo.paper.Smoothed(7), 8),
        ("none", zoo.paper.Smoothed(4, difference="central"), 8),
        ("samples", None, 31),
        ("samples", zoo.paper.Smoothed(4, difference="central"), 8),
        ("samples", zoo.paper.Smoothed(4, 3), 15),
        ("samples", zoo.paper.Paired(6), 12),
        ("stream", None, 31),
        ("stream", zoo.paper.Smoothed(4, difference="central"), 8),
        ("stream", zoo.paper.Smoothed(4, 3), 5),  # the first window is of one
    ],
)
def test_a_budget_below_one_iteration_says_what_is_needed(
    kind: str, source: Any, needed: int
) -> None:
    taken: list[Any] = []

    def live() -> Iterator[Any]:
        for w in DATA:
            taken.append(w)
            yield w

    observations = {"samples": DATA, "stream": live(), "none": None}[kind]
    given = {"gradient": source, "observations": observations}
    result = run(**given, max_evaluations=needed - 1)
    assert (result.status, result.success) == (zoo.Status.MAX_EVALUATIONS, False)
    assert (result.nit, result.nfev) == (0, 0)
    assert taken == []
    assert result.message == (
        f"One iteration needs {needed} evaluations, and the budget is {needed - 1}: raise "
        "max_evaluations. If you set gradient=, it may also have fewer directions."
    )
    enough = run(**given, max_evaluations=needed)
    assert (enough.nit, enough.nfev) == (1, needed)


def test_it_ended_with_the_stream() -> None:
    result = run(observations=zoo.Stream(DATA[:9]), max_iterations=None)
    assert (result.status, result.success, result.nit) == (zoo.Status.STREAM_ENDED, False, 9)
    assert result.message == f"The stream of observations ended. {UNMEASURED}"


@pytest.mark.parametrize("complete", ["x", "y"])
@pytest.mark.parametrize("constant", [0.2, 0.02])
def test_it_ended_at_the_target_with_the_pair_that_met_it(constant: float, complete: Any) -> None:
    """The objective that counts is that of the pair as the result completes it."""
    infos: list[zoo.run.Info] = []
    phi, target = zoo.L1(constant), 1.4
    given = {"regularizer": phi, "target": target, "max_iterations": 1000, "step_size": 0.02}
    given["gradient"] = zoo.paper.Smoothed(M, distribution=zoo.paper.Coordinate())
    result = run(**given, complete=complete, callback=infos.append)
    assert (result.status, result.success) == (zoo.Status.TARGET, True)
    assert 3 < result.nit == len(infos) < 1000
    measured = [
        Bowl()(info.x) + phi(info.x if complete == "y" else info.y)  # x = y
        for info in infos
    ]
    assert [value <= target for value in measured] == [False] * (result.nit - 1) + [True]
    met = infos[-1]
    assert result.x.tobytes() == met.x.tobytes() != result.x_last.tobytes()
    assert result.y.tobytes() == (met.x if complete == "y" else met.y).tobytes()
    assert result.message == f"The target 1.4 was reached: {measured[-1]:.6g}."


def test_the_target_is_held_against_the_completed_y() -> None:
    """Far apart, x_t and y_t promise what no pair of the problem keeps; 2.9722 is the least."""
    given = {
        "regularizer": zoo.L1(1.0),
        "constraint": zoo.Linear(2.0 * np.eye(M), c=np.ones(M)),
        "gradient": zoo.paper.Smoothed(
            M, distribution=zoo.paper.Coordinate(), difference="central"
        ),
        "max_iterations": 1000,
        "smoothing": 1e-3,
        "step_size": 0.05,
        "penalty": 1.0,
        "complete": "y",
    }
    infos: list[zoo.run.Info] = []
    result = run(**given, target=3.0, callback=infos.append)
    assert (result.status, result.success) == (zoo.Status.TARGET, True)
    completed = [info.loss + float(np.abs(2.0 * info.x - 1.0).sum()) for info in infos]
    assert [value <= 3.0 for value in completed] == [False] * (result.nit - 1) + [True]
    assert infos[1].objective < 2.5  # with y_t it would have ended there
    np.testing.assert_allclose(result.y, 2.0 * result.x - 1.0, atol=1e-12)
    assert result.fun == pytest.approx(completed[-1], abs=1e-4)
    assert result.fun <= 3.0
    below = run(**given, target=2.9)
    assert (below.status, below.success) == (zoo.Status.MAX_ITERATIONS, False)


def test_the_target_where_the_completed_y_lies_outside() -> None:
    """phi is taken at the nearest point of Y, as in fun: a target can be met before x_t is in Y."""
    result = run(regularizer=zoo.Box(0.0, 0.3), target=2.0, max_iterations=500, complete="y")
    assert result.status is zoo.Status.TARGET
    assert result.fun <= 2.0
    assert result.fun == Bowl()(result.x)


def test_the_pair_that_met_the_target_stays_as_it_was_where_no_side_can_be_completed() -> None:
    infos: list[zoo.run.Info] = []
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


@pytest.mark.parametrize("output", ["average", "last"])
@pytest.mark.parametrize("complete", ["x", "y"])
def test_it_ended_at_the_tolerance(complete: Any, output: Any) -> None:
    """With the last iterates, which are what the residuals are about, whatever `output` says."""
    infos: list[zoo.run.Info] = []
    given = {"gradient": zoo.paper.Exact(), "regularizer": zoo.L1(0.2), "step_size": 0.5}
    given |= {"tolerance": 1e-6, "max_iterations": 10_000, "complete": complete, "output": output}
    result = run(**given, callback=infos.append)
    assert (result.status, result.success) == (zoo.Status.TOLERANCE, True)
    assert [info.accuracy <= 1e-6 for info in infos] == [False] * (result.nit - 1) + [True]
    solution = np.sign(CENTER) * np.maximum(np.abs(CENTER) - 0.1, 0.0)
    np.testing.assert_allclose(result.x_last, solution, atol=1e-5)
    np.testing.assert_allclose(result.dual, 2 * (solution - CENTER), atol=1e-5)
    last = result.x_last if complete == "y" else result.y_last
    assert result.x.tobytes() == result.y.tobytes() == last.tobytes()
    assert np.abs(result.x_average - solution).max() > 1e-4
    best = Bowl()(solution) + zoo.L1(0.2)(solution)
    assert result.fun == pytest.approx(best, abs=1e-5)
    assert result.message == "Both residuals fell to the tolerance 1e-06."


def test_a_tolerance_that_is_not_met_leaves_the_output_as_asked() -> None:
    given = {"gradient": zoo.paper.Exact(), "regularizer": zoo.L1(0.2), "tolerance": 1e-9}
    for output in ("average", "last"):
        result = run(**given, max_iterations=9, output=output)
        assert result.status is zoo.Status.MAX_ITERATIONS
        assert result.x.tobytes() == getattr(result, f"x_{output}").tobytes()


def test_an_accuracy_that_was_asked_for_and_not_reached_is_no_success() -> None:
    for asked in ({"target": -1.0}, {"tolerance": 1e-12}):
        result = run(**asked, max_iterations=5)
        assert (result.status, result.success) == (zoo.Status.MAX_ITERATIONS, False)
        result = run(**asked, max_evaluations=50)
        assert (result.status, result.success) == (zoo.Status.MAX_EVALUATIONS, False)
        result = run(**asked, observations=zoo.Stream(DATA))
        assert (result.status, result.success) == (zoo.Status.STREAM_ENDED, False)


def test_the_callback_ended_it() -> None:
    def callback(info: zoo.run.Info) -> None:
        if info.t == 6:
            raise StopIteration

    result = run(callback=callback)
    assert (result.status, result.success, result.nit) == (zoo.Status.CALLBACK, False, 6)
    assert result.fun is not None
    assert result.message == f"The callback stopped the run. {UNMEASURED}"
    assert result.x_last.tobytes() == run(max_iterations=6).x_last.tobytes()


def test_an_error_of_the_callback_is_the_users() -> None:
    def callback(info: zoo.run.Info) -> None:
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
    assert (result.fun, result.fun_status, result.nfev_report) == (Bowl()(result.x), "exact", 2)
    assert loss.calls == 26 + 2
    assert result.x.tobytes() == run(max_iterations=6).x.tobytes()
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@pytest.mark.usefixtures("_ctrl_c")
def test_ctrl_c_in_a_callback_takes_effect_there() -> None:
    seen: list[int] = []

    def callback(info: zoo.run.Info) -> None:
        if info.t == 6:
            signal.raise_signal(signal.SIGINT)
        seen.append(info.t)

    result = run(callback=callback)
    assert (result.status, result.success, result.nit) == (zoo.Status.INTERRUPTED, False, 6)
    assert seen == [1, 2, 3, 4, 5]
    assert (result.fun, result.nfev_report) == (Bowl()(result.x), 2)
    assert result.x.tobytes() == run(max_iterations=6).x.tobytes()


class Interrupting:
    """A regularizer during whose prox of iteration t Ctrl-C is pressed, once or more often."""

    def __init__(self, t: int, times: int = 1) -> None:
        self.t, self.times, self.calls = t, times, 0

    def __call__(self, y: np.ndarray) -> float:
        return 0.0

    def prox(self, v: np.ndarray, tau: float) -> np.ndarray:
        self.calls += 1
        if self.calls == self.t:
            for _ in range(self.times):
                signal.raise_signal(signal.SIGINT)
        return v


@pytest.mark.usefixtures("_ctrl_c")
@pytest.mark.parametrize("t", [1, 6, 19, 20])
def test_ctrl_c_within_a_step_waits_for_its_end_and_is_not_forgotten(t: int) -> None:
    """Not even in the last step, after which the run would be over by itself."""
    loss = Bowl()
    result = run(loss=loss, regularizer=Interrupting(t))
    assert (result.status, result.success, result.nit) == (zoo.Status.INTERRUPTED, False, t)
    assert loss.calls == result.nfev + 2 == 4 * t + 2  # none after it but to report
    assert (result.fun, result.fun_status) == (Bowl()(result.x), "exact")
    assert result.x.tobytes() == run(max_iterations=t).x.tobytes()
    assert "The run was interrupted" in result.message
    assert result.message.endswith("With checkpoint= the same call would go on from here.")


@pytest.mark.usefixtures("_ctrl_c")
@pytest.mark.parametrize("t", [1, 6, 20])
def test_a_second_ctrl_c_is_let_in_anywhere(t: int, tmp_path: Any) -> None:
    """The step that it broke into has not been taken."""
    path = tmp_path / "run.npz"
    result = run(regularizer=Interrupting(t, times=2), checkpoint=path)
    assert (result.status, result.nit) == (zoo.Status.INTERRUPTED, t - 1)
    assert result.x.tobytes() == run(max_iterations=t - 1).x.tobytes()
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    again = run(regularizer=Interrupting(t, times=2), checkpoint=path, max_iterations=t - 1)
    assert again.x.tobytes() == result.x.tobytes()


@pytest.mark.usefixtures("_ctrl_c")
def test_ctrl_c_does_not_hide_an_error() -> None:
    """A loss that fails after Ctrl-C was pressed in a step leaves fun unknown, and is named."""
    regularizer = Interrupting(20)
    result = run(loss=Later(lambda: 1 / 0), regularizer=regularizer)
    assert (result.status, result.nit) == (zoo.Status.INTERRUPTED, 20)
    assert (result.fun, result.fun_status) == (None, "unknown")
    assert "could not be evaluated at x: ZeroDivisionError" in result.message


@pytest.mark.usefixtures("_ctrl_c")
def test_a_second_ctrl_c_skips_the_report() -> None:
    loss = Bowl()

    def interrupted(x: np.ndarray) -> float:
        value = loss(x)
        if loss.calls in (26, 27):
            signal.raise_signal(signal.SIGINT)
        return value

    result = run(loss=interrupted)
    assert (result.status, result.nit, loss.calls) == (zoo.Status.INTERRUPTED, 6, 27)
    assert (result.fun, result.fun_status) == (None, "unknown")


@pytest.mark.usefixtures("_ctrl_c")
def test_a_slow_loss_is_not_evaluated_after_ctrl_c(monkeypatch: pytest.MonkeyPatch) -> None:
    """Unless the last iteration measured it at the recommended x."""
    monkeypatch.setattr("zooadmm.run.final_report.REPORT_SECONDS", 1e-12)

    def callback(info: zoo.run.Info) -> None:
        if info.t > 1 and (info.update == 0.0) == still:
            signal.raise_signal(signal.SIGINT)

    still, loss = False, Bowl()
    result = run(loss=loss, callback=callback)
    assert (result.fun, result.fun_status, loss.calls) == (None, "unknown", result.nfev)
    assert "fun was not evaluated: an evaluation takes about" in result.message
    still, loss = True, Bowl()
    result = run(loss=loss, callback=callback, settings="auto", gradient=None)
    assert (result.fun, result.fun_status) == (Bowl()(result.x), "estimated")
    assert (result.nfev_report, loss.calls) == (0, result.nfev)


@pytest.mark.usefixtures("_ctrl_c")
def test_the_users_own_handler_of_ctrl_c_is_left_in_place() -> None:
    heard: list[int] = []

    def handler(number: int, frame: Any) -> None:
        heard.append(number)

    signal.signal(signal.SIGINT, handler)

    def callback(info: zoo.run.Info) -> None:
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
    optimizer = zoo.Optimizer(np.zeros(M), settings="paper", max_iterations=3, rng=0)
    result = optimizer.result()
    assert (result.status, result.success, result.nit) == (zoo.Status.RUNNING, False, 0)
    assert result.message == "The run is not finished."
    assert (result.fun, result.fun_status) == (None, "unknown")


# The recommended pair


def collected(**given: Any) -> tuple[zoo.Result, np.ndarray, np.ndarray]:
    """A run, and all its iterates x_1..x_T and y_1..y_T."""
    xs: list[np.ndarray] = []
    ys: list[np.ndarray] = []

    def callback(info: zoo.run.Info) -> None:
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
CONSTRAINTS: dict[str, zoo.problem.Constraint] = {
    "consensus": zoo.problem.Consensus(),
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
    phi = zoo.regularizers.SquaredL2(0.2)
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
    x_from_y = run(
        domain=high, regularizer=zoo.regularizers.SquaredL2(9.0), complete="x", max_iterations=3
    )
    assert x_from_y.x_violation == high.distance(x_from_y.x) == 0.0
    assert "violated" not in repr(x_from_y)
    y_leaves = run(regularizer=box, complete="y", output="last", max_iterations=3)
    assert y_leaves.y_violation == box.distance(y_leaves.y) > 1e-6
    assert y_leaves.x_violation == 0.0
    y_line = f"  violated: y is {y_leaves.y_violation:.3g} away from the set Y of the regularizer"
    assert repr(y_leaves).splitlines()[-1] == y_line


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("role", ["domain", "regularizer"])
@pytest.mark.parametrize("domain", [zoo.Simplex(), zoo.BoxBudget(0.0, 1.0, 2.0), zoo.Budget(1e3)])
def test_a_violation_by_rounding_is_not_worth_a_line(domain: Any, role: str, dtype: type) -> None:
    for seed in range(10):
        for output in ("average", "last"):
            result = run(
                x0=domain.project(np.full(M, 1 / 7, dtype=dtype)),
                **{role: domain},
                complete="y" if role == "domain" else "x",
                output=output,
                smoothing=0.01,
                rng=seed,
            )
            assert max(result.x_violation, result.y_violation) < 1e3 * 100 * np.finfo(dtype).eps
            assert "violated" not in repr(result)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_an_average_that_rounding_put_outside_is_brought_back(dtype: type) -> None:
    """The mean of points of X lies in X: 0.1 + ... + 0.1, divided, may not be at most 0.1."""
    bound = dtype(0.1)
    corner = zoo.Box(-bound, bound)
    outside = 0
    for iterations in range(1, 60):
        result = run(
            x0=np.full(M, bound),
            domain=corner,
            loss=lambda x: -100.0 * float(x.sum()),
            smoothing=0.01,
            max_iterations=iterations,
        )
        outside += corner.distance(result.x_average) > 0
        assert corner.distance(result.x) == result.x_violation == 0.0
        assert result.x.dtype == dtype
        np.testing.assert_allclose(result.x, result.x_average, rtol=1e-9)
    assert outside > 0 or dtype is np.float32  # sums in double precision are exact enough there


def test_a_callback_can_look_but_not_touch() -> None:
    def callback(info: zoo.run.Info) -> None:
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
    optimizer = zoo.Optimizer(np.zeros(M), settings="paper", max_iterations=3, rng=0)
    for _ in range(2):
        result = optimizer.result()
        for name in ("x", "y", "x_average", "y_average", "x_last", "y_last", "dual"):
            assert getattr(result, name).tolist() == [0.0] * M
            getattr(result, name)[:] = 7.0


def test_an_info_says_what_it_is_about() -> None:
    infos: list[zoo.run.Info] = []
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
    said = " ".join(line.strip() for line in lines[:2])
    assert said == f"no success: The limit of 20 iterations is reached. {UNMEASURED}"
    del lines[0]
    assert lines[1].strip() == f"fun: {result.fun:.8g} (exact)"
    assert lines[2].strip().startswith("x: [")
    assert lines[2].endswith("(4 entries)")
    assert lines[3].strip() == "work: 20 iterations, 80 evaluations (and 2 to report fun)"
    assert lines[4].strip() == "residual: |Ax + By - c| = 0"
    assert len(lines) == 5


def test_a_result_prints_y_where_it_differs() -> None:
    free = zoo.regularizers.Zero()
    result = run(constraint=zoo.Linear(np.diff(np.eye(M), axis=0)), regularizer=free)
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
    result = run(
        target=-1.0, max_iterations=5, observations=DATA, gradient=zoo.paper.Smoothed(6, 2)
    )
    text = repr(result)
    assert text.startswith("no success: The limit of 5 iterations is reached.")
    assert f"fun: {result.fun:.8g} +- {result.fun_error:.2g} (estimated)" in text
