"""How far a convex F can fall near x, by planes below it: a linear program.

    F(x) - min { max_j (f_j + <g_j, z - x_j>) + Phi(z) + Psi(R z) :  |z_i - x_i| <= r_i }

Gradients g_j at points x_j give planes below a convex f, kinks or not. No z within reach r has a
lower F than the program (Kelley 1960). Curvature of Phi and Psi counts by its tangent at x.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
import scipy
import scipy.sparse
from numpy.typing import NDArray

from zooadmm.problem.arrays import Matrix, Vector
from zooadmm.problem.coordinates import Coordinates, Floats
from zooadmm.problem.form import Form


class Planes(NamedTuple):
    """f_j + <g_j, z - x_j>, a row each."""

    points: Matrix
    values: Vector
    slopes: Matrix
    errors: Vector
    """How far slopes may be off by rounding, in units of the steepest along their variables"""

    def at(self, z: Matrix) -> Matrix:
        """The planes, a row each, at the rows of z."""
        offsets = self.values - np.einsum("jm,jm->j", self.slopes, self.points)
        return np.asarray(self.slopes @ z.T + offsets[:, None])

    def chosen(self, which: NDArray[np.intp]) -> Planes:
        """Some of them."""
        return Planes(*(column[which] for column in self))

    def lowered(self, by: float) -> Planes:
        """Each plane, lower by this many of its errors."""
        return self._replace(values=self.values - by * self.errors)


def decrease_left(
    planes: Planes, form: Form, x: Vector, loss: float, reach: Vector, scale: float
) -> float:
    """The bound above; inf where the program was not solved. scale: the unit of F.

    >>> from zooadmm.problem.coordinates import coordinates
    >>> from zooadmm.problem.form import of_coordinates
    >>> free = of_coordinates(coordinates(1))
    >>> sides = np.array([[-1.0], [1.0]])
    >>> absolute = Planes(sides, np.ones(2), sides, np.zeros(2))
    >>> [decrease_left(absolute, free, np.array([x]), abs(x), np.ones(1), 1.0) for x in (0.5, 0.0)]
    [0.5, 0.0]
    """
    m = len(x)
    below = (planes.at(x[None])[:, 0] - loss) / scale
    slopes = planes.slopes * reach / scale
    parts = [
        _Part(form.phi, x, scipy.sparse.diags_array(reach)),
        _Part(form.psi, form.rows @ x, form.rows @ scipy.sparse.diags_array(reach)),
    ]
    of_planes = [slopes, np.full((len(slopes), 1), -1.0)]  # over w, then t
    rows, right = [np.hstack([*of_planes, np.zeros((len(slopes), _num_kinks(parts)))])], [-below]
    cost, first = np.concatenate([np.zeros(m), [1.0], np.zeros(_num_kinks(parts))]), m + 1
    for part in parts:
        part.enter(rows, right, cost, first, scale)
        first += part.num_kinks
    step = scipy.optimize.linprog(
        cost, np.vstack(rows), np.concatenate(right),
        bounds=[(-1.0, 1.0)] * m + [(None, None)] * (len(cost) - m), method="highs",
    )  # fmt: skip
    return abs(min(scale * float(step.fun), 0.0)) if step.status == 0 else math.inf


def _num_kinks(parts: list[_Part]) -> int:
    return sum(part.num_kinks for part in parts)


class _Part:
    """Phi or Psi as rows of the program: u = at + D w, and its change from `at`."""

    def __init__(self, phi: Coordinates, at: Floats, D: Any) -> None:
        self._phi, self._at = phi, at
        self._D = D.toarray()
        self._kinked = np.flatnonzero(phi.kinked)
        self.num_kinks = len(self._kinked)

    def enter(
        self, rows: list[Matrix], right: list[Vector], cost: Vector, first: int, scale: float
    ) -> None:
        """Add bounds, kinks with a variable each from `first`, and straight parts to the cost."""
        phi, at, m = self._phi, self._at, self._D.shape[1]
        units = np.maximum(np.abs(self._D).max(axis=1, initial=0.0), np.finfo(float).tiny)
        for sign, limit in ((1.0, phi.upper), (-1.0, phi.lower)):
            bounded = np.isfinite(limit)
            made = np.zeros((int(bounded.sum()), len(cost)))
            made[:, :m] = sign * (self._D / units[:, None])[bounded]
            rows.append(made)
            right.append(np.maximum(sign * (limit - at) / units, 0.0)[bounded])
        straight = np.where(phi.kinked, 0.0, phi.below) + phi.curvature * at
        cost[:m] += straight @ self._D / scale
        cost[first : first + self.num_kinks] = 1.0
        where, gap = self._kinked, (at - phi.kink)[self._kinked]
        now = phi.below[where] * np.minimum(gap, 0.0) + phi.above[where] * np.maximum(gap, 0.0)
        for slope in (phi.below[where], phi.above[where]):
            made = np.zeros((self.num_kinks, len(cost)))
            made[:, :m] = slope[:, None] * self._D[where] / scale
            made[np.arange(self.num_kinks), first + np.arange(self.num_kinks)] = -1.0
            rows.append(made)
            right.append((now - slope * gap) / scale)
