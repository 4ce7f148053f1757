"""Evaluators: ways of turning a query into an answer. None of them touches the mathematics."""

from zooadmm.evaluation.in_process import InProcess

__all__ = ["InProcess"]
