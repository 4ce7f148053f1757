"""What the applications reach: lines without rows in `results/applications` are measured.

`python -m benchmarks.applications cox groups` measures these lines; without names, all. It goes on
where it stopped; `--again` measures anew. The table is written in any case.
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")  # before numpy is loaded
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from benchmarks.applications import report
from benchmarks.applications.lines import LINES
from benchmarks.applications.measure import forget, measure
from benchmarks.applications.rows import FOLDER


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.applications", description=__doc__)
    parser.add_argument("lines", nargs="*", metavar="line", help=f"any of {', '.join(LINES)}")
    parser.add_argument("--only", default="*", help="a pattern for the cases, as 0.2*")
    parser.add_argument("--seeds", type=int, default=3, help="how many; by default 3")
    parser.add_argument("--again", action="store_true", help="measure also what has rows")
    parser.add_argument("--results", type=Path, default=FOLDER, help="a folder")
    given = parser.parse_args()
    unknown = sorted(set(given.lines) - set(LINES))
    if unknown:
        parser.error(f"there is no line {unknown[0]!r}; there are {', '.join(LINES)}")
    lines = [line for name, line in LINES.items() if not given.lines or name in given.lines]
    if given.again:
        forget(lines, given.only, given.results)
    measure(lines, given.seeds, given.only, given.results)
    print(report.write(given.results, list(LINES.values())))


if __name__ == "__main__":
    main()
