"""A run from its first query to its result: `minimize` drains it, `Optimizer` asks and tells."""

from zooadmm.run.limits import Limits, Status
from zooadmm.run.minimization import minimize
from zooadmm.run.optimizer import Optimizer
from zooadmm.run.pending import Cell
from zooadmm.run.result import Result
from zooadmm.run.result_file import LocalOptimum
from zooadmm.run.trace import Info, Observer, Trace

__all__ = [
    "Cell",
    "Info",
    "Limits",
    "LocalOptimum",
    "Observer",
    "Optimizer",
    "Result",
    "Status",
    "Trace",
    "minimize",
]
