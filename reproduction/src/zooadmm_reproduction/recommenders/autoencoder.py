"""Each item as a linear function of all the others."""

from __future__ import annotations

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
class LinearAutoencoder(Recommender):
    """biases + Z B, with the B of zero diagonal that minimizes |Z - Z B|^2 + l2 s^2 |B|^2.

    Z is what the biases leave, 0 where it is unknown, and s its largest singular value. With
    P = (Z'Z + l2 s^2 I)^-1 the solution is B = I - P diag(1 / P_ii), and
    Z B = Z - Z P diag(1 / P_ii).
    """

    l2: float
    title: ClassVar[str] = "autoencoder"

    def predict(self, training: Training, users: Indices, items: Indices) -> Numbers:
        offsets, left = centered(training, "biases")
        table = training.dense(left)
        ridge = self.l2 * spectral_norm(training.sparse(left)) ** 2
        return offsets.at(users, items) + self_expression(table, ridge)[users, items]


def self_expression(table: Numbers, ridge: float) -> Numbers:
    """Z B of `LinearAutoencoder`.

    Of the two ways to write it the one with the smaller matrix is taken: Z P = G^-1 Z and
    P_ii = (1 - z_i'G^-1 z_i) / ridge with G = Z Z' + ridge I.
    """
    users, items = table.shape
    if items <= users:
        inverse = np.linalg.inv(table.T @ table + ridge * np.eye(items))
        product, diagonal = table @ inverse, np.diag(inverse)
    else:
        product = np.linalg.solve(table @ table.T + ridge * np.eye(users), table)
        diagonal = (1.0 - np.einsum("ui,ui->i", table, product)) / ridge
    return table - product / diagonal
