"""The README is short, and its figures are those of the rows; statuses have their numbers."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import zooadmm as zoo
from zooadmm.integrations.scipy.method import STATUSES

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
SUMMARY = (ROOT / "benchmarks" / "results" / "SUMMARY.md").read_text(encoding="utf-8")


def best(regime: str, evaluations: str, method: str) -> tuple[int, int]:
    """On how many problems of a regime a method was best after so many evaluations, and of all."""
    section = SUMMARY[SUMMARY.index(f"({regime}).") :]
    line = next(
        line for line in section.splitlines() if line.startswith(f"- Best after {evaluations} ")
    )
    count = re.search(rf"`{method}` on (\d+)", line)
    total = re.search(r", of (\d+) problems", line)
    assert total
    return int(count[1]) if count else 0, int(total[1])


def test_it_is_read_in_a_minute() -> None:
    assert len(README.splitlines()) <= 120


def test_its_verdicts_are_those_of_the_rows() -> None:
    """They are written by a person: where the rows change, write them anew."""
    said = " ".join(README.split())
    ours, full = best("full", "30,000", "zoo-auto")
    theirs, _ = best("full", "30,000", "scipy-slsqp")
    assert ours == theirs
    assert f"SLSQP were each among the best on {ours} of {full}" in said
    sampled, noisy = (best(kind, "300,000", "zoo-auto") for kind in ("stochastic", "noisy"))
    assert sampled[0] == sampled[1]
    assert noisy[0] == noisy[1]
    assert f"was best on all {sampled[0] + noisy[0]} after 300,000" in said
    spsa, total = best("stochastic", "3,000", "spsa")
    assert f"after 3,000 SPSA was best on {spsa} of the {total} sampled" in said
    assert f"The {full + sampled[1] + noisy[1]} problems" in said


def test_every_number_of_scipys_status_is_on_the_page() -> None:
    page = (ROOT / "docs" / "how-to" / "why-stopped.md").read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| `(\w+)` .*\| (\d+) \|$", page, re.M))
    assert rows == {status.name: str(number) for status, number in STATUSES.items()}
    assert rows.keys() == set(zoo.Status.__members__)


def test_the_citation_has_the_version() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"\nversion: {project['version']}\n" in citation
    assert project["urls"]["Paper"] in citation
