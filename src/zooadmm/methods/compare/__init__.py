"""`settings="compare"`: a loss that says which of two points is better, and has no values."""

from zooadmm.methods.compare.settings import Compare

__all__ = ["Compare"]
