"""Every checkable claim of the paper's theory, measured."""

from zooadmm_reproduction.theory.experiment import Theory

__all__ = ["Theory"]
