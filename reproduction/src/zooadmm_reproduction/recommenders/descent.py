"""Matrix factorization by gradient descent, stopped early; also with implicit features."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy import sparse

from zooadmm_reproduction.recommenders.adam import Parameters, descend
from zooadmm_reproduction.recommenders.biases import Offsets, centered
from zooadmm_reproduction.recommenders.recommender import (
    Indices,
    Numbers,
    Recommender,
    Training,
    inner_products,
    spectral_norm,
)

RATE = 0.03


@dataclass(frozen=True)
class DescentFactors(Recommender):
    """r_ui ~ biases + p_u'q_i, from `steps` steps of Adam on sum e_ui^2 + l2 s (|P|^2 + |Q|^2).

    e_ui is the error in units of the standard deviation of what the biases leave, and s is the
    largest singular value of that in the same units.
    """

    rank: int
    l2: float
    steps: int
    title: ClassVar[str] = "descent"

    def predict(self, training: Training, users: Indices, items: Indices) -> Numbers:
        left = Residuals.of(training)
        ridge = self.l2 * spectral_norm(left.values)
        start = left.random_start((training.num_users, training.num_items), self.rank)
        p, q = descend(start, lambda pq: factor_gradients(left, pq, ridge), self.steps, RATE)
        return left.predictions(p, q, users, items)


@dataclass(frozen=True)
class ImplicitFactors(Recommender):
    """r_ui ~ biases + (p_u + |N_u|^(-1/2) sum_{j in N_u} y_j)'q_i, with l2 s |Y|^2 in addition.

    N_u is the set of items that user u has rated, which tells something too (SVD++). Otherwise as
    `DescentFactors`.
    """

    rank: int
    l2: float
    steps: int
    title: ClassVar[str] = "implicit"

    def predict(self, training: Training, users: Indices, items: Indices) -> Numbers:
        left = Residuals.of(training)
        rated = rated_items(training)
        ridge = self.l2 * spectral_norm(left.values)
        sizes = (training.num_users, training.num_items, training.num_items)
        p, q, y = descend(
            left.random_start(sizes, self.rank),
            lambda pqy: implicit_gradients(left, rated, pqy, ridge),
            self.steps,
            RATE,
        )
        return left.predictions(p + rated @ y, q, users, items)


@dataclass(frozen=True, eq=False)
class Residuals:
    """What the biases leave of the training ratings, divided by its standard deviation `scale`."""

    offsets: Offsets
    scale: float
    values: sparse.csr_array

    @classmethod
    def of(cls, training: Training) -> Residuals:
        offsets, left = centered(training, "biases")
        scale = float(left.std())
        return cls(offsets, scale, training.sparse(left / scale))

    def errors(self, p: Numbers, q: Numbers) -> sparse.csr_array:
        """e_ui = value_ui - p_u'q_i where there is a rating."""
        table = self.values
        rows = np.repeat(np.arange(table.shape[0]), np.diff(table.indptr))
        errors = table.data - inner_products(p, q, rows, table.indices)
        return sparse.csr_array((errors, table.indices, table.indptr), shape=table.shape)

    def predictions(self, p: Numbers, q: Numbers, users: Indices, items: Indices) -> Numbers:
        """The ratings that these factors mean."""
        return self.offsets.at(users, items) + self.scale * inner_products(p, q, users, items)

    def random_start(self, sizes: tuple[int, ...], rank: int) -> Parameters:
        """Small random factors, always the same."""
        generator = np.random.default_rng(0)
        return tuple(0.1 * generator.standard_normal((size, rank)) for size in sizes)


def rated_items(training: Training) -> sparse.csr_array:
    """(users, items): |N_u|^(-1/2) where user u has rated item i."""
    return training.sparse(1.0 / np.sqrt(training.user_counts[training.user]))


def factor_gradients(left: Residuals, factors: Parameters, ridge: float) -> Parameters:
    """Half the derivatives of sum e_ui^2 + ridge (|P|^2 + |Q|^2) in P and Q."""
    p, q = factors
    errors = left.errors(p, q)
    return ridge * p - errors @ q, ridge * q - errors.T @ p


def implicit_gradients(
    left: Residuals, rated: sparse.csr_array, factors: Parameters, ridge: float
) -> Parameters:
    """The same with the implicit features, in P, Q and Y."""
    p, q, y = factors
    whole = p + rated @ y
    errors = left.errors(whole, q)
    slope = -(errors @ q)
    return (
        ridge * p + slope,
        ridge * q - errors.T @ whole,
        ridge * y + rated.T @ slope,
    )
