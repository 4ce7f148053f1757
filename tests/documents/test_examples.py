"""The examples run, and come to what they are about; the one on Ray is in engines/test_clusters."""

from __future__ import annotations

import re
import runpy
import shutil
from pathlib import Path

import numpy as np
import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"


def printed(name: str, capsys: pytest.CaptureFixture[str]) -> str:
    runpy.run_path(str(EXAMPLES / name), run_name="__main__")
    return capsys.readouterr().out


def test_ask_and_tell(capsys: pytest.CaptureFixture[str]) -> None:
    out = printed("ask_and_tell.py", capsys)
    found = np.array(re.findall(r"\d\.\d*", out.partition(":")[2]), dtype=float)
    np.testing.assert_allclose(found, [0.275, 0.0, 0.675, 0.0, 0.0], atol=0.03)


@pytest.mark.skipif(shutil.which("cc") is None, reason="there is no C compiler here")
def test_a_simulator_in_c(capsys: pytest.CaptureFixture[str]) -> None:
    out = printed("heated_rod.py", capsys)
    assert out.startswith("success: Settled")
    assert " zero)" in out


def test_a_safe_oven(capsys: pytest.CaptureFixture[str]) -> None:
    """The table of docs/evaluated-constraints.md; the count of COBYQA depends on the BLAS."""
    rows = [
        re.split(r"\s{2,}|(?<=[a-zA-Z])\s+(?=\d)", line.strip())
        for line in printed("safe_oven.py", capsys).splitlines()[1:]
    ]
    page = (EXAMPLES.parent / "docs" / "evaluated-constraints.md").read_text()
    for name, cost, worst, spoiled, evaluations in rows:
        assert cost == "50.335"
        row = re.escape(f"| {name} | {spoiled} | {float(worst):.1f} | ") + r"(\d+) \|"
        found = re.search(row, page)
        assert found, name
        assert int(evaluations) == pytest.approx(int(found[1]), rel=0.2 * (name == "COBYQA"))


def test_a_blend_by_taste(capsys: pytest.CaptureFixture[str]) -> None:
    out = printed("blend_by_taste.py", capsys)
    shares = np.array(re.findall(r"\d\.\d+", out.splitlines()[0]), dtype=float)
    assert shares.sum() == pytest.approx(1.0, abs=0.04)  # rounded
    won = [int(share) for share in re.findall(r"(\d+)%", out)]
    assert won[0] >= 90
    assert 30 <= won[1] <= 50


def test_one_look_at_each_tumor(capsys: pytest.CaptureFixture[str]) -> None:
    out = printed("one_look.py", capsys)
    once, again = (int(share) for share in re.findall(r"(\d+)%", out))
    judged = [int(count) for count in re.findall(r"after (\d+) judgments", out)]
    assert 85 <= once <= again
    assert judged[0] <= 569 < judged[1]


def test_six_clusters_of_irises(capsys: pytest.CaptureFixture[str]) -> None:
    out = printed("cluster_irises.py", capsys)
    one, eight, means, better = map(float, re.findall(r": (0\.\d{4})$", out, re.M))
    assert better < means
    assert eight < min(0.97 * one, 1.03 * means)  # one start ends at .49 to .58, by the BLAS


def test_a_map_that_follows_the_seasons(capsys: pytest.CaptureFixture[str]) -> None:
    out = printed("follow_the_seasons.py", capsys)
    fixed, before, tuned, followed, itself, _ = map(float, re.findall(r"by (\d+\.\d+)", out))
    assert itself < followed < 0.5 * before < 0.5 * fixed
    assert followed < 1.05 * tuned


def test_few_features(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The picture of the README."""
    monkeypatch.setenv("MPLBACKEND", "agg")
    monkeypatch.setattr("sys.argv", ["few_features.py", str(tmp_path / "picture.png")])
    found = runpy.run_path(str(EXAMPLES / "few_features.py"), run_name="__main__")
    assert np.flatnonzero(found["truth"]).tolist() == [3, 7, 11]
    assert "[ 3  7 11]" in capsys.readouterr().out
    assert (tmp_path / "picture.png").stat().st_size > 5_000
