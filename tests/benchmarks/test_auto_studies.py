"""The studies of settings="auto" on a small budget: rows, resuming, tables. No figure is judged."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import zooadmm as zoo
from benchmarks import results
from benchmarks.auto import cost, drifts, hindsight, peers, report
from benchmarks.auto.__main__ import main
from benchmarks.auto.moving import NOISE, TARGETS, M, Tracking
from benchmarks.auto.runs import gaps, paper
from benchmarks.auto.studies import STUDIES
from benchmarks.auto.study import FOLDER, Job, Plan, Row, append, path_of, read
from benchmarks.auto.units import drawn_units, each_in_its_unit
from benchmarks.auto.work import work
from benchmarks.problems import build
from benchmarks.trial import Diverged, Spent, Trial

ROOT = Path(__file__).parents[2]
QUICK = {
    "hindsight": "noisy-0.1/*",
    "scaling": "noisy-0.1/[oe]*",
    "budget": "noisy-0.1/*",
    "ablations": "noisy-0.1/w*h*l*",
    "drifts": "trend/*1000*",
    "cost": "micro*",
    "exact": "quadratic-1/[af]*",
    "large": "lasso, m = 2,000/[am]*",
}
"""A few jobs of every study, none of which needs data from elsewhere."""


@pytest.mark.parametrize("name", STUDIES)
def test_a_study_runs_goes_on_where_it_stopped_and_is_shown(
    name: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    study = STUDIES[name]
    path = path_of(study, tmp_path)
    words = f"auto {name} --seeds 1 --budgets 2000 --workers 1 --results {tmp_path} --only".split()
    monkeypatch.setattr("sys.argv", [*words, QUICK[name]])

    def jobs_run() -> int:
        main()
        said = capsys.readouterr().out
        assert "has no rows" not in said
        return said.count("\n")

    assert jobs_run() > 1
    written = path.read_text().splitlines()
    assert {row.status for row in read(path)} <= {"ran", "diverged"}
    assert study.table(read(path)).count("\n|") > 1  # a line below the head
    assert study.title in report.report(tmp_path)

    assert jobs_run() == 0
    path.write_text("\n".join(written[:-1]) + "\n")
    assert jobs_run() == 1
    again = path.read_text().splitlines()
    assert again[:-1] == written[:-1]
    assert again[-1].split(",")[:-3] == written[-1].split(",")[:-3]


def test_the_page_is_what_the_rows_give() -> None:
    """Else: python -m benchmarks.auto report"""
    assert (FOLDER / "README.md").read_text(encoding="utf-8") == report.report(FOLDER)


def test_the_page_of_the_working_set_has_the_figures_of_the_report() -> None:
    """Medians to the first gap, seconds and MiB, line by line."""
    shown = report.section(STUDIES["large"], FOLDER).split("\n\n")[1]
    told = (
        (ROOT / "docs/auto/working-set.md").read_text(encoding="utf-8").split("| to $10^{-3}$")[1]
    )
    lines = [line.split("|")[2:-1] for line in told.split("\n\n")[0].splitlines()[2:]]
    wanted = [line.split("|")[2:-1] for line in shown.splitlines()[2:]]
    medians = [[cell.split("[")[0].strip() for cell in [*line[:3], *line[4:]]] for line in wanted]
    assert [[cell.strip() for cell in line] for line in lines] == medians


def test_the_best_peer_is_one_of_others_at_the_same_number_of_evaluations() -> None:
    def ran(method: str, evaluations: int, gap: float) -> results.Row:
        return results.Row(
            "lasso", "stochastic", 2, method, "", "ran", evaluations=evaluations, gap=gap
        )

    suite = [
        ran("spsa", 100, 0.5),
        ran("pycma", 100, 0.4),
        ran("pycma", 300, 0.1),
        ran("zoo-paper", 100, 0.01),
        ran("o-admm-tuned", 100, 0.01),
    ]
    rows = [
        Row("lasso", "auto", 100, 1, 0.1, 0.0, "ran"),
        Row("lasso", "auto", 900, 1, 0.1, 0.0, "ran"),
    ]
    shown = peers.peers_table(rows, suite)
    assert "0.4 (`pycma`) | 0.25 |" in shown
    assert "Ahead of every peer in 1 of 1, by a factor of two or more in 1" in shown


def test_a_run_to_more_budgets_adds_only_what_was_not_there(tmp_path: Path) -> None:
    study = STUDIES["budget"]
    for budgets in ((500,), (500, 900)):
        work(study, Plan(budgets, 1), "noisy-0.1/not told/*", 1, tmp_path)
    assert [row.evaluations for row in read(path_of(study, tmp_path))] == [500, 900]


def test_rows_are_read_as_they_were_written(tmp_path: Path) -> None:
    path = tmp_path / "study.csv"
    rows = [Row("a, b", "v", 10, 101, 0.25, 1.0), Row("a, b", "v", 30, 101, math.inf, 2.0, "lost")]
    append(rows[:1], path)
    append(rows[1:], path)
    assert read(path) == rows
    assert {row.key for row in rows} == Job("a, b", "v", (10, 30), 101).keys


def test_the_best_of_the_grid_runs_again_on_fresh_seeds_to_the_budgets_it_won() -> None:
    one, other = "paper C1=1 rho=1", "paper C1=10 rho=1"
    table = {(one, 10): 0.5, (one, 30): 0.1, (one, 90): 0.1}
    table |= {(other, 10): 0.4, (other, 30): 0.2, (other, 90): math.inf}
    rows = [
        Row("lasso-stochastic", variant, budget, hindsight.GRID_SEED, gap, 0.0)
        for (variant, budget), gap in table.items()
    ]
    lucky = Row("lasso-stochastic", other, 30, 101, 0.0, 0.0)  # not on the seed of the grid
    jobs = hindsight.second(Plan((10, 30, 90), 2), [*rows, lucky])
    assert {(job.variant, job.budgets, job.seed) for job in jobs} == {
        (variant, budgets, seed)
        for variant, budgets in ((one, (30, 90)), (other, (10,)))
        for seed in (101, 102)
    }


def test_a_run_that_diverges_has_no_gap_from_there_on() -> None:
    def diverging(trial: Trial) -> None:
        trial.values(np.zeros((30, 50)))
        raise Diverged

    rows = gaps(Job("noisy-0.1", "v", (10, 40), 101), build("noisy-0.1"), diverging)
    assert [(row.evaluations, row.status) for row in rows] == [(10, "ran"), (40, "diverged")]
    assert rows[0].value == pytest.approx(1.0)
    assert rows[1].value == math.inf


def test_the_printed_constants_are_the_papers() -> None:
    """C1 = 1 and rho = 10 give the run that settings="paper" gives."""
    problem = build("portfolio-stochastic")
    trial = Trial(problem, [930], math.inf, seed=3)
    with pytest.raises(Spent):
        paper(trial, 1.0, 10.0)
    trial.close()
    printed = zoo.minimize(
        zoo.Loss(values=problem.loss.values),
        problem.x0,
        domain=problem.domain,
        observations=problem.observations,
        settings="paper",
        max_evaluations=930,
        rng=3,
    )
    assert np.array_equal(trial.snapshots[-1].x, printed.x)


@pytest.mark.parametrize("name", ["lasso-stochastic", "quadratic-1e2"])
def test_a_unit_for_each_variable_changes_no_value(name: str) -> None:
    problem = build(name)
    units = drawn_units(problem.m)
    other = each_in_its_unit(problem, units)
    x = np.random.default_rng(0).standard_normal(problem.m)
    assert units.min() < 0.1
    assert units.max() > 10.0
    assert other.gap(units * x) == pytest.approx(problem.gap(x), rel=1e-12)
    assert other.nearest(units * x) == pytest.approx(units * problem.nearest(x))
    step = np.array([other.loss.values((units * x + h)[None])[0] for h in 1e-6 * np.eye(problem.m)])
    slopes = (step - other.loss.values((units * x)[None])[0]) / 1e-6
    assert other.loss.gradient(units * x) == pytest.approx(slopes, rel=1e-2, abs=1e-2)


def test_structures_without_units_are_refused() -> None:
    both = replace(build("quadratic-1"), regularizer=zoo.L1(1.0))
    for problem, said in ((build("portfolio"), "Simplex"), (both, "only one")):
        with pytest.raises(TypeError, match=said):
            each_in_its_unit(problem, np.ones(problem.m))


@pytest.mark.parametrize("name", TARGETS)
def test_the_regret_is_that_of_the_mean_loss(name: str) -> None:
    """Many seeds of one tick: the target of the first, the measurements of all."""
    target = TARGETS[name](101)
    x, t = np.full(M, 0.5), 700
    losses = [Tracking(target, seed) for seed in range(4000)]
    points = np.stack([x, target(t)])
    values = np.array([loss.values(points, (t,))[:, 0] for loss in losses])
    assert values[:, 1].mean() == pytest.approx(NOISE**2 / 2, rel=0.1)
    difference = (values[:, 0] - values[:, 1]).mean()
    assert losses[0].regret(x, (t,)) == pytest.approx(difference, rel=0.1)
    assert losses[0].regret(x, (t, 1)) == pytest.approx(
        sum(np.square(x - target(when)).sum() for when in (t, 1)) / 4
    )


def test_regret_weighs_iterations_by_their_evaluations() -> None:
    """Against the trace of the iterates, kept by hand."""
    loss = Tracking(TARGETS["trend"](101), 101)
    optimizer = drifts.optimizer("auto", 900, 101)
    total, spent = 0.0, 0.0
    while (query := optimizer.ask()) is not None:
        times = list(query.observations)  # type: ignore[arg-type]
        for t in times:
            share = query.evaluations / len(times)
            total += share * float(np.square(optimizer.state.x - loss.target(t)).sum()) / 2
            spent += share
        optimizer.tell(query.id, loss.values(query.points, times).reshape(query.shape))
    assert drifts.mean_regret(loss, drifts.optimizer("auto", 900, 101)) == pytest.approx(
        total / spent
    )


def test_memory_is_counted_in_vectors() -> None:
    assert 7.0 < cost.vectors("paper", 100_000, 100, 101) < 13.0
