"""What an experiment is: pieces that can be run anywhere, and what their rows show."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, ClassVar

import numpy as np

from zooadmm_reproduction.claims import Claim, Remark
from zooadmm_reproduction.exhibits import Exhibit
from zooadmm_reproduction.rows import Row


class Size(StrEnum):
    """How much is run: enough to see the shape, or the paper's own sizes."""

    QUICK = "quick"
    FULL = "full"


def trial_seed(seed: int, *address: int) -> int:
    """The seed of one trial: its own for every seed of the run and every address in it.

    address: the number of the trial, and what else tells runs apart that are compared as if they
    were independent, such as m.

    >>> len({trial_seed(seed, trial, m) for seed in (0, 1) for trial in (0, 1) for m in (10, 20)})
    8
    """
    return int(np.random.SeedSequence((seed, *address)).generate_state(1, np.uint32)[0])


@dataclass(frozen=True)
class Piece:
    """A part of an experiment that needs no other: it runs in any process, in any order.

    name: names its file; letters, digits and dashes. It is the only piece of that name, and may be
    a piece of two experiments: it is then run once.
    work: a function of a module, and its arguments; both can be pickled. The random numbers of a
    piece come from its arguments alone, so that its rows are always the same.
    """

    name: str
    work: Callable[..., list[Row]]
    arguments: tuple[Any, ...] = ()

    @property
    def run(self) -> str:
        """How it is run, to tell it from another piece that once had its name."""
        return f"{self.work.__module__}.{self.work.__qualname__}{self.arguments!r}"

    def rows(self) -> list[Row]:
        """Run it."""
        return self.work(*self.arguments)


class Experiment(ABC):
    """A figure or table of the paper, or a part of its theory."""

    name: ClassVar[str]
    """What it is called on the command line and in the report: "fig1a"."""

    title: ClassVar[str]
    """One line for the report."""

    paper: ClassVar[str]
    """What the paper shows there, and how it was reproduced here, in a few sentences."""

    timed: ClassVar[bool] = False
    """Whether seconds are measured: its pieces then run one at a time, with nothing beside."""

    @abstractmethod
    def pieces(self, size: Size, seed: int) -> list[Piece]:
        """What is to be run, longest pieces first."""

    @abstractmethod
    def exhibits(self, rows: list[Row]) -> list[Exhibit]:
        """What the rows of all pieces show; the first is named like the experiment."""

    @abstractmethod
    def claims(self, rows: list[Row]) -> list[Claim]:
        """What the paper says of it, with verdicts."""

    def remarks(self, rows: list[Row]) -> list[Remark]:
        """What was found beside the paper's claims."""
        return []
