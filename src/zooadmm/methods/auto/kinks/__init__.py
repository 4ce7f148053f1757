"""Descent across kinks of a loss without noise, over any structure."""

from zooadmm.methods.auto.kinks.descent import KinkDescent
from zooadmm.methods.auto.kinks.state import KinkState

__all__ = ["KinkDescent", "KinkState"]
