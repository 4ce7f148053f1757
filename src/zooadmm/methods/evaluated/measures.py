"""What the descent compares by: violations, merit, lengths of steps and errors of values."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from zooadmm.methods.evaluated import slopes
from zooadmm.methods.evaluated.settings import Evaluated
from zooadmm.methods.evaluated.state import SequentialState
from zooadmm.problem.arrays import Vector
from zooadmm.problem.form import Form


class Measures:
    """For one structure: X and phi as a form.

    phi: phi(y) as a function of x.
    units: the size of each variable.
    """

    def __init__(
        self, form: Form, phi: Callable[[Vector], float], evaluated: Evaluated, units: Vector
    ) -> None:
        self.form = form
        self.phi = phi
        self.count = evaluated.count
        self.safe = evaluated.mode == "safe"
        self.tolerance = evaluated.tolerance
        self.units = units

    # values

    def violation(self, values: Vector) -> float:
        """The largest violation of a constraint."""
        return max(float(values[1:].max()), 0.0)

    def is_feasible(self, values: Vector) -> bool:
        """Whether no constraint is violated by more than the tolerance."""
        return self.violation(values) <= self.tolerance

    def objective(self, x: Vector, values: Vector) -> float:
        """F = f + phi at x."""
        return float(values[0]) + self.phi(x)

    def merit(self, state: SequentialState, x: Vector, values: Vector) -> float:
        """F with what violations cost, for the weights and the reserve of the step at work."""
        missed = np.maximum(values[1:] + state.step.inside, 0.0)
        return self.objective(x, values) + float(state.weights @ missed)

    def rank(self, x: Vector, values: Vector) -> tuple[float, float]:
        """Feasible points by F, before others by their violation."""
        if self.is_feasible(values):
            return 0.0, self.objective(x, values)
        return self.violation(values), 0.0

    def error(self, state: SequentialState) -> float:
        """Error of a value of the Lagrangian function."""
        return float(state.noise[0] + state.multipliers @ state.noise[1:])

    # steps

    def length(self, d: Vector) -> float:
        """Length of a step, in units of the variables."""
        return float(np.linalg.norm(d / self.units))

    def size(self, d: Vector) -> float:
        """The largest change of a variable, in its unit."""
        return float(np.abs(d / self.units).max())

    def change(self, state: SequentialState, d: Vector) -> float:
        """Change of F along d by its slopes."""
        return float(state.J[0] @ d) + self.phi(state.x + d) - self.phi(state.x)

    def relief(self, state: SequentialState, d: Vector, inside: Vector | float) -> Vector:
        """By how much violations fall along d."""
        c = state.values[1:] + inside
        return np.asarray(np.maximum(c, 0.0) - np.maximum(c + state.J[1:] @ d, 0.0))

    # points

    def within(self, points: Vector) -> Vector:
        """The points, those that rounding put beyond a bound moved onto it."""
        return np.asarray(np.clip(points, self.form.phi.lower, self.form.phi.upper))

    def lengths(self, state: SequentialState) -> Vector:
        """Lengths of the differences along the variables."""
        curvature, error = np.diagonal(state.H), self.error(state)
        return slopes.lengths(state.x, curvature, error, self.units, self.form.phi)

    def inward(self, state: SequentialState) -> Vector:
        """Lengths towards the side on which constraints are less near."""
        length, bounds = self.lengths(state), self.form.phi
        rise = state.J[1:] * length
        worse = (state.values[1:, None] + rise).max(axis=0) > (state.values[1:, None] - rise).max(
            axis=0
        )
        other = state.x - length
        free = (other >= bounds.lower) & (other <= bounds.upper)
        return np.where(worse & free, -length, length)

    def reserve(self, state: SequentialState) -> Vector:
        """How far inside the rows end: rounding; in "safe" the next differences, or as x does."""
        reserve = 2.0 * state.noise[1:]
        if not self.safe:
            return np.asarray(reserve)
        next_ones = 2.0 * np.abs(state.J[1:] * self.lengths(state)).max(axis=1)
        return np.asarray(np.minimum(reserve + next_ones, np.maximum(-state.values[1:], 0.0)))
