"""Numbers at the ends of their range: no warnings of numpy, and one error with a sentence."""

from __future__ import annotations

from types import TracebackType

import numpy as np

from zooadmm.oracle.loss import LARGEST
from zooadmm.oracle.queries import Answer

BEYOND = (
    "the numbers of this run left the range of floats ({}): values of the loss or entries of x are "
    "too large or too small. Scale the loss and the variables to sizes around 1."
)


def check_size(values: Answer) -> None:
    """Refuse a loss whose first values are all so large that their squares overflow.

    >>> check_size(np.array([3e300, 2e300]))
    Traceback (most recent call last):
        ...
    FloatingPointError: the numbers of this run left the range of floats (a value is 2e+300): ...
    """
    least = float(np.abs(values).min(initial=np.inf, where=np.isfinite(values)))
    if LARGEST < least < np.inf:
        raise FloatingPointError(BEYOND.format(f"a value is {least:.3g}"))


class in_range:  # noqa: N801
    """What a method computes: it checks its results for inf and nan, so numpy need not warn.

    Errors of arithmetic, which Python raises where numpy would give inf, become one that says so.
    Entered several times an iteration, so it is a class: a generator takes three times as long.
    """

    def __enter__(self) -> None:
        self._quiet = np.errstate(all="ignore")
        self._quiet.__enter__()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._quiet.__exit__(kind, error, traceback)
        if isinstance(error, (OverflowError, ZeroDivisionError, np.linalg.LinAlgError)):
            raise FloatingPointError(BEYOND.format(error)) from error
