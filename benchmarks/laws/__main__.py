"""Laws of the default method: what has no row of the present sources yet is measured.

    python -m benchmarks.laws budgets   # more budget is never worse; told or not told the budget
    python -m benchmarks.laws sizes     # neighbors in m: gaps and own time
    python -m benchmarks.laws cases     # cases that an earlier state of the method failed

`--report` prints the table of the rows that are there.
"""

from __future__ import annotations

import argparse
import os

os.environ.setdefault("OMP_NUM_THREADS", "1")  # before numpy is loaded
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from benchmarks.laws import budgets, cases, sizes
from benchmarks.row_files import read


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.laws",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("law", choices=["budgets", "sizes", "cases"])
    parser.add_argument("--seeds", type=int, nargs="+")
    parser.add_argument("--only", default="", help="a part of the names of problems or losses")
    parser.add_argument("--most", type=int, default=sizes.SIZES[-1], help="the largest m of sizes")
    parser.add_argument("--multiple", type=int, default=sizes.MULTIPLE, help="budget of sizes / m")
    parser.add_argument("--report", action="store_true", help="measure nothing")
    given = parser.parse_args()
    if given.law == "cases":
        print(cases.report(given.seeds or cases.SEEDS, given.only))
    elif given.law == "budgets":
        if not given.report:
            budgets.measure(given.seeds or budgets.SEEDS, given.only)
        print(budgets.report(read(budgets.ROWS, budgets.BudgetRow)))
    else:
        if not given.report:
            sizes.measure(given.seeds or sizes.SEEDS, given.only, given.most, given.multiple)
        rows = read(sizes.ROWS, sizes.SizeRow)
        print(sizes.report([row for row in rows if row.multiple == given.multiple]))


if __name__ == "__main__":
    main()
