"""What a trial counts, when it ends, and what it writes down: worked out by hand."""

from __future__ import annotations

import math
import os

import numpy as np
import pytest

import zooadmm as zoo
from benchmarks.methods.method import Method
from benchmarks.problem import NoStructure, Problem
from benchmarks.run import Effort, _support, cell, in_a_child, run
from benchmarks.scaling import SCALES, rescaled
from benchmarks.trial import Diverged, Spent, Trial
from zooadmm.losses import Squares


def distance(m: int = 3, **parts: object) -> Problem:
    """mean (x_i - 1)^2 over [-2, 2]^m from 0: F(x0) = 1, F* = 0."""
    box = zoo.Box(-2.0, 2.0)
    return Problem(
        "distance",
        Squares(np.eye(m), np.ones(m)),
        np.zeros(m),
        structure=NoStructure(box),
        feasible=box,
        domain=box,
        optimum=0.0,
        **parts,  # type: ignore[arg-type]
    )


def line() -> Problem:
    """mean (i x)^2 over i = 0, ..., 99: its observations differ widely."""
    slopes = Squares(np.arange(100.0)[:, None], np.zeros(100))
    return Problem("line", slopes, np.ones(1), structure=NoStructure())


def test_a_snapshot_is_what_was_recommended_before_the_checkpoint_was_passed() -> None:
    trial = Trial(distance(), [4, 10], 60.0, seed=0)
    trial.recommend(np.full(3, 0.5))
    trial.values(np.zeros((4, 3)))
    trial.recommend(np.ones(3))
    trial.values(np.zeros((1, 3)))
    assert [(s.evaluations, s.used, s.x[0]) for s in trial.snapshots] == [(4, 4, 1.0)]
    with pytest.raises(Spent):
        trial.values(np.zeros((6, 3)))
    assert trial.evaluations == 5  # the batch that did not fit was not made
    assert [(s.evaluations, s.used, s.reached) for s in trial.snapshots] == [
        (4, 4, True),
        (10, 5, True),
    ]


def test_a_run_that_ends_by_itself_keeps_its_answer() -> None:
    trial = Trial(distance(), [4, 10], 60.0, seed=0)
    trial.objective(np.full(3, 0.75))
    trial.close()
    assert [(s.used, s.reached) for s in trial.snapshots] == [(1, False), (1, False)]
    assert np.array_equal(trial.snapshots[1].x, np.full(3, 0.75))


def test_without_a_recommendation_the_best_point_seen_is_the_answer() -> None:
    trial = Trial(distance(), [10], 60.0, seed=0)
    for start in (0.2, 0.9, 0.4):
        trial.objective(np.full(3, start))
    trial.close()
    assert trial.snapshots[0].x == pytest.approx(np.full(3, 0.9))


def test_an_infeasible_point_is_measured_where_it_is_nearest_and_pays_for_the_distance() -> None:
    trial = Trial(distance(), [100], 60.0, seed=0)
    outside = np.array([5.0, 1.0, 1.0])
    assert trial.objective(outside) == pytest.approx(1 / 3)  # no price is known yet
    for part in np.linspace(0.0, 1.0, 19):
        trial.objective(np.full(3, part))
    # values from 0 to 1, farthest from x0 the point (2, 1, 1): a price of 1/6 for 9
    assert trial.objective(outside) == pytest.approx(1 / 3 + 9 / 6)


def test_a_price_is_the_same_in_other_units() -> None:
    for name in SCALES:
        value, unit = SCALES[name]
        plain, other = (Trial(p, [100], 60.0, 0) for p in (distance(), rescaled(distance(), name)))
        for part in np.linspace(0.0, 4.0, 20):
            plain.objective(np.full(3, part))
            other.objective(np.full(3, part * unit))
        far = np.full(3, 7.0)
        assert other.objective(far * unit) == pytest.approx(value * plain.objective(far))


def test_many_points_at_once_are_the_same_as_one_by_one() -> None:
    points = list(np.random.default_rng(0).standard_normal((5, 3)))
    together, apart = (Trial(distance(), [100], 60.0, 0) for _ in range(2))
    assert together.objectives(points) == pytest.approx([apart.objective(x) for x in points])
    assert together.evaluations == apart.evaluations == 5


def test_a_held_sample_gives_the_same_value_again() -> None:
    problem = line().sampled(1)
    trial = Trial(problem, [1000], 60.0, seed=0)
    fresh = {float(trial.measure(np.ones((1, 1)))[0]) for _ in range(5)}
    assert len(fresh) > 1
    trial.hold(20)
    before = trial.evaluations
    assert len({float(trial.measure(np.ones((1, 1)))[0]) for _ in range(5)}) == 1
    assert trial.evaluations == before + 5 * 20
    trial.hold(10_000)  # all there are: the loss itself
    assert trial.measure(np.ones((1, 1)))[0] == pytest.approx(problem.objective(np.ones(1)))


def test_a_true_gradient_is_charged() -> None:
    trial = Trial(distance(), [100], 60.0, seed=0)
    assert trial.gradient(np.zeros(3), (), cost=31) == pytest.approx(np.full(3, -2 / 3))
    assert trial.evaluations == 31


def test_every_observation_of_a_measurement_is_counted() -> None:
    problem = distance().sampled(7)
    trial = Trial(problem, [100], 60.0, seed=0)
    trial.measure(np.zeros((3, 3)))
    assert trial.evaluations == 21
    trial.forward_gradient(np.zeros(3))
    assert trial.evaluations == 21 + 4 * 7


def test_rows_of_a_measurement_share_their_observations() -> None:
    first, second = Trial(line().sampled(2), [100], 60.0, seed=0).measure(np.ones((2, 1)))
    assert first == second


def test_noise_is_added_to_every_value_and_never_to_the_gap() -> None:
    problem = distance().with_noise(0.5)
    trial = Trial(problem, [10_000], 60.0, seed=0)
    values = trial.values(np.zeros((4000, 3)))
    assert values.mean() == pytest.approx(1.0, abs=4 * 0.5 / math.sqrt(4000))
    assert values.std() == pytest.approx(0.5, rel=0.1)
    assert problem.gap(np.zeros(3)) == 1.0


def test_forward_differences() -> None:
    f, g = Trial(distance(), [10], 60.0, seed=0).forward_gradient(np.zeros(3))
    assert f == 1.0
    assert g == pytest.approx(np.full(3, -2 / 3), rel=1e-6)


def spin(trial: Trial, constant: float) -> None:
    """A method that spends its processor time between evaluations."""
    trial.objective(np.ones(3))
    while True:
        math.sqrt(2.0)


def refuse(trial: Trial, constant: float) -> None:
    raise ArithmeticError("singular")


def improve(trial: Trial, constant: float) -> None:
    x = np.zeros(3)
    while True:
        trial.objective(x)
        x = x + 0.001 * constant


def give_up(trial: Trial, constant: float) -> None:
    for _ in range(400):
        trial.objective(np.ones(3))
    raise Diverged


def method(work: object) -> Method:
    return Method("it", work, lambda problem: "as it is")  # type: ignore[arg-type]


def test_a_method_that_never_comes_back_is_capped() -> None:
    effort = Effort(seeds=1, max_seconds=0.2, max_evaluations=300)
    row = run(distance(), method(spin), 1.0, 0, effort, "full")[-1]
    assert row.status == "capped"
    assert row.used == 1
    assert row.gap == pytest.approx(0.0, abs=1e-15)


def test_a_method_that_fails_says_so_in_its_row() -> None:
    row = run(distance(), method(refuse), 1.0, 0, Effort(1, 5.0, 300), "full")[-1]
    assert row.status == "failed: ArithmeticError: singular"
    assert row.gap == 1.0


def test_what_was_reached_before_the_end_stays_reached() -> None:
    rows = run(distance(), method(give_up), 1.0, 0, Effort(1, 60.0, 550), "full")
    assert [(row.evaluations, row.status) for row in rows] == [(300, "ran"), (550, "diverged")]


def test_a_process_that_dies_leaves_a_row() -> None:
    def die(trial: Trial, constant: float) -> None:
        os._exit(1)

    (row,) = in_a_child(distance(), method(die), 1.0, 0, Effort(1, 5.0, 300), "full")
    assert row.status == "failed: the process died"


def test_a_constant_whose_process_died_is_not_the_best(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def die_or_work(trial: Trial, constant: float) -> None:
        if constant == 0.0:
            os._exit(1)
        trial.objective(np.ones(3))

    fragile = Method("it", die_or_work, lambda p: "as it is", grid=lambda p: (0.0, 1.0))
    monkeypatch.setattr("benchmarks.run.build", lambda name: distance())
    monkeypatch.setattr("benchmarks.run.METHODS", {"it": fragile})
    rows = cell("distance", "it", Effort(1, 5.0, 300))
    assert {row.constant for row in rows if row.stage == "full" and row.evaluations} == {1.0}


def test_memory_is_that_of_the_run() -> None:
    def fill(trial: Trial, constant: float) -> None:
        assert np.ones(5_000_000).sum() > 0  # 38 MiB

    for _ in range(2):  # the second is not spared by what the first has left behind
        row = in_a_child(distance(), method(fill), 1.0, 0, Effort(1, 5.0, 300), "full")[-1]
        assert math.isnan(row.peak_mib) or 37 < row.peak_mib < 60


def test_rows_of_a_run() -> None:
    rows = run(distance(), method(improve), 1.0, 0, Effort(1, 60.0, 550), "full")
    assert [row.evaluations for row in rows] == [300, 550]
    assert [row.status for row in rows] == ["ran", "ran"]
    assert [row.gap for row in rows] == pytest.approx([0.701**2, 0.451**2])
    assert rows[0].seconds <= rows[1].seconds


def test_precision_and_recall() -> None:
    problem = distance(4, support=np.array([0, 1]))
    assert _support(problem, np.array([1.0, 0.0, 0.5, 1e-9])) == (0.5, 0.5)
    assert _support(problem, np.zeros(4)) == (0.0, 0.0)
    assert all(math.isnan(part) for part in _support(distance(), np.ones(3)))


@pytest.mark.parametrize("name", SCALES)
def test_other_units_change_no_gap(name: str) -> None:
    problem = distance()
    other = rescaled(problem, name)
    unit = SCALES[name][1]
    x = np.array([0.3, -2.5, 0.7])
    assert other.gap(unit * x) == pytest.approx(problem.gap(x))
    assert other.violation(unit * x) == pytest.approx(unit * problem.violation(x))
    step = np.array([1e-6 * unit, 0.0, 0.0])
    slope = (other.objective(other.x0 + step) - other.objective(other.x0)) / step[0]
    assert slope == pytest.approx(other.loss.gradient(other.x0)[0], rel=1e-4)
