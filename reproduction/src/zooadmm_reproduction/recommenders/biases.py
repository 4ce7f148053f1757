"""Baselines: some users are generous and some items are liked, and that is all."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from zooadmm_reproduction.recommenders.recommender import Indices, Numbers, Recommender, Training

Center = Literal["mean", "user", "item", "biases"]
"""What a model of interactions takes off the ratings before it looks at them."""

SHRINKAGE = 5.0
SWEEPS = 10


@dataclass(frozen=True, eq=False)
class Offsets:
    """The prediction mean + user_u + item_i."""

    mean: float
    user: Numbers
    item: Numbers

    def at(self, users: Indices, items: Indices) -> Numbers:
        return self.mean + self.user[users] + self.item[items]


def global_mean(training: Training) -> Offsets:
    """The mean of all ratings, for everybody."""
    users, items = np.zeros(training.num_users), np.zeros(training.num_items)
    return Offsets(float(training.rating.mean()), users, items)


def with_users(training: Training, before: Offsets, shrinkage: float) -> Offsets:
    """User u's offset is sum_i residual_ui / (count_u + shrinkage), 0 for who has rated nothing."""
    residuals = (
        training.rating - before.at(training.user, training.item) + before.user[training.user]
    )
    user = training.user_sums(residuals) / np.maximum(training.user_counts + shrinkage, 1e-12)
    return Offsets(before.mean, user, before.item)


def with_items(training: Training, before: Offsets, shrinkage: float) -> Offsets:
    """Item i's offset is sum_u residual_ui / (count_i + shrinkage), 0 for what nobody has rated."""
    residuals = (
        training.rating - before.at(training.user, training.item) + before.item[training.item]
    )
    item = training.item_sums(residuals) / np.maximum(training.item_counts + shrinkage, 1e-12)
    return Offsets(before.mean, before.user, item)


def ridge_biases(training: Training, l2: float) -> Offsets:
    """Minimize sum (r_ui - mean - user_u - item_i)^2 + l2 (|user|^2 + |item|^2), in turns."""
    offsets = global_mean(training)
    for _ in range(SWEEPS):
        offsets = with_users(training, with_items(training, offsets, l2), l2)
    return offsets


def centered(training: Training, center: Center) -> tuple[Offsets, Numbers]:
    """The offsets of that name and what they leave of the training ratings."""
    mean = global_mean(training)
    if center == "mean":
        offsets = mean
    elif center == "user":
        offsets = with_users(training, mean, SHRINKAGE)
    elif center == "item":
        offsets = with_items(training, mean, SHRINKAGE)
    else:
        offsets = ridge_biases(training, SHRINKAGE)
    return offsets, training.rating - offsets.at(training.user, training.item)


@dataclass(frozen=True)
class GlobalMean(Recommender):
    """The mean rating."""

    title: ClassVar[str] = "mean"

    def predict(self, training: Training, users: Indices, items: Indices) -> Numbers:
        return global_mean(training).at(users, items)


@dataclass(frozen=True)
class UserMeans(Recommender):
    """The user's mean, shrunk towards the mean of all."""

    shrinkage: float
    title: ClassVar[str] = "user means"

    def predict(self, training: Training, users: Indices, items: Indices) -> Numbers:
        return with_users(training, global_mean(training), self.shrinkage).at(users, items)


@dataclass(frozen=True)
class ItemMeans(Recommender):
    """The item's mean, shrunk towards the mean of all."""

    shrinkage: float
    title: ClassVar[str] = "item means"

    def predict(self, training: Training, users: Indices, items: Indices) -> Numbers:
        return with_items(training, global_mean(training), self.shrinkage).at(users, items)


@dataclass(frozen=True)
class ItemsThenUsers(Recommender):
    """Items' offsets first, then users' on what is left."""

    item_shrinkage: float
    user_shrinkage: float
    title: ClassVar[str] = "items then users"

    def predict(self, training: Training, users: Indices, items: Indices) -> Numbers:
        first = with_items(training, global_mean(training), self.item_shrinkage)
        return with_users(training, first, self.user_shrinkage).at(users, items)


@dataclass(frozen=True)
class UsersThenItems(Recommender):
    """Users' offsets first, then items' on what is left."""

    user_shrinkage: float
    item_shrinkage: float
    title: ClassVar[str] = "users then items"

    def predict(self, training: Training, users: Indices, items: Indices) -> Numbers:
        first = with_users(training, global_mean(training), self.user_shrinkage)
        return with_items(training, first, self.item_shrinkage).at(users, items)


@dataclass(frozen=True)
class RidgeBiases(Recommender):
    """Users' and items' offsets together, by least squares with the penalty l2."""

    l2: float
    title: ClassVar[str] = "biases"

    def predict(self, training: Training, users: Indices, items: Indices) -> Numbers:
        return ridge_biases(training, self.l2).at(users, items)
