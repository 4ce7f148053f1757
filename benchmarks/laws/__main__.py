"""Laws of the default method: what has no row of the present sources yet is measured.

    python -m benchmarks.laws budgets   # more budget is never worse; told or not told the budget
    python -m benchmarks.laws sizes     # neighbors in m: gaps and own time
    python -m benchmarks.laws cases     # cases that an earlier state of the method failed

`--report` prints the table of the rows that are there; both ways of `budgets` and `sizes` fill the
tables of `results/laws/README.md`.
"""

from __future__ import annotations

import argparse
import os

os.environ.setdefault("OMP_NUM_THREADS", "1")  # before numpy is loaded
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from benchmarks.laws import budgets, cases, page, sizes


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.laws",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("law", choices=["budgets", "sizes", "cases"])
    parser.add_argument("--seeds", type=int, nargs="+")
    parser.add_argument("--only", default="", help="a part of the names of problems or losses")
    parser.add_argument("--most", type=int, default=3000, help="the largest m of sizes")
    parser.add_argument("--report", action="store_true", help="measure nothing")
    given = parser.parse_args()
    if given.law == "cases":
        print(cases.report(given.seeds or cases.SEEDS, given.only))
        return
    if not given.report and given.law == "budgets":
        budgets.measure(given.seeds or budgets.SEEDS, given.only)
    elif not given.report:
        sizes.measure(given.seeds or (), given.only, given.most)
    page.written()
    print(page.tables()[given.law])


if __name__ == "__main__":
    main()
