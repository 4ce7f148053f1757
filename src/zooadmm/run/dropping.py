"""Cells without a value: which differences they take along, so that the average is over the rest.

A difference that lacks a side is left out. In its place the answer gets two equal values, so that
it adds nothing to a sum, and the query notes that it does not count.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from zooadmm.oracle.queries import (
    Answer,
    CentralQuery,
    DifferenceQuery,
    ForwardQuery,
    GradientQuery,
    Query,
)


def without(query: Query, answer: Answer, dropped: NDArray[np.bool_]) -> Answer:
    """The answer as it is to be read where some cells were dropped.

    dropped: a truth value a cell. Where no difference is left, and in queries that take none, the
        values of dropped cells are nan.
    """
    rows = answer.reshape(query.cells, -1).copy()
    rows[dropped] = np.nan
    answer = rows.reshape(query.shape)
    if isinstance(query, GradientQuery):
        return answer if answer.ndim == 1 or dropped.all() else answer[~dropped]
    if not isinstance(query, DifferenceQuery):
        return answer
    there = _with_both_sides(query, ~dropped.reshape(query.shape))
    query.there = there
    if not there.any():
        return answer
    if isinstance(query, ForwardQuery):
        query.left_out = int(np.count_nonzero(~there[1:]))
        beside = np.broadcast_to(np.where(there[0], answer[0], 0.0), answer.shape)
        return np.where(there, answer, beside)
    query.left_out = int(np.count_nonzero(~there)) // 2
    return np.where(there, answer, 0.0)


def _with_both_sides(query: DifferenceQuery, given: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """The cells that belong to a difference with both sides, of the answer's shape."""
    if isinstance(query, ForwardQuery):
        there: NDArray[np.bool_] = given & given[0]
        there[0] = there[1:].any(axis=0)
        return there
    if isinstance(query, CentralQuery):
        both = given[0::2] & given[1::2]
        return np.repeat(both, 2, axis=0)
    return np.repeat(given.all(axis=1, keepdims=True), 2, axis=1)  # pairs
