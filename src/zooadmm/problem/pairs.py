"""Structures that need the linear constraint: a regularizer together with the A that it goes with.

Each function returns (regularizer, constraint) for

    minimize(loss, x0, regularizer=regularizer, constraint=constraint)
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np
import scipy.sparse

from zooadmm.problem.arguments import listed, real_array, whole_number
from zooadmm.problem.arrays import Vector
from zooadmm.problem.constraint import Linear
from zooadmm.problem.regularizers import L1, GroupL2
from zooadmm.problem.sets.parameters import grid_shape


def overlapping_groups(
    m: int, groups: Sequence[Sequence[int]], strength: float, weights: Vector | None = None
) -> tuple[GroupL2, Linear]:
    """strength sum_g weights_g |x_g|_2 for index groups that may share coordinates.

    y holds a copy of the coordinates of every group, y = A x, so that the groups of y are
    disjoint. A coordinate of x is zero where a group that covers it is; coordinates in no group
    are free.

    >>> phi, constraint = overlapping_groups(4, [[0, 1, 2], [2, 3]], strength=0.1)
    >>> constraint
    Linear(A: 5 x 4, B = -I, c = 0)
    """
    variables = whole_number(m)
    if variables is None or not 1 <= variables <= np.iinfo(np.intp).max:
        raise ValueError(f"m = {m!r} must be the number of variables, a whole number.")
    m = variables
    chosen = [real_array("groups", group).reshape(-1) for group in listed(groups) or []]
    if not chosen or any(len(group) == 0 or group.dtype.kind not in "iu" for group in chosen):
        raise ValueError("groups must be a list of lists of whole numbers, none of them empty.")
    columns = np.concatenate(chosen)
    wrong = columns[(columns < 0) | (columns >= m)]
    if len(wrong) > 0:
        raise ValueError(f"groups has the index {wrong[0]}; indices go from 0 to {m - 1}.")
    if any(len(np.unique(group)) < len(group) for group in chosen):
        raise ValueError("groups has a group that names an index twice; name each once.")
    ends = np.cumsum([len(group) for group in chosen])
    blocks = [range(end - len(group), end) for end, group in zip(ends, chosen, strict=True)]
    entries = np.ones(len(columns)), (np.arange(len(columns)), columns)
    A = scipy.sparse.csr_array(entries, shape=(len(columns), m))
    return GroupL2(strength, blocks, weights), Linear(A)


def total_variation(shape: int | tuple[int, ...], strength: float) -> tuple[L1, Linear]:
    """strength sum |x_i - x_j| over neighbors on a grid of that shape (anisotropic).

    x is the grid flattened row by row; y = A x holds the differences along each axis in turn.

    >>> phi, constraint = total_variation((2, 3), strength=0.1)
    >>> constraint
    Linear(A: 7 x 6, B = -I, c = 0)
    """
    return L1(strength), Linear(_differences(_grid(shape)))


def isotropic_total_variation(shape: tuple[int, int], strength: float) -> tuple[GroupL2, Linear]:
    """strength sum_i |(difference to the right, difference below)|_2 on a grid of that shape.

    >>> phi, constraint = isotropic_total_variation((2, 3), strength=0.1)
    >>> constraint
    Linear(A: 7 x 6, B = -I, c = 0)
    """
    sizes = _grid(shape)
    if len(sizes) != 2:
        raise ValueError(f"shape = {shape} must be (rows, columns).")
    rows, columns = sizes
    below = np.arange((rows - 1) * columns).reshape(rows - 1, columns)
    right = (rows - 1) * columns + np.arange(rows * (columns - 1)).reshape(rows, columns - 1)
    groups: list[list[int]] = []
    for i in range(rows):
        for j in range(columns):
            group = [int(below[i, j])] if i < rows - 1 else []
            group += [int(right[i, j])] if j < columns - 1 else []
            if group:
                groups.append(group)
    return GroupL2(strength, groups), Linear(_differences((rows, columns)))


def _grid(shape: int | tuple[int, ...]) -> tuple[int, ...]:
    sizes = grid_shape(shape)
    if sizes is None or prod(sizes) < 2:
        raise ValueError(f"shape = {shape} must be whole numbers, with at least two points.")
    return sizes


def _differences(sizes: tuple[int, ...]) -> scipy.sparse.csr_array:
    """The differences between neighbors along each axis, one below the other."""
    stacked = []
    for axis, size in enumerate(sizes):
        if size == 1:
            continue
        ends = scipy.sparse.eye_array(size - 1, size, k=1), scipy.sparse.eye_array(size - 1, size)
        before = scipy.sparse.eye_array(prod(sizes[:axis]))
        after = scipy.sparse.eye_array(prod(sizes[axis + 1 :]))
        stacked.append(scipy.sparse.kron(scipy.sparse.kron(before, ends[0] - ends[1]), after))
    return scipy.sparse.csr_array(scipy.sparse.vstack(stacked))
