"""Constraints that are evaluated with the loss: c(x) <= 0."""

from zooadmm.methods.evaluated.method import EvaluatedMethod, evaluated_method
from zooadmm.methods.evaluated.settings import Evaluated, Mode, UnsafeStart

__all__ = ["Evaluated", "EvaluatedMethod", "Mode", "UnsafeStart", "evaluated_method"]
