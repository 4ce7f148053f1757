"""State of the probe, and what it finds."""

from __future__ import annotations

import math
from typing import Literal, NamedTuple


class Radius(NamedTuple):
    """How noisy values are, and how far apart points must be for a slope to be seen."""

    noise: float = math.nan
    """The standard deviation of a value at one point on one observation; 0 where there is none"""
    rounding: float = 0.0
    """Rounding error of a value at most, where there is no noise"""
    length: float = math.nan
    """The distance between the points of a difference, sqrt(m) beta_t"""
    trial: float = math.nan
    """The length that is being tried, for a noisy loss"""
    center: float = math.nan
    """The mean value at x_1 that second differences of a noisy loss are formed with"""
    change: float = 0.0
    """The largest distance of values near x_1 from that at x_1, noise included; 0 while unknown"""
    reach: float = math.nan
    """The distance at which second differences of a noisy loss would rise well above the noise"""
    freedom: float = math.inf
    """The degrees of freedom behind `noise`; infinite where the user gave it"""
    kinked: bool = False
    """Whether a loss without noise was straight up to one length and has a kink beyond it"""
    uneven: bool = False
    """Whether noise was seen to depend on x, or hides all of a small domain"""


class ProbeState(NamedTuple):
    """State of the probe."""

    stage: Literal["given", "again", "ladder", "rungs", "noise", "beside", "further"]
    """x_1 and the best point that the user has evaluated; the point of the least value, again and
    again; x_1 twice, with a ladder of lengths along one direction unless evaluations are few; that
    ladder; repeated values at x_1; items at a distance from x_1; and at another one"""
    twice: tuple[float, ...] = ()
    """The two values at x_1, where the ladder comes after them"""
