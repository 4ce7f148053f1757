"""Pictures show what a run recorded, and nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest

import zooadmm as zoo
from zooadmm.analysis import plot
from zooadmm.analysis.sensitivity import sensitivity

mpl.use("Agg")

M = 4
CENTER = np.linspace(-1.0, 1.0, M)
ROWS = np.random.default_rng(7).normal(size=(50, M))


class Bowl:
    """|x - w|^2, with a gradient."""

    def __call__(self, x: np.ndarray, w: Any = CENTER) -> float:
        return float(np.square(x - w).sum())

    def gradient(self, x: np.ndarray, w: Any = CENTER) -> np.ndarray:
        return 2 * (x - w)


def run(**given: Any) -> zoo.Result:
    limit = {"max_iterations": 20} if "max_evaluations" not in given else {}
    settings = {"settings": "paper", "gradient": zoo.paper.Smoothed(3)}
    return zoo.minimize(Bowl(), np.full(M, 0.25), **{**settings, "rng": 3, **limit, **given})


@pytest.fixture(autouse=True)
def _closed() -> Iterator[None]:
    yield
    plt.close("all")


def labels(axis: Any) -> list[str]:
    return [text.get_text() for text in axis.texts]


def test_the_trace_has_an_objective_and_residuals() -> None:
    trace = run(regularizer=zoo.L1(0.2)).trace
    figure = plot.trace(trace)
    above, below = figure.axes
    assert (below.get_xlabel(), above.get_xlabel()) == ("evaluations", "")  # one axis, shared
    assert above.get_shared_x_axes().joined(above, below)
    assert below.get_yscale() == "log"
    at = trace["evaluations"].tolist()
    assert [line.get_xdata().tolist() for line in above.lines + below.lines] == [at] * 3
    np.testing.assert_array_equal(above.lines[0].get_ydata(), trace["loss"] + trace["regularizer"])
    positive = trace["residual"] > 0
    assert 10 < positive.sum() < 20  # which a logarithmic axis can show
    residual = below.lines[0].get_ydata()
    np.testing.assert_array_equal(residual[positive], trace["residual"][positive])
    mine, axes = plt.subplots(1, 2)
    assert plot.trace(trace, axes) is mine


def test_no_panel_is_empty() -> None:
    exact = plot.trace(run(gradient=zoo.paper.Exact(), regularizer=zoo.L1(0.2)).trace)
    (sizes,) = exact.axes  # no value was measured
    assert (sizes.get_xlabel(), len(sizes.lines)) == ("iterations", 2)
    settled = zoo.minimize(Bowl(), np.zeros(M), max_evaluations=200, rng=0)
    assert not settled.trace["residual"].any()
    (objective,) = plot.trace(settled.trace).axes  # no residual
    assert objective.get_ylabel() == "objective"
    (nothing,) = plot.trace(run(max_iterations=0).trace).axes
    assert labels(nothing) == ["nothing was recorded"]


def test_the_best_so_far_and_its_gap(tmp_path: Path) -> None:
    result = run(regularizer=zoo.L1(0.2))
    values = result.trace["loss"] + result.trace["regularizer"]
    (axis,) = plot.convergence(result).axes
    np.testing.assert_array_equal(axis.lines[0].get_ydata(), np.minimum.accumulate(values))
    assert labels(axis) == ["best so far"]
    optimum = float(values.min()) - 1e-3
    figure = plot.convergence(result, optimum)
    (axis,) = figure.axes
    assert axis.get_yscale() == "log"
    np.testing.assert_allclose(
        axis.lines[0].get_ydata(), np.minimum.accumulate(values) - optimum, rtol=1e-12
    )
    figure.savefig(tmp_path / "convergence.png")
    assert (tmp_path / "convergence.png").stat().st_size > 5_000


def test_a_sampled_objective_has_a_band_and_its_end() -> None:
    result = run(observations=ROWS, max_iterations=100, max_evaluations=399)
    assert result.fun_error is not None
    (axis,) = plot.objective(result).axes
    assert set(labels(axis)) == {"mean", "fun"}
    (band, *_) = axis.collections
    dots, mean = axis.lines[:2]
    assert len(dots.get_xdata()) == result.nit
    values = result.trace["loss"]
    np.testing.assert_allclose(mean.get_ydata()[-1], values[-5:].mean(), rtol=1e-12)
    edges = band.get_paths()[0].vertices[:, 1]
    spread = 2 * values[-5:].std(ddof=1) / np.sqrt(5)
    assert np.isclose(edges, values[-5:].mean() + spread).any()
    assert labels(plot.convergence(result).axes[0]) == ["running mean"]


def test_an_exact_objective_has_no_band() -> None:
    (axis,) = plot.objective(run()).axes
    assert (len(axis.collections), len(axis.lines)) == (0, 1)


def test_the_path_of_the_variables() -> None:
    path = plot.Iterates(max_rows=8, names=list("abcd"))
    infos: list[zoo.run.Info] = []

    def callback(info: zoo.run.Info) -> None:
        path(info)
        infos.append(info)

    run(callback=callback)
    assert len(path.x) <= 8
    kept = {info.evaluations: info.x for info in infos}
    for count, x in zip(path.evaluations, path.x, strict=True):
        np.testing.assert_array_equal(x, kept[count])
    (axis,) = plot.variables(path).axes
    assert sorted(labels(axis)) == list("abcd")
    with pytest.raises(ValueError, match="the path is empty"):
        plot.variables(plot.Iterates())
    path.names = ["a"]
    with pytest.raises(ValueError, match="1 names for 4 variables"):
        plot.variables(path)


def test_negative_regret_is_drawn() -> None:
    worse = zoo.Regret(np.full(M, 3.0))  # a comparator that any iterate beats
    result = run(regret=worse, observations=ROWS)
    assert (result.regret["iterates"] < 0).all()
    (axis,) = plot.regret(result.regret).axes
    assert axis.get_yscale() == "symlog"
    assert axis.lines[0].get_ydata().min() < 0
    assert axis.get_ylim()[0] < axis.lines[0].get_ydata().min()
    (axis,) = plot.regret(run(regret=zoo.Regret(CENTER)).regret).axes
    assert axis.get_yscale() == "log"


def test_labels_do_not_overlap() -> None:
    figure, axis = plt.subplots()
    lines = [(axis.plot([0, 1], [0, 1e-3 * k])[0], f"line {k}") for k in range(4)]
    axis.set_ylim(-1, 1)
    plot.label_lines(axis, lines)
    figure.canvas.draw()
    boxes = [text.get_window_extent() for text in axis.texts]
    assert not any(a.overlaps(b) for i, a in enumerate(boxes) for b in boxes[:i])


STIFF = np.array([1.0, 4.0, 9.0, 0.5])


def valley(x: np.ndarray) -> float:
    return float(STIFF @ np.square(x - 1.0) / 2 + 0.3 * (x[0] - 1.0) * (x[1] - 1.0))


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_sensitivity_is_that_of_the_loss(ending: str, tmp_path: Path) -> None:
    box = zoo.Box([0, 0, 0, 0], [0.5, 2, 0.75, 2])
    path = tmp_path / f"all.{ending}"
    result = zoo.minimize(valley, np.zeros(4), domain=box, max_evaluations=300, rng=0, history=path)
    found = sensitivity(result, path)
    slope = STIFF * (result.x - 1.0) + 0.3 * np.append(result.x[1::-1] - 1.0, [0.0, 0.0])
    np.testing.assert_allclose(found.slope, slope, atol=1e-4)
    np.testing.assert_allclose(found.curvature, STIFF, rtol=0.05)
    assert found.points == result.nfev + result.nfev_report
    above, below = plot.sensitivity(result, path).axes
    shown = [text.get_text() for text in below.get_xticklabels()]
    assert shown[:2] == ["x2", "x0"]  # by their slopes
    np.testing.assert_allclose(above.lines[1].get_ydata()[:2], slope[[2, 0]], atol=1e-4)


def test_slopes_of_an_interior_optimum_are_drawn(tmp_path: Path) -> None:
    path = tmp_path / "all.csv"
    result = zoo.minimize(valley, np.zeros(4), max_evaluations=300, rng=0, history=path)
    above, below = plot.sensitivity(result, path).axes
    assert len(above.lines[1].get_ydata()) == 4
    assert not above.texts
    shown = [text.get_text() for text in below.get_xticklabels()]
    assert shown == [f"x{j}" for j in np.argsort(-STIFF)]  # by their curvatures


def test_sensitivity_behind_noise_has_honest_errors(tmp_path: Path) -> None:
    generator = np.random.default_rng(0)
    result = zoo.minimize(
        lambda x: valley(x) + 0.05 * generator.standard_normal(),
        np.zeros(4),
        max_evaluations=3_000,
        rng=0,
        history=tmp_path / "all.csv",
    )
    found = sensitivity(result, tmp_path / "all.csv")
    slope = STIFF * (result.x - 1.0) + 0.3 * np.append(result.x[1::-1] - 1.0, [0.0, 0.0])
    assert (np.abs(found.slope - slope) < 4 * found.slope_error).all()
    assert (np.abs(found.curvature - STIFF) < 4 * found.curvature_error).all()
    assert (found.slope_error < 0.3).all()


def quartic(x: np.ndarray) -> float:
    d = x - np.linspace(-0.6, 0.9, 5)
    return float(d @ d / 2 + 0.3 * d.sum() ** 2 + np.sum((d + 0.3) ** 4))


def rounded_corners(x: np.ndarray) -> float:
    d = x - np.linspace(-0.6, 0.9, 5)
    return float(np.sum(np.sqrt(0.05 + d**2)) + 0.05 * d.sum() ** 2)


def logistic(x: np.ndarray) -> float:
    rows = np.random.default_rng(5).standard_normal((15, 5))
    signs = np.where(np.arange(15) % 3 == 0, -1.0, 1.0)
    return float(5 * np.log1p(np.exp(-signs * (rows @ x))).mean() + 0.05 * x @ x)


def test_errors_of_curvatures_are_honest_where_the_loss_is_not_quadratic(tmp_path: Path) -> None:
    """Bars of two standard errors miss 5 % of the time: 15 curvatures, at most 2 outside."""
    outside = 0
    for loss in (quartic, rounded_corners, logistic):
        path = tmp_path / f"{loss.__name__}.csv"
        result = zoo.minimize(loss, np.zeros(5), max_evaluations=300, rng=0, history=str(path))
        found = sensitivity(result, path)
        steps = 1e-4 * np.eye(5)
        true = [
            (loss(result.x + e) - 2 * loss(result.x) + loss(result.x - e)) / 1e-8 for e in steps
        ]
        outside += np.count_nonzero(np.abs(found.curvature - true) > 2 * found.curvature_error)
    assert outside <= 2


def test_curvatures_of_thirty_variables_of_which_few_are_moved_alone(tmp_path: Path) -> None:
    generator = np.random.default_rng(0)
    rows = generator.standard_normal((200, 30))
    outcome = rows[:, [2, 9, 17]] @ [1.5, -2.0, 1.0]
    path = tmp_path / "all.csv"
    result = zoo.minimize(
        lambda x: float(np.mean((rows @ x - outcome) ** 2)),
        np.zeros(30),
        regularizer=zoo.L1(0.1),
        max_evaluations=3_000,
        history=str(path),
        rng=0,
    )
    found = sensitivity(result, path)
    np.testing.assert_allclose(found.curvature, 2 * np.mean(rows**2, axis=0), rtol=0.01)


def test_sensitivity_says_what_it_cannot_do(tmp_path: Path) -> None:
    sampled = run(observations=ROWS, history=tmp_path / "rows.csv")
    with pytest.raises(ValueError, match="needs a loss without observations"):
        plot.sensitivity(sampled, tmp_path / "rows.csv")
    run(history=tmp_path / "all.csv")
    other = zoo.minimize(lambda x: x @ x, np.ones(2), max_evaluations=50, rng=0)
    with pytest.raises(ValueError, match="has 4 variables and the result 2"):
        plot.sensitivity(other, tmp_path / "all.csv")


def test_parameters_have_slopes_on_their_scales(tmp_path: Path) -> None:
    """d/dx of log(rate / 0.05)^2, where log rate = log 1e-3 + x log 1e3, and of 2 (5 x - 6)^2."""
    parameters = zoo.Parameters({"rate": (1e-3, 1.0, "log"), "depth": (0, 5)})
    path = tmp_path / "all.csv"
    result = zoo.minimize(
        lambda v: np.log(v["rate"] / 0.05) ** 2 + 2 * (v["depth"] - 6) ** 2,
        parameters,
        max_evaluations=200,
        rng=0,
        history=path,
    )
    found = sensitivity(result, path, parameters)
    assert found.names == ["rate", "depth"]
    np.testing.assert_allclose(found.slope, [0.0, -20.0], atol=1e-3)
    np.testing.assert_allclose(found.curvature, [2 * np.log(1e3) ** 2, 100.0], rtol=1e-3)
    above, below = plot.sensitivity(result, path, parameters).axes
    assert (above.get_ylabel(), below.get_ylabel()) == (
        "slope on the scale",
        "curvature on the scale",
    )
    with pytest.raises(ValueError, match="the run had Parameters: give them"):
        sensitivity(result, path)
    with pytest.raises(ValueError, match="the history has rate, depth and parameters depth"):
        sensitivity(result, path, zoo.Parameters({"depth": (0, 5)}))


def test_a_value_between_missing_ones_is_drawn_as_a_point() -> None:
    record = run().trace
    rows = record.rows().copy()
    loss = record.columns.index("loss")
    rows[1::2, loss] = np.nan
    record.restore(rows, record.stride)
    figure, axes = plt.subplots(2)
    plot.trace(record, axes=axes)
    (line,) = axes[0].lines
    assert (line.get_marker(), line.get_markevery()) == ("o", list(range(0, len(rows), 2)))
    assert axes[1].lines[0].get_markevery() != line.get_markevery()
    plt.close(figure)
