"""Gradient sources: a query, and a gradient out of its answer."""

from zooadmm.gradients.exact import Exact
from zooadmm.gradients.nearer import FAR, Nearer
from zooadmm.gradients.paired import Paired
from zooadmm.gradients.smoothed import Smoothed
from zooadmm.gradients.source import GradientSource

__all__ = ["FAR", "Exact", "GradientSource", "Nearer", "Paired", "Smoothed"]
