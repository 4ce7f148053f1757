"""Data profiles on bbob-constrained: `python -m benchmarks.evaluated`.

Even instances judge. All 42 functions are run in 5, 10 and 20 variables; with `--part`, those with
the second and the fifth number of constraints, which NOMAD is run on. Rows that are there are not
made again; a session that was stopped continues.
"""

from __future__ import annotations

import argparse
import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

from benchmarks.coco.problems import Place
from benchmarks.evaluated.suite import PER_VARIABLE, SECONDS, cells, places
from benchmarks.yardstick.profiles import needed
from benchmarks.yardstick.runs import Journal, Run, read_table, write_table
from benchmarks.yardstick.session import PIECE, session
from benchmarks.yardstick.suite import RESULTS

TABLE = RESULTS / "evaluated" / "bbob-constrained.csv.gz"
JOURNAL = RESULTS / "evaluated" / "bbob-constrained.journal.csv"
DIMENSIONS = (5, 10, 20)
EVALUATIONS = (100, 1000)
"""A variable."""
TAU = 1e-5


def in_part(place: Place) -> bool:
    """Whether the function has the second or the fifth number of constraints."""
    return (place.function - 1) % 6 in (1, 4)


def profile(runs: list[Run], solvers: Sequence[str]) -> str:
    """Problems solved to tau, of those that all of these solvers were run on."""
    by_problem: dict[str, dict[str, Run]] = defaultdict(dict)
    for run in runs:
        by_problem[run.problem][run.solver] = run
    lines = ["| variables | problems | solver | at 100 n | at 1,000 n |", "|---|---|---|---|---|"]
    common = [found for found in by_problem.values() if set(solvers) <= set(found)]
    for n in DIMENSIONS:
        for name in solvers:
            times = [needed(found[name], 0.0, TAU) for found in common if found[name].n == n]
            counts = [sum(t <= e * n for t in times) for e in EVALUATIONS]
            if times:
                lines.append(f"| {n} | {len(times)} | {name} | {counts[0]} | {counts[1]} |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.evaluated")
    parser.add_argument("--solvers", default="zoo,cobyqa,slsqp", help="by commas")
    parser.add_argument("--dimensions", default="5,10,20", help="by commas")
    parser.add_argument("--instances", default="2", help="by commas; odd ones chose constants")
    parser.add_argument("--evaluations", type=int, default=PER_VARIABLE, help="a variable")
    parser.add_argument("--part", action="store_true", help="14 of the 42 functions")
    parser.add_argument("--piece", type=float, default=PIECE, help="seconds of this session")
    given = parser.parse_args()
    instances = tuple(int(i) for i in given.instances.split(","))
    where = places([int(n) for n in given.dimensions.split(",")], instances)
    names = given.solvers.split(",")
    planned = [
        replace(cell, about=replace(cell.about, budget=given.evaluations * cell.about.n))
        for cell in cells([p for p in where if in_part(p) or not given.part], names)
    ]
    known, journal = read_table(TABLE), Journal(JOURNAL)
    if not session(planned, known, journal, max_seconds=SECONDS, piece=given.piece):
        return
    newest = {run.key: run for run in (*known, *journal.read())}
    write_table(newest.values(), TABLE)
    journal.clear()
    judged = [run for run in newest.values() if int(run.problem.rsplit("i", 1)[1]) % 2 == 0]
    print(profile([run for run in judged if math.isfinite(run.start)], names))


if __name__ == "__main__":
    main()
