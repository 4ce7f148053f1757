"""The progress bar: on a terminal and for a run that lasts, and nowhere else."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
import threading
from contextlib import suppress

import pytest

pytestmark = pytest.mark.xdist_group("progress")  # all look at the same programs

PROGRAM = """
import json, os, sys, time
import numpy as np
import zooadmm as zoo

def run(pause, given):
    def loss(x):
        time.sleep(pause)
        return float(np.square(x - 1).sum())

    result = zoo.minimize(
        loss, np.zeros(3), settings="paper", gradient=zoo.paper.Smoothed(1), rng=0, **given
    )
    print(result.nit, "done", flush=True)

jobs = json.loads(sys.argv[1])
for pause, given, out, err in jobs:
    if os.fork() == 0:
        os.dup2(out, 1), os.dup2(err, 2)
        run(pause, given)
        os._exit(0)
sys.exit(max(os.waitstatus_to_exitcode(os.wait()[1]) != 0 for _ in jobs))
"""
LONG, SHORT = 0.02, 0.0
Job = tuple[float, dict[str, object], bool]
JOBS: dict[str, Job] = {
    "a terminal": (LONG, {"max_iterations": 45}, True),
    "a terminal, evaluations": (LONG, {"max_evaluations": 90}, True),
    "a terminal, seconds": (LONG, {"max_seconds": 1.8}, True),
    "a terminal, progress=False": (LONG, {"max_iterations": 45, "progress": False}, True),
    "a terminal, a short run": (SHORT, {"max_iterations": 5}, True),
    "a pipe": (LONG, {"max_iterations": 45}, False),
}
"""The pause of an evaluation, arguments, and whether standard error is a terminal, else a pipe."""


def read(ours: int, pieces: list[bytes]) -> None:
    """Read to the end what is shown."""
    with suppress(OSError):  # how a pseudo-terminal says that nobody writes to it any more
        while piece := os.read(ours, 4096):
            pieces.append(piece)
    os.close(ours)


@pytest.fixture(scope="module")
def shown() -> dict[str, tuple[str, str]]:
    """(standard output, standard error) of all jobs, side by side in forks: they mostly sleep."""
    unwanted = {"NO_COLOR", "FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE", "CI"}
    environment = {k: v for k, v in os.environ.items() if k not in unwanted}
    environment |= {"TERM": "xterm-256color", "COLUMNS": "120", "LINES": "30"}
    pipes = [os.pipe() for _ in JOBS]
    errors = [pty.openpty() if terminal else os.pipe() for _, _, terminal in JOBS.values()]
    theirs = [(out[1], err[1]) for out, err in zip(pipes, errors, strict=True)]
    given = [(*job[:2], *ends) for job, ends in zip(JOBS.values(), theirs, strict=True)]
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, json.dumps(given)],
        pass_fds=[end for ends in theirs for end in ends],
        env=environment,
    )
    pieces: list[list[bytes]] = [[] for _ in range(2 * len(JOBS))]
    readers = []
    for ours, into in zip([*pipes, *errors], pieces, strict=True):
        os.close(ours[1])
        readers.append(threading.Thread(target=read, args=(ours[0], into)))
        readers[-1].start()
    assert process.wait(timeout=60) == 0
    for reader in readers:
        reader.join(timeout=60)
    texts = [b"".join(each).decode() for each in pieces]
    return dict(zip(JOBS, zip(texts[: len(JOBS)], texts[len(JOBS) :], strict=True), strict=True))


def test_a_long_run_shows_its_progress_on_a_terminal(shown: dict[str, tuple[str, str]]) -> None:
    out, err = shown["a terminal"]
    assert out == "45 done\n"
    assert "iterations" in err
    assert "/45" in err
    assert "loss " in err
    assert "residual " in err
    assert err.count("/45") > 3  # it moves


def test_it_counts_what_is_limited(shown: dict[str, tuple[str, str]]) -> None:
    out, err = shown["a terminal, evaluations"]
    assert out == "45 done\n"
    assert "evaluations" in err
    assert "/90" in err
    _, err = shown["a terminal, seconds"]
    assert "iterations" in err
    assert "/?" in err


def test_it_leaves_the_terminal_as_it_was(shown: dict[str, tuple[str, str]]) -> None:
    _, err = shown["a terminal"]
    hidden, cursor_shown = err.rfind("\x1b[?25l"), err.rfind("\x1b[?25h")
    assert 0 <= hidden < cursor_shown
    assert "\x1b[2K" in err[hidden:]  # the line is erased


@pytest.mark.parametrize(
    ("label", "iterations"),
    [("a pipe", 45), ("a terminal, progress=False", 45), ("a terminal, a short run", 5)],
)
def test_nothing_is_printed_to(
    label: str, iterations: int, shown: dict[str, tuple[str, str]]
) -> None:
    out, err = shown[label]
    assert out == f"{iterations} done\n"
    assert err == ""
