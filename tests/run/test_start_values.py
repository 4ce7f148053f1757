"""`start_values=`: points that the user has evaluated already."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import zooadmm as zoo

M = 8
GENERATOR = np.random.default_rng(11)
ROWS, CENTER = GENERATOR.standard_normal((M + 2, M)), GENERATOR.standard_normal(M)
POINTS = 0.5 * GENERATOR.standard_normal((12, M))
X0 = np.zeros(M)


def bowl(x: NDArray[Any]) -> float:
    return float(np.square(ROWS @ (x - CENTER)).sum())


VALUES = np.array([bowl(x) for x in POINTS])
BEST = POINTS[int(np.argmin(VALUES))]


class Counted:
    """A loss that keeps its points."""

    def __init__(self, loss: Any = bowl) -> None:
        self.loss, self.points = loss, list[NDArray[Any]]()

    def __call__(self, x: NDArray[Any]) -> float:
        self.points.append(np.array(x))
        return float(self.loss(x))


def run(budget: int = 2 * M, **given: Any) -> zoo.Result:
    loss = given.pop("loss", bowl)
    return zoo.minimize(
        loss, given.pop("x0", X0), rng=0, max_evaluations=budget, progress=False, **given
    )


# --- what they are good for


@pytest.mark.parametrize("budget", [M, 2 * M])
def test_few_evaluations_go_further_with_them(budget: int) -> None:
    """Than from the best of the points alone: the median of forty bowls, with points of their own.

    With two evaluations a variable one bowl in four has the other order, so nine runs of one bowl
    may show either.
    """
    ratios = []
    for seed in range(40):
        generator = np.random.default_rng([M, seed])
        rows, center = generator.standard_normal((M + 2, M)), generator.standard_normal(M)
        loss = lambda x: float(np.square(rows @ (x - center)).sum())  # noqa: E731, B023
        points = 0.5 * generator.standard_normal((12, M))
        values = np.array([loss(x) for x in points])
        best = points[int(np.argmin(values))]
        with_them = run(budget, loss=loss, x0=best, start_values=(points, values))
        ratios.append(loss(with_them.x) / loss(run(budget, loss=loss, x0=best).x))
    assert np.median(ratios) < 0.8, ratios


def test_they_are_not_counted_and_only_the_best_is_evaluated_again() -> None:
    loss = Counted()
    result = run(loss=loss, start_values=(POINTS, VALUES))
    assert result.nfev <= 2 * M
    assert len(loss.points) == result.nfev + result.nfev_report
    seen = [p for p in POINTS if any(np.array_equal(p, x) for x in loss.points)]
    assert len(seen) == 1
    np.testing.assert_array_equal(seen[0], BEST)
    np.testing.assert_array_equal(loss.points[:2], [X0, BEST])


def test_a_better_x0_is_the_start() -> None:
    result = run(x0=CENTER + 1e-3, start_values=(POINTS, VALUES))
    assert result.fun is not None
    assert result.fun < 1e-3


def test_without_x0_the_run_starts_at_the_best_of_them() -> None:
    loss = Counted()
    run(loss=loss, x0=None, start_values=(POINTS, VALUES))
    np.testing.assert_array_equal(loss.points[0], BEST)


def test_a_larger_budget_ends_where_it_does_without_them() -> None:
    for given in ({}, {"start_values": (POINTS, VALUES)}):
        result = run(1_000, **given)
        assert result.success
        assert bowl(result.x) < 1e-12


def test_phi_is_not_part_of_the_values() -> None:
    """The start is the point with the least F, not the least f."""
    heavy = zoo.L1(1e3)
    small = 0.01 * POINTS
    points = np.vstack([POINTS, small])
    loss = Counted()
    known = (points, np.array([bowl(x) for x in points]))
    run(loss=loss, x0=POINTS[0], start_values=known, regularizer=heavy)
    F = [bowl(x) + heavy(x) for x in points]
    np.testing.assert_array_equal(loss.points[1], points[int(np.argmin(F))])


def test_a_point_outside_the_domain_is_no_start() -> None:
    loss = Counted()
    result = run(loss=loss, start_values=(POINTS, VALUES), domain=zoo.Box(-0.05, 0.05))
    assert all(np.abs(x).max() <= 0.05 for x in loss.points)
    assert result.fun is not None
    assert result.fun < bowl(X0)


# --- forms


def frame() -> dict[str, Any]:
    return {"value": VALUES, **{f"x{j}": POINTS[:, j] for j in range(M)}}


def test_every_form_is_the_same_run() -> None:
    pandas = pytest.importorskip("pandas")
    forms = [
        (POINTS, VALUES),
        [POINTS.tolist(), VALUES.tolist()],
        list(zip(POINTS, VALUES, strict=True)),
        ((x, f) for x, f in zip(POINTS, VALUES, strict=True)),
        frame(),
        pandas.DataFrame(frame()),
    ]
    for form in forms:
        assert run(start_values=form).x.tobytes() == run(start_values=forms[0]).x.tobytes()


def test_two_pairs_are_no_two_arrays() -> None:
    pairs = list(zip(POINTS[:2], VALUES[:2], strict=True))
    arrays = POINTS[:2], VALUES[:2]
    assert run(start_values=pairs).x.tobytes() == run(start_values=arrays).x.tobytes()


def test_a_history_with_parameters_is_a_table_of_them(tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    parameters = zoo.Parameters({"rate": (1e-3, 10.0, "log"), "depth": (-1, 2), "width": (0, 1)})

    def loss(v: dict[str, float]) -> float:
        return np.log(v["rate"]) ** 2 + v["depth"] ** 2 + (v["width"] - 0.3) ** 2

    path = tmp_path / "evaluations.csv"
    before = run(10, loss=loss, x0=parameters, history=path)
    known = pandas.read_csv(path)
    after = run(12, loss=loss, x0=parameters, start_values=known)
    assert before.fun is not None
    assert after.fun is not None
    assert after.fun < 0.5 * before.fun
    assert "ignored" not in after.learned


def test_a_value_that_is_not_finite_is_left_out() -> None:
    points, values = np.vstack([POINTS, X0 + 3.0]), np.append(VALUES, np.nan)
    assert (
        run(start_values=(points, values)).x.tobytes()
        == run(start_values=(POINTS, VALUES)).x.tobytes()
    )


REFUSED: dict[str, tuple[Any, dict[str, Any], type[Exception], str]] = {
    "a number": (3, {}, TypeError, "pairs .* not int"),
    "nothing": ([], {}, ValueError, "must be pairs"),
    "triples": ([(X0, 1.0, 2.0)] * 3, {}, ValueError, "must be pairs"),
    "other lengths": ((POINTS[:, :3], VALUES), {}, ValueError, "points of 3 numbers, and x0 has 8"),
    "ragged": ([(X0, 1.0), (X0[:2], 1.0)], {}, ValueError, "different lengths"),
    "other counts": ((POINTS, VALUES[:3]), {}, ValueError, r"shape \(12, 8\), values \(3,\)"),
    "no value": ({"x0": [1.0]}, {}, ValueError, "no column 'value'"),
    "no number": ((POINTS + np.nan, VALUES), {}, ValueError, "point 0, is not finite"),
    "no finite value": ((POINTS, VALUES + np.nan), {}, ValueError, "no finite value"),
    "paper": ((POINTS, VALUES), {"settings": "paper"}, ValueError, 'belong to settings="auto"'),
    "observations": (
        (POINTS, VALUES),
        {"observations": [1, 2], "loss": lambda x, w: bowl(x)},
        ValueError,
        "without observations",
    ),
    "starts": ((POINTS, VALUES), {"starts": 2}, ValueError, "starts are several"),
    "evaluated": ((POINTS, VALUES), {"evaluated": 1}, ValueError, 'belong to settings="auto"'),
    "no x0 either": (None, {"x0": None}, ValueError, "x0 is None"),
    "a table without x0": (frame(), {"x0": None}, ValueError, "a table of start_values needs x0"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_does_not_fit_is_refused_in_a_sentence(case: str) -> None:
    values, given, error, said = REFUSED[case]
    with pytest.raises(error, match=said):
        run(start_values=values, **given)


def test_values_of_parameters_lie_within_their_bounds() -> None:
    parameters = zoo.Parameters({"a": (0, 1), "b": (0, 1)})
    with pytest.raises(ValueError, match="point 1: b = 2 lies outside its bounds"):
        run(
            x0=parameters,
            loss=lambda v: v["a"],
            start_values=([[0.5, 0.5], [0.5, 2.0]], [1.0, 2.0]),
        )


# --- values that are not those of the loss


@pytest.mark.parametrize("budget", [2 * M, 1_000])
@pytest.mark.parametrize(
    "wrong",
    [1_000 * VALUES, -VALUES, VALUES + 100.0, VALUES[::-1]],
    ids=["scale", "sign", "shift", "order"],
)
def test_values_of_another_loss_are_ignored_with_a_warning(
    budget: int, wrong: NDArray[Any]
) -> None:
    with pytest.warns(RuntimeWarning, match="start_values are ignored: a value differs by"):
        result = run(budget, start_values=(POINTS, wrong))
    assert "start_values are ignored" in result.message
    assert result.fun is not None
    assert result.fun < bowl(X0)
    if budget > 2 * M:
        assert result.success


def test_rounded_values_are_used() -> None:
    rounded = np.array([float(f"{v:.4g}") for v in VALUES])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fun = run(start_values=(POINTS, rounded)).fun
    assert fun is not None
    assert fun < VALUES.min()


@pytest.mark.parametrize("seed", range(4))
def test_noisy_values_are_no_reason_for_a_warning(seed: int) -> None:
    generator = np.random.default_rng(seed)

    def noisy(x: NDArray[Any]) -> float:
        return bowl(x) + 0.5 * float(generator.standard_normal())

    known = POINTS, np.array([noisy(x) for x in POINTS])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = run(4 * M, loss=noisy, start_values=known)
    assert bowl(result.x) < bowl(X0)


# --- the same bits


@pytest.mark.parametrize("budget", [2 * M, 200, None])
def test_resumed_before_every_query_it_is_the_unbroken_run(
    tmp_path: Path, budget: int | None
) -> None:
    def make() -> zoo.Optimizer:
        return zoo.Optimizer(X0, start_values=(POINTS, VALUES), max_evaluations=budget, rng=2)

    def played(optimizer: zoo.Optimizer, broken: bool) -> zoo.Optimizer:
        while optimizer.evaluations < 60 and (query := optimizer.ask()) is not None:
            if broken:
                optimizer.save(tmp_path / "run.zoo")
                optimizer = make()
                optimizer.load(tmp_path / "run.zoo")
            values = np.array([bowl(x) for x in query.points])
            optimizer.tell(query.id, values.reshape(query.shape))
        return optimizer

    whole, broken = played(make(), broken=False), played(make(), broken=True)
    assert whole.recommended()[0].tobytes() == broken.recommended()[0].tobytes()


def test_a_checkpoint_fits_the_same_values_only(tmp_path: Path) -> None:
    path = tmp_path / "run.zoo"
    zoo.Optimizer(X0, start_values=(POINTS, VALUES), rng=2).save(path)
    other = zoo.Optimizer(X0, start_values=(POINTS, VALUES + 1e-9), rng=2)
    with pytest.raises(ValueError, match="another start_values"):
        other.load(path)


def test_scipy_takes_them_as_an_option() -> None:
    from scipy.optimize import minimize

    options = {"maxfev": 2 * M, "rng": 0, "start_values": (POINTS, VALUES)}
    found = minimize(bowl, X0, method=zoo.scipy_method, options=options)
    assert found.nfev <= 2 * M
    assert found.fun < VALUES.min()


def answer_all(optimizer: zoo.Optimizer, loss: Callable[[np.ndarray], float]) -> None:
    while (query := optimizer.ask()) is not None:
        values = np.array([loss(x) for x in query.points])
        optimizer.tell(query.id, values.reshape(query.shape))


def test_no_value_that_the_run_did_not_evaluate_is_its_answer() -> None:
    center, weights = np.random.default_rng(0).standard_normal(6), np.arange(1, 7)

    def shifted(x: np.ndarray) -> float:
        return 100.0 + float((np.square(x - center) * weights).sum())

    zero = np.zeros(6)
    points = np.array([zero + 0.01, zero + 2.0, zero - 0.5])
    wrong = shifted(zero) + np.array([-0.9, -0.5, 3.0])
    optimizer = zoo.Optimizer(zero, start_values=(points, wrong), max_evaluations=12, rng=0)
    with pytest.warns(RuntimeWarning, match="start_values are ignored"):
        answer_all(optimizer, shifted)
    assert shifted(optimizer.recommended()[0]) < shifted(zero)


def test_points_outside_the_domain_do_not_hide_noise() -> None:
    center = np.full(4, 0.3)
    points = np.random.default_rng(0).standard_normal((6, 4)) + 20.0
    given = points, np.square(points - center).sum(axis=1)
    gaps = []
    for seed in range(5):
        noise = np.random.default_rng(seed)

        def noisy(x: np.ndarray, noise: np.random.Generator = noise) -> float:
            return float(np.square(x - center).sum()) + 0.05 * noise.standard_normal()

        result = zoo.minimize(
            noisy,
            np.full(4, 0.9),
            domain=zoo.Box(0.0, 1.0),
            start_values=given,
            max_evaluations=70,
            rng=seed,
        )
        gaps.append(np.square(result.x - center).sum())
    assert np.median(gaps) < 0.1  # of 1.44


def test_x0_alone_tells_nothing_and_costs_nothing() -> None:
    def bowl(x: np.ndarray) -> float:
        return float(np.square(x - 1.0).sum())

    given = [np.zeros(6)], [6.0]
    with_it = zoo.minimize(bowl, np.zeros(6), start_values=given, max_evaluations=12, rng=0)
    assert with_it.fun <= zoo.minimize(bowl, np.zeros(6), max_evaluations=12, rng=0).fun


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("penalty", [1e16, 1e30, 1e160])
def test_one_value_of_a_penalty_does_not_hide_the_others(penalty: float, seed: int) -> None:
    generator = np.random.default_rng(seed)
    center = generator.standard_normal(6)

    def bowl(x: np.ndarray) -> float:
        return float((np.square(x - center) * np.arange(1, 7)).sum())

    points = generator.standard_normal((10, 6))
    values = np.array([bowl(x) for x in points])
    values[values.argmax()] = penalty
    result = zoo.minimize(
        bowl, np.zeros(6), start_values=(points, values), max_iterations=60, rng=0
    )
    assert result.fun < 1e-12


def test_a_point_that_rounding_left_outside_is_evaluated_inside() -> None:
    seen = []

    def bowl(x: np.ndarray) -> float:
        seen.append(x.min())
        return float(np.square(x - 0.3).sum())

    given = np.array([[-1e-9, 0.3, 0.3], [0.5, 0.5, 0.5]]), [0.0, 0.12]
    box = zoo.Box(0.0, 1.0)
    zoo.minimize(bowl, np.full(3, 0.5), domain=box, start_values=given, max_evaluations=40, rng=0)
    assert min(seen) >= 0.0


def test_a_generator_needs_x0() -> None:
    pairs = ((np.full(2, float(i)), float(i)) for i in range(3))
    with pytest.raises(TypeError, match="give a list of pairs"):
        zoo.minimize(lambda x: float(x @ x), None, start_values=pairs)
