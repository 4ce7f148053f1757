"""Descent by a quadratic model of a loss without noise, over any structure."""

from zooadmm.methods.auto.model.descent import Descending, Normals
from zooadmm.methods.auto.model.quasi_newton import QuasiNewton
from zooadmm.methods.auto.model.state import MUCH_LESS, Model

__all__ = ["MUCH_LESS", "Descending", "Model", "Normals", "QuasiNewton"]
