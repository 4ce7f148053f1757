"""The table "Row 4 in numbers" of the errata has the figures of a full report."""

from __future__ import annotations

import csv
import re
import statistics
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DATA = ROOT / "reproduction" / "report" / "data" / "theory-penalties.csv"

PROBLEMS = {"kink-penalties": "completed", "valley-penalties": "other_side"}
"""The study of each problem, and the column of the pair that it completes."""


def printed() -> tuple[str, list[list[str]]]:
    """T, and the lines: rho, then regret, bound and regret at (x, y) for each problem."""
    page = (ROOT / "docs" / "errata.md").read_text(encoding="utf-8")
    section = page.split("### Row 4 in numbers")[1].split("### Row 5")[0]
    (T,) = re.findall(r"after \$T\$ = ([\d,]+) iterations", section)
    lines = re.findall(r"^\| ([\d.]+ \|.*) \|$", section, flags=re.MULTILINE)
    return T.replace(",", ""), [line.split(" | ") for line in lines]


def wrong(lines: list[list[str]], rows: list[dict[str, str]]) -> list[str]:
    """The cells that differ from the rows, rounded to the digits that are printed."""
    different = []
    for penalty, *cells in lines:
        for k, (study, pair) in enumerate(PROBLEMS.items()):
            mine = [row for row in rows if (row["study"], row["penalty"]) == (study, penalty)]
            at = {name: [float(row[name]) for row in mine] for name in (pair, "iterates")}
            (limit,) = (
                float(row["theorem_1"])
                for row in rows
                if row["study"] == f"{study}-bounds" and float(row["penalty"]) == float(penalty)
            )
            mean = statistics.mean(at[pair])
            cell, bound, iterates = cells[3 * k : 3 * k + 3]
            regret, _, error = cell.replace("*", "").partition(" ± ")
            known = {regret: mean, bound: limit, iterates: statistics.mean(at["iterates"])}
            if error:
                known[error] = statistics.stdev(at[pair]) / len(mine) ** 0.5
            off = [text for text, value in known.items() if text != rounded(value, text)]
            off += [cell] if ("**" in cell) != (mean > limit) else []
            different += [f"rho = {penalty}: {text}" for text in off]
    return different


def rounded(value: float, like: str) -> str:
    """With as many decimals."""
    return f"{value:.{len(like.partition('.')[2])}f}"


def test_row_4_of_the_errata_is_that_of_the_report() -> None:
    T, lines = printed()
    with DATA.open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["T"] == T]
    if not rows:
        pytest.skip("the report is of a quick run, which has fewer iterations")
    assert len(lines) == 7
    assert wrong([[f"{float(line[0])}", *line[1:]] for line in lines], rows) == []


def test_a_wrong_figure_is_seen() -> None:
    rows = [
        {"study": study, "penalty": "1.0", pair: regret, "iterates": "0.2", "theorem_1": ""}
        for study, pair in PROBLEMS.items()
        for regret in ("0.4", "0.6")
    ]
    rows += [
        {"study": f"{study}-bounds", "penalty": "1.0", "theorem_1": "0.3"} for study in PROBLEMS
    ]
    right = ["1.0", "**0.50** ± 0.10", "0.300", "0.200", "**0.500**", "0.3", "0.20"]
    assert wrong([right], rows) == []
    assert wrong([[*right[:1], "0.50 ± 0.10", *right[2:]]], rows) == ["rho = 1.0: 0.50 ± 0.10"]
    assert wrong([[*right[:2], "0.299", *right[3:]]], rows) == ["rho = 1.0: 0.299"]
    assert wrong([[*right[:-1], "0.21"]], rows) == ["rho = 1.0: 0.21"]
