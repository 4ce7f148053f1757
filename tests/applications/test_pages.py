"""The pages of the applications: what they link to is there, and what they show runs."""

from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path

import pytest

PAGES = sorted((Path(__file__).parents[2] / "docs" / "applications").glob("*.md"))
ids = [page.stem for page in PAGES]


def test_there_is_a_page_each() -> None:
    assert {"README", "blending", "groups", "sensors", "survival"} <= set(ids)


@pytest.mark.parametrize("page", PAGES, ids=ids)
def test_links_lead_somewhere(page: Path) -> None:
    targets = re.findall(r"\]\((?!https?:)([^)#]+)\)", page.read_text(encoding="utf-8"))
    assert targets
    for target in targets:
        assert (page.parent / target).resolve().exists(), f"{page.name} links to {target}"


@pytest.mark.parametrize("page", [page for page in PAGES if page.stem != "README"])
def test_a_picture_that_is_small_and_made_by_an_example(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    (picture,) = re.findall(r"!\[.+\]\((.+\.png)\)", text)
    assert (page.parent / picture).stat().st_size < 150_000
    assert re.search(r"Made by \[examples/\w+\.py\]", text)


@pytest.mark.parametrize("page", PAGES, ids=ids)
def test_the_code_runs(page: Path) -> None:
    names: dict[str, object] = {}
    blocks = re.findall(r"^```python\n(.*?)^```$", page.read_text(encoding="utf-8"), re.M | re.S)
    with contextlib.redirect_stdout(io.StringIO()):
        for block in blocks:
            exec(block, names)
