"""`python -m benchmarks.trust [--again] [--count 3000] [--minutes 100]`: random problems, judged.

Resumes: numbers that have a row, by whatever code, are not tried; `--again` starts with no rows.
Writes `results/trust/rows.csv.gz` and the summary beside it. On several cores, each a part:

    python -m benchmarks.trust --again --first 0 --count 1500 --rows /tmp/a/rows.csv.gz &
    python -m benchmarks.trust --again --first 1500 --count 1500 --rows /tmp/b/rows.csv.gz
    python -m benchmarks.trust --merge /tmp/a/rows.csv.gz /tmp/b/rows.csv.gz
"""

from __future__ import annotations

import argparse
import csv
import gzip
import time
from collections.abc import Iterable, Sequence
from pathlib import Path

from benchmarks.trust.summary import summary
from benchmarks.trust.trials import Row, tried

FOLDER = Path(__file__).parents[1] / "results" / "trust"
ROWS, SUMMARY = FOLDER / "rows.csv.gz", FOLDER / "README.md"


def read(path: Path) -> list[Row]:
    """The rows of a file; none where there is none."""
    if not path.exists():
        return []
    with gzip.open(path, "rt", newline="") as file:
        return [_row(fields) for fields in csv.DictReader(file)]


def _row(fields: dict[str, str]) -> Row:
    kinds = {"number": int, "m": int, "evaluations": int, "outside": int}
    values: dict[str, object] = {
        name: kinds.get(name, float if name in ("gap", "violation") else str)(text)
        for name, text in fields.items()
    }
    return Row(**{**values, "success": fields["success"] == "True"})  # type: ignore[arg-type]


def write(path: Path, rows: Iterable[Row]) -> None:
    """All rows, sorted, the same bytes for the same rows."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "wb") as raw, gzip.GzipFile("", "wb", fileobj=raw, mtime=0) as packed:
        lines = [Row._fields, *sorted(rows)]
        for line in lines:
            packed.write((",".join(_cell(value) for value in line) + "\r\n").encode())


def _cell(value: object) -> str:
    text = f"{value:.3e}" if isinstance(value, float) else str(value)
    return (
        '"' + text.replace('"', '""').replace("\n", " ") + '"' if set(text) & set(',"\n') else text
    )


def _put(path: Path, known: dict[int, Row]) -> None:
    """The rows, and their summary beside them."""
    write(path, known.values())
    text = summary(sorted(known.values()))
    path.with_name("README.md").write_text(text)
    print(text)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.trust", description=__doc__)
    parser.add_argument("--count", type=int, default=3000, help="how many problems")
    parser.add_argument("--first", type=int, default=0, help="the number of the first")
    parser.add_argument("--minutes", type=float, default=100.0, help="stop after these")
    parser.add_argument("--rows", type=Path, default=ROWS, help="the file of rows")
    parser.add_argument("--again", action="store_true", help="start anew, without the rows there")
    parser.add_argument("--merge", type=Path, nargs="+", help="take these files' rows, try nothing")
    given = parser.parse_args(arguments)
    if given.merge:
        _put(given.rows, {row.number: row for part in given.merge for row in read(part)})
        return
    end = time.monotonic() + 60.0 * given.minutes
    known = {} if given.again else {row.number: row for row in read(given.rows)}
    before = len(known)
    for number in range(given.first, given.first + given.count):
        if number in known:
            continue
        if time.monotonic() > end:
            print("time is over; the same command resumes, without --again.")
            break
        known[number] = tried(number)
        if len(known) % 50 == 0:
            write(given.rows, known.values())
            print(f"{len(known)} of {given.count}", flush=True)
    _put(given.rows, known)
    print(f"{len(known) - before} problems tried, {before} rows from before; --again tries all.")


if __name__ == "__main__":
    main()
