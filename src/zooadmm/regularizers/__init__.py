"""Regularizers: convex functions with a proximal operator."""

from zooadmm.regularizers.coercion import as_regularizer
from zooadmm.regularizers.elastic_net import ElasticNet
from zooadmm.regularizers.foreign import Foreign
from zooadmm.regularizers.graph_laplacian import GraphLaplacian
from zooadmm.regularizers.group_l2 import GroupL2
from zooadmm.regularizers.indicator import Indicator
from zooadmm.regularizers.l1 import L1
from zooadmm.regularizers.linf import LInf
from zooadmm.regularizers.nuclear_norm import NuclearNorm
from zooadmm.regularizers.proximal_sum import ProximalSum
from zooadmm.regularizers.regularizer import Regularizer, SizedRegularizer
from zooadmm.regularizers.squared_l2 import SquaredL2
from zooadmm.regularizers.within import Within
from zooadmm.regularizers.zero import Zero

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
