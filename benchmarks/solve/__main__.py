"""python -m benchmarks.solve [NAME ...]: solve these problems (default: all), file their optima."""

from __future__ import annotations

import argparse
import json
from typing import Any

import numpy as np

import zooadmm as zoo
from benchmarks.optima import PATH
from benchmarks.problem import Array, Problem
from benchmarks.problems import FULL, unsolved
from benchmarks.solve import judges
from benchmarks.solve.certificates import gap
from benchmarks.solve.exact import accelerated, active_set
from zooadmm.losses import Squares

FILED = [*FULL, "noisy"]
"""The names in the file: stochastic versions and both noise levels share an optimum."""

Entry = dict[str, Any]


def solved(name: str) -> Entry:
    """The entry of the problem that is filed under this name."""
    problem, _ = unsolved("noisy-0.1" if name == "noisy" else name)
    x, run = long_run(problem)
    judge, judged = second_opinion(name, problem, x)
    optimum, start = problem.objective(x), problem.objective(problem.nearest(problem.x0))
    entry: Entry = {"optimum": optimum, "start": start}
    if problem.sparse:
        entry["support"] = support(x)
    return entry | {
        "how": f"{run}; judged by {judged}",
        "judge": judge,
        "apart": abs(judge - optimum) / (start - optimum),
        "bound": gap(problem, x) / (start - optimum),
    }


def support(x: Array) -> list[int]:
    """Where x is not zero; the prox of a sum over groups leaves rounding in place of zeros."""
    return np.flatnonzero(np.abs(x) > 1e-9 * np.abs(x).max()).tolist()


def long_run(problem: Problem) -> tuple[Array, str]:
    """The minimizer, and how it was found."""
    if isinstance(problem.loss, Squares) and isinstance(problem.feasible, zoo.Box):
        return active_set(problem), "scipy's active-set method for least squares in a box"
    return accelerated(problem), "restarted FISTA with true gradients, to rounding"


def second_opinion(name: str, problem: Problem, x: Array) -> tuple[float, str]:
    """What somebody else finds, and who."""
    if name == "large":
        return judges.separable(problem), "its closed form, a variable at a time"
    if name == "sensors-sample":
        return judges.by_sample(problem, x), "a Frank-Wolfe lower bound from numpy's determinants"
    if name.startswith("cox"):
        return judges.by_chain(problem), "Clarabel through cvxpy, risk sets in a chain"
    return judges.by_cvxpy(problem), "Clarabel through cvxpy"


def table(entries: dict[str, Entry]) -> str:
    """The entries in Markdown."""
    lines = [
        "| problem | start | optimum | apart | bound | nonzeros |",
        "|---|--:|--:|--:|--:|--:|",
    ]
    for name, entry in entries.items():
        nonzeros = len(entry["support"]) if "support" in entry else ""
        lines.append(
            f"| {name} | {entry['start']:.6f} | {entry['optimum']:.9g} "
            f"| {entry['apart']:.0e} | {entry['bound']:.0e} | {nonzeros} |"
        )
    return "\n".join(lines)


def filed() -> dict[str, Entry]:
    """What the file has, read anew."""
    return dict(json.loads(PATH.read_text())) if PATH.exists() else {}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.solve", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(FILED))
    names = parser.parse_args().names or FILED
    unknown = [name for name in names if name not in FILED]
    if unknown:
        parser.error(f"there is no {unknown[0]!r}; there are {', '.join(FILED)}.")
    for name in names:
        entries = filed() | {name: solved(name)}
        lines = [f'"{known}": {json.dumps(entries[known])}' for known in FILED if known in entries]
        PATH.write_text("{\n" + ",\n".join(lines) + "\n}\n")
    print(table({name: entry for name, entry in filed().items() if name in names}))


if __name__ == "__main__":
    main()
