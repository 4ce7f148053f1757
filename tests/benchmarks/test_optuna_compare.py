"""The comparison with Optuna's samplers: its page has its rows, and one's rows can be run anew."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from benchmarks.optuna_studies import compare


def test_the_page_has_the_tables_of_the_rows() -> None:
    assert (compare.FOLDER / "compare.md").read_text() == compare.page()


def test_only_the_rows_of_one_sampler_are_forgotten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy = tmp_path / "compare.csv"
    shutil.copy(compare.ROWS, copy)
    monkeypatch.setattr(compare, "ROWS", copy)
    before = compare.stored()
    compare.forget([compare.OURS])
    assert compare.stored() == [row for row in before if row["sampler"] != compare.OURS]
    assert len(compare.stored()) < len(before)
