"""What the ready losses have in common: a mean over observations that are known by their index."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from zooadmm.losses.data import Doubles, counted, real_array

Indices = NDArray[np.int64]


class Average(ABC):
    """f(x) = mean of f(x; w) over w in `observations`, which are indices.

    Points may be of any real type; they are computed with, and answered, in double precision.
    A number too large for that is inf or nan and no warning, as a run that diverges will meet it.
    """

    num_variables: int
    """The length m of x."""
    observations: Indices
    """What w is drawn from."""

    def __call__(self, x: ArrayLike, w: Any = None) -> float:
        point = self._point(x)[None]
        return float(self.values(point)[0] if w is None else self.values(point, [w])[0, 0])

    def values(self, points: ArrayLike, observations: Any = None) -> Doubles:
        """f at each row of points, (p,); with q observations f(x; w), (p, q)."""
        rows = real_array("points", points)
        if rows.ndim != 2 or rows.shape[1] != self.num_variables:
            raise ValueError(
                f"points has shape {rows.shape}, but must be (p, {self.num_variables}), a point "
                "in each row."
            )
        with np.errstate(all="ignore"):
            if observations is None:
                return self._means(rows)
            return self._table(rows, self._indices(observations))

    def gradient(self, x: ArrayLike, w: Any = None) -> Doubles:
        """The gradient of f, or of f(.; w), at x."""
        point = self._point(x)
        with np.errstate(all="ignore"):
            if w is None:
                return self._mean_gradient(point)
            return self._gradient_at(point, self._indices([w])[0])

    @abstractmethod
    def _means(self, points: Doubles) -> Doubles:
        """f at each point, (p,)."""

    @abstractmethod
    def _table(self, points: Doubles, observations: Indices) -> Doubles:
        """f(x; w) at each point for each observation, (p, q)."""

    @abstractmethod
    def _mean_gradient(self, x: Doubles) -> Doubles:
        """The gradient of f, (m,)."""

    @abstractmethod
    def _gradient_at(self, x: Doubles, w: np.int64) -> Doubles:
        """The gradient of f(.; w), (m,)."""

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        only_read(self.observations)  # a copy forgets that it was

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._sizes()})"

    def _sizes(self) -> str:
        """What there is of everything, for the repr."""
        observations = counted(len(self.observations), "observation")
        return f"{observations}, {counted(self.num_variables, 'variable')}"

    def _point(self, x: ArrayLike) -> Doubles:
        point = real_array("x", x)
        if point.shape != (self.num_variables,):
            raise ValueError(
                f"x has shape {point.shape}, but this loss has {self.num_variables} variables; "
                "for many points at once use values."
            )
        return point

    def _indices(self, observations: Any) -> Indices:
        indices = np.asarray(observations)
        if indices.ndim != 1 or indices.size == 0 or indices.dtype.kind not in "iu":
            raise TypeError("observations must be integers, one or more of loss.observations.")
        first, last = self.observations[0], self.observations[-1]
        if not first <= indices.min() <= indices.max() <= last:
            wrong = indices[(indices < first) | (indices > last)][0]
            raise IndexError(f"observation {wrong} is not one of {first}, ..., {last}.")
        return indices.astype(np.int64, copy=False)


def all_of(count: int) -> Indices:
    """The observations 0, ..., count - 1, read-only."""
    return only_read(np.arange(count, dtype=np.int64))


def only_read(indices: Indices) -> Indices:
    """The same indices, which from now on nobody can change."""
    indices.setflags(write=False)
    return indices
