"""Candidates on structure: regularizers, sets and linear constraints of one problem.

The mean model of an expert, with phi, is minimized over X and A x + B y = c by the one structured
step of the library,

    argmin_{x in X, y}  <g, x - x_0> + |x - x_0|_M^2 / 2 + phi(y)   with  A x + B y = c,

so zeros are exact, and sets and equations hold. It costs no evaluation.
"""

from __future__ import annotations

import numpy as np

from zooadmm.problem.arrays import Matrix, Vector
from zooadmm.problem.problem import Problem
from zooadmm.structure.minimizer import Minimizer
from zooadmm.structure.splitting import EXACT, Solved


class Structure:
    """The structured steps of one problem, where B has an inverse: y follows from x."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self._minimizer = Minimizer(problem)

    def renew(self) -> None:
        """Forget the last factors, which a resumed run does not have."""
        self._minimizer.renew()

    def completed(self, x: Vector) -> Vector:
        """The y of x."""
        constraint = self.problem.constraint
        return x.copy() if constraint.is_consensus else constraint.complete_y(x)

    def inside(self, x: Vector) -> Vector:
        """A point near x that the problem allows: in X the nearest, then on the rows too."""
        x = self.problem.moved_inside(x)
        nearest = self._minimizer.feasible(x, self.completed(x))[0]
        return np.asarray(self.problem.moved_inside(nearest), dtype=np.float64)

    def phi(self, points: Matrix) -> Vector:
        """phi at the y of each point; rounding does not make it infinite."""
        return np.array([self.problem.phi_near(self.completed(x)) for x in points])

    def minimum(self, x: Vector, g: Vector, M: Matrix) -> Vector:
        """The x of the structured step from x, with slope g and metric M."""
        start: Solved = self._minimizer.init(x, self.completed(x), np.zeros(self.problem.l))
        solved, _ = self._minimizer(M, x, g, start, 0.0, EXACT)
        return self._minimizer.pair(self._minimizer.exactly(solved))[0]
