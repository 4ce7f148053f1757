"""Co-clustering: users and items in clusters, and a number for each pair of clusters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from zooadmm_reproduction.recommenders.biases import centered
from zooadmm_reproduction.recommenders.recommender import Indices, Numbers, Recommender, Training

SWEEPS = 15


@dataclass(frozen=True)
class CoClustering(Recommender):
    """biases + C[cluster of u, cluster of i], from min sum (z_ui - C[g_u, h_i])^2.

    In turns: C is the mean of each block, users go to the cluster that suits them best, then items
    do. The clusters start random and always the same.
    """

    user_clusters: int
    item_clusters: int
    title: ClassVar[str] = "co-clustering"

    def predict(self, training: Training, users: Indices, items: Indices) -> Numbers:
        offsets, left = centered(training, "biases")
        table, known = training.dense(left), training.known
        generator = np.random.default_rng(0)
        g = generator.integers(self.user_clusters, size=training.num_users)
        h = generator.integers(self.item_clusters, size=training.num_items)
        for _ in range(SWEEPS):
            in_h = membership(h, self.item_clusters)
            sums, counts = table @ in_h, known @ in_h
            g = best_clusters(sums, counts, block_means(sums, counts, g, self.user_clusters))
            in_g = membership(g, self.user_clusters)
            sums, counts = table.T @ in_g, known.T @ in_g
            means = block_means(sums, counts, h, self.item_clusters)
            h = best_clusters(sums, counts, means)
        means = block_means(sums, counts, h, self.item_clusters)
        return offsets.at(users, items) + means[h[items], g[users]]


def membership(clusters: Indices, count: int) -> Numbers:
    """(n, count): 1 in the column of each one's cluster."""
    return np.eye(count)[clusters]


def block_means(sums: Numbers, counts: Numbers, clusters: Indices, count: int) -> Numbers:
    """(count, others): the mean over each cluster of rows, 0 for an empty block."""
    members = membership(clusters, count)
    sizes = members.T @ counts
    means: Numbers = np.divide(members.T @ sums, sizes, out=np.zeros_like(sizes), where=sizes > 0.0)
    return means


def best_clusters(sums: Numbers, counts: Numbers, means: Numbers) -> Indices:
    """The cluster with the least squared error, which is, up to a constant, c m^2 - 2 s m."""
    costs = counts @ (means**2).T - 2.0 * sums @ means.T
    best: Indices = np.argmin(costs, axis=1)
    return best
