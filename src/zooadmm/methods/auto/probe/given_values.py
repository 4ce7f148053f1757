"""Values that the user has: compared with the first of the run's own, and then used or not."""

from __future__ import annotations

import math

import numpy as np
import scipy.special

from zooadmm.methods.auto.constants import BEYOND_NOISE, TINY_PART
from zooadmm.methods.auto.known import Known
from zooadmm.methods.auto.model.regression import NO_VALUES, Values
from zooadmm.problem.arrays import Matrix, Vector


def compared(known: Known, points: Matrix, own: Vector) -> Known:
    """With the run's own values at these points, and by how much given ones differ from them."""
    given = known.values
    off = given.off
    for point, value in zip(points, own, strict=True):
        same = (given.points == point).all(axis=1)
        off = max(off, float(np.abs(given.values[same] - value).max(initial=0.0)))
    return with_own(known._replace(values=given._replace(off=off)), points, own)


def repeats(given: Values, own: Values) -> bool:
    """Whether the run has evaluated a point whose value was given, and found a number there."""
    both = (given.points[:, None] == own.points[None]).all(axis=2)
    return bool(both[:, np.isfinite(own.values)].any())


def with_own(known: Known, points: Matrix, own: Vector) -> Known:
    """With the run's own values in place of given ones at the same points."""
    before = known.values
    if len(before.values) == 0:
        return known._replace(values=Values(points, own))
    other = ~(before.points[:, None] == points[None]).all(axis=2).any(axis=1)
    merged = before._replace(
        points=np.vstack([before.points[other], points]),
        values=np.concatenate([before.values[other], own]),
    )
    return known._replace(values=merged)


def judged(known: Known) -> Known:
    """Without values that are of another loss: they differ from the run's own beyond noise.

    Without noise they may be rounded, to TINY_PART of what they differ by.
    """
    values, (noise, freedom) = known.values, (known.radius.noise, known.radius.freedom)
    if not values.off > 0.0:
        return known
    most = TINY_PART * float(np.ptp(values.values))
    if noise > 0.0:
        rarely = BEYOND_NOISE
        if math.isfinite(freedom):  # as rarely, where the noise itself is not well known
            rarely = float(scipy.special.stdtrit(freedom, scipy.special.ndtr(BEYOND_NOISE)))
        most = rarely * math.sqrt(2.0) * noise
    if values.off <= most:
        return known
    said = (
        f"start_values are ignored: a value differs by {values.off:.2g} from the loss at the same "
        "point. Are they of another loss, or in another unit?"
    )
    return known._replace(values=NO_VALUES, distrust=said)
