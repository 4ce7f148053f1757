"""Kills during studies on each durable storage: `make torture-optuna`.

Runs the tests of storages with KILLS kills each (200) and writes `results/optuna/torture.txt`.
"""

from __future__ import annotations

import os
import platform
import sys
import time
from pathlib import Path

import pytest

REPORT = Path(__file__).parents[1] / "results" / "optuna" / "torture.txt"
TESTS = "tests/integrations/optuna/test_storages.py"


class Scribe:
    """Writes what becomes of each test, and how long it took."""

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "call" or not report.passed:
            with REPORT.open("a") as file:
                name = report.nodeid.rpartition("::")[2]
                file.write(f"{report.outcome} {report.duration:6.1f} s  {name}\n")


def main() -> int:
    os.environ["TORTURE"] = str(REPORT)
    kills = os.environ.setdefault("KILLS", "200")
    cores = os.cpu_count()
    began = time.monotonic()
    REPORT.write_text(
        f"Python {platform.python_version()}, {cores} cores, shared; {kills} kills a row\n\n"
    )
    arguments = ["-q", "-n0", "-m", "optuna", "-p", "no:cacheprovider", TESTS, *sys.argv[1:]]
    code = pytest.main(arguments, plugins=[Scribe()])
    with REPORT.open("a") as file:
        verdict = "all passed" if code == 0 else f"pytest ended with {int(code)}"
        file.write(f"\n{verdict}, {(time.monotonic() - began) / 60:.1f} minutes\n")
    return int(code)


if __name__ == "__main__":
    sys.exit(main())
