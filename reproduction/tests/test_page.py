"""The page of the reproduction says what its report says."""

from __future__ import annotations

import re
import runpy
from dataclasses import replace
from pathlib import Path

import pytest

from zooadmm_reproduction import Claim, Verdict

DOCS = Path(__file__).parents[2] / "docs"
HERE = Path(__file__).parents[1]
SCRIPT = runpy.run_path(str(HERE / "list_claims.py"))
PAGE = (DOCS / "reproduction.md").read_text(encoding="utf-8")


def test_the_claims_are_those_of_the_report() -> None:
    assert SCRIPT["with_claims"](PAGE, *SCRIPT["known"]()) == PAGE, (
        "run: python reproduction/list_claims.py"
    )


def test_the_report_is_a_full_one() -> None:
    report = (HERE / "report" / "index.html").read_text(encoding="utf-8")
    assert "; size full, seed 0." in report
    assert "Not run here" not in report


def test_the_page_says_of_what_size_its_report_is() -> None:
    report = (HERE / "report" / "index.html").read_text(encoding="utf-8")
    quick = "; size quick, seed 0." in report
    assert ("**It is of a quick run**" in PAGE) == quick


def test_every_exhibit_that_is_linked_to_is_there() -> None:
    report = (HERE / "report" / "index.html").read_text(encoding="utf-8")
    linked = {
        name
        for page in DOCS.rglob("*.md")
        for name in re.findall(r"report/index\.html#([\w-]+)", page.read_text(encoding="utf-8"))
    }
    assert {"fig1a", "table1", "theory-completed"} <= linked
    for name in linked:
        assert f'id="{name}"' in report, name


def test_a_page_without_a_place_is_an_error() -> None:
    with pytest.raises(ValueError, match="no place for the claims"):
        SCRIPT["with_claims"]("# A page", [], [])


def test_findings_are_listed_once_with_their_places() -> None:
    gap = Claim(
        "a", "Sec. 1", "1", Verdict.HOLDS, "fig", finding="gap", conclusion="It is |wrong|."
    )
    claims = [gap, replace(gap, where="Sec. 2", verdict=Verdict.FAILS, conclusion="")]
    remarks = [{"says": "Also.", "exhibit": "fig"}]
    text = SCRIPT["listed"](claims, remarks)
    assert text.startswith("2 claims, 1 findings: does not hold here 1.\n")
    assert "| It is \\|wrong\\|. | Sec. 1; Sec. 2 | [does not hold here](" in text
    assert "- Also. ([fig](" in text


def test_the_report_is_small() -> None:
    files = [path for path in (HERE / "report").rglob("*") if path.is_file()]
    assert sum(path.stat().st_size for path in files) < 2_000_000
    assert {path.parent.name for path in files} == {"report", "data"}
