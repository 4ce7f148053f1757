"""The search of one image: every goal in turn, then each again from points near its own best."""

from __future__ import annotations

import numpy as np

from zooadmm.applications.attack.black_box import BlackBox, Finished, Goal
from zooadmm.applications.attack.cuts import Nearest, descent, linear_distance
from zooadmm.applications.attack.distortions import Floats

FAR = 3.0
"""A goal whose linear distance exceeds the best distortion by this factor is not tried."""

LENGTHS = (0.5, 1.0, 1.5)
"""Distances of new starts from the goal's best point, relative to its distance from x0, in turn."""

FIRST_LENGTH = 0.05
"""Added to that distance, relative to the range of a pixel. Without an adversarial point it is the
first of ten distances from x0, each twice the one before."""


def search(box: BlackBox, generator: np.random.Generator) -> None:
    """Spend the queries of `box`; what is found is recorded there."""
    try:
        logs = box.logs([box.x0])[0]
        first = box.tangent(box.x0, logs)
        distances = {goal: linear_distance(box, goal, first) for goal in box.goals}
        found: dict[Goal, Nearest] = {}
        for goal in sorted(box.goals, key=lambda goal: distances[goal]):
            if distances[goal] <= FAR * box.best:
                found[goal] = descent(box, goal, first)
        tries = dict.fromkeys(found, 0)
        while True:
            goal = _next(box, found, tries)
            x = _start(box, found[goal], tries[goal], generator)
            again = descent(box, goal, box.tangent(x, box.logs([x])[0]))
            tries[goal] += 1
            if again.distortion < found[goal].distortion:
                found[goal] = again
    except Finished:
        return


def _next(box: BlackBox, found: dict[Goal, Nearest], tries: dict[Goal, int]) -> Goal:
    """The goal to start again for: the near ones more often, none never.

    A goal whose nearest point is k times as far as another's has 1 / k^2 as many tries.
    """
    farthest = max((n.distortion for n in found.values() if n.x is not None), default=1.0)

    def rank(goal: Goal) -> float:
        distortion = found[goal].distortion if found[goal].x is not None else farthest
        return distortion * float(np.sqrt(1 + tries[goal]))

    return min(found, key=rank)


def _start(box: BlackBox, found: Nearest, tries: int, generator: np.random.Generator) -> Floats:
    """A random point about the nearest one of the goal, or about the image."""
    distance = FIRST_LENGTH * float((box.upper - box.lower).max())
    if found.x is None:
        base, length = box.x0, distance * 2.0 ** (tries % 10)
    else:
        base = found.x
        distance += float(np.linalg.norm(base - box.x0))
        length = LENGTHS[tries % len(LENGTHS)] * distance
    direction = generator.standard_normal(len(base)) / np.sqrt(len(base))
    start: Floats = np.clip(base + length * direction, box.lower, box.upper)
    return start
