"""The examples of the applications run and draw their pictures."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

pytestmark = [  # others' warnings of what is to come are not about us
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::FutureWarning"),
]

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("blend_models", "learned from its values"),
        ("choose_stations", "greedy selection"),
        ("classify_on_a_grid", "rows and columns"),
        ("fool_a_network", "L1"),
        ("genes_and_survival", "by univariate scores"),
    ],
)
def test_it_runs_and_draws(
    name: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    picture = tmp_path / "pictures" / f"{name}.png"
    runpy.run_path(str(EXAMPLES / f"{name}.py"))["main"](picture)
    assert picture.stat().st_size > 5000
    assert said in capsys.readouterr().out


def test_every_example_is_named_here() -> None:
    marks = test_it_runs_and_draws.pytestmark  # type: ignore[attr-defined]
    named = {row[0] for row in marks[0].args[1]}
    elsewhere = {"ask_and_tell", "few_features", "heated_rod", "human_answers", "on_ray"}
    elsewhere |= {"drifting_loss", "graph_laplacian", "log_to_mlflow", "nuclear_norm", "tasting"}
    elsewhere |= {"safe_oven", "blend_by_taste", "follow_the_seasons", "cluster_irises", "one_look"}
    # in test_examples.py and test_gallery.py, and with clusters and studies of Optuna
    assert named == {path.stem for path in EXAMPLES.glob("*.py")} - elsewhere
