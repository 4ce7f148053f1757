"""Kills during studies on each durable storage: `make torture-optuna`.

Runs the tests of storages with KILLS kills a row (200) and writes `results/optuna/torture.txt`.
Where it was stopped, the same command goes on with the rows that are not there; `--again` tries all
anew. On a busy machine its 17 processes share what their session gets, and `nice` does not reach
beyond it: `echo -5 > /proc/PID/autogroup` does (Linux), for three times the pace.
"""

from __future__ import annotations

import os
import platform
import sys
from pathlib import Path

import pytest

REPORT = Path(__file__).parents[1] / "results" / "optuna" / "torture.txt"
TESTS = [f"tests/integrations/optuna/test_{name}.py" for name in ("kills", "storages")]


class Scribe:
    """Writes a row for each test that ends, and leaves out those that have passed before."""

    def __init__(self, passed: set[str]) -> None:
        self._passed = passed

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        items[:] = [item for item in items if item.name not in self._passed]

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "call" or not report.passed:
            name = report.nodeid.rpartition("::")[2]
            tally = "; ".join(str(value) for _, value in report.user_properties)
            with REPORT.open("a") as file:
                file.write(f"{report.outcome} {report.duration:6.1f} s  {name:45} {tally}".rstrip())
                file.write("\n")


def main() -> int:
    kills = os.environ.setdefault("KILLS", "200")
    head = (
        f"{kills} kills a row; Python {platform.python_version()}, {os.cpu_count()} cores, shared"
    )
    lines = REPORT.read_text().splitlines() if REPORT.exists() else []
    rows = [line for line in lines if line.startswith("passed")]
    if "--again" in sys.argv or not lines or lines[0] != head:
        rows = []
    REPORT.write_text("\n".join([head, "", *rows, ""]))
    scribe = Scribe({row.split()[3] for row in rows})
    return int(
        pytest.main(["-q", "-n0", "-m", "optuna", "-p", "no:cacheprovider", *TESTS], [scribe])
    )


if __name__ == "__main__":
    sys.exit(main())
