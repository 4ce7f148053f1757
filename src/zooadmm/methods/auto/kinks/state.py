"""State of the descent across kinks."""

from __future__ import annotations

from typing import Literal, NamedTuple

from zooadmm.methods.auto.model.state import NO_ROWS, NO_TRIAL, NOTHING, Trial
from zooadmm.problem.arrays import Matrix, Vector
from zooadmm.structure.cutting_planes import Planes
from zooadmm.structure.splitting import Solved

Stage = Literal["again", "slopes", "value", "kink", "settled", "smooth", "lost"]
"""What the next values are for: whether f(x) is the same again, the gradient at the trial, the loss
there, the test for a kink. Or how the descent ended: no step leads down; the loss is smooth here;
it is finite hardly anywhere, or values have noise."""


class Search(NamedTuple):
    """Weak Wolfe search for t on the arc t -> S(H / t)."""

    t: float
    low: float
    """The largest t known to be too short; 0 for none"""
    high: float
    """The least t known to be too long; inf for none"""
    tries: int


class KinkState(NamedTuple):
    """BFGS with whole gradients."""

    stage: Stage
    ask: Matrix
    """The points whose values come next, one a row"""
    at: Solved
    """x, y and the dual"""
    loss: float
    """f(x)"""
    steepest: Vector
    """The largest |slope| measured along each variable"""
    scale: float
    """Delta: how far F has fallen before, or by the largest step; the unit of changes of F"""
    search: Search
    trial: Trial
    origin: Trial
    """Where this descent was handed over"""
    eps: float
    """Rounding error of a value at most"""
    rho: float
    """The penalty of ADMM on the model; 0 before the first"""
    steps: int
    first_loss: float
    """f at the first x of the run"""
    began: float
    """F where this descent began"""
    planes: Planes
    """Planes below the loss, from gradients on the way"""
    falls: Vector
    """Decreases of F by the last 2m + 20 steps, the newest last; equal parts of Delta at first"""
    g: Vector = NOTHING
    """The gradient at x by differences; empty before the first"""
    H: Matrix = NO_ROWS
    side: float = 1.0
    """1 or -1: to which side differences are taken"""
    found: Trial = NO_TRIAL
    """The best trial that has fallen enough in this search"""
    found_g: Vector = NOTHING
    """The gradient there; empty where there is none"""
    failures: int = 0
    """Searches in a row that found nothing"""
    tried: Trial = NO_TRIAL
    """The last trial of this search; empty before the first"""
    smooth_g: Vector = NOTHING
    """The gradient at x where differences to both sides agree; empty elsewhere"""
    fresh: bool = True
    """Whether H is a first diagonal, of which the search finds the scale"""
    not_convex: bool = False
    """Whether values have shown that the loss is not convex"""
