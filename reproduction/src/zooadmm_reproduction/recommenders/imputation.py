"""Filling the unknown ratings with a matrix of low rank, over and over."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from zooadmm_reproduction.recommenders.biases import centered
from zooadmm_reproduction.recommenders.recommender import (
    Indices,
    Numbers,
    Recommender,
    Training,
    spectral_norm,
)


@dataclass(frozen=True)
class SoftImputation(Recommender):
    """The proximal gradient method for 1/2 sum e_ui^2 + threshold s |Z|_nuclear.

    `sweeps` times: fill the unknown entries of what the biases leave from Z, and lower the singular
    values of that by threshold s, s being the largest at first. Z starts at 0.
    """

    threshold: float
    sweeps: int
    title: ClassVar[str] = "soft imputation"

    def predict(self, training: Training, users: Indices, items: Indices) -> Numbers:
        _, left = centered(training, "biases")
        shift = self.threshold * spectral_norm(training.sparse(left))
        return _imputed(training, users, items, lambda s: np.maximum(s - shift, 0.0), self.sweeps)


@dataclass(frozen=True)
class PrincipalComponents(Recommender):
    """The same with the `rank` largest singular values kept as they are and the rest dropped."""

    rank: int
    sweeps: int
    title: ClassVar[str] = "principal components"

    def predict(self, training: Training, users: Indices, items: Indices) -> Numbers:
        return _imputed(
            training, users, items, lambda s: np.where(_place(s) < self.rank, s, 0.0), self.sweeps
        )


def _place(singular_values: Numbers) -> Indices:
    """0 for the largest, 1 for the second, ..."""
    return np.argsort(np.argsort(-singular_values, kind="stable"), kind="stable")


def _imputed(
    training: Training,
    users: Indices,
    items: Indices,
    change: Callable[[Numbers], Numbers],
    sweeps: int,
) -> Numbers:
    offsets, left = centered(training, "biases")
    table, known = training.dense(left), training.known
    filled = table
    for _ in range(sweeps):
        low_rank = with_singular_values(filled, change)
        filled = table + (1.0 - known) * low_rank
    return offsets.at(users, items) + low_rank[users, items]


def with_singular_values(matrix: Numbers, change: Callable[[Numbers], Numbers]) -> Numbers:
    """U diag(change(s)) V' for the matrix U diag(s) V', from the eigenvectors on its short side."""
    if matrix.shape[0] < matrix.shape[1]:
        return with_singular_values(matrix.T, change).T
    eigenvalues, v = np.linalg.eigh(matrix.T @ matrix)
    s = np.sqrt(np.maximum(eigenvalues, 0.0))
    factors = np.divide(change(s), s, out=np.zeros_like(s), where=s > 1e-9 * s.max(initial=1e-300))
    changed: Numbers = (matrix @ (v * factors)) @ v.T
    return changed
