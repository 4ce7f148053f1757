"""Fig. 1: tiny runs, and verdicts on made-up rows on both sides of their lines."""

from __future__ import annotations

import math

import numpy as np
import pytest

import zooadmm as zoo
from zooadmm_reproduction.blending import Fig1a, Fig1b, fig1a, fig1b, plan, runs
from zooadmm_reproduction.blending.data import SOURCES, Data
from zooadmm_reproduction.blending.findings import told, verdict
from zooadmm_reproduction.blending.measures import percent_above, ratio, speedup
from zooadmm_reproduction.blending.strategies import (
    FIFTY,
    PAIRS,
    ROWS,
    SINGLE,
    STRATEGIES,
    TABLE,
    Setting,
    step_size,
    unit,
)
from zooadmm_reproduction.claims import Verdict
from zooadmm_reproduction.exhibits import AUTO, FIRST_ORDER, Picture
from zooadmm_reproduction.experiment import Size, trial_seed
from zooadmm_reproduction.rows import Row, column, where

TINY = Data("synthetic", num_ratings=600, num_models=9)
REACHED = {SINGLE: 400, FIFTY: 40, ROWS: 50, FIRST_ORDER: 30}


@pytest.fixture(scope="module")
def tiny() -> list[Row]:
    """Real pieces, small: all strategies in all settings, one seed."""
    return runs.strategies(TINY, tuple(Setting), tuple(STRATEGIES), (3,), 60)


def made_up(
    reached: dict[str, int] = REACHED,
    settings: tuple[Setting, ...] = (Setting.COROLLARY,),
    end: float = 4.01,
    iterations: int = 10_000,
) -> list[Row]:
    """Runs of both sources that arrive then in these settings, and nowhere in the others."""
    rows: list[Row] = []
    for source, name in (("recommenders", "MovieLens"), ("synthetic", "synthetic twin")):
        data: Row = {"source": source, "data": name, "held out": 33_334}
        rows += [
            {"kind": "reference", **data, "blend": "least squares", "rmse": 4.0},
            {"kind": "reference", **data, "blend": "plain average", "rmse": 4.06},
        ]
        for setting in Setting:
            for name in STRATEGIES:
                for seed in range(3):
                    there = reached.get(name, 100) if setting in settings else None
                    run = {**data, "iterations": iterations, "end": end if there else 90.0}
                    rows += _made_up_run(run, setting, name, seed, there)
        own: Row = {"kind": "run", **data, "setting": "default", "strategy": AUTO}
        own |= {"rival": FIFTY, "best": 4.0, "evaluations": 51_000, "end": 4.02}
        rows += [{**own, "seed": seed} for seed in range(3)]
    return rows


def _made_up_run(known: Row, setting: str, name: str, seed: int, there: int | None) -> list[Row]:
    label: Row = {"source": known["source"], "setting": setting, "strategy": name, "seed": seed}
    run: Row = {"kind": "run", **known, **label, "models": 237, "best": 4.0, "evaluations": 9}
    if there is not None:
        run["reached"] = there + seed
    run |= {"early update": 1.0, "late update": 0.01, "start distance": 5.0, "end distance": 4.9}
    curve: list[Row] = [
        {"kind": "curve", **label, "iteration": t, "rmse": 5.0 - 0.1 * t, "update": 1 / t,
         "distance": 5.0} for t in (1, 3, 9)
    ]  # fmt: skip
    return [run, *curve]


def with_updates(rows: list[Row], name: str, **changes: float) -> list[Row]:
    """The rows with other numbers for a strategy where ratings are scaled."""
    wanted = {key.replace("_", " "): value for key, value in changes.items()}
    here = {"kind": "run", "setting": Setting.SCALED.value, "strategy": name}
    return [{**row, **wanted} if here.items() <= row.items() else row for row in rows]


# The runs


def test_a_run_is_told_as_it_went(tiny: list[Row]) -> None:
    (run,) = where(tiny, kind="run", setting="scaled", strategy=FIFTY)
    curve = where(tiny, kind="curve", setting="scaled", strategy=FIFTY)
    assert run["evaluations"] == 60 * 51
    assert curve[-1]["iteration"] == 60
    assert float(curve[-1]["rmse"]) == pytest.approx(float(run["end"]), rel=1e-4)
    assert float(run["end"]) < 0.5 * float(curve[0]["rmse"])
    assert float(run["end"]) == pytest.approx(float(run["best"]), rel=0.05)
    assert float(curve[-1]["distance"]) == pytest.approx(float(run["end distance"]), rel=1e-4)


def test_the_same_arguments_make_the_same_rows(tiny: list[Row]) -> None:
    again = runs.strategies(TINY, (Setting.SCALED,), (FIFTY,), (3,), 60)
    assert again == where(tiny, setting="scaled", strategy=FIFTY)


def test_what_a_run_ends_with_is_the_test_error_of_its_last_iterate(tiny: list[Row]) -> None:
    blend = TINY.blend()
    loss = blend.loss(math.sqrt(blend.curvature))
    result = zoo.minimize(
        loss, np.zeros(9), domain=zoo.Box(-1.0, 1.0), observations=zoo.Samples(loss.observations),
        gradient=zoo.paper.Smoothed(50), settings="paper", max_iterations=60, rng=3, progress=False,
    )  # fmt: skip
    errors = blend.predictions[300:] @ result.x_last - blend.ratings[300:]
    (run,) = where(tiny, kind="run", setting="scaled", strategy=FIFTY)
    assert run["end"] == pytest.approx(np.sqrt(np.mean(errors**2)))


def test_the_unit_gives_a_rating_curvature_one_and_moves_no_minimizer() -> None:
    blend = TINY.blend()
    scaled = blend.loss(unit(Setting.SCALED, blend))
    second = [
        scaled(e) + scaled(-e) - 2 * scaled(np.zeros(9)) for e in np.eye(9)
    ]  # e'He for each e, exact for a quadratic
    assert sum(second) == pytest.approx(1.0)
    gradient = scaled.gradient(blend.solution)
    inside = np.abs(blend.solution) < 1.0
    assert np.abs(gradient[inside]).max() < 1e-9


def test_the_steps_of_the_settings() -> None:
    fifty, single, true = (STRATEGIES[name] for name in (FIFTY, SINGLE, FIRST_ORDER))
    for gradient in (fifty, single, true):
        for setting in (Setting.PRINTED, Setting.SCALED):
            assert step_size(setting, gradient, 237)(4) == pytest.approx(1 / math.sqrt(4 * 237))
    last = Setting.COROLLARY
    assert step_size(last, fifty, 237)(4) == pytest.approx(0.5 / math.sqrt(1 + 237 / 50))
    for name in (ROWS, PAIRS):
        assert step_size(last, STRATEGIES[name], 237)(4) == step_size(last, fifty, 237)(4)
    seven = step_size(last, STRATEGIES[TABLE], 237)(4)
    assert seven == pytest.approx(0.5 / math.sqrt(1 + 237 / 49))
    assert step_size(last, true, 237)(4) == 0.5


def test_default_settings_have_the_evaluations_of_their_rival() -> None:
    rows = runs.comparisons(TINY, (0,), 40, (SINGLE, FIFTY))
    own = where(rows, kind="run", strategy=AUTO)
    assert [row["rival"] for row in own] == [SINGLE, FIFTY]
    assert float(own[0]["evaluations"]) <= 80
    assert 80 < float(own[1]["evaluations"]) <= 40 * 51
    known = {row["blend"]: float(row["rmse"]) for row in where(rows, kind="reference")}
    assert known["least squares"] < known["best single model"] < known["start, x = 0"]


# The plan


@pytest.mark.parametrize("size", list(Size))
def test_fig1b_has_pieces_of_fig1a_only(size: Size) -> None:
    both, others = plan.of_both(size, 5), plan.of_strategies(size, 5)
    names = [piece.name for piece in (*both, *others)]
    assert len(set(names)) == len(names)
    assert all(name.replace("-", "").isalnum() for name in names)
    done = {
        (piece.arguments[0].source, setting, name, seed)
        for piece in (*both, *others)
        if piece.work is runs.strategies
        for setting in piece.arguments[1]
        for name in piece.arguments[2]
        for seed in piece.arguments[3]
    }
    for source in SOURCES:
        for setting in Setting:
            for name in set(STRATEGIES) - {PAIRS}:
                seeds = {seed for s, k, n, seed in done if (s, k, n) == (source, setting, name)}
                assert seeds == {trial_seed(5, trial) for trial in range(5)}


# Verdicts


def test_faster_means_twice_as_fast_on_all_data_beyond_doubt() -> None:
    findings = fig1a.accelerated(made_up(), FIFTY)
    assert verdict(findings) is Verdict.CORRECTED
    assert "the steps of Corollary 3, which differ between the methods" in told(findings)
    everywhere = fig1a.accelerated(made_up(settings=tuple(Setting)), FIFTY)
    assert verdict(everywhere) is Verdict.HOLDS
    assert "correction" not in told(everywhere)
    slow = fig1a.accelerated(made_up(REACHED | {FIFTY: 210}), FIFTY)
    assert verdict(slow) is Verdict.FAILS
    nowhere = fig1a.accelerated(made_up(settings=()), FIFTY)
    assert verdict(nowhere) is Verdict.FAILS
    on_one = [
        {**row, "reached": 400} if "reached" in row and row["source"] == "synthetic" else row
        for row in made_up()
    ]
    assert verdict(fig1a.accelerated(on_one, FIFTY)) is Verdict.FAILS


def test_a_lucky_seed_decides_nothing() -> None:
    rows = [
        {**row, "reached": 1} if row.get("strategy") == FIFTY and row.get("seed") == 0
        and "reached" in row else row
        for row in made_up(REACHED | {FIFTY: 390}, settings=tuple(Setting))
    ]  # fmt: skip
    times = speedup(rows, "synthetic", Setting.COROLLARY, SINGLE, FIFTY)
    assert times is not None
    assert times.middle > 2 > 1 > times.low
    assert verdict(fig1a.accelerated(rows, FIFTY)) is Verdict.UNDECIDED


def without_arrival(rows: list[Row], strategy: str) -> list[Row]:
    """The rows with runs of that strategy that never arrive."""
    return [
        {key: value for key, value in row.items() if key != "reached"}
        if row.get("strategy") == strategy else row for row in rows
    ]  # fmt: skip


def test_a_slow_run_that_never_arrives_counts_as_slow() -> None:
    rows = without_arrival(made_up(iterations=1000), SINGLE)
    times = speedup(rows, "recommenders", Setting.COROLLARY, SINGLE, FIFTY)
    assert times is not None
    assert 1001 / 42 <= times.middle <= 1001 / 40
    assert "at least" in told(fig1a.accelerated(rows, FIFTY))
    assert verdict(fig1a.accelerated(rows, FIFTY)) is Verdict.CORRECTED
    assert speedup(rows, "recommenders", Setting.COROLLARY, FIFTY, SINGLE) is None


def test_a_slow_run_that_was_cut_off_refutes_nothing() -> None:
    late = made_up(REACHED | {FIFTY: 700}, settings=tuple(Setting), iterations=1000)
    assert verdict(fig1a.accelerated(without_arrival(late, SINGLE), FIFTY)) is Verdict.UNDECIDED
    assert verdict(fig1a.accelerated(late, FIFTY)) is Verdict.FAILS


def test_mitigated_means_within_a_factor_of_two_of_o_admm_where_one_direction_is_not() -> None:
    findings = fig1a.mitigated(made_up())
    assert verdict(findings) is Verdict.CORRECTED
    assert "where the paper has the same parameter settings for all" in told(findings)
    assert verdict(fig1a.mitigated(made_up(REACHED | {FIFTY: 80}))) is Verdict.FAILS
    assert verdict(fig1a.mitigated(made_up(REACHED | {FIFTY: 10}))) is Verdict.FAILS
    assert verdict(fig1a.mitigated(made_up(settings=()))) is Verdict.FAILS
    nothing_to_mitigate = made_up(REACHED | {SINGLE: 45})
    assert verdict(fig1a.mitigated(nothing_to_mitigate)) is Verdict.FAILS


def test_mitigation_is_undecided_where_the_interval_has_the_line() -> None:
    rows = made_up(REACHED | {FIFTY: 60}, settings=tuple(Setting))
    for row in where(rows, kind="run", strategy=FIFTY, seed=1):
        row["reached"] = 45
    assert verdict(fig1a.mitigated(rows)) is Verdict.UNDECIDED


@pytest.mark.parametrize(
    ("end", "expected"),
    [(4.03, Verdict.CORRECTED), (4.05, Verdict.FAILS), (3.9, Verdict.CORRECTED)],
)
def test_the_best_is_within_a_percent(end: float, expected: Verdict) -> None:
    assert verdict(fig1a.reached(made_up(end=end))) is expected


def test_the_best_is_undecided_where_seeds_are_on_both_sides() -> None:
    rows = made_up(end=4.03, settings=tuple(Setting))
    assert fig1a.best(rows).verdict is Verdict.HOLDS
    for row in where(rows, kind="run", strategy=FIFTY, seed=1):
        row["end"] = 4.06
    assert fig1a.best(rows).verdict is Verdict.UNDECIDED


def test_what_short_runs_have_not_reached_is_undecided() -> None:
    assert fig1a.best(made_up(end=4.05)).verdict is Verdict.FAILS
    assert fig1a.best(made_up(end=4.05, iterations=600)).verdict is Verdict.UNDECIDED
    assert fig1a.best(made_up(end=4.03, iterations=600)).verdict is Verdict.CORRECTED


def test_the_best_is_better_than_the_plain_average() -> None:
    rows = [
        {**row, "rmse": 4.02} if row.get("blend") == "plain average" else row
        for row in made_up(end=4.03)
    ]
    assert verdict(fig1a.reached(rows)) is Verdict.FAILS


def test_percents_are_above_least_squares() -> None:
    assert percent_above([{"end": 4.4, "best": 4.0}]).middle == pytest.approx(10.0)


def test_update_errors_are_comparable_within_a_factor_of_two_in_the_end() -> None:
    rows = made_up()
    assert verdict(fig1b.comparable(rows)) is Verdict.FAILS  # none is larger at first
    larger = with_updates(rows, FIFTY, early_update=8.0, late_update=0.015)
    assert verdict(fig1b.comparable(larger)) is Verdict.CORRECTED
    apart = with_updates(rows, FIFTY, early_update=8.0, late_update=0.03)
    assert verdict(fig1b.comparable(apart)) is Verdict.FAILS
    smaller = with_updates(rows, FIFTY, early_update=0.5, late_update=0.015)
    assert verdict(fig1b.comparable(smaller)) is Verdict.FAILS


def test_the_correction_of_update_errors_says_whether_the_steps_differ() -> None:
    rows = made_up()
    scaled = told(fig1b.comparable(with_updates(rows, FIFTY, early_update=8.0)))
    assert "all methods have the same step still" in scaled
    for row in where(rows, kind="run", setting=Setting.COROLLARY, strategy=FIFTY):
        row["early update"] = 8.0
    claim = Fig1b().claims(rows)[0]
    assert claim.verdict is Verdict.CORRECTED
    assert "which differ between the methods" in claim.measured
    assert f"is {math.sqrt(1 + 237 / 50):.3g} times that of 50 directions" in claim.measured


def test_update_errors_are_compared_seed_by_seed() -> None:
    rows = made_up()
    for row in where(rows, kind="run", strategy=FIFTY) + where(rows, kind="run", strategy=ROWS):
        row["late update"] = 10.0 ** float(row["seed"])
    times = ratio(rows[::-1], "synthetic", Setting.SCALED, (FIFTY, ROWS), "late update")
    assert (times.low, times.high) == pytest.approx((1.0, 1.0))
    for row in where(rows, kind="run", strategy=ROWS):
        row["late update"] = 1.0
    times = ratio(rows, "synthetic", Setting.SCALED, (FIFTY, ROWS), "late update")
    assert times.middle == pytest.approx(10.0)
    assert times.low < 2.0


def test_small_updates_far_from_the_optimum_are_no_evidence() -> None:
    rows = made_up()
    claim = fig1b.convergence(rows)
    assert claim.verdict is Verdict.FAILS
    assert claim.errata == (18,)
    near = [{**row, "end distance": 0.1} if "end distance" in row else row for row in rows]
    assert fig1b.convergence(near).verdict is Verdict.HOLDS
    for row in where(near, kind="run", strategy=FIFTY, seed=1):
        row["end distance"] = 4.0
    assert fig1b.convergence(near).verdict is Verdict.UNDECIDED


def test_where_no_update_error_vanishes_nothing_is_judged() -> None:
    rows = [{**row, "late update": 0.9} if "late update" in row else row for row in made_up()]
    assert fig1b.convergence(rows).verdict is Verdict.UNDECIDED
    scaled = with_updates(rows, FIFTY, late_update=0.01, end_distance=0.1)
    assert fig1b.convergence(scaled).verdict is Verdict.HOLDS
    assert fig1b.convergence(scaled).measured.count("not judged") == 4


def test_the_ratio_of_update_errors_that_theory_predicts_is_told() -> None:
    claim = Fig1b().claims(made_up())[0]
    assert f"{math.sqrt(1 + 236 / 50):.3g} times" in claim.measured


# The report


def test_all_claims_point_to_an_exhibit_and_one_cannot_be_checked() -> None:
    rows = made_up()
    for experiment in (Fig1a(), Fig1b()):
        exhibits = experiment.exhibits(rows)
        names = [exhibit.name for exhibit in exhibits]
        assert names[0] == experiment.name
        assert len(set(names)) == len(names)
        assert {claim.exhibit for claim in experiment.claims(rows)} <= set(names)
    last = Fig1a().claims(rows)[-1]
    assert last.verdict is Verdict.UNCHECKABLE
    assert "4 (MovieLens)" in last.measured


def test_the_ratings_are_named_wherever_they_are_shown() -> None:
    rows = made_up()
    told_of = "MovieLens (33,334), synthetic twin (33,334)"
    for experiment in (Fig1a(), Fig1b()):
        assert all(told_of in claim.measured for claim in experiment.claims(rows))
        for exhibit in experiment.exhibits(rows):
            if isinstance(exhibit, Picture):
                assert told_of in exhibit.caption
            else:
                assert {row["data"] for row in exhibit.rows} == {"MovieLens", "synthetic twin"}


def test_runs_and_references_name_their_ratings(tiny: list[Row]) -> None:
    named = runs.comparisons(TINY, (0,), 5, (SINGLE,)) + where(tiny, kind="run")
    assert {(row["data"], row["held out"]) for row in named} == {("synthetic twin", 600)}


def test_pictures_show_means_and_extremes() -> None:
    rows = made_up()
    for row in where(rows, kind="curve", strategy=FIFTY, seed=2):
        row["rmse"] = float(row["rmse"]) + 0.3
    picture = Fig1a().exhibits(rows)[2]
    assert isinstance(picture, Picture)
    assert picture.svg().startswith("<svg")
    drawn = where(picture.rows, source="recommenders", strategy=FIFTY)
    assert column(drawn, "iteration") == [1.0, 3.0, 9.0]
    assert column(drawn, "rmse") == pytest.approx([5.0, 4.8, 4.2])
    assert column(drawn, "least") == pytest.approx([4.9, 4.7, 4.1])
    assert column(drawn, "largest") == pytest.approx([5.2, 5.0, 4.4])
