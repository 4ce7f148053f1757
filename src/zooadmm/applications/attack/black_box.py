"""A classifier as a black box: counted queries, and the nearest adversarial point so far."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from zooadmm.applications.attack.distortions import Distortion, Floats

SMALLEST = 1e-300
"""Probability below which logarithms are cut off."""

DIFFERENCE = {np.dtype(np.float64): 1e-5, np.dtype(np.float32): 1e-3}
"""Length of a difference, relative to the range of a pixel, by the precision of the probabilities:
large beside the rounding of a logarithm, small beside the distance to the next kink."""

Goal = tuple[tuple[int, int], ...]
"""Pairs (a, b): class b must be more probable than class a, for each of them."""


class Finished(Exception):  # noqa: N818, it is no error
    """The queries are used up, or the distortion is small enough."""


class Tangent(NamedTuple):
    """Logarithms of all probabilities at x, and their slopes."""

    x: Floats
    logs: Floats
    """(classes,)"""
    slopes: Floats
    """(classes, m)"""

    def margin(self, pair: tuple[int, int]) -> float:
        """log p_a - log p_b."""
        return float(self.logs[pair[0]] - self.logs[pair[1]])

    def slope(self, pair: tuple[int, int]) -> Floats:
        """Of the margin."""
        slope: Floats = self.slopes[pair[0]] - self.slopes[pair[1]]
        return slope


def goals(num_classes: int, label: int, target: int | None) -> list[Goal]:
    """What counts as success: one of these goals.

    Untargeted: some class passes the label. Targeted: the target passes every other class.

    >>> goals(3, 0, None)
    [((0, 1),), ((0, 2),)]
    >>> goals(3, 0, 2)
    [((0, 2), (1, 2))]
    """
    if target is None:
        return [((label, other),) for other in range(num_classes) if other != label]
    return [tuple((other, target) for other in range(num_classes) if other != target)]


def margin(logs: Floats, goal: Goal) -> float:
    """max over the pairs of log p_a - log p_b: negative where the goal is reached."""
    return max(float(logs[a] - logs[b]) for a, b in goal)


@dataclass
class BlackBox:
    """Queries about one image.

    x0: the image as a vector. shape: as predict_proba takes it. label: its class. target: the class
    that it is to be taken for, None for any other. lower, upper: bounds of each pixel.
    max_queries: at most this many points are evaluated. enough: distortion at which it ends.
    """

    predict_proba: Callable[[Any], Any]
    x0: Floats
    shape: tuple[int, ...]
    label: int
    target: int | None
    lower: Floats
    upper: Floats
    distortion: Distortion
    max_queries: int
    enough: float
    goals: list[Goal] = field(default_factory=list)
    """known from the first answer on"""
    queries: int = 0
    best: float = np.inf
    """distortion of the nearest adversarial point"""
    nearest: Floats | None = None
    taken_for: int = -1
    """the class of the nearest adversarial point"""
    course: list[tuple[int, float]] = field(default_factory=list)
    """queries and distortion, at each improvement"""
    difference: float = 0.0
    """length of a difference, relative to the range of a pixel"""

    def logs(self, points: Sequence[Floats] | Floats) -> Floats:
        """Logarithms of the probabilities, a row for each point; raises Finished."""
        at = np.asarray(points, dtype=np.float64)
        if self.queries + len(at) > self.max_queries:
            raise Finished
        answer = np.asarray(self.predict_proba(at.reshape(len(at), *self.shape)))
        self._check(answer, len(at))
        if not self.goals:
            self.goals = goals(answer.shape[1], self.label, self.target)
            self.difference = DIFFERENCE.get(answer.dtype, 1e-5)
        found: Floats = np.log(np.maximum(answer.astype(np.float64), SMALLEST))
        for i in np.flatnonzero(self._reached(found)):
            self._record(at[i], found[i], self.queries + int(i) + 1)
        self.queries += len(at)
        if self.nearest is not None and self.best <= self.enough:
            raise Finished
        return found

    def tangent(self, x: Floats, logs: Floats) -> Tangent:
        """Slopes at x by forward differences inside the bounds: m queries."""
        steps = self.difference * (self.upper - self.lower)
        steps = np.where(x + steps <= self.upper, steps, -steps)
        moving = np.flatnonzero(steps)
        points = np.repeat(x[None], len(moving), axis=0)
        points[np.arange(len(moving)), moving] += steps[moving]
        taken = points[np.arange(len(moving)), moving] - x[moving]
        slopes = np.zeros((len(logs), len(x)))
        if len(moving) == 0:
            return Tangent(x, logs, slopes)
        slopes[:, moving] = ((self.logs(points) - logs) / taken[:, None]).T
        return Tangent(x, logs, slopes)

    def _check(self, answer: NDArray[Any], n: int) -> None:
        if answer.ndim != 2 or len(answer) != n:
            raise ValueError(
                f"predict_proba returned shape {answer.shape} for {n} images; it must return one "
                "row of class probabilities for each."
            )
        if not np.isfinite(answer).all():
            raise ValueError("predict_proba returned NaN or inf; an attack needs probabilities.")
        largest = max(self.label, -1 if self.target is None else self.target)
        if largest >= answer.shape[1]:
            raise ValueError(
                f"class {largest} is not among the {answer.shape[1]} columns of predict_proba."
            )

    def _reached(self, logs: Floats) -> NDArray[np.bool_]:
        """Which rows are adversarial."""
        own = self.label if self.target is None else self.target
        margins = logs[:, own] - np.delete(logs, own, axis=1).max(axis=1)
        return np.asarray(margins < 0.0 if self.target is None else margins > 0.0, dtype=np.bool_)

    def _record(self, x: Floats, logs: Floats, queries: int) -> None:
        size = self.distortion(x - self.x0)
        if size < self.best:
            self.best, self.nearest, self.taken_for = size, x.copy(), int(logs.argmax())
            self.course.append((queries, size))
