"""Where observations are measured in each stage of the descent, and what the values say of them."""

from __future__ import annotations

import math

import numpy as np

from zooadmm.methods.auto.constants import AT_ONCE, FACTOR, NARROW
from zooadmm.methods.auto.model.descent import Normals
from zooadmm.methods.auto.ridges import plan, probes
from zooadmm.methods.auto.ridges.state import Along, RidgeState, Stage
from zooadmm.oracle.observations import Batch
from zooadmm.oracle.queries import Answer, PointsQuery
from zooadmm.problem.arrays import Matrix, Vector
from zooadmm.problem.sets import ProbeSafe


class Measurement:
    """The points of each stage.

    inside: the set that no point may leave, or None. Near its boundary measurements are made at
        the nearest point with room for them, and ridges lead back to x.
    """

    def __init__(self, inside: ProbeSafe | None) -> None:
        self._inside = inside

    def portion(self, state: RidgeState) -> tuple[int, int]:
        """(position, count) of the observations that the next values are about."""
        begin = 0 if state.stage in ("again", "verify") else len(state.directions)
        at_once = max(1, AT_ONCE // self.num_points(state)) if state.stage != "level" else 1
        return begin + state.done, min(at_once, state.target - state.done)

    def num_points(self, state: RidgeState) -> int:
        """Values of each observation."""
        m, k = state.basis.shape
        numbers: dict[Stage, int] = {
            "test": 1 + 2 * 2,
            "wide": m + plan.LINE,
            "narrow": k + plan.LINE,
            "compare": 2,
            "level": 1,
        }
        return numbers.get(state.stage, plan.LINE)

    def query(
        self, state: RidgeState, id: int, batch: Batch | None, normals: Normals
    ) -> PointsQuery:
        """The points to evaluate next."""
        h, d, across = self.reach(state), state.length, self.across(state, normals)
        x = self.place(state)
        if state.stage in ("test", "again", "verify"):
            points = probes.across_points(x, across, h)
        elif state.stage == "level":
            points = x[None] + h * state.basis[:, state.done]
        elif state.stage == "compare":
            points = np.stack([state.trial.x, state.start.x])
        else:
            moves = state.basis.T if state.stage == "narrow" else self._tangent(np.eye(len(x)))
            points = probes.sloped_points(x, moves, d, across[0], h)
        return PointsQuery(id, points if self._inside is None else self._inside.clip(points), batch)

    def has_room(self, x: Vector, length: float) -> bool:
        """Whether the set has room for a measurement at x with differences of this length."""
        if self._inside is None:
            return True
        h = math.sqrt(length * max(1.0, float(np.abs(x).max())))
        return 2.0 * (FACTOR * h + length) < self._inside.inradius(len(x))

    def room(self, x: Vector) -> float:
        """The largest distance of points from each other that the set allows."""
        return math.inf if self._inside is None else NARROW * self._inside.inradius(len(x))

    def place(self, state: RidgeState) -> Vector:
        """Where to measure: at the trial or the center, or beside it with room for points."""
        x = state.trial.x if state.stage == "again" else state.center.x
        if self._inside is None:
            return x
        room = min(self.reach(state) + state.length, 0.5 * self._inside.inradius(len(x)))
        return np.asarray(self._inside.shrunk(room).project(x))

    def _tangent(self, rows: Matrix) -> Matrix:
        """The rows within the linear hull of the set."""
        return rows if self._inside is None else self._inside.tangent(rows)

    def reach(self, state: RidgeState) -> float:
        """h, for second differences: their error is least at the root of the length for first.

        Larger before a run settles: a kink has less curvature there, a smooth loss the same. Losses
        that are straight nearby are measured across their kinks.
        """
        h = math.sqrt(state.length * max(1.0, float(np.abs(state.center.x).max())))
        if state.span > 0.0:
            h = state.span if state.stage in ("test", "level") else state.length
        return FACTOR * h if state.stage == "verify" else h

    def across(self, state: RidgeState, normals: Normals) -> Matrix:
        """Random directions of length 1 in the measured subspace."""
        if state.stage == "narrow":
            return np.asarray(self.within(state, normals)[None] @ state.basis.T)
        rows = normals(2 if state.stage == "test" else 1)
        rows = np.sign(rows) * (1.0 + np.abs(rows))  # no entry is small: directions may have few
        rows = self._tangent(rows)
        return np.asarray(rows / np.linalg.norm(rows, axis=1)[:, None])

    def within(self, state: RidgeState, normals: Normals) -> Vector:
        """The direction of a narrow measurement, in units of its basis."""
        coefficients: Vector = normals(1, state.basis.shape[1])[0]
        return coefficients / float(np.linalg.norm(state.basis @ coefficients))

    def seen(self, state: RidgeState, answer: Answer, v: Vector) -> tuple[Matrix, Along]:
        """Slopes and ridges of a wide or narrow measurement; v: in units of the moves."""
        h = self.reach(state)
        if state.span > 0.0:
            slopes = (answer[1:-2] - answer[-2]).T / state.length
            seen = probes.along(answer, slopes @ v, h)
            straight = probes.straight(answer[[0, -2, -1]])
            return slopes, seen._replace(slope=np.where(straight & seen.sound, 1.0, seen.slope))
        slopes = probes.slopes(answer, state.length, v, h)
        seen = probes.along(answer, slopes @ v, h)
        sound = seen.sound & probes.agreeing(answer, slopes, v, h)
        return slopes, seen._replace(sound=sound)
