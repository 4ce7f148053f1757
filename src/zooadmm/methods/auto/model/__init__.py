"""Descent by a quadratic model of a loss without noise, over any structure."""

from zooadmm.methods.auto.model.descent import ModelDescent, Normals, Steps
from zooadmm.methods.auto.model.quasi_newton import QuasiNewton
from zooadmm.methods.auto.model.state import Model

__all__ = ["Model", "ModelDescent", "Normals", "QuasiNewton", "Steps"]
