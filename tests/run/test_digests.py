"""Algorithm 1 as printed keeps its bits: short runs have the digests that are recorded.

`python -m tools.digests --compare` is the same for all runs, those of the automatic method too.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tools.digests.__main__ import RUNS, recorded

ROOT = Path(__file__).resolve().parents[2]
PAPER = "paper/[!e]*"
"""All but engines and estimators, which are slow."""


def test_every_run_is_recorded() -> None:
    assert sorted(recorded()["runs"]) == sorted(RUNS)


def test_runs_of_the_paper_keep_their_bits() -> None:
    """In a process of its own, which chooses the kernels of BLAS before numpy is loaded."""
    command = [sys.executable, "-m", "tools.digests", "--compare", "--only", PAPER]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.stdout.startswith("The environment is another"):
        pytest.skip(done.stdout)
    assert done.returncode == 0, done.stdout + done.stderr
