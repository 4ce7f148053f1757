"""Studies of settings="auto": what has no rows in `results/auto` yet is run.

`python -m benchmarks.auto hindsight` goes on where it stopped; to run something again, take its
rows out of `results/auto/hindsight.csv`. `python -m benchmarks.auto report` makes the tables.
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")  # before numpy is loaded
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from benchmarks.auto import report
from benchmarks.auto.studies import STUDIES
from benchmarks.auto.study import FOLDER, Plan
from benchmarks.auto.work import work


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.auto", description=__doc__)
    parser.add_argument("study", choices=[*STUDIES, "report"])
    parser.add_argument("--seeds", type=int, help="how many; by default the study's own number")
    parser.add_argument("--budgets", type=int, nargs="+", help="by default the study's own")
    parser.add_argument("--only", default="*", help="case/variant/seed, as lasso*/auto*")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--results", type=Path, default=FOLDER, help="a folder")
    given = parser.parse_args()
    if given.study == "report":
        report.write(given.results)
        return
    study = STUDIES[given.study]
    budgets = tuple(sorted(given.budgets or study.plan.budgets))
    plan = Plan(budgets, given.seeds or study.plan.num_seeds)
    work(study, plan, given.only, given.workers, given.results)


if __name__ == "__main__":
    main()
