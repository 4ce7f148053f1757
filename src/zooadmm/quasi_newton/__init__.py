"""Descent by a quadratic model of a loss without noise, over any structure that ADMM can handle."""

from zooadmm.quasi_newton.descent import QuasiNewton
from zooadmm.quasi_newton.state import Model, from_plain, to_plain

__all__ = ["Model", "QuasiNewton", "from_plain", "to_plain"]
