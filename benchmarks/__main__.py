"""Run what has not been run yet.

`python -m benchmarks` goes on where it stopped. `python -m benchmarks --only "cox-kirc*/zoo*"` runs
these cells, problem/method with * and ?, again.
"""

from __future__ import annotations

import argparse
import multiprocessing
import time
from concurrent.futures import ProcessPoolExecutor, as_completed
from fnmatch import fnmatch
from pathlib import Path

from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from benchmarks import environment, results
from benchmarks.methods import METHODS
from benchmarks.problems import SCALED, SUITE
from benchmarks.run import Effort, cell
from benchmarks.standings import OURS, strongest_peers

Cell = tuple[str, str]


def suite_cells() -> list[Cell]:
    """Every method on every problem."""
    return [(problem, method) for problem in SUITE for method in METHODS]


def scaled_cells(rows: list[results.Row]) -> list[Cell]:
    """In other units: our methods, and the three peers that did best in the problem's own."""
    return [
        (problem, method)
        for problem in SCALED
        for method in [*OURS, *strongest_peers(rows, problem.partition("@")[0], 3)]
    ]


def selected(cells: list[Cell], only: str, folder: Path) -> list[Cell]:
    """The cells that match, or where nothing is asked for those without rows."""
    if only:
        return [c for c in cells if any(fnmatch("/".join(c), part) for part in only.split())]
    done = results.finished(results.read(folder))
    return [c for c in cells if c not in done]


def work(todo: list[Cell], effort: Effort, workers: int, folder: Path) -> None:
    """Run cells side by side, file the rows of each when it is done, and show how it goes."""
    bar = Progress(
        TextColumn("{task.description:45s}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    began = time.monotonic()
    context = multiprocessing.get_context("spawn")
    with bar, ProcessPoolExecutor(workers, mp_context=context) as pool:
        shown = bar.add_task("starting", total=len(todo))
        running = {pool.submit(cell, *pair, effort): pair for pair in todo}
        for count, done in enumerate(as_completed(running), start=1):
            name = "/".join(running[done])
            try:
                results.replace_cell(done.result(), folder)
            except FileNotFoundError as missing:  # data that is not there
                name += f" skipped: {missing}"
            bar.update(shown, advance=1, description=name)
            if not bar.console.is_terminal:
                minutes = (time.monotonic() - began) / 60
                left = minutes / count * (len(todo) - count)
                done_so_far = f"{count}/{len(todo)}  {minutes:.1f} min, {left:.0f} left"
                print(f"{done_so_far}  {name}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--only", default="", help="cells to run again, as lasso*/zoo*")
    parser.add_argument("--seeds", type=int, default=Effort.seeds)
    parser.add_argument("--seconds", type=float, default=Effort.max_seconds, help="for each run")
    parser.add_argument("--sampled-seconds", type=float, default=Effort.sampled_seconds)
    parser.add_argument("--evaluations", type=int, default=Effort.max_evaluations)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--results", type=Path, default=results.FOLDER.parent, help="a folder")
    given = parser.parse_args()
    effort = Effort(given.seeds, given.seconds, given.evaluations, given.sampled_seconds)
    folder = given.results / results.FOLDER.name
    work(selected(suite_cells(), given.only, folder), effort, given.workers, folder)
    scaled = scaled_cells(results.read(folder))
    work(selected(scaled, given.only, folder), effort, given.workers, folder)
    environment.record(effort, given.results / environment.PATH.name)


if __name__ == "__main__":
    main()
