"""What is to be solved: X, phi and A x + B y = c, put together as a `Problem`."""

from zooadmm.problem import regularizers, sets
from zooadmm.problem.constraint import Consensus, Constraint, Linear
from zooadmm.problem.linear_constraints import Equality, Inequality
from zooadmm.problem.named_variables import Parameters
from zooadmm.problem.pairs import isotropic_total_variation, overlapping_groups, total_variation
from zooadmm.problem.problem import Problem
from zooadmm.problem.regularizers import L1, ElasticNet, GroupL2
from zooadmm.problem.sets import Box, BoxBudget, Budget, Nonnegative, Simplex

__all__ = [
    "L1",
    "Box",
    "BoxBudget",
    "Budget",
    "Consensus",
    "Constraint",
    "ElasticNet",
    "Equality",
    "GroupL2",
    "Inequality",
    "Linear",
    "Nonnegative",
    "Parameters",
    "Problem",
    "Simplex",
    "isotropic_total_variation",
    "overlapping_groups",
    "regularizers",
    "sets",
    "total_variation",
]
