"""The state of a descent by fresh observations."""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np

from zooadmm.methods.auto.model.belief import Belief
from zooadmm.methods.auto.model.state import Start
from zooadmm.oracle.queries import Answer
from zooadmm.problem.arrays import Matrix, Vector
from zooadmm.structure.splitting import Solved

Stage = Literal["value", "start", "slopes", "trials", "whole", "lost"]
"""What the next values are for: the loss at x0 on the first observations; their slopes and
curvatures; slopes of a fresh batch; values at trial points. "whole": all observations were used,
the model of their mean takes over. "lost": values are not finite where they are needed."""


class Batch(NamedTuple):
    """Sums over the observations of a batch; slopes in units of 1 / sqrt(D)."""

    number: int
    """Observations with finite values only"""
    total: Vector
    """The sum of their slopes"""
    products: Matrix
    """The sum of g g'"""


class SampledState(NamedTuple):
    """A point, a belief N(v, P) about the gradient of F there, and the current measurement."""

    stage: Stage
    at: Solved
    """x, y and the dual, in the variables of the minimizer"""
    seen: int
    """k, how many observations had their slopes measured"""
    target: int
    """Observations that the current measurement needs"""
    done: int
    """Observations of it evaluated so far"""
    start: Start
    """The first measurements, variable by variable"""
    parts: tuple[Answer, ...]
    """Its values so far, some observations at a time; empty for slopes"""
    batch: Batch
    belief: Belief
    H: Matrix
    """The metric"""
    first: Vector
    """D, the diagonal of the metric, from the first observations"""
    products: Matrix
    """The sum of g g' over the batches so far, each divided by its mean square"""
    counted: int
    """How many observations that sum is about"""
    nu: float
    """The covariance of one observation's slopes is about nu H"""
    tau: float
    """The relative error of H"""
    damping: float
    """mu: the step minimizes the model with mu H in place of H"""
    eps: float
    """Rounding error of a value"""
    rho: float
    """The penalty of ADMM on the model; 0 before the first"""
    last: Vector
    """The step that led to x, while no slopes were measured there; else empty"""
    prior: Vector
    """The diagonal of P before that step"""
    trials: tuple[Solved, ...]
    """The trial points, one for each damping"""
    dampings: Vector
    """Their dampings, ascending"""
    tests: int
    """How often trial points were compared"""
    steps: int
    """How many of them were accepted"""


NOTHING = np.zeros(0)
NO_ROWS = np.zeros((0, 0))
NO_BATCH = Batch(0, NOTHING, NO_ROWS)
