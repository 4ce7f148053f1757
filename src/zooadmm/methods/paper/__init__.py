"""`settings="paper"`: Algorithm 1 and its parts.

Directions, gradient estimates, metrics G_t of the x-step and schedules that the paper names.
"""

from zooadmm.methods.paper import schedules
from zooadmm.methods.paper.algorithm import Algorithm
from zooadmm.oracle.directions import Coordinate, Gaussian, Orthogonal, Rademacher, Sphere
from zooadmm.oracle.gradients import DoublySmoothed, Exact, Paired, Residual, Smoothed
from zooadmm.structure.metrics import Fixed, Linearized, LinearizedDiagonal

__all__ = [
    "Algorithm",
    "Coordinate",
    "DoublySmoothed",
    "Exact",
    "Fixed",
    "Gaussian",
    "Linearized",
    "LinearizedDiagonal",
    "Orthogonal",
    "Paired",
    "Rademacher",
    "Residual",
    "Smoothed",
    "Sphere",
    "schedules",
]
