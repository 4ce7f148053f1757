"""The progress bar: on a terminal and for a run that lasts, and nowhere else."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
import threading
from dataclasses import dataclass, field

import pytest

pytestmark = pytest.mark.xdist_group("progress")  # all look at the same programs

PROGRAM = """
import sys, time
import numpy as np
import zooadmm as zoo

def loss(x):
    time.sleep({pause})
    return float(np.square(x - 1).sum())

result = zoo.minimize(
    loss, np.zeros(3), settings="paper", gradient=zoo.paper.Smoothed(1), rng=0, **{given}
)
print(result.nit, "done")
"""
LONG, SHORT = 0.02, 0.0


@dataclass
class Shown:
    """A running program, and what it shows on its standard error."""

    process: subprocess.Popen[bytes]
    reader: threading.Thread
    pieces: list[bytes] = field(default_factory=list)

    def finish(self) -> tuple[str, str]:
        """(standard output, standard error), once the program has ended."""
        out, _ = self.process.communicate(timeout=60)
        self.reader.join(timeout=60)
        assert self.process.returncode == 0, self.pieces
        return out.decode(), b"".join(self.pieces).decode()


def start(pause: float, given: dict[str, object], terminal: bool) -> Shown:
    """Start the program with a pseudo-terminal, or a pipe, for its standard error."""
    ours, theirs = pty.openpty() if terminal else os.pipe()
    unwanted = {"NO_COLOR", "FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE", "CI"}
    environment = {k: v for k, v in os.environ.items() if k not in unwanted}
    environment |= {"TERM": "xterm-256color", "COLUMNS": "120", "LINES": "30"}
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM.format(pause=pause, given=given)],
        stdout=subprocess.PIPE,
        stderr=theirs,
        env=environment,
    )
    os.close(theirs)
    pieces: list[bytes] = []

    def read() -> None:
        while True:
            try:
                piece = os.read(ours, 4096)
            except OSError:  # how a pseudo-terminal says that nobody writes to it any more
                piece = b""
            if not piece:
                break
            pieces.append(piece)
        os.close(ours)

    reader = threading.Thread(target=read)
    reader.start()
    return Shown(process, reader, pieces)


@pytest.fixture(scope="module")
def shown() -> dict[str, tuple[str, str]]:
    """All programs side by side: they mostly sleep."""
    running = {
        "a terminal": start(LONG, {"max_iterations": 45}, terminal=True),
        "a terminal, evaluations": start(LONG, {"max_evaluations": 90}, terminal=True),
        "a terminal, seconds": start(LONG, {"max_seconds": 1.8}, terminal=True),
        "a terminal, progress=False": start(
            LONG, {"max_iterations": 45, "progress": False}, terminal=True
        ),
        "a terminal, a short run": start(SHORT, {"max_iterations": 5}, terminal=True),
        "a pipe": start(LONG, {"max_iterations": 45}, terminal=False),
    }
    return {label: program.finish() for label, program in running.items()}


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
