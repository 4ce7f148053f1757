"""The fault table in full: `make torture`, or `python -m benchmarks.torture`; under half an hour.

Runs the tests of faults with their full counts and writes `results/torture.txt`: a line a test, and
under it what it has measured.
"""

from __future__ import annotations

import os
import platform
import sys
import time
from pathlib import Path

import pytest

REPORT = Path(__file__).parent / "results" / "torture.txt"
TESTS = ("tests/evaluation", "tests/run/test_kill.py", "tests/run/test_policies.py")


class Scribe:
    """Writes what becomes of each test, and how long it took."""

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "call" or not report.passed:
            with REPORT.open("a") as file:
                name = report.nodeid.removeprefix("tests/")
                file.write(f"{report.outcome} {report.duration:6.1f} s  {name}\n")


def main() -> int:
    os.environ["TORTURE"] = str(REPORT)
    cores = os.cpu_count()
    REPORT.write_text(f"Python {platform.python_version()}, {cores} cores, shared\n\n")
    began = time.monotonic()
    code = pytest.main(["-q", "-m", "not optuna", "-p", "no:cacheprovider", *TESTS], [Scribe()])
    with REPORT.open("a") as file:
        verdict = "all passed" if code == 0 else f"pytest ended with {int(code)}"
        file.write(f"\n{verdict}, {(time.monotonic() - began) / 60:.1f} minutes\n")
    return int(code)


if __name__ == "__main__":
    sys.exit(main())
