"""Ours beside one peer, on the runs that both made."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from benchmarks.yardstick.comparison import NEGLIGIBLE, Place, answer_gap, place
from benchmarks.yardstick.profiles import bootstrap, needed, simplex_gradients
from benchmarks.yardstick.runs import Run
from benchmarks.yardstick.task import FEASIBLE

SOONER = 1.1
"""Within this factor of evaluations, or of gaps, two runs are level."""


@dataclass(frozen=True)
class Shares:
    """Shares of runs that reach a target within a number of simplex gradients.

    low, high: a 90 % bootstrap interval over problems for ours - peers.
    """

    ours: float
    peers: float
    low: float
    high: float

    @property
    def lead(self) -> float:
        return self.ours - self.peers


@dataclass(frozen=True)
class Standing:
    """On how many runs ours is ahead of the peer, level with it, behind it."""

    ahead: int
    level: int
    behind: int

    @property
    def total(self) -> int:
        return self.ahead + self.level + self.behind


@dataclass(frozen=True)
class Pair:
    """Runs of ours and of a peer at the same places, in one order."""

    peer: str
    ours: tuple[Run, ...]
    peers: tuple[Run, ...]
    least: tuple[float, ...]

    def __len__(self) -> int:
        return len(self.ours)

    def shares(self, target: float, alpha: float) -> Shares:
        """Within alpha (n + 1) evaluations."""
        solved = np.array(
            [
                [simplex_gradients(needed(r, least, target), r.n) <= alpha for r in pair]
                for *pair, least in zip(self.ours, self.peers, self.least, strict=True)
            ],
            dtype=float,
        )
        low, high = bootstrap(solved[:, 0] - solved[:, 1])
        return Shares(float(solved[:, 0].mean()), float(solved[:, 1].mean()), low, high)

    def by_evaluations(self, target: float) -> Standing:
        """By evaluations to the target; level too where nobody reaches it."""
        return standing(self.times(target, i) for i in range(len(self)))

    def by_answers(self) -> Standing:
        """By the relative gaps of the answers; those below 1e-6 are level."""
        return standing(self.gaps(i) for i in range(len(self)))

    def gaps(self, index: int) -> tuple[float, float]:
        """Relative gaps of both answers, ours first; none below 1e-6."""
        runs = (self.ours[index], self.peers[index])
        a, b = (max(answer_gap(as_answered(run), self.least[index]), NEGLIGIBLE) for run in runs)
        return a, b

    def times(self, target: float, index: int) -> tuple[float, float]:
        """Evaluations of both to the target, ours first; infinite where it is not reached."""
        runs = (self.ours[index], self.peers[index])
        a, b = (needed(run, self.least[index], target) for run in runs)
        return a, b


def as_answered(run: Run) -> Run:
    """The run; where its answer is infeasible or none, the best feasible point it saw is one.

    >>> run = Run("p", "plain", "l", 2, "s", 0, 9, 9, start=5.0, answer=0.5, violation=1e-3)
    >>> as_answered(replace(run, history="1:5 4:2")).answer
    2.0
    """
    if run.violation <= FEASIBLE and not math.isnan(run.answer):
        return run
    seen = [value for _, value in run.records()]
    return replace(run, answer=min(seen), violation=0.0) if seen else run


def is_behind(ours: float, peers: float) -> bool:
    """Whether the first gap, or count, is larger by more than the factor that is level."""
    return peers * SOONER < ours and not math.isinf(peers)


def standing(found: Iterable[tuple[float, float, *tuple[str, ...]]]) -> Standing:
    """Of pairs (ours, the peer's) of gaps or counts; what follows in them is not read.

    >>> standing([(1.0, 2.0), (1.0, 1.05), (math.inf, math.inf), (3.0, 1.0)])
    Standing(ahead=1, level=2, behind=1)
    """
    both = [(a, b) for a, b, *_ in found]
    ahead = sum(is_behind(b, a) for a, b in both)
    behind = sum(is_behind(a, b) for a, b in both)
    return Standing(ahead, len(both) - ahead - behind, behind)


def pairs(runs: Sequence[Run], ours: str, least: dict[Place, float]) -> list[Pair]:
    """Ours beside every peer; a run that a solver has no form for is not one that it made."""
    by_solver: dict[str, dict[Place, Run]] = {}
    for run in runs:
        if run.fits:
            by_solver.setdefault(run.solver, {})[place(run)] = run
    mine = by_solver.pop(ours, {})
    found = []
    for peer, made in by_solver.items():
        both = sorted(at for at in made if at in mine)
        if both:
            found.append(
                Pair(
                    peer,
                    tuple(mine[at] for at in both),
                    tuple(made[at] for at in both),
                    tuple(least[at] for at in both),
                )
            )
    return found
