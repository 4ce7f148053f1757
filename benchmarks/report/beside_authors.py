"""The authors' own program beside ours, from `results/authors.csv`."""

from __future__ import annotations

import csv
import statistics
from collections import defaultdict
from pathlib import Path

from benchmarks.authors import THEIRS
from benchmarks.report.text import digits, table


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
        figures = [f"{theirs.seconds:g}", theirs.objective, theirs.violation]
        rows.append([name, "theirs, in GNU Octave", *figures])
        if name in runs:
            rows.append([name, "ours", *_medians(runs[name])])
    return table(heads, rows)


def _medians(runs: list[dict[str, str]]) -> list[str]:
    seconds, objective, violation = (
        statistics.median(float(run[column]) for run in runs)
        for column in ("seconds", "objective", "violation")
    )
    return [digits(seconds), f"{objective:.5g}", digits(violation)]
