"""Queries: which points an iteration evaluates, on which observations.

A query is a set of cells (point, observation). It carries x_t, the radius and the address of the
directions, not the directions, and makes its points on demand. Evaluators see it as a sequence of
tables, every point of a table on every observation of it; a table's size depends on m alone, so a
loss that works on many points at once always meets the same batches. The answer to a query is one
array of `query.shape`.
"""

from zooadmm.oracle.queries.differences import (
    KEPT_ELEMENTS,
    CentralPairedQuery,
    CentralQuery,
    DifferenceQuery,
    ForwardQuery,
    PairedQuery,
)
from zooadmm.oracle.queries.once import JoinedQuery, OnceQuery
from zooadmm.oracle.queries.points import (
    GradientQuery,
    LineQuery,
    PairsQuery,
    PointsQuery,
    ProbeQuery,
    RowsQuery,
)
from zooadmm.oracle.queries.query import Answer, Counted, Evaluation, Query, Table

__all__ = [
    "KEPT_ELEMENTS",
    "Answer",
    "CentralPairedQuery",
    "CentralQuery",
    "Counted",
    "DifferenceQuery",
    "Evaluation",
    "ForwardQuery",
    "GradientQuery",
    "JoinedQuery",
    "LineQuery",
    "OnceQuery",
    "PairedQuery",
    "PairsQuery",
    "PointsQuery",
    "ProbeQuery",
    "Query",
    "RowsQuery",
    "Table",
]
