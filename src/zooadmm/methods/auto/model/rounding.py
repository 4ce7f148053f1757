"""Measure rounding again where the loss has become small beside its first values.

Six values back along the last step s, inside X because X is convex, and f(x): fourth differences
are free of what is smooth, and their root mean square is sqrt(70) times the error of a value (Moré
and Wild 2011). A floor tied to the first loss lets a run settle whose F falls to zero. Where the
gradient shows that more is left the floor is tied to the loss of now, and the model is repaired.
"""

from __future__ import annotations

import decimal
import math

import numpy as np

from zooadmm.methods.auto.constants import SEEN, SMALL_PART, TINY_PART, ULPS
from zooadmm.problem.arrays import Matrix, Vector

ORDER = 4
"""Order of the differences: high enough to cancel all that is smooth."""


def of(value: float) -> float:
    """The least rounding error of a value of this size."""
    return ULPS * float(np.spacing(abs(value)))


def is_coarse(eps: float, loss: float) -> bool:
    """Whether eps is beyond the rounding of numbers: values are printed, or made by iterations."""
    return eps > SEEN * of(loss)


def scaled(eps: float, size: float, loss: float) -> tuple[float, float]:
    """eps and the |f| it belongs to where the loss is now this: a coarse eps grows with |f|.

    Values have so many digits, or so large a relative error, as far as is known; where they do not,
    eps is measured before the run settles.
    """
    if is_coarse(eps, loss) and abs(loss) > size > 0.0:
        return eps * abs(loss) / size, abs(loss)
    return max(eps, of(loss)), size


def least(loss: float) -> float:
    """The least eps of a run with this first loss: |f| may fall to TINY_PART of itself twice.

    A run then settles at 3e-18 of its first loss, unless its gradient shows more to gain.
    """
    return TINY_PART**2 * of(loss)


def unit(values: Vector) -> float:
    """The last decimal or binary place that any of these values uses: they are rounded to it.

    >>> unit(np.array([2.5e22, 0.0, 1.02e22])), unit(np.array([26.5, 1.25]))
    (1e+20, 0.25)
    """
    shown = [float(value) for value in values if value != 0.0]
    last = min(int(decimal.Decimal(repr(v)).normalize().as_tuple().exponent) for v in shown)
    ratios = [v.as_integer_ratio() for v in shown]
    place = float(decimal.Decimal(1).scaleb(last))
    return max(place, min((n & -n) / d for n, d in ratios))


def spread(order: int) -> int:
    """The variance of a difference of this order, in units of that of a value.

    The sum of the squares of its binomial coefficients, 1 + 4 + 1 for the second.

    >>> spread(2), spread(4)
    (6, 70)
    """
    return math.comb(2 * order, order)


def points(x: Vector, s: Vector, length: float, eps: float) -> Matrix:
    """Back along the last step s from x, so near that second differences are about eps.

    length: |s|_H
    """
    length = max(length, math.sqrt(np.finfo(float).tiny))
    part = min(math.sqrt(eps) / length, SMALL_PART)
    return np.asarray(x - part * (1.0 + np.arange(ORDER + 2))[:, None] * s)


def read(loss: float, values: Vector, eps: float, least: float) -> float:
    """eps from these values; it does not rise above what it was, inf for unknown, nor fall below
    `least`.

    Values that are all the same lie on a plateau of a coarser rounding and show nothing.
    """
    if not np.ptp(values) > 0.0:
        return eps
    values = np.concatenate([[loss], values])
    seen = ULPS * math.sqrt(float(np.mean(np.square(np.diff(values, ORDER)))) / spread(ORDER))
    return min(eps, max(seen, of(loss), unit(values), least)) if math.isfinite(seen) else eps
