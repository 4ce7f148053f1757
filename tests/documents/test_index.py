"""README.md on a package index: every link leads somewhere."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
ADDRESS = "https://example.org/someone/zooadmm"
TAG = "v" + tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]


def built(folder: Path, address: str) -> str:
    """The README that the build puts into the metadata of a copy."""
    for name in ("README.md", "LICENSE", "pyproject.toml", "tools/index_readme.py"):
        (folder / name).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / name, folder / name)
    project = folder / "pyproject.toml"
    text = re.sub(r"\nRepository = .*", "", project.read_text(encoding="utf-8"))
    if address:
        text = text.replace("[project.urls]\n", f'[project.urls]\nRepository = "{address}"\n')
    project.write_text(text, encoding="utf-8")
    command = [sys.executable, "-m", "hatchling", "metadata", "readme"]
    return subprocess.run(
        command, cwd=folder, capture_output=True, text=True, check=True, encoding="utf-8"
    ).stdout


def links(text: str) -> list[str]:
    return re.findall(r"\]\(([^)]+)\)", text)


def test_with_an_address_relative_links_lead_to_the_tag(tmp_path: Path) -> None:
    shown = links(built(tmp_path, ADDRESS))
    assert len(shown) == len(links(README)) > 20
    assert all(link.startswith("https://") for link in shown)
    assert f"{ADDRESS}/blob/{TAG}/docs/tutorial.md" in shown
    assert f"{ADDRESS}/raw/{TAG}/docs/few-features.png" in shown
    assert f"{ADDRESS}/blob/{TAG}/docs/how-to/resume.md#by-ask-and-tell" in shown


def test_without_an_address_no_link_is_dead(tmp_path: Path) -> None:
    shown = built(tmp_path, "")
    assert links(shown) == [link for link in links(README) if link.startswith("https://")] != []
    assert "Continue with the tutorial or the gallery." in " ".join(shown.split())
    assert "![" not in shown
