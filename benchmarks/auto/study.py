"""What a study is: jobs, each a run in a process of its own, and the rows that come of them."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Sequence
from dataclasses import astuple, dataclass, fields
from pathlib import Path

FOLDER = Path(__file__).parents[1] / "results" / "auto"
FIRST_SEED = 101
"""Studies use the seeds from here on; the method was made with others."""

Key = tuple[str, str, int, int]


@dataclass(frozen=True)
class Row:
    """One figure of one run.

    case: the problem, or what else is measured. variant: the method in it.
    evaluations: the budget that the figure belongs to.
    value: the study's figure, such as a gap; inf where a run did not get there.
    seconds: processor time until then.
    status: "ran", "diverged" (in the method's own judgment) or "failed: ...".
    """

    case: str
    variant: str
    evaluations: int
    seed: int
    value: float
    seconds: float
    status: str = "ran"

    @property
    def key(self) -> Key:
        return self.case, self.variant, self.evaluations, self.seed


@dataclass(frozen=True)
class Job:
    """One run; it gives a row for each of its budgets."""

    case: str
    variant: str
    budgets: tuple[int, ...]
    seed: int

    @property
    def keys(self) -> set[Key]:
        return {(self.case, self.variant, budget, self.seed) for budget in self.budgets}

    @property
    def name(self) -> str:
        return f"{self.case}/{self.variant}/{self.seed}"


@dataclass(frozen=True)
class Plan:
    """The budgets, ascending, and how many seeds."""

    budgets: tuple[int, ...]
    num_seeds: int

    @property
    def seeds(self) -> range:
        return range(FIRST_SEED, FIRST_SEED + self.num_seeds)

    def each(self, case: str, variant: str) -> list[Job]:
        """A job for every budget and seed."""
        return [Job(case, variant, (N,), seed) for N in self.budgets for seed in self.seeds]

    def at_once(self, case: str, variant: str) -> list[Job]:
        """A job for every seed: for a method whose course does not depend on its budget."""
        return [Job(case, variant, self.budgets, seed) for seed in self.seeds]


Stage = Callable[[Plan, Sequence[Row]], list[Job]]


@dataclass(frozen=True)
class Study:
    """A question, how it is measured and how the answer is shown.

    run: from a job to its rows.
    stages: the jobs, in parts; each part is given the rows of those before it.
    table: Markdown from rows.
    plan: its budgets and seeds unless others are asked for.
    """

    name: str
    title: str
    run: Callable[[Job], list[Row]]
    stages: tuple[Stage, ...]
    table: Callable[[Sequence[Row]], str]
    plan: Plan


def path_of(study: Study, folder: Path) -> Path:
    return folder / f"{study.name}.csv"


def read(path: Path) -> list[Row]:
    """The rows there are."""
    if not path.exists():
        return []
    with path.open(newline="") as file:
        return [_parsed(line) for line in csv.DictReader(file)]


def _parsed(line: dict[str, str]) -> Row:
    return Row(
        line["case"],
        line["variant"],
        int(line["evaluations"]),
        int(line["seed"]),
        float(line["value"]),
        float(line["seconds"]),
        line["status"],
    )


def append(rows: Iterable[Row], path: Path) -> None:
    """Put rows at the end of a file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    new = not path.exists()
    with path.open("a", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        if new:
            writer.writerow(field.name for field in fields(Row))
        for row in rows:
            writer.writerow(
                f"{cell:.4g}" if isinstance(cell, float) else cell for cell in astuple(row)
            )
