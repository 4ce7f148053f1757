"""The gallery shows what its programs do: their code, their pictures, their figures."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from documents.code_blocks import blocks

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "gallery.md").read_text(encoding="utf-8")
SECTIONS = [part for part in re.split(r"^## ", PAGE, flags=re.M)[1:] if "Drawn by" in part]
SHOWN = {
    "graph_laplacian": ["off by 0.47", "off by 0.17"],
    "nuclear_norm": ["rank 3", "of size 0.84", "off by 0.26"],
    "drifting_loss": ["regret against the best fixed answer: -"],
    "heated_rod": ["success: Settled"],
    "tasting": ["grind 6", "dose 1", "heat 9", "seconds 2"],
}
"""What each program prints; figures of the page are among them."""


def example(section: str) -> Path:
    (name,) = re.findall(r"Drawn by \[examples/\w+\.py\]\(\.\./(\S+)\)", section)
    return ROOT / name


def run(program: Path, *arguments: str, folder: Path) -> str:
    environment = {**os.environ, "MPLBACKEND": "agg"}
    command = [sys.executable, str(program), *arguments]
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("section", SECTIONS, ids=lambda section: example(section).stem)
def test_the_code_is_that_of_the_program(section: str) -> None:
    (code,) = (block.body for block in blocks(section) if block.language == "python")
    source = example(section).read_text(encoding="utf-8")
    depths = (textwrap.indent(code, " " * depth) for depth in (0, 4, 8))
    assert any(text in source for text in depths)
    (picture,) = re.findall(r"!\[.+\]\((.+\.png)\)", section)
    assert (ROOT / "docs" / picture).exists()


def test_what_was_promised_is_there() -> None:
    for subject in ("graph Laplacian", "nuclear norm", "regret", "simulator", "person in the loop"):
        assert subject in PAGE


@pytest.mark.parametrize("name", SHOWN)
def test_the_program_draws_and_prints(name: str, tmp_path: Path) -> None:
    if name == "heated_rod" and shutil.which("cc") is None:
        pytest.skip("there is no C compiler here")
    picture = tmp_path / "picture.png"
    printed = run(ROOT / "examples" / f"{name}.py", str(picture), folder=tmp_path)
    assert picture.stat().st_size > 5_000
    section = next(part for part in SECTIONS if example(part).stem == name)
    for text in SHOWN[name]:
        assert text in printed
        figures = re.findall(r"\d\.\d\d", text)
        assert all(figure in section for figure in figures)


@pytest.mark.skipif(importlib.util.find_spec("mlflow") is None, reason="needs mlflow")
def test_the_recipe_for_mlflow_keeps_a_run(tmp_path: Path) -> None:
    program = ROOT / "examples" / "log_to_mlflow.py"
    page = (ROOT / "docs" / "how-to" / "watch.md").read_text(encoding="utf-8")
    (shown,) = (block.body for block in blocks(page) if block.title == "log_to_mlflow.py")
    assert shown == program.read_text(encoding="utf-8")
    run(program, folder=tmp_path)
    with sqlite3.connect(tmp_path / "mlflow.db") as kept:
        steps = kept.execute("select count(*) from metrics where key = 'objective'").fetchone()
        tags = dict(kept.execute("select key, value from tags").fetchall())
        latest = dict(kept.execute("select key, value from latest_metrics").fetchall())
    assert steps[0] > 3
    assert tags["status"] == "SETTLED"
    assert latest["fun"] < 1e-12
    assert list(tmp_path.rglob("result.json"))
