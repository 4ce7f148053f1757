"""Convex sets and their Euclidean projections."""

from zooadmm.sets.affine_set import AffineSet
from zooadmm.sets.balls import L1Ball, L2Ball, LInfBall
from zooadmm.sets.box import Box, Nonnegative
from zooadmm.sets.box_budget import BoxBudget
from zooadmm.sets.budget import Budget
from zooadmm.sets.convex_set import ConvexSet
from zooadmm.sets.halfspace import Halfspace
from zooadmm.sets.nuclear_ball import NuclearBall
from zooadmm.sets.probe_safe import ProbeSafe
from zooadmm.sets.simplex import Simplex
from zooadmm.sets.whole_space import WholeSpace

__all__ = [
    "AffineSet",
    "Box",
    "BoxBudget",
    "Budget",
    "ConvexSet",
    "Halfspace",
    "L1Ball",
    "L2Ball",
    "LInfBall",
    "Nonnegative",
    "NuclearBall",
    "ProbeSafe",
    "Simplex",
    "WholeSpace",
]
