"""Fill the tables of SUMMARY.md and of benchmarks/README.md from the rows, and draw the pictures.

python -m benchmarks.report            from the committed rows
python -m benchmarks.report --check    exit 1 if the tables are not what the rows give

What stands outside of the marked places is written by a person and left as it is.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from benchmarks import results
from benchmarks.report.board import Board
from benchmarks.report.places import filled
from benchmarks.report.summary import tables

README = Path(__file__).parents[1] / "README.md"


def texts(folder: Path, readme: Path) -> dict[Path, str]:
    """What the pages should say, by the rows and the environment in a folder of results."""
    facts = folder / "environment.json"
    environment = json.loads(facts.read_text()) if facts.exists() else {}
    board = Board(results.read(folder / "suite"))
    made = tables(board, environment, folder / "authors.csv")
    return {path: filled(path.read_text(), made) for path in (folder / "SUMMARY.md", readme)}


def outdated(made: dict[Path, str]) -> list[Path]:
    """The pages whose tables say something else."""
    return [path for path, text in made.items() if path.read_text() != text]


def write(made: dict[Path, str], folder: Path) -> None:
    """The pages, and the pictures beside the summary."""
    from benchmarks.report.pictures import draw

    for path, text in made.items():
        path.write_text(text)
    for path in [*made, *draw(Board(results.read(folder / "suite")), folder)]:
        print(f"wrote {path.name}")


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.report",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--results", type=Path, default=results.FOLDER.parent, metavar="FOLDER")
    parser.add_argument("--readme", type=Path, default=README, metavar="FILE")
    parser.add_argument("--check", action="store_true", help="compare, write nothing")
    given = parser.parse_args()
    if not any((given.results / "suite").glob("*.csv.gz")):
        sys.exit(f"There are no rows in {given.results / 'suite'}; run python -m benchmarks.")
    made = texts(given.results, given.readme)
    if not given.check:
        write(made, given.results)
    elif old := outdated(made):
        names = ", ".join(path.name for path in old)
        sys.exit(f"{names}: tables that the rows do not give; run python -m benchmarks.report.")


if __name__ == "__main__":
    main()
