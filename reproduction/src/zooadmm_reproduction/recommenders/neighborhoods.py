"""Neighborhoods: similar users like the same, and similar items are liked by the same."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, Literal
from weakref import WeakKeyDictionary

import numpy as np
from scipy import sparse

from zooadmm_reproduction.recommenders.biases import Center, centered
from zooadmm_reproduction.recommenders.recommender import Indices, Numbers, Recommender, Training

Side = Literal["users", "items"]
MOST = 200
"""The largest number of neighbors."""

_BLOCK = 512

Question = tuple[Side, Center, float]
Answer = tuple[Indices, Numbers]
_last: WeakKeyDictionary[Training, tuple[Question, Answer]] = WeakKeyDictionary()
"""The last question about ratings that are still in use, and its answer."""


@dataclass(frozen=True)
class ItemNeighbors(Recommender):
    """offsets + sum_j s_ij z_uj / sum_j s_ij over those of item i's k neighbors that u has rated.

    z is what the offsets leave; s_ij >= 0 is the cosine of z_i and z_j over the users who rated
    both, times count / (count + shrinkage). With center="user" it is the adjusted cosine, with
    center="item" Pearson's correlation.
    """

    k: int
    center: Center
    shrinkage: float
    title: ClassVar[str] = "item neighbors"

    def predict(self, training: Training, users: Indices, items: Indices) -> Numbers:
        offsets, left = centered(training, self.center)
        weights = neighbor_weights(training, "items", self.center, self.shrinkage, self.k)
        averages = weighted_averages(weights, training.dense(left).T, training.known.T)
        return offsets.at(users, items) + averages[items, users]


@dataclass(frozen=True)
class UserNeighbors(Recommender):
    """offsets + sum_v s_uv z_vi / sum_v s_uv over those of user u's k neighbors that rated i.

    As `ItemNeighbors`, with the cosine over the items that both users have rated; here
    center="user" is Pearson's correlation.
    """

    k: int
    center: Center
    shrinkage: float
    title: ClassVar[str] = "user neighbors"

    def predict(self, training: Training, users: Indices, items: Indices) -> Numbers:
        offsets, left = centered(training, self.center)
        weights = neighbor_weights(training, "users", self.center, self.shrinkage, self.k)
        averages = weighted_averages(weights, training.dense(left), training.known)
        return offsets.at(users, items) + averages[users, items]


def weighted_averages(weights: sparse.csr_array, values: Numbers, known: Numbers) -> Numbers:
    """sum_j weights_ij values_j / sum_j weights_ij known_j, and 0 where nothing is known."""
    totals = weights @ known
    averages: Numbers = np.divide(
        weights @ values, totals, out=np.zeros_like(totals), where=totals > 0.0
    )
    return averages


def neighbor_weights(
    training: Training, side: Side, center: Center, shrinkage: float, k: int
) -> sparse.csr_array:
    """Row i has the similarities of i's k nearest neighbors."""
    nearest, similarities = _nearest(training, (side, center, shrinkage))
    n, k = nearest.shape[0], min(k, nearest.shape[1])
    content = similarities[:, :k].ravel(), (np.repeat(np.arange(n), k), nearest[:, :k].ravel())
    return sparse.csr_array(content, shape=(n, n))


def _nearest(training: Training, question: Question) -> Answer:
    """The answer of `_all_nearest`; models that differ in k alone share it."""
    known = _last.get(training)
    if known is None or known[0] != question:
        known = _last[training] = question, _all_nearest(training, *question)
    return known[1]


def _all_nearest(training: Training, side: Side, center: Center, shrinkage: float) -> Answer:
    """The MOST nearest neighbors of each, the nearest first, and their similarities."""
    _, left = centered(training, center)
    values, known = training.dense(left), training.known
    if side == "items":
        values, known = values.T, known.T
    blocks = [_foremost(block) for block in similarity_blocks(values, known, shrinkage)]
    nearest, similarities = (np.concatenate(parts) for parts in zip(*blocks, strict=True))
    return nearest, similarities


def _foremost(similarities: Numbers) -> Answer:
    """The columns of the MOST largest entries of each row, in falling order, and the entries."""
    count = min(MOST, similarities.shape[1])
    columns = np.argpartition(-similarities, count - 1, axis=1)[:, :count]
    entries = np.take_along_axis(similarities, columns, axis=1)
    order = np.argsort(-entries, axis=1, kind="stable")
    return np.take_along_axis(columns, order, axis=1), np.take_along_axis(entries, order, axis=1)


def _compact(table: Numbers) -> Numbers | sparse.csr_array:
    """A sparse matrix where at most a tenth of the table is not 0, else the table."""
    return sparse.csr_array(table) if np.count_nonzero(table) <= 0.1 * table.size else table


def similarity_blocks(values: Numbers, known: Numbers, shrinkage: float) -> Iterator[Numbers]:
    """Some rows at a time of the matrix of similarities between the rows of `values`.

    s_ij = max(0, x_i'x_j / (|x_i| |x_j|)) count / (count + shrinkage), where the product and the
    norms run over the `count` entries that both rows know; s_ii = 0.
    """
    squares = values**2
    x, y, present = (_compact(table) for table in (values, squares, known))
    for start in range(0, len(values), _BLOCK):
        rows = slice(start, start + _BLOCK)
        counts = present[rows] @ known.T
        lengths = np.sqrt((y[rows] @ known.T) * (present[rows] @ squares.T))
        cosines = np.divide(
            x[rows] @ values.T, lengths, out=np.zeros_like(lengths), where=lengths > 1e-12
        )
        block = np.maximum(cosines, 0.0) * counts / np.maximum(counts + shrinkage, 1.0)
        own = np.arange(block.shape[0])
        block[own, start + own] = 0.0
        yield block
