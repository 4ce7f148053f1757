"""Descent by slopes of noisy values, once single values no longer show a decrease."""

from zooadmm.methods.auto.noisy.state import FilterState
from zooadmm.methods.auto.noisy.value_filter import ValueFilter

__all__ = ["FilterState", "ValueFilter"]
