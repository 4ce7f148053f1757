"""Matrix factorization by alternating least squares."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy import sparse

from zooadmm_reproduction.recommenders.biases import Center, centered
from zooadmm_reproduction.recommenders.recommender import (
    Indices,
    Numbers,
    Recommender,
    Training,
    inner_products,
    spectral_norm,
)


@dataclass(frozen=True)
class AlternatingLeastSquares(Recommender):
    """r_ui ~ offsets + p_u'q_i, from min sum (z_ui - p_u'q_i)^2 + l2 s (|P|^2 + |Q|^2).

    z is what the offsets leave and s its largest singular value, so that l2 >= 1 leaves nothing.
    `sweeps` times in turns: all p_u for fixed Q, then all q_i for fixed P. Q starts small, random
    and always the same.
    """

    rank: int
    l2: float
    sweeps: int
    center: Center
    title: ClassVar[str] = "als"

    def predict(self, training: Training, users: Indices, items: Indices) -> Numbers:
        offsets, residuals = centered(training, self.center)
        by_user = training.sparse(residuals)
        known_by_user = training.sparse(np.ones_like(residuals))
        by_item, known_by_item = by_user.T.tocsr(), known_by_user.T.tocsr()
        ridge = self.l2 * spectral_norm(by_user)
        q = 0.1 * np.random.default_rng(0).standard_normal((training.num_items, self.rank))
        for _ in range(self.sweeps):
            p = ridge_rows(by_user, known_by_user, q, ridge)
            q = ridge_rows(by_item, known_by_item, p, ridge)
        return offsets.at(users, items) + inner_products(p, q, users, items)


def ridge_rows(
    values: sparse.csr_array, known: sparse.csr_array, factors: Numbers, l2: float
) -> Numbers:
    """For each row u, the minimizer of sum_{known i} (values_ui - x'factors_i)^2 + l2 |x|^2."""
    rank = factors.shape[1]
    products = (factors[:, :, None] * factors[:, None, :]).reshape(-1, rank * rank)
    grams = (known @ products).reshape(-1, rank, rank) + l2 * np.eye(rank)
    solutions: Numbers = np.linalg.solve(grams, (values @ factors)[:, :, None])[:, :, 0]
    return solutions
