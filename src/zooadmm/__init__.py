"""zooadmm: minimize a function you can evaluate but not differentiate, with structure.

    minimize  mean_t f(x; w_t) + phi(y)   subject to  A x + B y = c,  x in X

by the zeroth-order online alternating direction method of multipliers (ZOO-ADMM; Liu, Chen, Chen
and Hero, AISTATS 2018). Start with `minimize`; `Optimizer` is the same method by ask and tell.
"""

from zooadmm import schedules
from zooadmm.algorithm import State
from zooadmm.auto import Auto
from zooadmm.constraint import Consensus, Constraint, Linear
from zooadmm.directions import Coordinate, Gaussian, Orthogonal, Rademacher, Sphere
from zooadmm.evaluation import (
    Command,
    Dask,
    EvaluationFailed,
    Processes,
    Ray,
    Retry,
    Threads,
)
from zooadmm.gradients import Exact, Paired, Smoothed
from zooadmm.info import Info
from zooadmm.limits import Status
from zooadmm.loss import Loss
from zooadmm.metrics import Fixed, Linearized, LinearizedDiagonal
from zooadmm.minimization import minimize
from zooadmm.observations import Samples, Stream, Time
from zooadmm.optimizer import Optimizer
from zooadmm.regret import Regret
from zooadmm.regularizers import (
    L1,
    ElasticNet,
    GroupL2,
    Indicator,
    SquaredL2,
    Within,
    Zero,
)
from zooadmm.result import Result
from zooadmm.scipy_interface import scipy_method
from zooadmm.sets import Box, BoxBudget, Budget, Nonnegative, Simplex, WholeSpace
from zooadmm.structures import isotropic_total_variation, overlapping_groups, total_variation
from zooadmm.trace import Trace

__version__ = "0.1.0"

__all__ = [
    "L1",
    "Auto",
    "Box",
    "BoxBudget",
    "Budget",
    "Command",
    "Consensus",
    "Constraint",
    "Coordinate",
    "Dask",
    "ElasticNet",
    "EvaluationFailed",
    "Exact",
    "Fixed",
    "Gaussian",
    "GroupL2",
    "Indicator",
    "Info",
    "Linear",
    "Linearized",
    "LinearizedDiagonal",
    "Loss",
    "Nonnegative",
    "Optimizer",
    "Orthogonal",
    "Paired",
    "Processes",
    "Rademacher",
    "Ray",
    "Regret",
    "Result",
    "Retry",
    "Samples",
    "Simplex",
    "Smoothed",
    "Sphere",
    "SquaredL2",
    "State",
    "Status",
    "Stream",
    "Threads",
    "Time",
    "Trace",
    "WholeSpace",
    "Within",
    "Zero",
    "isotropic_total_variation",
    "minimize",
    "overlapping_groups",
    "schedules",
    "scipy_method",
    "total_variation",
]


def __dir__() -> list[str]:
    return sorted(__all__)
