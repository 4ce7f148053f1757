"""Descent by a quadratic model of a loss without noise, over any structure."""

from zooadmm.methods.auto.model.descent import Normals, Steps
from zooadmm.methods.auto.model.quasi_newton import QuasiNewton
from zooadmm.methods.auto.model.state import Model

__all__ = ["Model", "Normals", "QuasiNewton", "Steps"]
