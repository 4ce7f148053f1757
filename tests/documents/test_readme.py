"""The README is short and quotes nothing stale; statuses have their numbers."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import zooadmm as zoo
from zooadmm.integrations.scipy.method import STATUSES

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_it_is_read_in_a_minute() -> None:
    assert len(README.splitlines()) <= 100


def test_it_quotes_no_figure_of_the_benchmark() -> None:
    """The rows are of an earlier method. A verdict with figures needs a test against the rows."""
    section = README[README.index("## How it compares") : README.index("## Three commands")]
    assert not re.search(r"\d", re.sub(r"\([^)]*\)", "", section))


def test_its_order_is_that_of_a_visit() -> None:
    headings = re.findall(r"^## (.+)$", README, re.M)
    assert headings == [
        "Install",
        "An example",
        "What it does",
        "How it compares",
        "Three commands",
        "Cite",
    ]
    assert len(re.findall(r"!\[", README)) == 1


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
