"""The least distortion that fools a network with one hidden layer of ReLU, by branch and bound.

The margin of a pair of classes is a sum of max(a_i, 0) w_i over the hidden units with inputs a_i,
which are linear in x. Where w_i > 0 a term is convex, where w_i < 0 it is concave. Within a ball
about the image that holds an adversarial point already, most units are always on or always off. The
concave terms of the others are replaced by their chords, the convex ones by tangents. That gives a
linear or quadratic program, whose value is a lower bound. Branching makes a concave unit on or off.
The weights are known here, which no attack is given.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass, field
from itertools import count
from typing import NamedTuple

import numpy as np

from benchmarks.attacks.balls import BALLS, Ball, Floats, Relaxed
from benchmarks.attacks.networks import Dense

GAP = 1e-3
"""Relative difference of the least distortion found and the bound."""

NODES = 20_000
"""Programs at most for an image and class; the bound is lower if they do not suffice."""

BEYOND = 1e-6
"""Part of a distortion by which a point is moved on, since programs are solved up to rounding."""

FREE, ON, OFF = 0, 1, -1


class Least(NamedTuple):
    """found: of an adversarial image. bound: no adversarial image has less."""

    found: float
    bound: float


def least(network: Dense, image: Floats, label: int, norm: str, known: float) -> Least:
    """The least distortion of one image, in [0, 1], to a relative gap of GAP.

    known: the distortion of an adversarial image.
    """
    found, bound = known, np.inf
    for other in range(len(network.c)):
        if other != label:
            pair = _Pair(network, image, (label, other), BALLS[norm], found)
            bound = min(bound, pair.branch())
            found = pair.found
    return Least(found, min(found, bound))


@dataclass
class _Pair:
    """Images of one class that are taken for one other class."""

    network: Dense
    image: Floats
    pair: tuple[int, int]
    ball: Ball
    found: float
    units: _Units = field(init=False)

    def __post_init__(self) -> None:
        self.lower, self.upper = -self.image, 1.0 - self.image
        self.units = _units(self)

    @property
    def enough(self) -> float:
        """A node with this bound needs no branching."""
        return self.found * (1 - GAP)

    def branch(self) -> float:
        """A lower bound, as near to `found` as GAP where there are no nearer points."""
        units, ties, bound = self.units, count(), np.inf
        none = np.zeros((1, len(units.convex)), dtype=bool)
        root = np.full(len(units.concave), FREE)
        relaxed, tangents = self._relaxed(root, none)
        nodes = [(relaxed.bound, next(ties), root, relaxed.d, tangents)]
        while nodes:
            value, tie, state, d, tangents = heapq.heappop(nodes)
            if d is None or value >= self.enough:
                return min(bound, value)
            self._try(d)
            loose = units.looseness(state, d)
            if len(loose) == 0 or loose.max() <= 1e-9:  # nothing was relaxed
                bound = min(bound, value)
                continue
            if tie > NODES:
                return min(bound, value)
            for branch in (ON, OFF):
                child = state.copy()
                child[loose.argmax()] = branch
                relaxed, kept = self._relaxed(child, tangents)
                own = max(value, relaxed.bound)
                heapq.heappush(nodes, (own, next(ties), child, relaxed.d, kept))
        return bound

    def _relaxed(self, state: Floats, tangents: Floats) -> tuple[Relaxed, Floats]:
        """The nearest point with these concave units on, off or free, by further tangents."""
        units = self.units
        slope, level = units.margin(state)
        signs, sides = units.signs(state)
        while True:
            slopes = slope + tangents @ units.convex_slopes
            levels = level + tangents @ units.convex_levels
            G, h = np.vstack([slopes, signs]), np.concatenate([-levels, sides])
            lengths = np.maximum(np.linalg.norm(G, axis=1), 1e-300)
            relaxed = self.ball.nearest(G / lengths[:, None], h / lengths, self.lower, self.upper)
            if relaxed.d is None or relaxed.bound >= self.enough:
                return relaxed, tangents
            on = units.convex_slopes @ relaxed.d + units.convex_levels > 0
            if (tangents == on).all(axis=1).any():
                return relaxed, tangents
            tangents = np.vstack([tangents, on])

    def _try(self, d: Floats) -> None:
        """Whether the point of a relaxation, or one a little beyond it, is adversarial itself."""
        x = np.clip(self.image + d * (1 + BEYOND), 0.0, 1.0)
        p = self.network.predict_proba(x[None])[0]
        size = self.ball.size(x - self.image)
        if p[self.pair[0]] <= p[self.pair[1]] and size < self.found:
            self.found = size


@dataclass(frozen=True)
class _Units:
    """Units whose sign may change within the ball; all levels are about d = 0, weights included."""

    slope: Floats
    """of the terms that are linear in the ball"""
    level: float
    convex_slopes: Floats
    """(convex units, pixels)"""
    convex_levels: Floats
    concave: Floats
    """their weights, negative"""
    inputs: Floats
    """of the concave units at d = 0"""
    input_slopes: Floats
    """(concave units, pixels)"""
    chords: Floats
    """slopes of the chords"""
    lowest: Floats
    """inputs at which the chords are zero"""

    @property
    def convex(self) -> Floats:
        return self.convex_levels

    def margin(self, state: Floats) -> tuple[Floats, float]:
        """Slope and level of the margin without the convex units: chords where a unit is free."""
        free, on = state == FREE, state == ON
        factors = self.concave * (on + free * self.chords)
        level = self.level + float(factors @ (self.inputs - free * self.lowest))
        return self.slope + factors @ self.input_slopes, level

    def signs(self, state: Floats) -> tuple[Floats, Floats]:
        """Rows that keep units on or off: -state a <= 0."""
        fixed = state != FREE
        signs = -state[fixed]
        return signs[:, None] * self.input_slopes[fixed], -signs * self.inputs[fixed]

    def looseness(self, state: Floats, d: Floats) -> Floats:
        """How far each chord is from its unit at d."""
        inputs = self.inputs + self.input_slopes @ d
        chords = self.chords * (inputs - self.lowest)
        return np.where(state == FREE, -self.concave * (chords - np.maximum(inputs, 0.0)), 0.0)


def _units(of: _Pair) -> _Units:
    W, b, V, c = of.network
    label, other = of.pair
    weights = V[:, label] - V[:, other]
    inputs = of.image @ W + b
    highest = inputs + of.ball.reach(W, of.found, of.lower, of.upper)
    lowest = inputs - of.ball.reach(-W, of.found, of.lower, of.upper)
    on, undecided = lowest >= 0, (lowest < 0) & (highest > 0)
    convex, concave = undecided & (weights > 0), undecided & (weights < 0)
    return _Units(
        slope=W[:, on] @ weights[on],
        level=float(c[label] - c[other] + inputs[on] @ weights[on]),
        convex_slopes=(W[:, convex] * weights[convex]).T,
        convex_levels=inputs[convex] * weights[convex],
        concave=weights[concave],
        inputs=inputs[concave],
        input_slopes=W[:, concave].T,
        chords=highest[concave] / (highest[concave] - lowest[concave]),
        lowest=lowest[concave],
    )
