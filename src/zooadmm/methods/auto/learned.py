"""What `settings="auto"` learns in the course of a run, part by part.

Every part has a page in docs/auto and a state of its own here; together they are the `learned`
of a run's State, so a checkpoint holds them and nothing else influences the future.
"""

from __future__ import annotations

import math
from typing import Literal, NamedTuple

import numpy as np

from zooadmm.methods.auto.kinks import KinkState
from zooadmm.methods.auto.model import Model
from zooadmm.methods.auto.noisy import FilterState
from zooadmm.methods.auto.ridges import RidgeState
from zooadmm.methods.auto.sampled import SampledState
from zooadmm.methods.auto.working_set import WorkingState
from zooadmm.methods.method import State
from zooadmm.problem.arrays import Vector

PhaseName = Literal[
    "probe",
    "noise",
    "ridges",
    "sampled",
    "model",
    "filter",
    "gather",
    "search",
    "descend",
    "check",
]
"""What the next query is for."""


class Radius(NamedTuple):
    """How noisy values are, and how far apart points must be for a slope to be seen."""

    noise: float = math.nan
    """The standard deviation of a value at one point on one observation; 0 where there is none"""
    rounding: float = 0.0
    """How far a value may be off where there is no noise"""
    length: float = math.nan
    """The distance between the points of a difference, sqrt(m) beta_t"""
    chosen: float = math.nan
    """What `length` was before values that are not finite made it shorter"""
    trial: float = math.nan
    """The length that is being tried"""
    center: float = math.nan
    """The mean value at x_1 that second differences of a noisy loss are formed with"""
    change: float = 0.0
    """How far values near x_1 are from that at x_1, at most, noise included; 0 while unknown"""


class Gathered(NamedTuple):
    """Moments of the gradient estimates made at x_1, the odd and the even ones apart."""

    number: int
    """K"""
    target: int
    """K at which the next search starts"""
    sums: tuple[Vector, Vector]
    squares: tuple[Vector, Vector]
    latest: tuple[Vector, Vector]
    """The estimate before, and the difference of the two before it, for the dimension of noise"""
    products: tuple[float, float, int]
    """Sums of |e|^2 and of <e, e'>^2 over differences e of two estimates, and how many there are"""


class Scale(NamedTuple):
    """The search along the way that a step from x_1 takes as its length tau grows."""

    tau: float = math.nan
    """The best step length so far, or the middle of the range that is being tried"""
    rounds: int = 0
    """How often the range has been moved"""


class Distance(NamedTuple):
    """What the step size eta_t = r_t / sqrt(G_t) is made of."""

    r: float = 0.0
    """The largest distance from x_1 so far"""
    G: float = 0.0
    """The sum of |x_{t+1} - x_t|^2 / eta_t^2, and of what the search began with"""


class Means(NamedTuple):
    """Weighted means of the iterates and of their gradients, and the pair to fall back to."""

    number: int
    """Iterations in the means"""
    x: Vector
    gradient: Vector
    kept: tuple[Vector, Vector]
    """The best pair known by comparison of values"""
    trusted: bool
    """Whether the answer was no worse than that pair in the last comparison"""
    next_check: int
    """The number at which the answer is next compared with it"""
    reach: float
    """The distance r at which it is, if that comes first"""


class Learned(NamedTuple):
    """All that an automatic run has learned."""

    phase: PhaseName
    drawn: int
    """Observations drawn so far"""
    budget: int
    """The evaluations that were planned for when the run began; 0 for none"""
    num_directions: int
    """q1"""
    radius: Radius
    gathered: Gathered
    scale: Scale
    weights: Vector
    """The diagonal of the metric, with geometric mean 1"""
    anchor: Vector
    """x_1, from where distances are taken"""
    distance: Distance
    memory: Vector
    """v, the remembered gradient; empty where all directions are measured anyway"""
    means: Means
    penalty: float
    """rho of the inner ADMM; 0 before the first"""
    dimension: float
    """The effective dimension of the noise of a gradient, (tr C)^2 / tr C^2"""
    mishaps: int
    """How many answers had values that were not finite"""
    streak: int
    """How many of them in a row just now"""
    flipped: bool
    """Whether the next differences are taken on the other side"""
    model: Model | WorkingState | KinkState | None
    """A quadratic model of a loss without noise, or the descent across its kinks"""
    filtered: FilterState | None
    """The filter for noisy values, once it has taken over from the model"""
    model_ruled_out: bool
    """The model strategy has failed"""
    ridges: RidgeState | None
    """State of the descent by ridges, while it is at work"""
    ridges_ruled_out: bool
    """The ridge test failed or ridges were abandoned"""
    sampling: SampledState | None
    """The descent by fresh observations, until the model of their mean takes over"""
    at_edge: bool
    """Whether every step from the best pair known leads to values that are not finite"""


def first(x: Vector, y: Vector, budget: int, num_directions: int) -> Learned:
    """What is known before the first query: nothing."""
    m = len(x)
    zero = np.zeros(m)
    return Learned(
        phase="probe",
        drawn=0,
        budget=budget,
        num_directions=num_directions,
        radius=Radius(),
        gathered=Gathered(0, 0, (zero, zero), (zero, zero), (zero, zero), (0.0, 0.0, 0)),
        scale=Scale(),
        weights=np.ones(1),
        anchor=x,
        distance=Distance(),
        memory=np.zeros(m if num_directions < m else 0),
        means=Means(0, x, zero, (x, y), False, 0, math.inf),
        penalty=0.0,
        dimension=math.nan,
        mishaps=0,
        streak=0,
        flipped=False,
        model=None,
        filtered=None,
        model_ruled_out=False,
        ridges=None,
        ridges_ruled_out=False,
        sampling=None,
        at_edge=False,
    )


def learned_of(state: State) -> Learned:
    """What an automatic run has learned by now."""
    assert isinstance(state.learned, Learned)
    return state.learned
