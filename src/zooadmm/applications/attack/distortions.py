"""Distortions of an image, and the nearest point that satisfies linear inequalities.

    argmin_d |d|   over  lower <= d <= upper,  G d <= h

is a quadratic program for L2 (DAQP), a linear one for L1 and L-infinity (HiGHS, through scipy). The
sum of the norms of groups is a sequence of quadratic programs: with weights w_g = |d_g| of the last
one, sum_g |d_g|^2 / w_g bounds it from above and touches it (Hunter and Lange 2004).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

import daqp
import numpy as np
import scipy.optimize
import scipy.sparse
from numpy.typing import NDArray

Floats = NDArray[np.float64]

UNLIMITED = 1e30
"""DAQP's infinity."""

REWEIGHTINGS = 30
"""Quadratic programs at most for a distortion in groups."""

SMALLEST_WEIGHT = 1e-6
"""Weight of a group that has vanished, relative to the largest."""

UNCHANGED = 1e-5
"""Relative decrease of a distortion in groups at which its programs end."""


class Distortion(ABC):
    """A norm of d = x - x0."""

    @abstractmethod
    def __call__(self, d: Floats) -> float:
        """|d|."""

    @abstractmethod
    def nearest(self, lower: Floats, upper: Floats, G: Floats, h: Floats) -> Floats | None:
        """argmin |d| over the bounds and G d <= h, rows of norm 1; None where there is no point."""


@dataclass(frozen=True)
class L2(Distortion):
    """|d|_2.

    >>> L2().nearest(-np.ones(2), np.ones(2), np.array([[-0.6, -0.8]]), np.array([-1.0])).round(6)
    array([0.6, 0.8])
    """

    def __call__(self, d: Floats) -> float:
        return float(np.linalg.norm(d))

    def nearest(self, lower: Floats, upper: Floats, G: Floats, h: Floats) -> Floats | None:
        return _shortest(np.ones(len(lower)), lower, upper, G, h)


@dataclass(frozen=True)
class L1(Distortion):
    """|d|_1: few pixels.

    >>> L1().nearest(-np.ones(2), np.ones(2), np.array([[-0.6, -0.8]]), np.array([-0.4])).round(6)
    array([0. , 0.5])
    """

    def __call__(self, d: Floats) -> float:
        return float(np.abs(d).sum())

    def nearest(self, lower: Floats, upper: Floats, G: Floats, h: Floats) -> Floats | None:
        m = len(lower)  # d = p - n with p, n >= 0
        above, below = np.maximum(upper, 0.0), np.maximum(-lower, 0.0)
        bounds = np.stack([np.zeros(2 * m), np.concatenate([above, below])], axis=1)
        found = _linear_program(np.ones(2 * m), np.hstack([G, -G]), h, bounds)
        return None if found is None else found[:m] - found[m:]


@dataclass(frozen=True)
class LInf(Distortion):
    """max_i |d_i|: no pixel by much.

    >>> d = LInf().nearest(-np.ones(2), np.ones(2), np.array([[-0.6, -0.8]]), np.array([-0.7]))
    >>> d.round(6)
    array([0.5, 0.5])
    """

    def __call__(self, d: Floats) -> float:
        return float(np.abs(d).max())

    def nearest(self, lower: Floats, upper: Floats, G: Floats, h: Floats) -> Floats | None:
        m = len(lower)  # |d_i| <= s, the last variable
        eye, ones = scipy.sparse.eye_array(m), scipy.sparse.csr_array(np.ones((m, 1)))
        rows = scipy.sparse.block_array(
            [[scipy.sparse.csr_array(G), None], [eye, -ones], [-eye, -ones]], format="csr"
        )
        bounds = np.stack([np.append(lower, 0.0), np.append(upper, np.inf)], axis=1)
        cost = np.append(np.zeros(m), 1.0)
        found = _linear_program(cost, rows, np.concatenate([h, np.zeros(2 * m)]), bounds)
        return None if found is None else found[:m]


@dataclass(frozen=True)
class Groups(Distortion):
    """sum_g |d_g|_2 over groups of pixels that do not overlap: few groups.

    groups: the indices of each group, into the image as a vector; together all pixels.

    >>> rows, bound = np.array([[-0.6, -0.64, -0.48]]), np.array([-0.4])
    >>> Groups([[0], [1, 2]]).nearest(-np.ones(3), np.ones(3), rows, bound).round(3)
    array([0. , 0.4, 0.3])
    """

    groups: Sequence[Sequence[int]]

    def __post_init__(self) -> None:
        every = np.sort(np.concatenate([np.asarray(g, dtype=np.intp) for g in self.groups]))
        if not np.array_equal(every, np.arange(len(every))):
            raise ValueError("groups must have every pixel once.")

    @property
    def num_pixels(self) -> int:
        """Of an image with these groups."""
        return sum(len(group) for group in self.groups)

    def __call__(self, d: Floats) -> float:
        return float(self._sizes(d).sum())

    def nearest(self, lower: Floats, upper: Floats, G: Floats, h: Floats) -> Floats | None:
        label = np.empty(len(lower), dtype=np.intp)
        for number, group in enumerate(self.groups):
            label[np.asarray(group)] = number
        weights, best, least = np.ones(len(self.groups)), None, np.inf
        for _ in range(REWEIGHTINGS):
            d = _shortest(weights[label], lower, upper, G, h)
            if d is None:
                break
            sizes = self._sizes(d)
            decrease = least - float(sizes.sum())
            if decrease > 0:
                best, least = d, float(sizes.sum())
            if decrease <= UNCHANGED * least or least == 0.0:
                break
            weights = np.maximum(sizes / sizes.max(), SMALLEST_WEIGHT)
        return best

    def _sizes(self, d: Floats) -> Floats:
        return np.array([float(np.linalg.norm(d[np.asarray(group)])) for group in self.groups])


def _shortest(weights: Floats, lower: Floats, upper: Floats, G: Floats, h: Floats) -> Floats | None:
    """argmin sum_i d_i^2 / w_i, in the units d / sqrt w and of size about 1."""
    m, k = len(lower), len(h)
    roots = np.sqrt(weights)
    rows = G * roots
    lengths = np.maximum(np.linalg.norm(rows, axis=1), 1e-300)
    unit = max(float((-h / lengths).max(initial=0.0)), 1e-12)  # |d| is at least this
    scale = unit * roots
    d, _, flag, _ = daqp.solve(
        np.eye(m),
        np.zeros(m),
        np.ascontiguousarray(rows / lengths[:, None]),
        np.concatenate([upper / scale, h / lengths / unit]),
        np.concatenate([lower / scale, np.full(k, -UNLIMITED)]),
        np.zeros(m + k, dtype=np.int32),
    )
    return np.asarray(d, dtype=np.float64) * scale if flag in (1, 2) else None


def _linear_program(costs: Floats, G: object, h: Floats, bounds: Floats) -> Floats | None:
    found = scipy.optimize.linprog(costs, A_ub=G, b_ub=h, bounds=bounds, method="highs")
    return np.asarray(found.x, dtype=np.float64) if found.status == 0 else None
