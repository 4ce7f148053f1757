"""Parameters of sets and regularizers: checked once, refused by name."""

from __future__ import annotations

import math
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from zooadmm.problem.arguments import doubles, listed, number, real_array, whole_number
from zooadmm.problem.arrays import Vector


def finite(name: str, value: float) -> float:
    """The value as a Python float, which leaves float32 arrays float32."""
    found = number(name, value)
    if not math.isfinite(found):
        raise ValueError(f"{name} must be finite, but it is {found}.")
    return found


def positive(name: str, value: float) -> float:
    """A finite number above zero."""
    if type(value) is float and 0.0 < value < math.inf:
        return value
    found = finite(name, value)
    if found <= 0.0:
        raise ValueError(f"{name} must be positive, but it is {found}.")
    return found


def nonnegative(name: str, value: float) -> float:
    """A finite number that is zero or more."""
    found = finite(name, value)
    if found < 0.0:
        raise ValueError(f"{name} must be zero or more, but it is {found}.")
    return found


def frozen_array(name: str, value: ArrayLike, ndim: int) -> Vector:
    """A private, read-only float64 copy with the given number of dimensions."""
    array = doubles(name, value)
    if array.ndim != ndim:
        raise ValueError(f"{name} must have {ndim} dimension(s), but it has {array.ndim}.")
    if not np.isfinite(array).all():
        raise ValueError(f"{name} must be finite, but it holds NaN or infinite entries.")
    array.setflags(write=False)
    return array


def frozen_matrix(name: str, value: Any) -> Any:
    """A private float64 copy of a matrix: an array, or a csr_array if the matrix is sparse."""
    if not sparse.issparse(value):
        return frozen_array(name, value, ndim=2)
    real_array(name, value.data)
    copied: Any = sparse.csr_array(cast("Any", value), dtype=np.float64, copy=True)
    if not np.isfinite(copied.data).all():
        raise ValueError(f"{name} must be finite, but it holds NaN or infinite entries.")
    return copied


def matrix_shape(shape: tuple[int, int]) -> tuple[int, int]:
    """The shape (rows, columns) of a matrix that travels as a vector."""
    sizes = grid_shape(shape)
    if sizes is None or len(sizes) != 2:
        raise ValueError(f"shape must be two positive integers (rows, columns), but it is {shape}.")
    return sizes[0], sizes[1]


def grid_shape(shape: Any) -> tuple[int, ...] | None:
    """The sizes of a grid along each axis; None where they are no sizes of an array.

    >>> grid_shape((2, 3.0)), grid_shape(4), grid_shape((2, 0))
    ((2, 3), (4,), None)
    """
    numbers = [whole_number(size) for size in listed(shape) or [shape]]
    sizes = tuple(size for size in numbers if size is not None and size >= 1)
    complete = len(sizes) == len(numbers) and math.prod(sizes) <= np.iinfo(np.intp).max
    return sizes if complete else None


def matrix_fits(shape: tuple[int, int], m: int) -> None:
    """Raise unless a matrix of this shape goes with vectors of length m."""
    if shape[0] * shape[1] != m:
        raise ValueError(
            f"shape {shape} holds {shape[0] * shape[1]} numbers, but the vector has length {m}; "
            f"give the shape of the matrix that the vector holds row by row."
        )


def same_length(name: str, length: int, m: int) -> None:
    """Raise unless an array parameter of this length goes with vectors of length m."""
    if length != m:
        raise ValueError(
            f"{name} has length {length}, but the vector has length {m}; "
            f"give one entry per coordinate."
        )


def in_dtype_of(v: Vector, result: Vector) -> Vector:
    """The result in v's floating dtype; results of integer vectors stay as computed."""
    dtype: np.dtype[Any] = v.dtype
    return result.astype(dtype, copy=False) if dtype.kind == "f" else result


def abridged(value: float | Vector) -> str:
    """A number or a vector, short enough for a repr."""
    if isinstance(value, float) or value.size <= 6:
        return str(value if isinstance(value, float) else value.tolist())
    return f"<{value.size} values from {value.min():.6g} to {value.max():.6g}>"
