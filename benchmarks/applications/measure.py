"""Measuring what has no rows yet, one case and seed after the other."""

from __future__ import annotations

import time
from collections.abc import Sequence
from fnmatch import fnmatch
from pathlib import Path

from benchmarks.applications.line import Line
from benchmarks.applications.rows import FIRST_SEED, Row, read, write


def measure(
    lines: Sequence[Line], num_seeds: int, only: str, folder: Path, evaluations: int | None = None
) -> None:
    """File the rows of each case and seed when they are there.

    only: a pattern for the cases. evaluations: in place of each line's own.
    """
    jobs = [
        (line, case, seed, line.evaluations if evaluations is None else evaluations)
        for line in lines
        for case in line.cases
        if fnmatch(case, only)
        for seed in range(FIRST_SEED, FIRST_SEED + num_seeds)
    ]
    done = {row.key for row in read(folder)}
    wanted = [job for job in jobs if (job[0].name, *job[1:]) not in done]
    began = time.monotonic()
    for count, (line, case, seed, budget) in enumerate(wanted, start=1):
        before = time.process_time()
        said = f"{line.name}: {case}, seed {seed}"
        try:
            figures = line.run(case, seed, budget)
        except (FileNotFoundError, ImportError) as missing:
            said += f" has no rows: {missing}"
            figures = {}
        seconds = time.process_time() - before
        new = [
            Row(line.name, case, seed, budget, figure, value, seconds)
            for figure, value in figures.items()
        ]
        if new:
            write([*read(folder), *new], folder)
        minutes = (time.monotonic() - began) / 60
        print(f"{count}/{len(wanted)}  {minutes:.1f} min  {said}", flush=True)


def forget(lines: Sequence[Line], only: str, folder: Path) -> None:
    """Drop the rows of these lines and cases, so that they are measured again."""
    names = {line.name for line in lines}
    kept = [r for r in read(folder) if r.line not in names or not fnmatch(r.case, only)]
    write(kept, folder)
