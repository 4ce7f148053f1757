"""Descent by a quadratic model of a loss without noise, over any structure that ADMM can handle."""

from zooadmm.quasi_newton.descending import Descending, Normals
from zooadmm.quasi_newton.descent import QuasiNewton
from zooadmm.quasi_newton.plain import from_plain, to_plain
from zooadmm.quasi_newton.separable import Coordinates
from zooadmm.quasi_newton.state import MUCH_LESS, Model
from zooadmm.quasi_newton.working_set import (
    MOST_AT_WORK,
    Working,
    WorkingSet,
    sparse_coordinates,
)

__all__ = [
    "MOST_AT_WORK",
    "MUCH_LESS",
    "Coordinates",
    "Descending",
    "Model",
    "Normals",
    "QuasiNewton",
    "Working",
    "WorkingSet",
    "from_plain",
    "sparse_coordinates",
    "to_plain",
]
