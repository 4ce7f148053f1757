"""The command of a public benchmark: quick with a comparison, or judged or full in pieces."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Sequence
from functools import partial

from benchmarks.report.places import filled, places
from benchmarks.yardstick.comparison import compare, thinned
from benchmarks.yardstick.pictures import draw
from benchmarks.yardstick.report import report
from benchmarks.yardstick.runs import Journal, Run, read_table, write_table
from benchmarks.yardstick.session import PIECE, Cell, session
from benchmarks.yardstick.suite import Suite

FORMS = ("judged", "full")
"""They share rows: a run of one is a run of the other."""


def main(suite: Suite, words: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog=f"python -m benchmarks.{suite.name}")
    parser.add_argument("--quick", action="store_true", help="the quick form: ours against before")
    parser.add_argument("--store", action="store_true", help="make the quick rows the baseline")
    parser.add_argument("--judged", action="store_true", help="the runs that judge the method")
    parser.add_argument("--report", action="store_true", help="the table and the page only")
    parser.add_argument("--solvers", default="", help="only these, by commas; not the quick form")
    parser.add_argument("--largest", type=int, default=10**9, help="most variables of a problem")
    parser.add_argument("--piece", type=float, default=PIECE, help="seconds of this session")
    given = parser.parse_args(words)
    if given.quick:
        quick(suite, given.store, given.piece)
        return
    form = "judged" if given.judged else "full"
    planned = suite.judged if given.judged else partial(suite.cells, False)
    if planned is None:
        parser.error(f"{suite.name} has no judged form")
    if given.report:
        publish(suite, form, planned(suite.solvers))
        return
    solvers = tuple(given.solvers.split(",")) if given.solvers else suite.solvers
    if unknown := sorted(set(solvers) - set(suite.solvers)):
        parser.error(f"--solvers: no {', '.join(unknown)}; there are {', '.join(suite.solvers)}")
    in_pieces(suite, form, planned, solvers, given.largest, given.piece)


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
    print("\n\n".join(report(suite, read_table(suite.path("quick"))).values()))


def in_pieces(
    suite: Suite,
    form: str,
    cells: Callable[[Iterable[str]], list[Cell]],
    solvers: Sequence[str],
    largest: int,
    piece: float,
) -> None:
    """Make the rows that are missing; when these solvers have theirs, the table and the page."""
    chosen = [cell for cell in cells(solvers) if cell.about.n <= largest]
    journal = Journal(suite.journal(form))
    if session(chosen, rows(suite), journal, max_seconds=suite.full_seconds, piece=piece):
        publish(suite, form, cells(suite.solvers))


def rows(suite: Suite) -> list[Run]:
    """All that were made, those with whole histories last."""
    found = [row for form in FORMS for row in read_table(suite.path(form))]
    return found + [row for form in FORMS for row in Journal(suite.journal(form)).read()]


def publish(suite: Suite, form: str, cells: Sequence[Cell]) -> None:
    """The table and the page from the rows that are there.

    Histories are cut down when every solver has its rows: a lower f_L moves the targets. Where
    histories are gaps, the targets are fixed.
    """
    made = current(cells, rows(suite))
    fixed = suite.gaps or len(made) == len(cells)
    write_table(thinned(suite, made) if fixed else made, suite.path(form))
    write_page(suite, form, made)


def write_page(suite: Suite, form: str, runs: Sequence[Run]) -> None:
    """Fill the tables of a form's pages and draw its pictures; the sentences stay."""
    tables = report(suite, runs)
    for path in suite.pages(form):
        page = path.read_text() if path.exists() else ""
        if not places(page):
            empty = (f"<!-- table: {name} -->\n<!-- end of table -->" for name in tables)
            page = "\n\n".join([f"# {suite.name}", *empty]) + "\n"
        path.write_text(filled(page, tables))
        print(f"wrote {path}")
    if form == "full":
        draw(suite, runs, suite.path(form).parent)


def current(cells: Sequence[Cell], runs: Sequence[Run]) -> list[Run]:
    """The rows that these cells would make with the sources as they are; older ones are left."""
    wanted = {(c.about.key, c.about.budget, c.about.source) for c in cells}
    found = {run.key: run for run in runs if (run.key, run.budget, run.source) in wanted}
    return list(found.values())
