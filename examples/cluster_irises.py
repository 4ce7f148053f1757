"""Six centers for 150 irises: a loss with several local minima, and `starts=` to find the best.

The data are Fisher's (UCI iris, which scikit-learn ships). f is the mean distance of a flower to
the nearest center, with 24 variables. Distances are not squared, so an odd flower counts less;
k-means has no steps for such a loss, while a run here only evaluates it, and may start from there.

    python examples/cluster_irises.py      (needs scikit-learn)
"""

from __future__ import annotations

import numpy as np
from sklearn.cluster import KMeans
from sklearn.datasets import load_iris

import zooadmm as zoo

flowers = load_iris().data
domain = zoo.Box(np.tile(flowers.min(axis=0), 6), np.tile(flowers.max(axis=0), 6))


def away(centers: np.ndarray) -> float:
    """The mean distance of a flower to the nearest center."""
    distances = np.linalg.norm(flowers[:, None] - centers.reshape(6, 4), axis=2)
    return float(distances.min(axis=1).mean())


first = flowers[:6].ravel()  # six flowers of one species
one = zoo.minimize(away, first, domain=domain, max_evaluations=8_000, rng=0)
result = zoo.minimize(away, first, domain=domain, starts=8, max_evaluations=8_000, rng=0)

means = KMeans(6, n_init=20, random_state=0).fit(flowers).cluster_centers_.ravel()
better = zoo.minimize(away, means, domain=domain, max_evaluations=8_000, rng=0)

if __name__ == "__main__":
    print(f"one start: {one.fun:.4f}")
    print(f"eight starts, as many evaluations: {result.fun:.4f}")
    print(f"the centers of k-means, which squares distances: {away(means):.4f}")
    print(f"a run that starts there: {better.fun:.4f}")
    print("where the starts led:", [round(start.fun, 3) for start in result.starts])
