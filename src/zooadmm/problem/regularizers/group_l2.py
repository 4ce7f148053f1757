"""The group lasso penalty, which sets whole groups of coordinates to zero."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from zooadmm.problem.arguments import listed, real_array
from zooadmm.problem.arrays import Vector
from zooadmm.problem.sets.parameters import frozen_array, in_dtype_of, nonnegative, positive


@dataclass(frozen=True, eq=False, repr=False)
class GroupL2:
    """phi(y) = strength * sum_g weights_g |y_g|_2 over disjoint groups of coordinates.

    Each group is a list of indices; strength >= 0, weights >= 0 (default 1, one per group).
    Coordinates in no group are not penalized. The prox multiplies each group by
    max(0, 1 - tau * strength * weights_g / |v_g|).

    >>> phi = GroupL2(strength=1.0, groups=[[0, 1], [2, 3]])
    >>> phi
    GroupL2(strength=1.0, 2 groups of 4 coordinates)
    >>> phi.prox(np.array([3.0, 4.0, 0.6, 0.8, 7.0]), tau=1.0)
    array([2.4, 3.2, 0. , 0. , 7. ])
    """

    strength: float
    groups: Sequence[ArrayLike]
    weights: Vector | None = None
    _members: NDArray[np.intp] = field(init=False)
    _group_of_member: NDArray[np.intp] = field(init=False)

    def __post_init__(self) -> None:
        given = listed(self.groups)
        if given is None:
            raise TypeError("groups must be a list of lists of indices.")
        groups = tuple(_indices(g, group) for g, group in enumerate(given))
        members = np.concatenate([np.empty(0, np.intp), *groups])
        _refuse_overlap(members)
        object.__setattr__(self, "strength", nonnegative("strength", self.strength))
        object.__setattr__(self, "groups", groups)
        object.__setattr__(self, "_members", members)
        sizes = [group.size for group in groups]
        object.__setattr__(self, "_group_of_member", np.repeat(np.arange(len(groups)), sizes))
        if self.weights is not None:
            weights = frozen_array("weights", self.weights, ndim=1)
            if weights.size != len(groups):
                raise ValueError(
                    f"weights has {weights.size} entries for {len(groups)} groups; give one each."
                )
            if weights.min(initial=0.0) < 0.0:
                raise ValueError("weights must be zero or more; a negative one is not convex.")
            object.__setattr__(self, "weights", weights)

    def __repr__(self) -> str:
        weights = "" if self.weights is None else ", weighted"
        return (
            f"GroupL2(strength={self.strength}, {len(self.groups)} groups "
            f"of {self._members.size} coordinates{weights})"
        )

    def __call__(self, y: Vector) -> float:
        norms = self._norms(y[self._members])
        return self.strength * float(
            np.sum(norms if self.weights is None else self.weights * norms)
        )

    def prox(self, v: Vector, tau: float) -> Vector:
        grouped = v[self._members]
        norms = self._norms(grouped)
        shift = self.strength * positive("tau", tau)
        shifts = shift if self.weights is None else shift * self.weights
        reach = np.maximum(norms, shifts)
        scales = 1.0 - np.divide(shifts, reach, out=np.zeros_like(norms), where=reach > 0.0)
        y = np.array(v, dtype=np.result_type(v, np.float32))
        y[self._members] = grouped * in_dtype_of(v, scales)[self._group_of_member]
        return y

    def fits(self, d: int) -> None:
        largest = int(self._members.max(initial=-1))
        if largest >= d:
            raise ValueError(
                f"groups holds the index {largest}, but the vector has length {d}; "
                f"indices run from 0 to {d - 1}."
            )

    def _norms(self, grouped: Vector) -> Vector:
        squares = np.square(grouped, dtype=np.float64)
        return np.sqrt(np.bincount(self._group_of_member, squares, minlength=len(self.groups)))


def _indices(position: int, group: ArrayLike) -> NDArray[np.intp]:
    indices: NDArray[Any] = np.atleast_1d(real_array(f"groups[{position}]", group))
    if indices.ndim != 1 or indices.size == 0 or indices.dtype.kind not in "iu":
        raise ValueError(
            f"groups[{position}] must be a nonempty list of indices, such as [0, 3, 4]; "
            f"turn a mask into indices with numpy.flatnonzero."
        )
    if indices.min() < 0:
        raise ValueError(f"groups[{position}] holds a negative index; count from 0.")
    indices = np.array(indices, dtype=np.intp)
    indices.setflags(write=False)
    return indices


def _refuse_overlap(members: NDArray[np.intp]) -> None:
    ordered = np.sort(members)
    repeated = ordered[1:][ordered[1:] == ordered[:-1]]
    if repeated.size:
        raise ValueError(
            f"groups must be disjoint, but the index {repeated[0]} appears more than once; "
            f"overlapping groups go through the linear constraint: let A copy each coordinate "
            f"once per group it is in, and penalize the copies."
        )
