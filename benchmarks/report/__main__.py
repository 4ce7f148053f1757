"""Write what the rows say: SUMMARY.md, the pictures, and the block in benchmarks/README.md.

python -m benchmarks.report            from the committed rows
python -m benchmarks.report --check    exit 1 if the texts are not what the rows give
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from benchmarks import results
from benchmarks.report.beside_authors import authors_section
from benchmarks.report.board import Board
from benchmarks.report.conditions import effort_of
from benchmarks.report.readme import BEGIN, readme_block, replaced
from benchmarks.report.summary import summary

README = Path(__file__).parents[1] / "README.md"


def texts(folder: Path, readme: Path) -> dict[Path, str]:
    """What the files should say, by the rows and the environment in a folder of results."""
    board = Board(results.read(folder / "suite"))
    facts = folder / "environment.json"
    environment = json.loads(facts.read_text()) if facts.exists() else {}
    authors = authors_section(folder / "authors.csv")
    made = {folder / "SUMMARY.md": summary(board, environment, authors)}
    block = readme_block(board, effort_of(environment))
    text = replaced(readme.read_text(), block) if readme.exists() else None
    if text is None:
        print(f"{readme.name} has no line {BEGIN}; it is left as it is.")
    else:
        made[readme] = text
    return made


def outdated(made: dict[Path, str]) -> list[Path]:
    """The files that say something else."""
    return [path for path, text in made.items() if not path.exists() or path.read_text() != text]


def write(made: dict[Path, str], folder: Path) -> None:
    """The texts, and the pictures beside the summary."""
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
        sys.exit(f"{names}: not what the rows give; run python -m benchmarks.report.")


if __name__ == "__main__":
    main()
