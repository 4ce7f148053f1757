"""What the documents say is so."""

from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


def blocks(text: str, language: str) -> list[str]:
    found = re.findall(rf"^( *)```{language}\n(.*?)^\1```$", text, flags=re.M | re.S)
    return [re.sub(rf"^{indent}", "", body, flags=re.M) for indent, body in found]


def test_readme_examples_run_and_print_what_they_say() -> None:
    text = (ROOT / "README.md").read_text()
    examples, outputs = blocks(text, "python"), blocks(text, "text")
    names: dict[str, object] = {}
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        for example in examples:
            exec(example, names)
    assert len(examples) == 5
    assert printed.getvalue() == "".join(outputs)


def test_contributing_shows_the_real_source() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text()
    source = (ROOT / "src/zooadmm/regularizers/squared_l2.py").read_text()
    assert blocks(text, "python") == [source]


def test_contributing_names_every_room() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text()
    for room in (ROOT / "src" / "zooadmm").iterdir():
        if room.name.startswith(("_", "py.typed", "arrays")):
            continue
        name = f"`{room.name}/`" if room.is_dir() else f"`{room.name}`"
        assert name in text, f"CONTRIBUTING.md does not say what {name} is for"


def test_versions_agree() -> None:
    import tomllib

    import zooadmm

    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert project["version"] == zooadmm.__version__


@pytest.mark.parametrize("name", ["README.md", "CONTRIBUTING.md", "CHANGELOG.md"])
def test_links_between_documents_lead_somewhere(name: str) -> None:
    for target in re.findall(r"\]\((?!https?:)([^)#]+)\)", (ROOT / name).read_text()):
        assert (ROOT / target).exists(), f"{name} links to {target}"
