"""`results/auto/README.md`: a table a study, from the rows there are."""

from __future__ import annotations

from pathlib import Path

from benchmarks import results
from benchmarks.auto import hindsight, peers
from benchmarks.auto.studies import STUDIES
from benchmarks.auto.study import Study, path_of, read

HEAD = """# What the parts are worth

Made from the rows beside this page by `python -m benchmarks.auto report`. Each study is described
at the head of its module in `benchmarks/auto`. Gaps are (F(x) - F*) / (F(x0) - F*). A figure is the
median over seeds with the least and the largest in brackets, ∞ where a run diverged.
"""


def report(folder: Path) -> str:
    """The page; studies without rows are left out."""
    sections = {name: section(study, folder) for name, study in STUDIES.items()}
    sections[hindsight.STUDY.name] += beside_peers(folder)
    return "\n".join([HEAD, *filter(None, sections.values())])


def beside_peers(folder: Path) -> str:
    """The rows of the study `hindsight` beside those of the suite."""
    rows = read(path_of(hindsight.STUDY, folder))
    if not rows:
        return ""
    fresh = [row for row in rows if row.seed != hindsight.GRID_SEED]
    return f"\n## {peers.TITLE}\n\n{peers.peers_table(fresh, results.read())}\n"


def section(study: Study, folder: Path) -> str:
    rows = read(path_of(study, folder))
    return f"## {study.title}\n\n{study.table(rows)}\n" if rows else ""


def write(folder: Path) -> None:
    """Write the page and print it."""
    page = report(folder)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "README.md").write_text(page)
    print(page)
