"""Performance profiles after Dolan and Moré (2002)."""

from __future__ import annotations

import math

from benchmarks.report.board import Board
from benchmarks.report.targets import evaluations_of, reached

TARGETS = (1e-1, 1e-2, 1e-4)


def profile(board: Board, regime: str, target: float) -> dict[str, list[float]]:
    """By contestant: its ratios r_p over the problems p of a regime, ascending.

    r_p is the evaluations that a method needs to a gap <= target, to the resolution of the
    checkpoints, over those of the method that needs the fewest; inf for never, for out of time
    before and for unfit. The profile is rho(tau) = (number of p with r_p <= tau) / (number of p).
    """
    needed = reached(board, target, evaluations_of)
    problems = board.problems(regime)
    ratios: dict[str, list[float]] = {}
    for problem in problems:
        contestants = board.contestants(problem)
        fewest = min((needed[problem, name] for name in contestants), default=math.inf)
        for name in contestants:
            own = needed[problem, name]
            ratios.setdefault(name, []).append(own / fewest if fewest < math.inf else math.inf)
    missing = {name: [math.inf] * (len(problems) - len(found)) for name, found in ratios.items()}
    return {name: sorted(found + missing[name]) for name, found in ratios.items()}


def share(ratios: list[float], tau: float) -> float:
    """rho(tau)."""
    return sum(ratio <= tau for ratio in ratios) / len(ratios)
