"""Slope one: item i is rated so much higher than item j by those who rated both."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from zooadmm_reproduction.recommenders.biases import global_mean, with_users
from zooadmm_reproduction.recommenders.recommender import Indices, Numbers, Recommender, Training

_BLOCK = 512


@dataclass(frozen=True)
class SlopeOne(Recommender):
    """The mean over the items j that u has rated of r_uj + (mean difference of i and j).

    The mean is weighted by count_ij^power, count_ij being the number of users who rated both;
    items without a common user do not count. Where there are none it is the user's mean.
    """

    power: float
    title: ClassVar[str] = "slope one"

    def predict(self, training: Training, users: Indices, items: Indices) -> Numbers:
        fallback = with_users(training, global_mean(training), 0.0).at(users, items)
        ratings, known = training.dense(training.rating), training.known
        predictions = fallback.copy()
        for start in range(0, training.num_items, _BLOCK):
            columns = slice(start, start + _BLOCK)
            table = _block(ratings, known, columns, self.power)
            here = (items >= start) & (items < start + _BLOCK)
            said = table[users[here], items[here] - start]
            predictions[here] = np.where(np.isnan(said), fallback[here], said)
        return predictions


def _block(ratings: Numbers, known: Numbers, columns: slice, power: float) -> Numbers:
    """(users, some items): the predictions, nan where there is nothing to go by."""
    counts = known[:, columns].T @ known
    differences = ratings[:, columns].T @ known - known[:, columns].T @ ratings
    weights = np.where(counts > 0.0, np.maximum(counts, 1.0) ** power, 0.0)
    mean_differences = differences / np.maximum(counts, 1.0)
    totals = known @ weights.T
    sums = known @ (weights * mean_differences).T + ratings @ weights.T
    return np.divide(sums, totals, out=np.full_like(sums, np.nan), where=totals > 0.0)
