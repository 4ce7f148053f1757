"""Arguments of any room: numbers, names and arrays, or a sentence that names the argument.

What a user gives may raise anything when it is compared or converted; none of that gets through.
"""

from __future__ import annotations

from contextlib import suppress
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

NO_NUMBERS = (bool, np.bool_, str, bytes, np.datetime64, np.timedelta64)


def number(name: str, value: Any) -> float:
    """A real number, of whatever type; anything else is refused by name.

    >>> number("penalty", "1")
    Traceback (most recent call last):
    ...
    TypeError: penalty must be a number, not '1'.
    """
    if isinstance(value, NO_NUMBERS) or value is np.ma.masked:
        raise TypeError(f"{name} must be a number, not {value!r}.")
    try:
        if np.ndim(value) > 0 or np.iscomplexobj(value):
            raise TypeError
        return float(value)
    except OverflowError:
        raise ValueError(f"{name} is beyond the numbers that a float can hold.") from None
    except Exception:
        raise TypeError(f"{name} must be a number, not a {type(value).__name__}.") from None


def whole_number(value: Any) -> int | None:
    """A whole number as an int, also 1e4; None for anything else.

    >>> whole_number(1e4), whole_number(2.5), whole_number(True)
    (10000, None, None)
    """
    if isinstance(value, (float, np.floating)) and value.is_integer():
        return int(value)
    if isinstance(value, Integral) and not isinstance(value, NO_NUMBERS):
        return int(value)
    return None


def is_whole(value: Any) -> bool:
    """Whether a value is a whole number by its type."""
    return isinstance(value, (int, np.integer)) and not isinstance(value, NO_NUMBERS)


def whole(name: str, value: Any, least: int) -> int:
    """A whole number, at least that large; anything else is refused by name."""
    found = whole_number(value)
    if found is None or found < least:
        raise ValueError(f"{name} = {value!r} must be a whole number, at least {least}.")
    return found


def one_of(name: str, value: Any, names: tuple[str, ...], *others: str) -> str:
    """One of these names, anything else refused.

    others: what else may be given, for the sentence.
    """
    if isinstance(value, str) and value in names:
        return str(value)
    *most, last = [*(f'"{text}"' for text in names), *others]
    known = f"{', '.join(most)} or {last}" if most else last
    raise ValueError(f"{name} must be {known}, not {value!r}.")


def listed(given: Any) -> list[Any] | None:
    """The entries of anything that can be gone through; None where it cannot, and for a string.

    >>> listed(range(2)), listed(3), listed("ab")
    ([0, 1], None, None)
    """
    try:
        return None if isinstance(given, (str, bytes)) else list(given)
    except Exception:
        return None


def real_array(name: str, given: Any) -> NDArray[Any]:
    """An array of real numbers, in the type that they came in; anything else is refused."""
    if np.ma.is_masked(given):
        raise TypeError(f"{name} has masked entries; drop or fill them.")
    try:
        array = np.asarray(given)
    except ValueError:
        raise ValueError(f"{name} has rows of different lengths.") from None
    except Exception:
        raise TypeError(f"{name} must be made of real numbers.") from None
    if array.dtype.kind == "O":  # whole numbers beyond int64, fractions
        with suppress(TypeError):
            entries = [number(name, entry) for entry in array.flat]
            return np.array(entries).reshape(array.shape)
    if array.dtype.kind not in "fiub":
        raise TypeError(f"{name} must be made of real numbers, not {array.dtype}.")
    return array


def doubles(name: str, given: Any) -> NDArray[np.float64]:
    """A private array of float64; what is beyond their range is infinite."""
    with np.errstate(over="ignore"):
        return real_array(name, given).astype(np.float64)
