"""A few ratings, small enough for twins that loop over users and items."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from zooadmm_reproduction.recommenders import Recommender, Training
from zooadmm_reproduction.recommenders.biases import Center, centered

Numbers = NDArray[np.float64]
ByPair = dict[tuple[int, int], float]


def tiny(num_users: int, num_items: int, density: float = 0.65) -> Training:
    """That part of all pairs; the last user and the last item have no rating at all."""
    generator = np.random.default_rng(3)
    known = generator.uniform(size=(num_users, num_items)) < density
    known[-1] = False
    known[:, -1] = False
    user, item = np.nonzero(known)
    liking = generator.standard_normal((num_users, 2)) @ generator.standard_normal((2, num_items))
    rating = 3.0 + liking[user, item] + 0.3 * generator.standard_normal(len(user))
    return Training(user, item, rating, num_users, num_items)


TALL, WIDE = tiny(9, 7), tiny(6, 11)


def pairs(training: Training) -> list[tuple[int, int]]:
    return [(u, i) for u in range(training.num_users) for i in range(training.num_items)]


def everywhere(model: Recommender, training: Training) -> Numbers:
    """The predictions for all pairs, as a matrix."""
    users, items = np.array(pairs(training)).T
    shape = training.num_users, training.num_items
    return model.predict(training, users, items).reshape(shape)


def by_pair(training: Training, values: Numbers) -> ByPair:
    keys = zip(training.user.tolist(), training.item.tolist(), strict=True)
    return dict(zip(keys, values.tolist(), strict=True))


def left_by(training: Training, center: Center) -> tuple[Numbers, ByPair]:
    """The offsets for all pairs, and what they leave of the ratings."""
    offsets, left = centered(training, center)
    users, items = np.indices((training.num_users, training.num_items))
    return offsets.at(users, items), by_pair(training, left)


def table_of(training: Training, values: ByPair) -> Numbers:
    """The values in their places, 0 elsewhere."""
    table = np.zeros((training.num_users, training.num_items))
    for pair, value in values.items():
        table[pair] = value
    return table
