"""What is left behind by runs that fail or are killed, and who can reach what they start: nothing.

This file is also a program: run as a script it is the driver that gets killed.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import pytest

import zooadmm as zoo
from twins.workshop import alive

HANGING = 'touch "$0.$$"; sleep 3600 & while read -r line; do sleep 3600; done'
"""A program that never answers, with a child of its own."""
COPIES = 3


def open_descriptors() -> int:
    return len(os.listdir("/proc/self/fd"))


class Unsendable:
    """A loss that no other process can have."""

    def __init__(self, part: Any) -> None:
        self.part = part

    def __call__(self, x: np.ndarray) -> float:
        return float(x @ x)


@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="counts entries of /proc")
@pytest.mark.parametrize("workers", [1, 3])
def test_a_loss_that_cannot_be_sent_is_named_and_leaves_nothing_open(workers: int) -> None:
    generator = (n for n in range(3))
    for part in (threading.Lock(), generator, sys._getframe()):
        before = open_descriptors()
        for _ in range(3):
            with pytest.raises(TypeError, match="loss cannot be sent to other processes"):
                zoo.minimize(Unsendable(part), np.zeros(3), max_evaluations=9, workers=workers)
        assert open_descriptors() == before


@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="counts entries of /proc")
def test_workers_that_cannot_start_leave_nothing_open(monkeypatch: pytest.MonkeyPatch) -> None:
    before = open_descriptors()
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    with pytest.raises(FileNotFoundError):
        zoo.minimize(Unsendable(None), np.zeros(3), max_evaluations=9, workers=2)
    with pytest.raises(FileNotFoundError):
        zoo.Command(["/nowhere/program"])(np.zeros(2))
    assert open_descriptors() == before


@pytest.mark.skipif(os.name != "posix", reason="needs a process group")
def test_programs_end_with_a_driver_that_is_killed(tmp_path: Path) -> None:
    paths = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    driver = subprocess.Popen([sys.executable, __file__, str(tmp_path)], env=paths)
    try:
        patience = time.monotonic() + 60
        while len(list(tmp_path.iterdir())) < COPIES and time.monotonic() < patience:
            time.sleep(0.02)
        programs = [int(path.suffix[1:]) for path in tmp_path.iterdir()]
        assert len(programs) == COPIES
        groups = [p.pid for p in psutil.process_iter() if _group(p.pid) in programs]
        assert len(groups) >= 2 * len(programs)  # each with its child
    finally:
        driver.kill()
        driver.wait()
    patience = time.monotonic() + 10
    while any(map(alive, groups)) and time.monotonic() < patience:
        time.sleep(0.02)
    assert [pid for pid in groups if alive(pid)] == []


def _group(pid: int) -> int:
    try:
        return os.getpgid(pid)
    except OSError:
        return -1


def test_a_command_leaves_no_process_behind(tmp_path: Path) -> None:
    """Nor do children of a program that was too slow."""
    program = zoo.Command(["sh", "-c", HANGING, str(tmp_path / "program")], timeout=0.3)
    with program, pytest.raises(RuntimeError, match=r"did not answer within 0.3 seconds, 3 times"):
        program(np.zeros(2))
    started = [int(path.suffix[1:]) for path in tmp_path.iterdir()]
    patience = time.monotonic() + 10
    while _members(started) and time.monotonic() < patience:
        time.sleep(0.02)
    assert len(started) == 3
    assert _members(started) == []


def _members(groups: list[int]) -> list[int]:
    return [p.pid for p in psutil.process_iter() if _group(p.pid) in groups and alive(p.pid)]


if __name__ == "__main__":
    zoo.minimize(
        zoo.Command(["sh", "-c", HANGING, str(Path(sys.argv[1]) / "program")]),
        np.zeros(4),
        max_evaluations=1_000,  # the first query keeps all copies busy
        workers=COPIES,
    )
