"""Regularizers: convex functions with a proximal operator."""

from zooadmm.problem.regularizers.coercion import Foreign, as_regularizer
from zooadmm.problem.regularizers.elastic_net import ElasticNet
from zooadmm.problem.regularizers.graph_laplacian import GraphLaplacian
from zooadmm.problem.regularizers.group_l2 import GroupL2
from zooadmm.problem.regularizers.indicator import Indicator, Within
from zooadmm.problem.regularizers.l1 import L1
from zooadmm.problem.regularizers.linf import LInf
from zooadmm.problem.regularizers.nuclear_norm import NuclearNorm
from zooadmm.problem.regularizers.proximal_sum import ProximalSum
from zooadmm.problem.regularizers.regularizer import Regularizer, SizedRegularizer
from zooadmm.problem.regularizers.squared_l2 import SquaredL2
from zooadmm.problem.regularizers.zero import Zero

__all__ = [
    "L1",
    "ElasticNet",
    "Foreign",
    "GraphLaplacian",
    "GroupL2",
    "Indicator",
    "LInf",
    "NuclearNorm",
    "ProximalSum",
    "Regularizer",
    "SizedRegularizer",
    "SquaredL2",
    "Within",
    "Zero",
    "as_regularizer",
]
