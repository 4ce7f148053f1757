"""zooadmm: minimize a function you can evaluate but not differentiate, with structure.

    minimize  mean_t f(x; w_t) + phi(y)   subject to  A x + B y = c,  x in X

by the zeroth-order online alternating direction method of multipliers (ZOO-ADMM; Liu, Chen, Chen
and Hero, AISTATS 2018). Start with `minimize`; `Optimizer` is the same method by ask and tell.

More of each kind: `zooadmm.sets`, `zooadmm.regularizers`, `zooadmm.evaluation` (engines),
`zooadmm.paper` (directions, gradient estimates, metrics and schedules of Algorithm 1),
`zooadmm.variance_reduced` (two methods to compare with).
"""

from zooadmm import evaluation
from zooadmm.analysis.regret import Regret
from zooadmm.evaluation import Command, Processes, Retry
from zooadmm.integrations.scipy import scipy_method
from zooadmm.methods import paper, variance_reduced
from zooadmm.methods.auto import Auto
from zooadmm.methods.compare import Compare
from zooadmm.methods.evaluated import Evaluated
from zooadmm.methods.follow import Follow
from zooadmm.methods.paper.settings import Paper
from zooadmm.oracle.loss import Loss
from zooadmm.oracle.observations import Samples, Stream, Time
from zooadmm.oracle.once import Once
from zooadmm.problem import (
    L1,
    Box,
    BoxBudget,
    Budget,
    ElasticNet,
    Equality,
    GroupL2,
    Inequality,
    Linear,
    Nonnegative,
    Parameters,
    Simplex,
    overlapping_groups,
    regularizers,
    sets,
    total_variation,
)
from zooadmm.run import Limits, Optimizer, Result, Status, minimize

__version__ = "0.1.0"

__all__ = [
    "L1",
    "Auto",
    "Box",
    "BoxBudget",
    "Budget",
    "Command",
    "Compare",
    "ElasticNet",
    "Equality",
    "Evaluated",
    "Follow",
    "GroupL2",
    "Inequality",
    "Limits",
    "Linear",
    "Loss",
    "Nonnegative",
    "Once",
    "Optimizer",
    "Paper",
    "Parameters",
    "Processes",
    "Regret",
    "Result",
    "Retry",
    "Samples",
    "Simplex",
    "Status",
    "Stream",
    "Time",
    "evaluation",
    "minimize",
    "overlapping_groups",
    "paper",
    "regularizers",
    "scipy_method",
    "sets",
    "total_variation",
    "variance_reduced",
]


def __dir__() -> list[str]:
    return sorted(__all__)
