"""Descent where each observation's loss is a ridge: a function of one combination of variables."""

from zooadmm.methods.auto.ridges.plan import affordable
from zooadmm.methods.auto.ridges.ridge_descent import RidgeDescent
from zooadmm.methods.auto.ridges.state import RidgeState

__all__ = ["RidgeDescent", "RidgeState", "affordable"]
