"""Rounds of points drawn around a mean, inside X: what both searches by order share."""

from __future__ import annotations

import math
from functools import cached_property
from typing import TypeVar

import numpy as np

from zooadmm.methods.auto.constants import FEW, NARROW
from zooadmm.methods.auto.jumps.adaptation import Adaptation, drawn
from zooadmm.methods.auto.jumps.state import Cloud
from zooadmm.methods.auto.model import Normals
from zooadmm.methods.auto.probe import radius
from zooadmm.methods.auto.strategy import Strategy
from zooadmm.problem.arrays import Matrix, norm
from zooadmm.structure.minimizer import Minimizer
from zooadmm.structure.splitting import Solved

S = TypeVar("S")


class Rounds(Strategy[S]):
    """A search that evaluates rounds of points."""

    @cached_property
    def _minimizer(self) -> Minimizer:
        return Minimizer(self.given.problem)

    def _first_step(self, start: Solved, normals: Normals) -> float:
        """NARROW of how far X lets points go that are the size of x away, for each variable."""
        x = start.x
        ways = np.array([radius.size(x) * z / norm(z) for z in normals(FEW)])
        moves = self._minimizer.allowed(start, x + ways) - x
        return NARROW * math.sqrt(float(np.mean(np.square(moves))))

    def _round(
        self, cloud: Cloud, best: Solved, first_step: float, normals: Matrix
    ) -> tuple[Cloud, Matrix, Matrix]:
        """The draws of a round and its points; around the best pair where C or s overflows."""
        draws = drawn(cloud, normals)
        if len(draws) == 0:
            cloud = Adaptation.of(*normals.T.shape).first(best.x, first_step)
            draws = normals
        ask = self._minimizer.allowed(best, cloud.mean + cloud.step * draws)
        return cloud, draws, ask
