"""Every checkable claim of the paper's theory, measured."""

from zooadmm.experiments.theory.experiment import Theory

__all__ = ["Theory"]
