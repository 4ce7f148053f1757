"""Every evaluation in a file, and what a run says while it goes on."""

from __future__ import annotations

import logging
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import zooadmm as zoo

ROWS = np.random.default_rng(7).normal(size=(50, 3))


class Noting:
    """|x - w|^2, with a list of all it was called with."""

    def __init__(self) -> None:
        self.seen: list[tuple[Any, ...]] = []

    def __call__(self, x: np.ndarray, w: int = 0) -> float:
        value = float(np.square(x - ROWS[w]).sum())
        self.seen.append((value, *x))
        return value


def table(path: Path) -> pd.DataFrame:
    if path.suffix == ".parquet":
        return pd.read_parquet(path)
    frame = pd.read_csv(path, dtype=str)  # its own parser may be a bit off
    numbers = frame.columns.difference(["observation"])
    return frame.astype(dict.fromkeys(numbers, float)).astype({"query": int})


@pytest.mark.parametrize("name", ["evaluations", "all.csv", "all.parquet"])
@pytest.mark.parametrize("observations", [None, range(50)])
def test_every_evaluation_is_in_the_file(name: str, observations: Any, tmp_path: Path) -> None:
    loss = Noting()
    given = {"observations": observations, "max_evaluations": 300, "rng": 0}
    result = zoo.minimize(loss, np.zeros(3), **given, history=tmp_path / name)
    path = tmp_path / ("evaluations.csv.gz" if name == "evaluations" else name)
    frame = table(path)
    assert list(frame.columns) == ["query", "observation", "value", "x0", "x1", "x2"]
    written = frame[["value", "x0", "x1", "x2"]].itertuples(index=False, name=None)
    assert [tuple(map(float, row)) for row in written] == loss.seen
    assert len(frame) == result.nfev + result.nfev_report
    assert result.x.tobytes() == zoo.minimize(Noting(), np.zeros(3), **given).x.tobytes()
    if observations is not None:
        assert frame["observation"].astype(int).between(0, 49).all()


@pytest.mark.parametrize("name", ["e.csv", "e.csv.gz", "e.parquet"])
def test_a_file_that_is_there_is_kept(name: str, tmp_path: Path) -> None:
    given = {"max_evaluations": 100, "rng": 0, "history": tmp_path / name}
    given["checkpoint"] = tmp_path / "run.zoo"
    whole = zoo.minimize(Noting(), np.zeros(3), max_evaluations=100, rng=0)
    zoo.minimize(Noting(), np.zeros(3), **given, max_iterations=1)
    first = table(tmp_path / name)
    again = zoo.minimize(Noting(), np.zeros(3), **given)
    both = table(tmp_path / name)
    assert len(both) > len(first)
    pd.testing.assert_frame_equal(both[: len(first)], first)
    steps = both[both["query"] > 0]
    assert (len(steps), again.x.tobytes()) == (whole.nfev, whole.x.tobytes())
    (tmp_path / "run.zoo").unlink()
    with pytest.raises(ValueError, match="is there already"):
        zoo.minimize(Noting(), np.zeros(3), **given)


def test_a_wrong_place_is_said(tmp_path: Path) -> None:
    given = {"max_evaluations": 9, "rng": 0}
    with pytest.raises(ValueError, match=r"must end in \.csv, \.csv\.gz or \.parquet"):
        zoo.minimize(Noting(), np.zeros(3), **given, history="a.txt")
    (tmp_path / "a.parquet").write_text("no folder")
    with pytest.raises(ValueError, match="a Parquet history is a folder"):
        zoo.minimize(Noting(), np.zeros(3), **given, history=tmp_path / "a.parquet")


KILLED = """
import os, sys, time
import numpy as np
import zooadmm as zoo
from zooadmm.run import history

history.LONGEST_WAIT = 0.05
calls = iter(range(10**6))

def loss(x):
    if next(calls) == 90:
        os.kill(os.getpid(), 9)
    time.sleep(0.002)
    return float(x @ x)

zoo.minimize(loss, np.ones(3), settings="paper", gradient=zoo.paper.Smoothed(4), rng=0,
             max_iterations=100, history=sys.argv[1], progress=False)
"""


@pytest.mark.parametrize("name", ["e.csv.gz", "e.parquet"])
def test_a_killed_run_leaves_a_table(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    done = subprocess.run([sys.executable, "-c", KILLED, str(path)])
    assert done.returncode == -9
    frame = table(path)
    assert 20 <= len(frame) <= 90
    np.testing.assert_allclose(
        frame["value"], np.square(frame[["x0", "x1", "x2"]]).sum(axis=1), rtol=1e-12
    )
    if name == "e.parquet":
        assert len(list(path.iterdir())) > 1  # a part each time


def test_parameters_have_their_names_and_units(tmp_path: Path) -> None:
    parameters = zoo.Parameters({"rate": (1e-4, 1, "log"), "depth": (0, 5)})
    zoo.minimize(
        lambda v: v["depth"] + v["rate"],
        parameters,
        max_evaluations=30,
        rng=0,
        history=tmp_path / "e.csv",
    )
    frame = pd.read_csv(tmp_path / "e.csv")
    np.testing.assert_allclose(frame["value"], frame["rate"] + frame["depth"])


def test_what_was_dropped_is_empty(tmp_path: Path) -> None:
    calls = iter(range(10_000))

    def fragile(x: np.ndarray) -> float:
        if next(calls) == 7:
            raise OSError("no answer")
        return float(x @ x)

    result = zoo.minimize(
        fragile, np.ones(3), settings="paper", max_iterations=2, rng=0, on_error="drop",
        history=tmp_path / "e.csv",
    )  # fmt: skip
    assert "no answer" in result.message
    assert pd.read_csv(tmp_path / "e.csv")["value"].isna().sum() == 1


def test_verbose_and_logging(
    capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    given = {"settings": "paper", "max_iterations": 9, "rng": 0}
    zoo.minimize(Noting(), np.zeros(3), **given)
    assert capsys.readouterr().out == ""
    result = zoo.minimize(Noting(), np.zeros(3), **given, verbose=1)
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(",")[0] for line in lines[:4]] == [f"iteration {t}" for t in (1, 2, 4, 8)]
    assert lines[4:] == repr(result).splitlines()
    caplog.clear()  # another test of this process may have left the logger at INFO
    with caplog.at_level(logging.DEBUG, logger="zooadmm"):
        zoo.minimize(Noting(), np.zeros(3), **given)
    assert [record.levelname for record in caplog.records] == ["DEBUG"] * 9 + ["INFO"]
    assert "max iterations after 279 evaluations" in caplog.records[-1].getMessage()
    for wrong in (3, -1, 0.5):
        with pytest.raises(ValueError, match=r"verbose = .* must be 0, 1 or 2"):
            zoo.minimize(Noting(), np.zeros(3), **given, verbose=wrong)  # type: ignore[arg-type]
