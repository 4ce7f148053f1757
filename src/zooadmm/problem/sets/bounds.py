"""Lower and upper bounds, for the sets that have them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from zooadmm.problem.arguments import doubles
from zooadmm.problem.arrays import Matrix, Vector
from zooadmm.problem.sets.parameters import same_length

Bound = float | Vector
"""One number for every coordinate, or one number per coordinate; -inf and inf allowed."""


def as_bounds(lower: Bound, upper: Bound) -> tuple[Bound, Bound]:
    """Private copies of a pair of bounds, or ValueError if they contain no point."""
    low, high = _as_bound("lower", lower), _as_bound("upper", upper)
    if not isinstance(low, float) and not isinstance(high, float) and low.size != high.size:
        raise ValueError(
            f"lower has length {low.size} and upper has length {high.size}; "
            f"give them the same length, or a single number."
        )
    if not _everywhere(low <= high):  # also when one of them is NaN
        raise ValueError("lower must not exceed upper (and neither may be NaN) in any coordinate.")
    if not _everywhere(low < math.inf) or not _everywhere(high > -math.inf):
        raise ValueError("lower must be below +inf and upper above -inf, or no point lies between.")
    return low, high


def bounds_fit(lower: Bound, upper: Bound, m: int) -> None:
    """Raise ValueError unless the bounds go with vectors of length m."""
    for name, bound in (("lower", lower), ("upper", upper)):
        if not isinstance(bound, float):
            same_length(name, bound.size, m)


def clip_to(v: Vector | Matrix, lower: Bound, upper: Bound) -> Vector | Matrix:
    """A new array, v clipped to the bounds, in v's dtype."""
    return np.minimum(np.maximum(v, _like(v, lower)), _like(v, upper))


def rounded_inward(lower: Bound, upper: Bound, dtype: np.dtype[Any]) -> tuple[Bound, Bound]:
    """The narrowest bounds of a type within these: no point of it crosses them by rounding.

    A fixed coordinate, lower == upper, is rounded to the nearest number.

    >>> rounded_inward(0.0, 0.1, np.dtype(np.float32))[1] < 0.1 < float(np.float32(0.1))
    True
    """
    low, high = np.asarray(lower, dtype=np.float64), np.asarray(upper, dtype=np.float64)
    with np.errstate(over="ignore"):
        up, down = low.astype(dtype), high.astype(dtype)
    up = np.where(up < low, np.nextafter(up, dtype.type(np.inf)), up)
    down = np.where(down > high, np.nextafter(down, dtype.type(-np.inf)), down)
    fixed, nearest = low == high, low.astype(dtype)
    up, down = np.where(fixed, nearest, up), np.where(fixed, nearest, down)
    if (up > down).any():
        raise ValueError(
            f"no number of type {dtype} lies between lower and upper at variable "
            f"{int(np.argmax(up > down))}; give x0 as float64."
        )
    return _as_bound("lower", up), _as_bound("upper", down)


def free_coordinates(lower: Bound, upper: Bound) -> bool | NDArray[np.bool_]:
    """Where lower < upper: the coordinates that the bounds do not fix."""
    return lower < upper


def half_width(lower: Bound, upper: Bound) -> float:
    """Half the narrowest free side, or inf when no coordinate is free."""
    widths = np.subtract(upper, lower)
    return 0.5 * float(np.min(np.where(widths > 0.0, widths, np.inf)))


def moved_inward(lower: Bound, upper: Bound, radius: float) -> tuple[Bound, Bound]:
    """The bounds of the free coordinates moved inward by the radius; the fixed ones stay."""
    if not 0.0 <= radius < math.inf:
        raise ValueError(f"radius must be finite and zero or more, but it is {radius}.")
    radius = float(radius)
    free = free_coordinates(lower, upper)
    inset = radius if free is True else radius * np.asarray(free)
    low, high = lower + inset, upper - inset
    if _everywhere(low <= high):
        return low, high
    room = half_width(lower, upper)
    if radius > room:
        raise ValueError(
            f"radius {radius:g} leaves nothing of the set, whose narrowest side allows {room:g}; "
            f"use a smaller radius."
        )
    return low, np.maximum(low, high)  # they crossed by rounding


def _as_bound(name: str, value: Bound) -> Bound:
    if isinstance(value, float):
        return float(value)
    array = doubles(name, value)
    if array.ndim > 1 or array.size == 0:
        raise ValueError(f"{name} must be a number or a nonempty vector, not {array.shape}.")
    if array.ndim == 0:
        return float(array)
    array.setflags(write=False)
    return array


def _everywhere(condition: bool | NDArray[np.bool_]) -> bool:
    return condition if isinstance(condition, bool) else bool(condition.all())


def _like(v: Vector | Matrix, bound: Bound) -> Bound:
    if isinstance(bound, float) or v.dtype.kind != "f":
        return bound
    return bound.astype(v.dtype, copy=False)
