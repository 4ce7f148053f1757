"""The data of a loss: checked once, refused by name, taken a block at a time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

Doubles = NDArray[np.float64]
"""Every number of a loss is computed in double precision."""

REAL_KINDS = "biuf"
"""The kinds of dtype that doubles can stand for."""

BLOCK_ELEMENTS = 2**18
"""How many numbers a temporary array holds: 2 MB, which stay near the processor."""


def real_array(name: str, value: ArrayLike) -> Doubles:
    """The value in double precision; not a copy where it is so already."""
    return given_array(name, value).astype(np.float64, copy=False)


def given_array(name: str, value: ArrayLike) -> NDArray[Any]:
    """The value as a plain array of real numbers, in the precision it came in."""
    if sparse.issparse(value):
        raise TypeError(f"{name} cannot be sparse here; give {name}.toarray().")
    if isinstance(value, np.ma.MaskedArray):
        raise TypeError(f"{name} is a masked array; drop what is masked, or give {name}.filled().")
    try:
        array = np.asarray(value)
    except (TypeError, ValueError):
        raise not_real(name) from None
    if array.dtype.kind not in REAL_KINDS:
        raise not_real(name)
    return array


def not_real(name: str) -> TypeError:
    """The error for numbers that are complex, or no numbers at all."""
    return TypeError(f"{name} must be an array of real numbers.")


def finite_array(name: str, value: ArrayLike, *shape: str) -> Doubles:
    """A finite, nonempty array in double precision, with a dimension for each word of shape."""
    array = real_array(name, value)
    if array.ndim != len(shape):
        raise ValueError(f"{name} has shape {array.shape}, but must be ({', '.join(shape)}).")
    refuse_empty(name, array.shape)
    refuse_nonfinite(name, array)
    return array


def refuse_empty(name: str, shape: tuple[int, ...]) -> None:
    """Raise if an array of this shape holds nothing."""
    if 0 in shape:
        raise ValueError(f"{name} is empty, of shape {shape}.")


def refuse_nonfinite(name: str, array: NDArray[Any]) -> None:
    """Raise if the array holds NaN or infinity."""
    if not np.isfinite(array).all():
        raise ValueError(
            f"{name} must be finite, but it holds NaN or infinite entries; drop or fill them."
        )


def one_for_each(name: str, value: ArrayLike, others: str, count: int) -> Doubles:
    """A finite vector with an entry for each of the `count` rows of another array."""
    array = finite_array(name, value, "n")
    if len(array) != count:
        raise ValueError(f"{name} has length {len(array)}, but {others} has {count} rows.")
    return array


def blocks(count: int, size: int) -> Iterator[slice]:
    """Slices of range(count), each of about BLOCK_ELEMENTS if one item takes `size` numbers."""
    step = max(1, BLOCK_ELEMENTS // max(1, size))
    for start in range(0, count, step):
        yield slice(start, min(start + step, count))


def counted(count: int, noun: str) -> str:
    """How many there are, in words.

    >>> counted(1, "event"), counted(2, "event")
    ('1 event', '2 events')
    """
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
