"""The command of a public benchmark: quick with a comparison, or judged or full in pieces."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Sequence

from benchmarks.yardstick.comparison import compare, thinned
from benchmarks.yardstick.report import report
from benchmarks.yardstick.runs import Journal, Run, read_table, write_table
from benchmarks.yardstick.session import PIECE, Cell, session
from benchmarks.yardstick.suite import Suite


def main(suite: Suite, words: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog=f"python -m benchmarks.{suite.name}")
    parser.add_argument("--quick", action="store_true", help="the quick form: ours against before")
    parser.add_argument("--store", action="store_true", help="make the quick rows the baseline")
    parser.add_argument("--judged", action="store_true", help="the runs that judge the method")
    parser.add_argument("--solvers", default="", help="only these, by commas; not the quick form")
    parser.add_argument("--piece", type=float, default=PIECE, help="seconds of this session")
    given = parser.parse_args(words)
    if given.quick:
        quick(suite, given.store, given.piece)
        return
    solvers = tuple(given.solvers.split(",")) if given.solvers else suite.solvers
    if not given.judged:
        in_pieces(suite, "full", lambda names: suite.cells(False, names), solvers, given.piece)
    elif suite.judged is None:
        parser.error(f"{suite.name} has no judged form")
    else:
        in_pieces(suite, "judged", suite.judged, solvers, given.piece)


def quick(suite: Suite, store: bool, piece: float = PIECE) -> None:
    """Run ours (with `store` also the quick peers), print what changed against the baseline."""
    before = read_table(suite.path("quick"))
    journal = Journal(suite.journal("quick"))
    cells = suite.cells(True, (*suite.ours, *(suite.quick_peers if store else ())))
    if not session(cells, before, journal, max_seconds=suite.full_seconds, piece=piece):
        return
    after = current(cells, [*before, *journal.read()])
    if not store:
        print(compare(suite, before, after))
        return
    write_table(thinned(suite, after), suite.path("quick"))
    journal.clear()
    print(report(suite, read_table(suite.path("quick"))))


def in_pieces(
    suite: Suite,
    form: str,
    cells: Callable[[Iterable[str]], list[Cell]],
    solvers: Sequence[str],
    piece: float,
) -> None:
    """Make the rows that are missing; when all are there, the table and its report."""
    journal = Journal(suite.journal(form))
    path = suite.path(form)
    known = read_table(path)
    if session(cells(solvers), known, journal, max_seconds=suite.full_seconds, piece=piece):
        everything = current(cells(suite.solvers), [*known, *journal.read()])
        write_table(thinned(suite, everything), path)
        text = report(suite, everything)
        path.with_name("README.md" if form == "full" else f"{form}.md").write_text(text + "\n")
        print(text)


def current(cells: Sequence[Cell], runs: Sequence[Run]) -> list[Run]:
    """The rows that these cells would make with the sources as they are; older ones are left."""
    wanted = {(c.about.key, c.about.budget, c.about.source) for c in cells}
    found = {run.key: run for run in runs if (run.key, run.budget, run.source) in wanted}
    return list(found.values())
