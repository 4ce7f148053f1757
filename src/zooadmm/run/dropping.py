"""Cells without a value: which differences they take along, so that the average is over the rest.

A difference that lacks a side is left out. In its place the answer gets two equal values, so that
it adds nothing to a sum, and a mask beside the answer says that it does not count.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from zooadmm.oracle.queries import (
    Answer,
    CentralQuery,
    Counted,
    DifferenceQuery,
    ForwardQuery,
    GradientQuery,
    JoinedQuery,
    PairsQuery,
    Query,
)


def without(
    query: Query, answer: Answer, dropped: NDArray[np.bool_]
) -> tuple[Answer, Counted | None]:
    """The answer as it is to be read where some cells were dropped, and the cells that count.

    dropped: a truth value a cell. Where no difference is left, and in queries that take none, the
        values of dropped cells are nan.
    """
    rows = answer.reshape(query.cells, -1).copy()
    rows[dropped] = np.nan
    answer = rows.reshape(query.shape)
    if isinstance(query, GradientQuery):
        return answer if answer.ndim == 1 or dropped.all() else answer[~dropped], None
    if isinstance(query, JoinedQuery):
        return _without_joined(query, answer, dropped)
    if not isinstance(query, DifferenceQuery):
        return answer, None
    counted = _with_both_sides(query, ~dropped.reshape(query.shape))
    if not counted.any():
        return answer, counted
    if isinstance(query, ForwardQuery):
        beside = np.broadcast_to(np.where(counted[0], answer[0], 0.0), answer.shape)
        return np.where(counted, answer, beside), counted
    return np.where(counted, answer, 0.0), counted


def _without_joined(
    query: JoinedQuery, answer: Answer, dropped: NDArray[np.bool_]
) -> tuple[Answer, Counted | None]:
    """The same for parts that are compared cell by cell: what one lacks is dropped in all."""
    missing = np.any([part.reshape(-1) for part in query.split(dropped)], axis=0)
    read = [
        without(part, values, missing)
        for part, values in zip(query.parts, query.split(answer), strict=True)
    ]
    flat = [values.reshape(-1) for values, _ in read]
    masks = [counted.reshape(-1) for _, counted in read if counted is not None]
    return np.concatenate(flat), np.concatenate(masks) if len(masks) == len(flat) else None


def is_enough(query: Query, told: NDArray[np.bool_], patience: float) -> bool:
    """Whether a step need not wait for more cells.

    patience: the part of the cells that a step waits for. A difference that lacks a side does not
        count. Queries whose values are not averaged are read cell by cell and wait for all.
    """
    counted = _averaged(query, told)
    if counted is None:
        return bool(told.all())
    return bool(counted.any() and np.count_nonzero(counted) / counted.size >= patience)


def _averaged(query: Query, given: NDArray[np.bool_]) -> Counted | None:
    """The cells that would count in an average, flat; None where values are not averaged."""
    if isinstance(query, DifferenceQuery):
        return _with_both_sides(query, given.reshape(query.shape)).reshape(-1)
    if isinstance(query, PairsQuery):
        return given
    if isinstance(query, GradientQuery) and query.observations is not None:
        return given
    if not isinstance(query, JoinedQuery):
        return None
    everywhere = np.all([part.reshape(-1) for part in query.split(given)], axis=0)
    parts = [_averaged(part, everywhere) for part in query.parts]
    masks = [part for part in parts if part is not None]
    return np.concatenate(masks) if len(masks) == len(parts) else None


def _with_both_sides(query: DifferenceQuery, given: Counted) -> Counted:
    """The cells that belong to a difference with both sides, of the answer's shape."""
    if isinstance(query, ForwardQuery):
        counted: Counted = given & given[0]
        counted[0] = counted[1:].any(axis=0)
        return counted
    if isinstance(query, CentralQuery):
        both = given[0::2] & given[1::2]
        return np.repeat(both, 2, axis=0)
    return np.repeat(given.all(axis=1, keepdims=True), 2, axis=1)  # pairs
