"""Convex sets and their Euclidean projections."""

from zooadmm.problem.sets.affine_set import AffineSet
from zooadmm.problem.sets.balls import L1Ball, L2Ball, LInfBall
from zooadmm.problem.sets.box import Box, Nonnegative
from zooadmm.problem.sets.box_budget import BoxBudget
from zooadmm.problem.sets.budget import Budget
from zooadmm.problem.sets.convex_set import ConvexSet, ProbeSafe
from zooadmm.problem.sets.halfspace import Halfspace
from zooadmm.problem.sets.nuclear_ball import NuclearBall
from zooadmm.problem.sets.simplex import Simplex
from zooadmm.problem.sets.whole_space import WholeSpace

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
