"""What a public benchmark is."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from benchmarks.yardstick.session import Cell

RESULTS = Path(__file__).parent.parent / "results"


@dataclass(frozen=True)
class Suite:
    """A benchmark with a quick form and a full one.

    cells: cells(quick, solvers) are the runs to be made.
    judged: judged(solvers) are those by which the method is judged, a part of the full form.
    solvers: ours first; quick_peers: those that stand in the baseline of the quick form.
    targets: relative gaps; with `gaps`, the histories are gaps already and need no reference.
    quick_seconds: a peer's own processor time for a quick run; full_seconds: everybody's otherwise.
    """

    name: str
    cells: Callable[[bool, Iterable[str]], list[Cell]]
    solvers: tuple[str, ...]
    quick_peers: tuple[str, ...]
    targets: tuple[float, ...]
    quick_seconds: float
    full_seconds: float
    gaps: bool = False
    judged: Callable[[Iterable[str]], list[Cell]] | None = None
    ours: tuple[str, ...] = ("zoo",)

    def path(self, form: str) -> Path:
        """The table of a form: "quick", "judged" or "full"."""
        return RESULTS / self.name / f"{form}.csv.gz"

    def pages(self, form: str) -> list[Path]:
        """The page of a form; the full one has its long tables on a second, where that exists."""
        folder = self.path(form).parent
        if form != "full":
            return [folder / f"{form}.md"]
        long = folder / "tables.md"
        return [folder / "README.md", *([long] if long.exists() else [])]

    def journal(self, form: str) -> Path:
        """Rows in the making; not for the repository."""
        return RESULTS / self.name / f"{form}.journal.csv"
