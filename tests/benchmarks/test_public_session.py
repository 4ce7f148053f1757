"""Rows of the public benchmarks: resumed after a kill, kept within budgets, made of one source."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from benchmarks.noise.suite import SUITE as NOISE
from benchmarks.yardstick.command import current, main
from benchmarks.yardstick.oracle import Oracle, Spent
from benchmarks.yardstick.peers import SOLVERS
from benchmarks.yardstick.runs import Journal, Run, read_table, write_table
from benchmarks.yardstick.session import Cell, in_a_child, session, solve
from benchmarks.yardstick.solver import Solver
from benchmarks.yardstick.task import Rows, Task

BUDGET = 60
ROOT = Path(__file__).parent.parent.parent
PACKAGES = {
    "cobyqa": "cobyqa",
    "newuoa": "nlopt",
    "bobyqa": "nlopt",
    "cma-es": "cma",
    "py-bobyqa": "pybobyqa",
    "nomad": "PyNomad",
    "dfo-ls": "dfols",
}

PROGRAM = """
import sys, time
from pathlib import Path
import numpy as np
from benchmarks.yardstick.peers import SOLVERS
from benchmarks.yardstick.runs import Journal, Run
from benchmarks.yardstick.session import Cell, session, solve
from benchmarks.yardstick.task import Task

def cell(k):
    def make(run):
        time.sleep(float(sys.argv[2]))
        task = Task(f"p{k}", np.ones(3), np.full(3, -9.0), np.full(3, 9.0),
                    lambda x: float(np.square(x - 0.1 * k).sum()))
        return solve(run, task, SOLVERS["slsqp"], 5.0)
    return Cell(Run(f"p{k}", "plain", "b", 3, "slsqp", 0, 60, start=3.0, source="s"), make)

session([cell(k) for k in range(6)], [], Journal(Path(sys.argv[1])), max_seconds=5.0)
"""


def made(path: Path, pause: float) -> subprocess.Popen[bytes]:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT)])}
    return subprocess.Popen(
        [sys.executable, "-c", PROGRAM, str(path), str(pause)],
        env=environment,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def without_times(path: Path) -> list[Run]:
    return sorted((replace(run, seconds=0.0) for run in Journal(path).read()), key=lambda r: r.key)


def test_a_killed_run_goes_on_and_ends_with_the_same_rows(tmp_path: Path) -> None:
    whole, killed = tmp_path / "whole.csv", tmp_path / "killed.csv"
    assert made(whole, 0.0).wait() == 0
    child = made(killed, 0.3)
    while len(Journal(killed).read()) < 2:
        time.sleep(0.02)
    os.killpg(child.pid, signal.SIGKILL)
    child.wait()
    some = len(Journal(killed).read())
    with killed.open("a") as file:
        file.write("p9,plain,b,3,slsq")  # what a kill in the middle of a line leaves
    assert 2 <= some < 6
    assert made(killed, 0.0).wait() == 0
    assert without_times(killed) == without_times(whole)
    assert len(without_times(whole)) == 6


def test_rows_of_other_sources_are_made_again_and_left_out(tmp_path: Path) -> None:
    calls: list[str] = []
    journal = Journal(tmp_path / "j.csv")
    for source in ("old", "new", "new"):
        about = Run("p", "plain", "u", 1, "s", 0, 5, source=source)
        cell = Cell(about, lambda run: replace(run, status="ended"))
        before = len(journal.read())
        session([cell], [], journal, max_seconds=5.0)
        calls += [source] * (len(journal.read()) - before)
    assert calls == ["old", "new"]
    assert [run.source for run in current([cell], journal.read())] == ["new"]


def test_a_piece_ends_and_says_what_remains(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cells = [
        Cell(Run(f"p{k}", "plain", "u", 1, "s", 0, 5), lambda run: replace(run, status="ended"))
        for k in range(3)
    ]
    assert not session(cells, [], Journal(tmp_path / "j.csv"), max_seconds=5.0, piece=-1.0)
    assert "3 of 3 runs remain" in capsys.readouterr().out


def test_a_solver_that_is_not_there_is_refused_by_name(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(NOISE, ["--solvers", "slsqp,newton"])
    assert "no newton; there are zoo, " in capsys.readouterr().err


def test_tables_are_the_same_bytes_whatever_the_order(tmp_path: Path) -> None:
    runs = [Run(f"p{k}", "plain", "u", 2, "s", 0, 9, history="1:2 3:0.25") for k in range(4)]
    write_table(runs, tmp_path / "a.csv.gz")
    write_table(runs[::-1], tmp_path / "b.csv.gz")
    assert (tmp_path / "a.csv.gz").read_bytes() == (tmp_path / "b.csv.gz").read_bytes()
    assert read_table(tmp_path / "a.csv.gz")[0].records() == [(1, 2.0), (3, 0.25)]


def tasks(name: str) -> Task:
    """A valley in 4 variables of the kind that the solver is for."""
    wide = np.full(4, np.inf)
    rows = Rows(np.array([[1.0, 1.0, 1.0, 1.0]]), np.array([-np.inf]), np.array([1.0]))

    def residuals(x: np.ndarray) -> np.ndarray:
        return np.array([*(10 * (x[1:] - x[:-1] ** 2)), *(1 - x[:-1])])

    kind = SOLVERS[name].kinds[-1]
    return Task(
        name="valley",
        x0=np.array([-1.2, 1.0, -1.2, 1.0]),
        lower=np.full(4, -2.0) if kind == "b" else -wide,
        upper=np.full(4, 2.0) if kind == "b" else wide,
        value=lambda x: float(np.square(residuals(x)).sum()),
        rows=rows if kind == "l" else None,  # type: ignore[arg-type]
        residuals=residuals,
    )


@pytest.mark.parametrize("name", SOLVERS)
def test_every_solver_keeps_its_budget_and_improves(name: str) -> None:
    if name in PACKAGES:
        pytest.importorskip(PACKAGES[name], reason="a package of the bench extra is missing")
    calls: list[float] = []
    task = tasks(name)
    start = task.value(task.x0)

    def counted(run: Run) -> Run:
        inner, inner_residuals = task.value, task.residuals
        assert inner_residuals is not None

        def value(x: np.ndarray) -> float:
            calls.append(1.0)
            return inner(x)

        def residuals(x: np.ndarray) -> np.ndarray:
            calls.append(1.0)
            return inner_residuals(x)

        truth = replace(task, value=value, residuals=residuals, truth=inner)
        found = solve(run, truth, SOLVERS[name], 20.0)
        return replace(found, status=f"{found.status}; called {len(calls)}")

    about = Run("valley", "plain", "b", 4, name, 0, BUDGET, start=start)
    run = in_a_child(Cell(about, counted), 20.0)
    status, _, called = run.status.partition("; called ")
    assert status in ("ended", "budget"), run.status
    assert int(called) == run.used <= BUDGET
    assert run.records()[-1][1] < start
    assert run.records()[-1][0] <= BUDGET


def test_the_oracle_ends_at_its_budget_and_counts_only_feasible_points() -> None:
    task = Task("t", np.ones(1), -np.ones(1), np.ones(1), lambda x: float(x[0]))
    f = Oracle(task, 2, 1.0)
    assert f(np.array([-3.0])) == -3.0  # outside: evaluated, but no record
    f(np.array([0.5]))
    with pytest.raises(Spent):
        f(np.zeros(1))
    assert f.history() == [(2, 0.5)]
    assert f.used == 2


def test_an_error_and_a_crash_are_rows() -> None:
    def fails(task: Task, f: Oracle, seed: int) -> None:
        f(task.x0)
        raise ZeroDivisionError("by design")

    task = Task("t", np.ones(1), -np.ones(1), np.ones(1), lambda x: float(x[0]))
    about = Run("t", "plain", "b", 1, "s", 0, 9)
    run = solve(about, task, Solver("s", "numpy", fails), 1.0)
    assert run.status == "failed: ZeroDivisionError: by design"
    died = in_a_child(Cell(about, lambda run: os._exit(3)), 1.0)
    assert died.status == "failed: the process died"
