"""The state of a descent by fresh observations."""

from __future__ import annotations

from typing import Literal, NamedTuple

from zooadmm.methods.auto.model.belief import Belief
from zooadmm.methods.auto.model.state import NO_ROWS, NOTHING, Start
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
    target: int
    """Observations that the current measurement needs"""
    start: Start
    """The first measurements, variable by variable"""
    batch: Batch
    belief: Belief
    first: Vector
    """D, the diagonal of the metric, from the first observations"""
    products: Matrix
    """The sum of g g' over the batches so far, each divided by its mean square"""
    eps: float
    """Rounding error of a value"""
    seen: int = 0
    """k, how many observations had their slopes measured"""
    done: int = 0
    """Observations of it evaluated so far"""
    parts: tuple[Answer, ...] = ()
    """Values of the current measurement so far, some observations at a time; empty for slopes"""
    H: Matrix = NO_ROWS
    """The metric"""
    counted: int = 0
    """How many observations that sum is about"""
    nu: float = 0.0
    """The covariance of one observation's slopes is about nu H"""
    tau: float = 1.0
    """The relative error of H"""
    damping: float = 1.0
    """mu: the step minimizes the model with mu H in place of H"""
    rho: float = 0.0
    """The penalty of ADMM on the model; 0 before the first"""
    last: Vector = NOTHING
    """The step that led to x, while no slopes were measured there; else empty"""
    prior: Vector = NOTHING
    """The diagonal of P before that step"""
    trials: tuple[Solved, ...] = ()
    """The trial points, one for each damping"""
    dampings: Vector = NOTHING
    """Dampings of the trial points, ascending"""
    tests: int = 0
    """How often trial points were compared"""
    steps: int = 0
    """How many of them were accepted"""


NO_BATCH = Batch(0, NOTHING, NO_ROWS)
