"""Numbers at the ends of their range: no warnings of numpy, and one error with a sentence."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

BEYOND = (
    "the numbers of this run left the range of floats ({}): values of the loss or entries of x are "
    "too large or too small. Scale the loss and the variables to sizes around 1."
)


@contextmanager
def in_range() -> Iterator[None]:
    """What a method computes: it checks its results for inf and nan, so numpy need not warn.

    Errors of arithmetic, which Python raises where numpy would give inf, become one that says so.
    """
    with np.errstate(all="ignore"):
        try:
            yield
        except (OverflowError, ZeroDivisionError, np.linalg.LinAlgError) as error:
            raise FloatingPointError(BEYOND.format(error)) from error
