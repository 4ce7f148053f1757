"""`zooadmm demo`: its stories in small, and the command."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

pytest.importorskip("sksurv")
pytest.importorskip("matplotlib")

from zooadmm.cli import app, demo
from zooadmm.cli.demo import Line, Story
from zooadmm.cli.demo.blend import area_under_curve

pytestmark = [  # others' warnings of what is to come are not about us
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::FutureWarning"),
]


class Watched:
    """What a story says of its progress."""

    def __init__(self) -> None:
        self.counts: list[int] = []

    def __call__(self, count: int, value: float) -> None:
        self.counts.append(count)


def by(story: Story) -> dict[str, Line]:
    return {line.by: line for line in story.lines}


def number(text: str) -> float:
    return float(re.findall(r"[\d.]+", text.replace(",", ""))[0])


def test_the_first_story_is_won_on_patients_not_learned_from() -> None:
    watch = Watched()
    story = demo.risk_factors(0, watch, halves=1)
    lines = by(story)
    objective, kept, explained = (
        {name: float(line.figures[k]) for name, line in lines.items()} for k in range(3)
    )
    assert objective["zooadmm"] == objective["Lasso"]  # which has the formula and all the data
    assert kept["zooadmm"] == kept["Lasso"] < 30
    rivals = {"Powell", "COBYQA", "SPSA"}
    assert explained["zooadmm"] > max(explained[name] for name in rivals) + 0.02
    assert number(lines["zooadmm"].given) == watch.counts[-1] <= 17_500
    assert next(iter(demo.STORIES)) == "risk-factors"


def test_stations_are_as_good_as_newtons_and_below_the_limit() -> None:
    watch = Watched()
    lines = by(demo.stations(0, watch, evaluations=3_000))
    merit = {name: float(line.figures[0]) for name, line in lines.items()}
    assert merit["second-order method"] - 0.02 <= merit["zooadmm"] <= merit["limit for any"]
    assert merit["zooadmm"] <= merit["zooadmm, then swaps"]
    assert merit["best of 1000 random"] < merit["greedy selection"]
    assert number(lines["zooadmm"].given) >= watch.counts[-1] > 100
    assert watch.counts == sorted(watch.counts)
    assert 0.5 < float(lines["zooadmm"].figures[1]) < float(lines["best of 1000 random"].figures[1])


def test_genes_are_those_of_coxnet() -> None:
    lines = by(demo.genes(0, Watched()))
    ours, theirs = lines["zooadmm"], lines["Coxnet"]
    assert ours.figures == theirs.figures
    assert ours.given != theirs.given


def test_the_blend_is_best_where_it_was_learned() -> None:
    watch = Watched()
    story = demo.blend(0, watch, evaluations=300, halves=1)
    lines = by(story)
    assert float(lines["zooadmm"].figures[0]) >= float(lines["equal weights"].figures[0])
    assert (
        float(lines["zooadmm"].figures[0]) >= float(lines["best single model"].figures[0]) - 0.002
    )
    assert number(lines["zooadmm"].given) == watch.counts[-1]
    best = max(lines, key=lambda name: float(lines[name].figures[1]))
    assert f"Best there: {best}." in story.said


def test_area_under_curve_is_sklearns() -> None:
    from sklearn.metrics import roc_auc_score

    generator = np.random.default_rng(0)
    target, blended = generator.random(50) < 0.3, generator.integers(0, 9, 50)
    assert area_under_curve(target, blended) == pytest.approx(roc_auc_score(target, blended))


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> None:
    """A demonstration that takes no time."""
    from matplotlib.figure import Figure

    def tell(seed: int, watch: Any) -> Story:
        watch(12, 0.5)
        lines = [Line("zooadmm", "12 values", (f"0.{seed}", "0.9"))]
        return Story("A problem", ("error", "elsewhere"), lines, "So it is.", Figure())

    monkeypatch.setattr(demo, "STORIES", {"one": tell, "two": tell})


@pytest.mark.usefixtures("told")
def test_the_command_shows_tables_and_draws(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "folder"
    done = CliRunner().invoke(app, ["demo", "--out", str(folder), "--seed", "7"])
    assert done.exit_code == 0, done.output
    assert done.output.count("0.7") == 2
    assert "So it is." in done.output
    assert {path.name for path in folder.iterdir()} == {"one.png", "two.png"}


@pytest.mark.usefixtures("told")
def test_a_folder_that_cannot_be_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    done = CliRunner().invoke(app, ["demo", "--out", str(tmp_path / "file")])
    assert done.exit_code == 2
    assert "--out" in done.output


WITHOUT = """
import sys
from typer.testing import CliRunner
from zooadmm.cli import app

CliRunner().invoke(app, ["demo", "--help"])
print(sorted({"sklearn", "sksurv", "matplotlib", "scipy.optimize"} & set(sys.modules)))
for package in ("matplotlib", "sklearn", "sksurv"):
    sys.modules[package] = None  # what is not installed cannot be imported
    done = CliRunner().invoke(app, ["demo", "--out", sys.argv[1]])
    print(done.exit_code, done.output.strip().splitlines()[-1])
    del sys.modules[package]
"""


def test_without_the_extras_there_is_help_and_a_remedy(tmp_path: Path) -> None:
    arguments = [sys.executable, "-c", WITHOUT, str(tmp_path)]
    done = subprocess.run(arguments, capture_output=True, text=True, check=True)
    remedy = "pip install zooadmm[plot,applications]."
    assert done.stdout.splitlines() == [
        "[]",
        *(
            f"2 zooadmm: the demonstration needs {package}: {remedy}"
            for package in ("matplotlib", "sklearn", "sksurv")
        ),
    ]
