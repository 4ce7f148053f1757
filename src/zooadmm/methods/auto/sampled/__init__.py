"""Descent of a sampled loss without noise: fresh observations, one belief about the gradient."""

from zooadmm.methods.auto.sampled.sampled_descent import SampledDescent
from zooadmm.methods.auto.sampled.state import SampledState

__all__ = ["SampledDescent", "SampledState"]
