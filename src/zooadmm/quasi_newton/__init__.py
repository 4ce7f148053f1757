"""Descent by a quadratic model of a loss without noise, over any structure that ADMM can handle."""

from zooadmm.quasi_newton.descending import MOST_MODELED, MUCH_LESS, Descending, Normals
from zooadmm.quasi_newton.descent import QuasiNewton
from zooadmm.quasi_newton.plain import from_plain, to_plain
from zooadmm.quasi_newton.state import Model
from zooadmm.quasi_newton.working_set import (
    MOST_AT_WORK,
    Working,
    WorkingSet,
    sparse_coordinates,
)

__all__ = [
    "MOST_AT_WORK",
    "MOST_MODELED",
    "MUCH_LESS",
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
