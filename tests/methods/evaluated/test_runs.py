"""Runs with evaluated constraints: replay, engines, ask and tell, mishaps, messages."""

from __future__ import annotations

import csv
import math
import sys
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import zooadmm as zoo
from twins.two_limits import two_limits as loss
from zooadmm.problem.arrays import Matrix, Vector
from zooadmm.run import Status

OUTSIDE, INSIDE = np.array([-1.0, 1.5, 0.5]), np.array([-0.5, 0.8, 0.5])


def many(points: Matrix) -> Matrix:
    return np.array([loss(x) for x in points])


def run(f: Any = loss, x0: Vector = OUTSIDE, **given: Any) -> zoo.Result:
    return zoo.minimize(f, x0, **{"evaluated": 2, "max_evaluations": 500, **given})


def test_a_success_is_feasible_and_stationary() -> None:
    found = run()
    assert found.success
    assert found.status is Status.SETTLED
    assert found.optimum == "stationary"
    assert found.constraints is not None
    assert found.constraints.max() <= 1e-8
    assert np.array_equal(found.constraints, loss(found.x)[1:])
    assert found.nfev < 60


def test_multipliers_are_prices() -> None:
    found, price = run(), 1e-4
    dearer = run(lambda x: (loss(x)[0], loss(x)[1], loss(x)[2] - price))
    assert found.multipliers is not None
    assert found.fun is not None
    assert dearer.fun is not None
    assert found.fun - dearer.fun == pytest.approx(price * found.multipliers[1], rel=1e-2)


@cache
def unbroken(mode: Any) -> zoo.Result:
    return run(evaluated=zoo.Evaluated(2, mode=mode), x0=INSIDE)


@pytest.mark.parametrize("mode", ["soft", "safe"])
@pytest.mark.parametrize("budget", [14, 15, 16, 19, 20, 27])
def test_a_resumed_run_is_the_unbroken_one(tmp_path: Path, mode: Any, budget: int) -> None:
    given = {"evaluated": zoo.Evaluated(2, mode=mode), "x0": INSIDE}
    whole = unbroken(mode)
    run(max_evaluations=budget, checkpoint=tmp_path / "run", **given)
    resumed = run(checkpoint=tmp_path / "run", **given)
    assert np.array_equal(resumed.x, whole.x)
    assert resumed.nfev == whole.nfev
    assert resumed.message == whole.message
    assert resumed.multipliers is not None
    assert np.array_equal(resumed.multipliers, whole.multipliers)


@pytest.mark.parametrize("given", [{"evaluated": 1}, {"evaluated": zoo.Evaluated(2, "safe")}])
def test_another_mode_or_count_is_another_run(tmp_path: Path, given: Any) -> None:
    run(max_evaluations=20, checkpoint=tmp_path / "run")
    with pytest.raises(ValueError, match="another evaluated"):
        run(checkpoint=tmp_path / "run", **given)


@pytest.mark.parametrize(
    "given",
    [
        {"workers": 2},
        {"evaluator": zoo.evaluation.Threads(3)},
        {"f": zoo.Loss(values=many)},
        {"f": zoo.Loss(values=many), "evaluator": zoo.evaluation.Threads(2)},
        {"f": lambda x: [loss(x)[0], np.array(loss(x)[1:])]},
    ],
    ids=["processes", "threads", "many at once", "many at once in threads", "f and a vector"],
)
def test_engines_and_forms_give_the_same_bits(given: Any) -> None:
    found, expected = run(**given), run()
    assert np.array_equal(found.x, expected.x)
    assert found.nfev == expected.nfev


def test_cells_may_come_in_any_order() -> None:
    expected = run()
    optimizer = zoo.Optimizer(OUTSIDE, evaluated=2, max_evaluations=500)
    while (query := optimizer.ask()) is not None:
        assert query.shape == (len(query.points), 3)
        for cell in reversed(range(query.cells)):
            optimizer.tell(query.id, {cell: loss(query.points[cell])})
    assert np.array_equal(optimizer.result().x, expected.x)
    assert optimizer.status is Status.SETTLED


def test_a_program_may_answer_with_a_list() -> None:
    program = (
        "import json, sys\n"
        "for line in sys.stdin:\n"
        "    asked = json.loads(line)\n"
        "    x, y, z = asked['x']\n"
        "    f = (x - 2) ** 2 + (y - 1) ** 2 + (z + 1) ** 2\n"
        "    reply = [f, x * x - y, x * x + y * y + z * z - 2]\n"
        "    print(json.dumps({'id': asked['id'], 'value': reply}), flush=True)\n"
    )
    with zoo.Command([sys.executable, "-c", program]) as command:
        found = run(command)
    assert found.success
    assert found.x == pytest.approx(run().x, abs=1e-4)


def test_history_has_a_column_for_each_constraint(tmp_path: Path) -> None:
    found = run(history=tmp_path / "all.csv")
    with (tmp_path / "all.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == found.nfev + found.nfev_report
    for row in rows:
        x = np.array([float(row[f"x{j}"]) for j in range(3)])
        assert (float(row["value"]), float(row["c1"]), float(row["c2"])) == loss(x)


@pytest.mark.parametrize("mishap", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("where", [1, 2])
def test_values_that_are_not_finite_are_avoided(mishap: float, where: int) -> None:
    def broken(x: Vector) -> list[float]:
        values = list(loss(x))
        if x[0] > 0.9 and x[2] < 0.0:
            values[where] = mishap
        return values

    found = run(broken)
    assert np.isfinite(found.x).all()
    assert found.constraints is not None
    assert found.constraints.max() <= 1e-8
    assert "not finite" in found.message


def test_dropped_evaluations_are_left_out() -> None:
    calls = 0

    def failing(x: Vector) -> tuple[float, float, float]:
        nonlocal calls
        calls += 1
        if calls in (2, 5, 11):
            raise RuntimeError("lost")
        return loss(x)

    found = run(failing, on_error="drop", max_evaluations=200)
    assert found.constraints is not None
    assert found.constraints.max() <= 1e-8
    assert found.fun is None or found.fun < 3.4


def test_a_contradiction_is_no_success() -> None:
    opposed = lambda x: (float(x @ x), float(x[0] + 1.0), float(1.0 - x[0]))  # noqa: E731
    found = run(opposed, max_evaluations=200)
    assert not found.success
    assert "No feasible point was found" in found.message
    assert found.stationarity is None


def test_a_target_needs_a_feasible_point() -> None:
    low = run(target=-1.0)  # reached by no feasible point, but f = 0 at the center
    assert low.status is not Status.TARGET
    met = run(target=5.0)
    assert met.status is Status.TARGET
    assert max(loss(met.x)[1:]) <= 1e-8


def test_a_tolerance_ends_a_run() -> None:
    found = run(tolerance=1e-3)
    assert found.status is Status.TOLERANCE
    assert found.nfev <= run().nfev


@pytest.mark.parametrize("scale", [1e-8, 1e8])
@pytest.mark.parametrize("stretch", [1e-4, 1e4])
def test_units_do_not_matter(scale: float, stretch: float) -> None:
    def other(x: Vector) -> tuple[float, float, float]:
        f, c, b = loss(x)
        return scale * f, stretch * c, b / stretch

    found = run(other, evaluated=zoo.Evaluated(2, tolerance=1e-8 * stretch))
    assert found.success, found.message
    assert found.x == pytest.approx(run().x, abs=1e-3)


@pytest.mark.parametrize("seed", range(4))
def test_safe_runs_violate_nothing(seed: int) -> None:
    generator = np.random.default_rng(seed)
    m, k = 4, 3
    roots = generator.standard_normal((1 + k, m, m))
    centers = generator.standard_normal((1 + k, m))
    seen: list[float] = []

    def bowls(x: Vector) -> list[float]:
        values = [float(np.square(R @ (x - c)).sum()) for R, c in zip(roots, centers, strict=True)]
        start = [float(np.square(R @ c).sum()) for R, c in zip(roots, centers, strict=True)]
        rows = [values[0], *(v - 1.1 * s for v, s in zip(values[1:], start[1:], strict=True))]
        seen.append(max(rows[1:]))
        return rows

    found = zoo.minimize(
        bowls, np.zeros(m), evaluated=zoo.Evaluated(k, mode="safe"), max_evaluations=1_000
    )
    assert max(seen) <= 0.0
    assert found.success
    soft = zoo.minimize(bowls, np.zeros(m), evaluated=k, max_evaluations=1_000)
    assert found.fun == pytest.approx(soft.fun, abs=1e-4 * max(1.0, abs(soft.fun or 0.0)))
    assert found.multipliers == pytest.approx(soft.multipliers, abs=1e-2)


def test_safe_starts_inside() -> None:
    with pytest.raises(ValueError, match="x0 violates constraint 1 of 2 by 3"):
        zoo.minimize(
            loss, np.array([2.0, 1.0, 0.0]), evaluated=zoo.Evaluated(2, "safe"), max_evaluations=50
        )


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"evaluated": 0}, "a whole number of 1 or more"),
        ({"evaluated": True}, "a whole number of 1 or more"),
        ({"evaluated": 2, "settings": "paper"}, "a method of its own"),
        ({"evaluated": 2, "step_size": 0.1}, "a method of its own"),
        ({"evaluated": 2, "observations": [1, 2]}, "without observations"),
        ({"evaluated": 2, "regularizer": zoo.GroupL2(1.0, [[0, 1], [2]])}, "combines with bounds"),
        ({"evaluated": 3}, "evaluated=3 it must return 4 real numbers"),
        ({"evaluated": None}, "give evaluated=2"),
    ],
)
def test_mistakes_get_a_sentence(given: Any, said: str) -> None:
    with pytest.raises((ValueError, TypeError), match=said):
        run(**given)


@pytest.mark.parametrize("got", [[1.0, [2.0, [3.0]]], 1.0, None, "text"])
def test_what_is_no_row_of_numbers_gets_a_sentence(got: Any) -> None:
    with pytest.raises(TypeError, match="it must return 3 real numbers"):
        run(lambda x: got)


@pytest.mark.parametrize("given", [{"mode": "hard"}, {"tolerance": -1.0}, {"tolerance": math.nan}])
def test_settings_are_checked(given: Any) -> None:
    with pytest.raises(ValueError, match=next(iter(given))):
        zoo.Evaluated(1, **given)


@pytest.mark.parametrize("mode", ["soft", "safe"])
def test_variables_that_bounds_fix_stay_and_the_others_are_solved(mode: Any) -> None:
    x0, seen = np.array([-0.5, 0.8, 0.5]), []

    def recorded(x: Vector) -> tuple[float, float, float]:
        seen.append(x.copy())
        return loss(x)

    fixed = zoo.Box(np.array([-2.0, 0.8, -2.0]), np.array([2.0, 0.8, 2.0]))
    found = run(recorded, x0, evaluated=zoo.Evaluated(2, mode=mode), domain=fixed)
    assert found.success, found.message
    assert {float(x[1]) for x in seen} == {0.8}
    assert found.x == pytest.approx([math.sqrt(0.8), 0.8, -math.sqrt(0.56)], abs=1e-5)


@pytest.mark.parametrize(
    ("x0", "lower"),  # x0 + (lower - x0) < lower, by rounding
    [(1.4822863080674793, -0.8902513691507845), (0.6392350888635174, -0.6289303611100131)],
)
def test_bounds_hold_to_the_last_bit(x0: float, lower: float) -> None:
    assert x0 + (lower - x0) < lower
    seen: list[float] = []

    def falling(x: Vector) -> tuple[float, float]:
        seen.append(float(x[0]))
        return float(x[0]), float(x[0] - 5.0)

    found = run(falling, np.array([x0]), evaluated=1, domain=zoo.Box(lower, 2.0))
    assert min(seen) == lower
    assert found.success


def test_a_kink_that_stops_the_run_is_no_success() -> None:
    unit, start = 1e-8, np.array([-0.92872569, -0.92208588, -0.09897687])
    center = np.array([-0.54323068, -0.48891915, 0.18774736])
    bounds = zoo.Box(
        unit * np.array([-1.5073568, -2.50759005, -np.inf]),
        unit * np.array([-0.12829314, 0.34871098, 1.6447156]),
    )

    def kinked(x: Vector) -> tuple[float, float]:
        moved = x / unit - start
        return 1e8 * float(np.abs(x / unit - center).sum()), 1e-3 * float(moved @ moved - 1.05)

    found = run(kinked, unit * start, evaluated=1, domain=bounds)
    gap = np.abs(found.x / unit - center).sum()  # 0 is feasible
    assert gap < 1e-4 or not found.success


def test_a_loss_that_rises_on_the_way_to_the_constraints_does_not_diverge() -> None:
    size = 1e3
    found = run(
        lambda x: (-float(x.sum()), float(np.square(x / size).sum() - 1.0)),
        np.zeros(2),
        evaluated=1,
    )
    assert found.success, found.message
    assert found.x == pytest.approx([size / math.sqrt(2)] * 2, rel=1e-5)


def test_a_curvature_from_far_outside_does_not_end_a_run() -> None:
    def loss(x: Vector) -> tuple[float, ...]:
        return float(np.log(x).sum()), *(1.0 / x - 10.0).tolist()

    with np.errstate(divide="ignore"):
        found = run(loss, np.ones(2), domain=zoo.Nonnegative())
    assert found.success, found.message
    assert found.x == pytest.approx([0.1, 0.1], abs=1e-7)


@pytest.mark.parametrize("mode", ["soft", "safe"])
def test_values_beyond_all_measure_are_steps_refused(mode: Any) -> None:
    def steep(x: Vector) -> tuple[float, float]:
        with np.errstate(over="ignore"):
            return float(np.exp(50.0 * np.square(x - 1.0).sum())), float(x.sum() - 1.0)

    with pytest.raises(FloatingPointError, match="left the range of floats"):
        run(steep, np.full(3, -0.6), evaluated=zoo.Evaluated(1, mode=mode))
    with pytest.raises(ValueError, match="at most 1e\\+150"):
        run(lambda x: steep(x)[::-1], np.full(3, -0.6), evaluated=zoo.Evaluated(1, mode=mode))
    found = run(steep, np.full(3, 0.3), evaluated=zoo.Evaluated(1, mode=mode))
    assert np.isfinite(found.x).all()
    assert found.x == pytest.approx(np.full(3, 1 / 3), abs=1e-3)


def test_single_precision_is_refused() -> None:
    with pytest.raises(ValueError, match="float64"):
        zoo.minimize(loss, OUTSIDE.astype(np.float32), evaluated=2, max_evaluations=50)
