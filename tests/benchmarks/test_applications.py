"""The table of the applications is what its rows say, and its lines can be measured."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.applications import examples
from benchmarks.applications.line import Figures, Limit, Line
from benchmarks.applications.lines import LINES
from benchmarks.applications.measure import forget, measure
from benchmarks.applications.report import PAGE, page, write
from benchmarks.applications.rows import FOLDER, Row, read


def counted(calls: list[tuple[str, int]]) -> Line:
    """A line that notes what it was asked."""

    def run(case: str, seed: int, evaluations: int) -> Figures:
        calls.append((case, seed))
        return {"gap": float(seed - 100), "seen": 2.0}

    return Line("made up", "Made up", ("a", "b"), run, {"gap": Limit("at most", 2.0)}, 10)


def test_the_committed_table_is_that_of_the_rows() -> None:
    rows = read(FOLDER)
    assert (FOLDER / PAGE).read_text(encoding="utf-8") == page(rows, list(LINES.values()))
    assert {row.line for row in rows} <= set(LINES)


def test_what_has_rows_is_not_measured_again(tmp_path: Path) -> None:
    calls: list[tuple[str, int]] = []
    line = counted(calls)
    measure([line], 2, "a", tmp_path)
    assert calls == [("a", 101), ("a", 102)]
    measure([line], 3, "*", tmp_path)
    assert calls[2:] == [("a", 103), ("b", 101), ("b", 102), ("b", 103)]
    forget([line], "b", tmp_path)
    measure([line], 3, "*", tmp_path)
    assert calls[6:] == [("b", 101), ("b", 102), ("b", 103)]
    assert len(read(tmp_path)) == 12


def test_the_median_decides(tmp_path: Path) -> None:
    line = counted([])
    measure([line], 3, "a", tmp_path)
    text = write(tmp_path, [line])
    assert "| made up | gap (at most 2) | seen | reached |" in text
    assert "| a | 2 (1 to 3) | 2 | yes |" in text
    worse = [Row("made up", "a", seed, 10, "gap", 2.5, 0.0) for seed in (1, 2)]
    assert "**no**" in page([*read(tmp_path), *worse], [line])


def test_limits() -> None:
    assert Limit("at most", 1.0).holds(1.0)
    assert not Limit("below", 1.0).holds(1.0)
    assert Limit("at least", 1.0).holds(1.0)
    for sense in ("at most", "at least", "below"):
        assert not Limit(sense, 1.0).holds(float("nan"))


@pytest.mark.parametrize(
    ("name", "case"),
    [("cox", "0.5"), ("cox-path", "0.8 to 0.05"), ("colorado", "swaps"), ("groups", "0.1")],
)
def test_a_line_gives_all_figures_that_have_limits(name: str, case: str) -> None:
    line = LINES[name]
    try:
        figures = line.run(case, 101, 500)
    except (FileNotFoundError, ImportError) as missing:
        pytest.skip(str(missing))
    assert set(line.limits) <= set(figures)
    assert figures["evaluations used"] <= 500 * (10 if name == "cox-path" else 1)


def test_every_example_is_timed() -> None:
    named = set(LINES["examples"].cases)
    elsewhere = {"ask_and_tell", "heated_rod", "human_answers", "on_ray"}  # of no application
    elsewhere |= {"drifting_loss", "graph_laplacian", "log_to_mlflow", "nuclear_norm", "tasting"}
    elsewhere |= {"safe_oven", "blend_by_taste", "follow_the_seasons", "cluster_irises", "one_look"}
    found = {path.name for path in examples.FOLDER.glob("*.py") if path.stem not in elsewhere}
    assert named == found
