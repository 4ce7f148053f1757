"""The authors' own program beside ours, from `results/authors.csv`."""

from __future__ import annotations

import csv
import statistics
from collections import defaultdict
from pathlib import Path

from benchmarks.authors import ITERATIONS, THEIRS
from benchmarks.report.text import count, digits, table

NOTE = (
    f"{count(ITERATIONS)} iterations on the two samples that the authors released, in their "
    f"settings. Their MATLAB program was run by hand elsewhere, in GNU Octave, which is slower "
    f"than MATLAB: the times say little about MATLAB. Its objective is the one that it printed, "
    f"for the sensors at a point that violates the budget. Ours are medians over the seeds in "
    f"`authors.csv`: seconds on the wall, the objective at the feasible point nearest to the "
    f"answer, and the distance between the two."
)


def authors_section(path: Path) -> str:
    """The note and the table; empty where the file is not there."""
    return f"{NOTE}\n\n{authors_table(path)}" if path.exists() else ""


def authors_table(path: Path) -> str:
    """Theirs in GNU Octave and ours, by sample."""
    with path.open(newline="") as file:
        lines = list(csv.DictReader(file))
    runs: dict[str, list[dict[str, str]]] = defaultdict(list)
    for line in lines:
        runs[line["problem"]].append(line)
    heads = ["sample", "program", "seconds", "objective", "distance from feasible"]
    rows = []
    for name, theirs in THEIRS.items():
        told = [f"{theirs.seconds:g}", theirs.objective, theirs.violation]
        rows.append([name, "theirs, in GNU Octave", *told])
        if name in runs:
            rows.append([name, "ours", *_medians(runs[name])])
    return table(heads, rows)


def _medians(runs: list[dict[str, str]]) -> list[str]:
    seconds, objective, violation = (
        statistics.median(float(run[column]) for run in runs)
        for column in ("seconds", "objective", "violation")
    )
    return [digits(seconds), f"{objective:.5g}", digits(violation)]
