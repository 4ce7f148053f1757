"""Every block of code in the documents runs, and prints what they say."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import pytest

from documents.code_blocks import blocks, run

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
EXCERPTS = {ROOT / "docs" / "gallery.md"}
"""Pages whose code is cut out of examples, which run by themselves: see test_gallery."""
NEEDS = {
    "art": "art",
    "gest": "libensemble",
    "optimagic": "optimagic",
    "pennylane": "pennylane",
    "qiskit": "qiskit_algorithms",
    "tune": "tensorboardX",
}
"""What the page of an adapter needs beside the common environment; `make test-NAME` has it."""
RUN = {"python", "console", "text"}
SHOWN = {"math", "c", "json", ""}


def with_code() -> list[Path]:
    pages = [page for page in PAGES if page not in EXCERPTS]
    return [page for page in pages if any(b.language in RUN for b in blocks(page.read_text()))]


def name(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("page", with_code(), ids=name)
def test_the_code_runs(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = NEEDS.get(page.stem)
    if package is not None and find_spec(package) is None:
        pytest.skip(f"{package} is absent: make test-{page.stem}")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "agg")
    for printed, said in run(page, tmp_path):
        assert printed == said


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_every_block_is_of_a_known_kind(page: Path) -> None:
    """A block in a language that nobody runs would be believed by nobody either."""
    text = page.read_text(encoding="utf-8")
    found = blocks(text)
    assert {block.language for block in found} <= RUN | SHOWN
    assert 2 * len(found) == sum(line.lstrip().startswith("```") for line in text.splitlines())


def test_what_is_printed_is_compared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    page = tmp_path / "page.md"
    page.write_text(
        '```python title="two.py"\nprint(2)\n```\n'
        "- in a list\n\n  ```python\n  x = 1\n  print(x)\n  ```\n\n"
        "```python\nprint(x + 2)\n```\n\n```text\n1\n3\n```\n\n"
        "```console\n$ python two.py\n2\n$ python \\\n    two.py\n$ echo a\nb\n```\n"
    )
    assert run(page, tmp_path) == [("1\n3\n", "1\n3\n"), ("2\n", "2\n"), ("a\n", "b\n")]
    page.write_text("```console\n$ false\n```\n")
    with pytest.raises(AssertionError, match="false"):
        run(page, tmp_path)
