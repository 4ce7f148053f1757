"""The search of one image: every goal in turn, then again from points near the best one."""

from __future__ import annotations

import numpy as np

from zooadmm.applications.attack.black_box import BlackBox, Finished, margin
from zooadmm.applications.attack.cuts import descent, linear_distance
from zooadmm.applications.attack.distortions import Floats

FAR = 3.0
"""A goal whose linear distance exceeds the best distortion by this factor is not tried."""

LENGTHS = (0.5, 1.0, 1.5)
"""Distances of new starts from the best point, relative to its distance from x0, in turn."""

FIRST_LENGTH = 0.05
"""Added to that distance, relative to the range of a pixel. Without an adversarial point it is the
first of ten distances from x0, each twice the one before."""


def search(box: BlackBox, generator: np.random.Generator) -> None:
    """Spend the queries of `box`; what is found is recorded there."""
    try:
        logs = box.logs([box.x0])[0]
        first = box.look(box.x0, logs)
        distances = {goal: linear_distance(box, goal, first) for goal in box.goals}
        for goal in sorted(box.goals, key=lambda goal: distances[goal]):
            if distances[goal] <= FAR * box.best:
                descent(box, goal, [first])
        tries = 0
        while True:
            x = _start(box, tries, generator)
            logs = box.logs([x])[0]
            goal = min(box.goals, key=lambda goal: margin(logs, goal))
            descent(box, goal, [box.look(x, logs)])
            tries += 1
    except Finished:
        return


def _start(box: BlackBox, tries: int, generator: np.random.Generator) -> Floats:
    """A random point about the best one, or about the image."""
    distance = FIRST_LENGTH * float((box.upper - box.lower).max())
    if box.nearest is None:
        base, length = box.x0, distance * 2.0 ** (tries % 10)
    else:
        base = box.nearest
        distance += float(np.linalg.norm(base - box.x0))
        length = LENGTHS[tries % len(LENGTHS)] * distance
    direction = generator.standard_normal(len(base)) / np.sqrt(len(base))
    start: Floats = np.clip(base + length * direction, box.lower, box.upper)
    return start
