"""The rows of the public benchmarks: one a run, in compressed tables; a journal while they grow."""

from __future__ import annotations

import csv
import gzip
import io
import math
from collections.abc import Iterable
from dataclasses import dataclass, fields
from pathlib import Path

Key = tuple[str, str, str, int]
"""(problem, feature, solver, seed)."""


@dataclass(frozen=True)
class Run:
    """One solver on one problem under one feature, from one seed.

    group: what tables gather by: u, b, l, or a group of functions.
    budget, used: evaluations. seconds: the solver's own processor time.
    status: ended by itself, budget, out of time, unfit: ..., failed: ...
    start: the true objective at the feasible start. answer, violation: at the point returned.
    history: pairs (evaluations, least objective of a feasible point), as "1:3.5 12:0.25".
    source: a digest of what made the row.
    """

    problem: str
    feature: str
    group: str
    n: int
    solver: str
    seed: int
    budget: int
    used: int = 0
    seconds: float = 0.0
    status: str = ""
    start: float = math.nan
    answer: float = math.nan
    violation: float = math.nan
    history: str = ""
    source: str = ""

    @property
    def key(self) -> Key:
        return self.problem, self.feature, self.solver, self.seed

    @property
    def fits(self) -> bool:
        return not self.status.startswith("unfit")

    def records(self) -> list[tuple[int, float]]:
        """The history as numbers.

        >>> Run("p", "plain", "u", 2, "s", 0, 9, history="1:3.5 4:0.25").records()
        [(1, 3.5), (4, 0.25)]
        """
        pairs = (part.split(":") for part in self.history.split())
        return [(int(count), float(value)) for count, value in pairs]


def as_text(history: Iterable[tuple[int, float]]) -> str:
    return " ".join(f"{count}:{value:.11g}" for count, value in history)


_KINDS = {"int": int, "float": float, "str": str}
COLUMNS = [field.name for field in fields(Run)]


def _line(run: Run) -> list[str]:
    values = (getattr(run, name) for name in COLUMNS)
    return [f"{value:.11g}" if isinstance(value, float) else str(value) for value in values]


def _parsed(line: dict[str, str]) -> Run:
    return Run(**{field.name: _KINDS[str(field.type)](line[field.name]) for field in fields(Run)})


def write_table(runs: Iterable[Run], path: Path) -> None:
    """All rows, in the order of their keys; the same rows give the same bytes."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows(_line(run) for run in sorted(runs, key=lambda run: run.key))
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_suffix(".draft")
    draft.write_bytes(gzip.compress(text.getvalue().encode(), 9, mtime=0))
    draft.replace(path)


def read_table(path: Path) -> list[Run]:
    if not path.exists():
        return []
    return _rows(gzip.decompress(path.read_bytes()).decode())


class Journal:
    """Rows as they are made, one line each, flushed; a line cut short by a kill is ignored."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def read(self) -> list[Run]:
        if not self.path.exists():
            return []
        text = self.path.read_text()
        return _rows(text[: text.rfind("\n") + 1])

    def append(self, run: Run) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        known = self.path.read_text() if self.path.exists() else ""
        if known and not known.endswith("\n"):
            self.path.write_text(known[: known.rfind("\n") + 1])
        with self.path.open("a", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            if not known:
                writer.writerow(COLUMNS)
            writer.writerow(_line(run))

    def clear(self) -> None:
        self.path.unlink(missing_ok=True)


def _rows(text: str) -> list[Run]:
    return [_parsed(line) for line in csv.DictReader(io.StringIO(text))]
