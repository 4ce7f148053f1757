"""The sentences of SUMMARY.md are written by a person; every figure and name in them is checked.

`figures` lists the numbers and the names in code of a sentence in their order. Each test states
beside it what the rows give, so a wrong figure, an additional one and a figure in the wrong place
all fail. Words of comparison ("ahead", "best", "all") are asserted by name.
"""

from __future__ import annotations

import json
import re
import statistics

import pytest

from benchmarks import results
from benchmarks.authors import ITERATIONS
from benchmarks.optima import optima
from benchmarks.report import __main__ as command
from benchmarks.report.board import FLOOR, REGIMES, Board
from benchmarks.report.costs import LARGEST, SMALLEST
from benchmarks.report.places import places, prose
from benchmarks.report.ranks import clear_leads, ranks, wins
from benchmarks.report.summary import tables
from benchmarks.report.text import count, digits
from benchmarks.report.violations import ROUNDING
from benchmarks.run import GRID_PART, SUPPORT_TOLERANCE

FOLDER = results.FOLDER.parent
PAGE = (FOLDER / "SUMMARY.md").read_text(encoding="utf-8")
PROSE = prose(PAGE)
AUTO, SLSQP = "zoo-auto", "scipy-slsqp"


@pytest.fixture(scope="module")
def board() -> Board:
    return Board(results.read())


def verdicts() -> dict[str, str]:
    """The list below "In short": a bold beginning and what follows it."""
    section = PROSE[PROSE.index("## In short") : PROSE.index("## How it was run")]
    found = re.findall(r"^- \*\*(.+?)\.\*\* (.+(?:\n  .+)*)", section, re.MULTILINE)
    return {lead: " ".join(text.split()) for lead, text in found}


def figures(text: str) -> list[str]:
    """The numbers and the names in code, in their order; numbers without commas."""
    found = re.findall(r"`[^`]+`|\d[\d,]*(?:\.\d+)?", text)
    return [part.strip("`").replace(",", "") for part in found]


def best(board: Board, regime: str, method: str, when: str) -> int:
    return wins(board, board.problems(regime), method, getattr(board, when))[0]


def behind(board: Board, regime: str, method: str, when: str) -> list[str]:
    """The problems on which some peer is ahead."""
    return [name for name, rank in ranks(board, regime, method, getattr(board, when)) if rank > 1]


def late(board: Board, problem: str) -> tuple[int, int]:
    """How many peers were out of time at the end, of how many."""
    return len(board.capped(problem, board.last(problem))), len(board.peers(problem))


def texts(*values: object) -> list[str]:
    return [str(value) for value in values]


def test_the_same_value_every_time(board: Board) -> None:
    problems, lost = board.problems("full"), behind(board, "full", AUTO, "last")
    (lead,) = clear_leads(board, "full", AUTO)
    least = min(
        board.gap(name, AUTO, board.last(name)) / board.gap(name, SLSQP, board.last(name))
        for name in lost
    )
    assert len(lost) == len(problems) - best(board, "full", AUTO, "last") == 2
    assert best(board, "full", AUTO, "last") == best(board, "full", SLSQP, "last")
    assert figures(verdicts()["The same value every time"]) == texts(
        max(map(board.last, problems)), AUTO, best(board, "full", AUTO, "last"), len(problems),
        SLSQP, *lost, SLSQP, int(least), lead, *late(board, lead), SLSQP,
    )  # fmt: skip


def test_few_evaluations(board: Board) -> None:
    problems, lost = board.problems("full"), behind(board, "full", AUTO, "early")
    worst = max(board.ratio(name, AUTO, board.early(name)) for name in lost)
    assert figures(verdicts()["Few evaluations"]) == texts(
        max(map(board.early, problems)), AUTO, best(board, "full", AUTO, "early"), len(problems),
        SLSQP, best(board, "full", SLSQP, "early"), len(lost), digits(worst),
    )  # fmt: skip


def test_sampled_from_data(board: Board) -> None:
    problems = board.problems("stochastic")
    number = len(problems)
    assert clear_leads(board, "stochastic", AUTO) == problems
    out, peers = zip(*(late(board, name) for name in problems), strict=True)
    assert set(peers) == {13}
    assert len(behind(board, "stochastic", AUTO, "early")) == number
    assert figures(verdicts()["Sampled from data"]) == texts(
        max(map(board.last, problems)), AUTO, best(board, "stochastic", AUTO, "last"), number,
        statistics.median(out), peers[0], len(behind(board, "stochastic", AUTO, "common")), number,
        max(map(board.early, problems)), number, "spsa", best(board, "stochastic", "spsa", "early"),
    )  # fmt: skip


def test_a_noisy_black_box(board: Board) -> None:
    problems = board.problems("noisy")
    (lead,) = clear_leads(board, "noisy", AUTO)
    assert len(problems) == 2
    for when in ("early", "last"):
        assert best(board, "noisy", AUTO, when) == 2
    (out,) = {late(board, name) for name in problems}
    ends = (max(map(when, problems)) for when in (board.early, board.last))
    assert figures(verdicts()["A noisy black box"]) == texts(AUTO, *ends, lead, *out)


def test_the_papers_settings(board: Board) -> None:
    every = len(board.problems(*REGIMES))
    lost = {
        name: sum(len(behind(board, regime, name, "last")) for regime in REGIMES)
        for name in ("zoo-paper", "zoo-paper-tuned")
    }
    assert figures(verdicts()["The paper's settings"]) == texts(
        'settings="paper"', lost["zoo-paper"], every, "zoo-paper-tuned", lost["zoo-paper-tuned"]
    )


def test_every_verdict_has_its_test() -> None:
    tested = {name.removeprefix("test_").replace("_", " ") for name in globals()}
    assert {lead.lower().replace("'", "") for lead in verdicts()} <= tested
    assert len(verdicts()) == PROSE[: PROSE.index("## How it was run")].count("\n- ")


def test_the_day_of_the_rows_and_what_there_is_to_compare(board: Board) -> None:
    facts = json.loads((FOLDER / "environment.json").read_text())
    head = PROSE[: PROSE.index("- **The same value")]
    problems = board.problems(*REGIMES)
    bases = {name.removesuffix("-stochastic") for name in problems}
    known = {name if name in optima() else name.partition("-")[0] for name in bases}
    peers = {peer for name in problems for peer in board.peers(name)}
    day, version = facts["date"], facts["versions"]["zooadmm"]
    assert figures(head.replace(day, "").replace(version, "")) == texts(
        len(problems), len(known), len(peers), "python -m benchmarks.report", "suite/", AUTO
    )
    assert f"finished on {day}, with zooadmm {version} as of that day" in " ".join(head.split())
    assert f"The rows are of {day}" in command.README.read_text(encoding="utf-8")


def test_constants_that_the_page_explains(board: Board) -> None:
    said = " ".join(PROSE.split())
    assert f"the problems with {SMALLEST} to {LARGEST} variables" in said
    assert f"nonzero above {digits(SUPPORT_TOLERANCE)} of the largest" in said
    assert f"0 for at most {digits(ROUNDING)}" in said
    assert f"Optima are known to {digits(FLOOR)} of that scale" in said
    assert f"{count(ITERATIONS)} iterations on the two samples" in said
    assert "the first seed and a quarter of the time" in said
    assert GRID_PART == 0.25
    usual = max(map(board.last, board.problems("full")))
    early = [name for name in board.problems("full") if board.last(name) < usual]
    assert early == ["large"]
    assert f"`large` ends at {count(board.last('large'))} evaluations" in said


def test_every_table_has_one_place() -> None:
    there = tables(Board(results.read()), {}, FOLDER / "authors.csv")
    assert sorted(places(PAGE)) == sorted(there)
    assert places(command.README.read_text(encoding="utf-8")) == ["regimes"]
