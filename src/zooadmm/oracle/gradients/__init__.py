"""Gradient sources: a query, and a gradient out of its answer."""

from zooadmm.oracle.gradients.differences import Paired, Smoothed
from zooadmm.oracle.gradients.doubly_smoothed import DoublySmoothed
from zooadmm.oracle.gradients.exact import Exact
from zooadmm.oracle.gradients.nearer import FAR, Nearer
from zooadmm.oracle.gradients.residual import Residual, Residue
from zooadmm.oracle.gradients.source import GradientSource

__all__ = [
    "FAR",
    "DoublySmoothed",
    "Exact",
    "GradientSource",
    "Nearer",
    "Paired",
    "Residual",
    "Residue",
    "Smoothed",
]
