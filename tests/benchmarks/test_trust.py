"""How random problems are judged."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from benchmarks.trust.__main__ import main, read, write
from benchmarks.trust.summary import summary
from benchmarks.trust.trials import drawn, gap_of, judged, tried

UNJUDGED = 189
"""A problem on which Clarabel ends short of 1e-11."""


def test_a_problem_without_an_optimum_of_the_judge_is_not_solved() -> None:
    if not math.isnan(judged(drawn(UNJUDGED))):
        pytest.skip("this version of the judge finds the optimum")
    row = tried(UNJUDGED)
    assert math.isnan(row.gap)
    assert "| without an optimum of the judge | 1 |" in summary([row])
    assert "| success and a gap of at most 1e-06 | 0 of 0 (0.0 %) |" in summary([row])


def test_gaps_of_what_is_not_a_number() -> None:
    assert math.isnan(gap_of(1.0, math.nan))
    assert gap_of(math.nan, 1.0) == math.inf
    assert (gap_of(6.0, 4.0), gap_of(2.0, 4.0), gap_of(0.25, 0.0)) == (0.5, 0.0, 0.25)


def test_problems_with_a_row_are_tried_again_only_where_that_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "rows.csv.gz"
    old = tried(0)._replace(status="of old code")
    write(path, [old])
    main(["--rows", str(path), "--count", "1"])
    assert read(path)[0].status == "of old code"
    assert "0 problems tried, 1 rows from before" in capsys.readouterr().out
    main(["--rows", str(path), "--count", "1", "--again"])
    assert read(path)[0].status == "settled"
    assert "1 problems tried, 0 rows from before" in capsys.readouterr().out
