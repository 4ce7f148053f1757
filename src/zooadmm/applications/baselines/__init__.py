"""What the applications are compared with: methods that know the formula, each small."""

from zooadmm.applications.baselines.cox_scores import strongest, univariate_scores
from zooadmm.applications.baselines.least_squares import least_squares_weights
from zooadmm.applications.baselines.o_admm import o_admm
from zooadmm.applications.baselines.sensors import (
    greedy,
    log_determinant_derivatives,
    projected_gradient,
    second_order,
)

__all__ = [
    "greedy",
    "least_squares_weights",
    "log_determinant_derivatives",
    "o_admm",
    "projected_gradient",
    "second_order",
    "strongest",
    "univariate_scores",
]
