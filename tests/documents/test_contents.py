"""What the documents say is so, and nothing is left out."""

from __future__ import annotations

import ast
import importlib
import re
import tomllib
from pathlib import Path

import pytest

import zooadmm
from documents.code_blocks import blocks

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
APPLICATIONS = [page for page in (DOCS / "applications").glob("*.md") if page.stem != "README"]


def test_contributing_shows_the_real_source() -> None:
    shown = [block.body for block in blocks((ROOT / "CONTRIBUTING.md").read_text())]
    assert shown == [(ROOT / "src/zooadmm/problem/regularizers/squared_l2.py").read_text()]


def test_contributing_names_every_room() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text()
    for room in (ROOT / "src" / "zooadmm").iterdir():
        if room.name.startswith(("_", "py.typed", "arrays")):
            continue
        name = f"`{room.name}/`" if room.is_dir() else f"`{room.name}`"
        assert name in text, f"CONTRIBUTING.md does not say what {name} is for"


def test_versions_agree() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert project["version"] == zooadmm.__version__


MODULES = [
    "zooadmm",
    "zooadmm.applications",
    "zooadmm.applications.baselines",
    "zooadmm.applications.selection",
    "zooadmm.datasets",
    "zooadmm.integrations.optuna",
    "zooadmm.losses",
    "zooadmm.problem.regularizers",
    "zooadmm.problem.sets",
    "zooadmm.analysis.theory",
    "zooadmm.methods.paper",
    "zooadmm.methods.variance_reduced",
    "zooadmm.problem",
    "zooadmm.run",
]


@pytest.mark.parametrize("module", MODULES)
def test_the_interface_has_every_public_name(module: str) -> None:
    pages = "".join(page.read_text() for page in (DOCS / "interface").glob("*.md"))
    shown = {reference.rpartition(".")[2] for reference in re.findall(r"^::: (\S+)$", pages, re.M)}
    public = set(importlib.import_module(module).__all__)
    modules = {
        "schedules",
        "baselines",
        "selection",
        "paper",
        "variance_reduced",
        "sets",
        "regularizers",
        "evaluation",
    }  # whose contents are shown
    assert public - shown <= modules


@pytest.mark.parametrize("adapter", ["art", "gest", "optimagic", "pennylane", "qiskit", "tune"])
def test_an_adapter_is_in_the_interface_and_has_a_page_and_extras(adapter: str) -> None:
    """Without an import: the package that it adapts may be absent."""
    source = (ROOT / f"src/zooadmm/integrations/{adapter}.py").read_text()
    found = re.search(r"^__all__ = (\[.*\])$", source, re.M)
    assert found is not None
    interface = (DOCS / "interface" / "README.md").read_text()
    for name in ast.literal_eval(found[1]):
        assert f"::: zooadmm.integrations.{adapter}.{name}\n" in interface
    assert (DOCS / "how-to" / f"{adapter}.md").exists()
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"][
        "optional-dependencies"
    ]
    assert extras.keys() >= {adapter, f"test-{adapter}"}
    assert re.search(rf"[ -]{adapter}\b", (ROOT / ".ci" / "run").read_text())


def test_the_applications_have_a_page_each() -> None:
    named = {"attack", "blending", "groups", "sensors", "survival"}
    assert {page.stem for page in APPLICATIONS} >= named


@pytest.mark.parametrize("page", APPLICATIONS, ids=lambda page: page.stem)
def test_a_picture_that_is_made_by_an_example(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    (picture,) = re.findall(r"!\[.+\]\((.+\.png)\)", text)
    assert (page.parent / picture).exists()
    assert re.search(r"Made by \[examples/\w+\.py\]", text)


def test_pictures_are_small() -> None:
    for picture in DOCS.rglob("*.png"):
        assert picture.stat().st_size < 150_000, picture.name
