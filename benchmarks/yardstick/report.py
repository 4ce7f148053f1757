"""The tables of a benchmark: data profiles, performance profiles, what was cut."""

from __future__ import annotations

import math
import statistics
from collections import defaultdict
from collections.abc import Sequence

from benchmarks.yardstick.comparison import REFERENCE, flaws, one_digest, place, references
from benchmarks.yardstick.profiles import (
    bootstrap,
    needed,
    performance_profile,
    performance_ratios,
    simplex_gradients,
)
from benchmarks.yardstick.runs import Run
from benchmarks.yardstick.suite import Suite
from benchmarks.yardstick.text import table

ALPHAS = (10, 30, 100)
"""Simplex gradients."""
FACTORS = (1, 2, 4)


def report(suite: Suite, runs: Sequence[Run]) -> str:
    """All tables, by feature and group."""
    headings: dict[tuple[str, str], list[Run]] = defaultdict(list)
    least = references(suite, runs)
    for run in (run for run in runs if run.solver != REFERENCE):
        headings[run.feature, run.group].append(run)
        headings[run.feature, "all"].append(run)
    parts = [f"# {suite.name}", _made(runs)]
    for (feature, group), made in sorted(headings.items()):
        parts.append(f"## {feature}, {group}")
        parts.append(_profiles(suite, made, least))
    parts += ["## Own time an evaluation by size, median ms", _times(runs)]
    parts += ["## Flaws and limits", _limits(suite, runs)]
    return "\n\n".join(parts)


def _made(runs: Sequence[Run]) -> str:
    sources: dict[str, set[str]] = defaultdict(set)
    for run in runs:
        sources[run.solver].add(run.source)
    words = "; ".join(f"{name} {one_digest(s)}" for name, s in sources.items())
    return f"Digest of the sources of every solver's rows: {words}."


def _profiles(suite: Suite, runs: Sequence[Run], least: dict[tuple[str, str, int], float]) -> str:
    """One line a solver and target: shares solved, 90 % intervals over problems, ratios."""
    by_solver: dict[str, dict[tuple[str, str, int], Run]] = defaultdict(dict)
    for run in runs:
        by_solver[run.solver][place(run)] = run
    places = sorted({place(run) for run in runs})
    lines = []
    for target in suite.targets:
        times = {
            name: [_time(made.get(at), least[at], target) for at in places]
            for name, made in by_solver.items()
        }
        ratios = performance_ratios(times)
        sizes = {place(run): run.n for run in runs}
        for name, counts in times.items():
            units = [simplex_gradients(t, sizes[at]) for t, at in zip(counts, places, strict=True)]
            shares = []
            for alpha in ALPHAS:
                solved = [float(unit <= alpha) for unit in units]
                low, high = bootstrap(solved)
                shares.append(f"{sum(solved) / len(solved):.2f} [{low:.2f}, {high:.2f}]")
            quick = [f"{performance_profile(ratios[name], factor):.2f}" for factor in FACTORS]
            lines.append([name, f"{target:g}", str(len(places)), *shares, *quick])
    head = ["solver", "target", "problems", *(f"solved at {a} (n+1)" for a in ALPHAS)]
    return table([*head, *(f"within {f} x fewest" for f in FACTORS)], lines)


def _time(run: Run | None, least: float, target: float) -> float:
    return math.inf if run is None or not run.history else needed(run, least, target)


SIZES = (5, 10, 20, 50, 100, 200, 500, 2000, 10_000, 1_000_000)


def _times(runs: Sequence[Run]) -> str:
    """Processor time of the solver itself for one evaluation, by the number of variables."""
    found: dict[tuple[str, int], list[float]] = defaultdict(list)
    for run in runs:
        if run.used > 0:
            size = next(size for size in SIZES if run.n <= size)
            found[run.solver, size].append(1e3 * run.seconds / run.used)
    sizes = [size for size in SIZES if any(at == size for _, at in found)]
    lines = [
        [
            name,
            *(
                f"{statistics.median(found[name, s]):.2f}" if (name, s) in found else ""
                for s in sizes
            ),
        ]
        for name in dict.fromkeys(name for name, _ in found)
    ]
    return table(["solver", *(f"n <= {size:,}" for size in sizes)], lines)


def _limits(suite: Suite, runs: Sequence[Run]) -> str:
    lines = []
    for name in dict.fromkeys(run.solver for run in runs):
        made = [run for run in runs if run.solver == name]
        found = [flaw.partition(":")[0] for run in made if run.fits for flaw in flaws(suite, run)]
        words = ", ".join(f"{found.count(flaw)} {flaw}" for flaw in sorted(set(found)))
        unfit = sum(not run.fits for run in made)
        lines.append([name, str(len(made)), str(unfit), words or "none"])
    seconds = (
        f"A run has {suite.full_seconds:g} s of the solver's own time (peers of the quick form: "
    )
    seconds += f"{suite.quick_seconds:g} s); what is unfit counts as not solved."
    return seconds + "\n\n" + table(["solver", "runs", "unfit", "flaws"], lines)
