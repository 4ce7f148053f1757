"""What a recommender is, and what it may learn from."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, fields
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse.linalg import svds

Indices = NDArray[np.int64]
Numbers = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Training:
    """The ratings to learn from: rating[k] is what user[k] gave to item[k], each pair once."""

    user: Indices
    item: Indices
    rating: Numbers
    num_users: int
    num_items: int

    @cached_property
    def user_counts(self) -> Numbers:
        """How many items each user has rated."""
        return np.bincount(self.user, minlength=self.num_users).astype(np.float64)

    @cached_property
    def item_counts(self) -> Numbers:
        """How many users have rated each item."""
        return np.bincount(self.item, minlength=self.num_items).astype(np.float64)

    @cached_property
    def known(self) -> Numbers:
        """(users, items): 1 where there is a rating, else 0."""
        return self.dense(np.ones_like(self.rating))

    def user_sums(self, values: Numbers) -> Numbers:
        """The sum over each user's ratings of the values given to the ratings."""
        return np.bincount(self.user, values, self.num_users).astype(np.float64)

    def item_sums(self, values: Numbers) -> Numbers:
        """The sum over each item's ratings of the values given to the ratings."""
        return np.bincount(self.item, values, self.num_items).astype(np.float64)

    def dense(self, values: Numbers) -> Numbers:
        """(users, items): the values given to the ratings, 0 where there is none."""
        matrix = np.zeros((self.num_users, self.num_items))
        matrix[self.user, self.item] = values
        return matrix

    def sparse(self, values: Numbers) -> sparse.csr_array:
        """The same as a sparse matrix."""
        shape = (self.num_users, self.num_items)
        return sparse.csr_array((values, (self.user, self.item)), shape=shape)


def spectral_norm(table: sparse.csr_array) -> float:
    """The largest singular value: the unit in which ridge weights suit ratings of any scale."""
    (largest,) = svds(table, k=1, v0=np.ones(min(table.shape)), return_singular_vectors=False)
    return float(largest)


def inner_products(p: Numbers, q: Numbers, users: Indices, items: Indices) -> Numbers:
    """p_u'q_i for u = users[k], i = items[k]."""
    products: Numbers = np.einsum("kr,kr->k", p[users], q[items])
    return products


@dataclass(frozen=True)
class Recommender(ABC):
    """A way to predict ratings; its fields are its settings, and with them make its name."""

    title: ClassVar[str]

    @property
    def name(self) -> str:
        """The title and the settings, "als rank=10 l2=5" for instance."""
        settings = (f"{field.name}={getattr(self, field.name)}" for field in fields(self))
        return " ".join((self.title, *settings))

    @abstractmethod
    def predict(self, training: Training, users: Indices, items: Indices) -> Numbers:
        """What users[k] will give to items[k], for every k."""
