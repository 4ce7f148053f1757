"""Evaluators: ways of turning a query into an answer. None of them touches the mathematics.

An engine (`Threads`, `Processes`, ...) is a place where evaluations can be made; an evaluator is an
engine at work on a loss.
"""

from zooadmm.evaluation.choice import evaluator_for
from zooadmm.evaluation.command import Command
from zooadmm.evaluation.dask_engine import Dask
from zooadmm.evaluation.engine import Engine
from zooadmm.evaluation.evaluator import Evaluator, InProcess
from zooadmm.evaluation.faults import EvaluationFailed, OnError, Retry
from zooadmm.evaluation.processes import Processes
from zooadmm.evaluation.ray_engine import Ray
from zooadmm.evaluation.threads import Threads

__all__ = [
    "Command",
    "Dask",
    "Engine",
    "EvaluationFailed",
    "Evaluator",
    "InProcess",
    "OnError",
    "Processes",
    "Ray",
    "Retry",
    "Threads",
    "evaluator_for",
]
