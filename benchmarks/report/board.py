"""The rows of the benchmark, ready to be asked: who had which gap where."""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property

from benchmarks.problems import SUITE
from benchmarks.results import Row
from benchmarks.standings import CEILING, OURS, Figure, chosen_runs, figures
from benchmarks.trial import FULL_CHECKPOINTS, SAMPLED_CHECKPOINTS

NAMED = (300, 1_000, 3_000, 10_000, FULL_CHECKPOINTS[-1], SAMPLED_CHECKPOINTS[-1])
"""The checkpoints that tables speak of."""
EARLY = {"full": 1_000, "stochastic": 3_000, "noisy": 3_000}
"""Evaluations that count as few."""
REGIMES = tuple(EARLY)
FLOOR = 1e-6
"""Optima are known to this accuracy: lower gaps are equal, and none is below its negative."""
ORDER = (
    "zoo-auto",
    "zoo-paper",
    "zoo-paper-tuned",
    "o-admm-tuned",
    "zo-prox-sgd",
    "spsa",
    "fista-fd",
    "scipy-lbfgsb",
    "scipy-slsqp",
    "scipy-cobyqa",
    "nlopt-newuoa",
    "nlopt-bobyqa",
    "pycma",
    "nevergrad-cma",
    "nevergrad-oneplusone",
    "nevergrad-tbpsa",
    "nevergrad-ngopt",
)
"""Methods as tables list them: ours, what is given gradients, then kindred methods first."""


@dataclass(frozen=True)
class Board:
    """Rows, and the questions that every part of the report asks of them.

    Raises ValueError where a gap is below -1e-6: then an optimum is wrong, and with it all gaps.
    """

    rows: list[Row]

    def __post_init__(self) -> None:
        below = {f"{row.problem}/{row.method}" for row in self.rows if row.gap < -FLOOR}
        if below:
            raise ValueError(
                f"{', '.join(sorted(below))}: a gap below -{FLOOR:g}, so the optimum is wrong; "
                f"run python -m benchmarks.solve for it."
            )

    @cached_property
    def chosen(self) -> list[Row]:
        """The rows of every cell's best constant."""
        return chosen_runs(self.rows)

    @cached_property
    def figures(self) -> dict[tuple[str, str, int], Figure]:
        """By (problem, method, evaluations)."""
        return figures(self.rows)

    @cached_property
    def _ran(self) -> dict[str, dict[str, set[int]]]:
        """By problem and method: the checkpoints that have a figure."""
        ran: dict[str, dict[str, set[int]]] = defaultdict(lambda: defaultdict(set))
        for problem, method, evaluations in self.figures:
            ran[problem][method].add(evaluations)
        return ran

    @cached_property
    def _regimes(self) -> dict[str, str]:
        return {row.problem: row.regime for row in self.rows}

    @cached_property
    def unfit(self) -> set[tuple[str, str]]:
        """The cells (problem, method) that cannot be run."""
        return {(row.problem, row.method) for row in self.rows if row.status.startswith("unfit")}

    @cached_property
    def started(self) -> set[tuple[str, str]]:
        """The cells that have rows, with figures or without."""
        return {(row.problem, row.method) for row in self.rows}

    @cached_property
    def methods(self) -> list[str]:
        return in_order({row.method for row in self.rows}, ORDER)

    def problems(self, *regimes: str) -> list[str]:
        """The problems of these regimes in their own units."""
        names = {name for name, regime in self._regimes.items() if regime in regimes}
        return in_order({name for name in names if "@" not in name}, SUITE)

    def regime(self, problem: str) -> str:
        return self._regimes[problem]

    @cached_property
    def rescaled(self) -> list[str]:
        """The problems that were also given in other units, by their own name."""
        names = {name.partition("@")[0] for name in self._regimes if "@" in name}
        return in_order(names, SUITE)

    def checkpoints(self, problem: str) -> list[int]:
        """The named ones that this problem has."""
        there = set().union(*self._ran[problem].values())
        return [count for count in NAMED if count in there]

    def last(self, problem: str) -> int:
        return max(self.checkpoints(problem), default=0)

    def early(self, problem: str) -> int:
        """After few evaluations."""
        return min(EARLY[self.regime(problem)], self.last(problem))

    def common(self, problem: str) -> int:
        """The last named checkpoint that more than half of the peers reached in time."""
        number, named = len(self.peers(problem)), self.checkpoints(problem)
        held = [n for n in named if 2 * len(self.in_time(problem, n)) > number]
        return max(held, default=min(named, default=0))

    def in_time(self, problem: str, evaluations: int) -> list[str]:
        """The peers that got there, or had stopped by themselves."""
        at = self._at(problem, evaluations)
        return [name for name, figure in at.items() if figure.in_time]

    def capped(self, problem: str, evaluations: int) -> list[str]:
        """The peers that were out of time before, with some seed at least."""
        at = self._at(problem, evaluations)
        return [name for name, figure in at.items() if figure.status == "capped"]

    def _at(self, problem: str, evaluations: int) -> dict[str, Figure]:
        """The figures of the peers."""
        keys = {name: (problem, name, evaluations) for name in self.peers(problem)}
        return {name: self.figures[key] for name, key in keys.items() if key in self.figures}

    def contestants(self, problem: str) -> list[str]:
        """The methods that ran there and were given nothing but values."""
        ran = self._ran[problem]
        return [method for method in self.methods if method in ran and method not in CEILING]

    def peers(self, problem: str) -> list[str]:
        return [method for method in self.contestants(problem) if method not in OURS]

    def gap(self, problem: str, method: str, evaluations: int) -> float:
        """The median gap, or 1e-6 where it is lower; inf where there is none."""
        figure = self.figures.get((problem, method, evaluations))
        return math.inf if figure is None else max(figure.gap, FLOOR)

    def best_gap(self, problem: str, evaluations: int) -> float:
        """The lowest of all contestants."""
        gaps = (self.gap(problem, name, evaluations) for name in self.contestants(problem))
        return min(gaps, default=math.inf)

    def best_peer(self, problem: str, evaluations: int) -> str:
        """The peer with the lowest gap; empty where no peer ran."""
        peers = self.peers(problem)
        return min(peers, key=lambda name: self.gap(problem, name, evaluations), default="")

    def rank(self, problem: str, method: str, evaluations: int) -> int:
        """1 + the number of peers with a lower gap."""
        own = self.gap(problem, method, evaluations)
        return 1 + sum(self.gap(problem, name, evaluations) < own for name in self.peers(problem))

    def leads(self, problem: str, method: str, evaluations: int) -> bool:
        """Whether a method made progress and every peer's lowest gap is above its highest."""
        own = self.figures.get((problem, method, evaluations))
        at = self._at(problem, evaluations).values()
        highest = math.inf if own is None else max(own.highest, FLOOR)
        return highest < 1 and all(highest < figure.lowest for figure in at)

    def ratio(self, problem: str, method: str, evaluations: int) -> float:
        """The gap over that of the best peer, which is ahead above 1; nan where neither has one."""
        peer = self.best_peer(problem, evaluations)
        best = self.gap(problem, peer, evaluations)
        own = self.gap(problem, method, evaluations)
        if math.isinf(best):
            return 0.0 if peer and math.isfinite(own) else math.nan
        return own / best


def in_order(names: set[str], order: tuple[str, ...] | list[str]) -> list[str]:
    """Names in the order of a list; those it does not have come last, by the alphabet."""
    return [name for name in order if name in names] + sorted(names - set(order))
