"""The forms a loss can have.

Any callable f(x), or f(x, w) where there are observations, is a loss. An object may also have

- `values(points)` or `values(points, observations)`: many points at once, one a row; the result has
  a row a point and, with observations, a column an observation;
- `gradient(x)` or `gradient(x, w)`: only O-ADMM asks for it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

LARGEST = 1e150
"""Values of a loss at most: the squares of its slopes are numbers then."""


@dataclass(frozen=True)
class Loss:
    """A loss put together from functions; give the ones you have.

    value: f(x) or f(x, w), a number.
    values: f at the rows of a matrix, see above; where given it is used in place of `value`.
    gradient: the gradient of f in x, for `Exact()`.

    >>> import numpy as np
    >>> squares = Loss(values=lambda points: np.square(points).sum(axis=1))
    """

    value: Callable[..., Any] | None = None
    values: Callable[..., Any] | None = None
    gradient: Callable[..., Any] | None = None

    def __post_init__(self) -> None:
        if self.value is None and self.values is None and self.gradient is None:
            raise ValueError("Loss() needs at least one of value, values and gradient.")

    def __call__(self, *arguments: Any) -> Any:
        if self.value is None:
            raise TypeError("this Loss has no `value` function.")
        return self.value(*arguments)
