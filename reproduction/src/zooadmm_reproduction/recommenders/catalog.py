"""The 237 recommenders: a name and a setting each."""

from __future__ import annotations

from itertools import product

from zooadmm_reproduction.recommenders.alternating import AlternatingLeastSquares
from zooadmm_reproduction.recommenders.autoencoder import LinearAutoencoder
from zooadmm_reproduction.recommenders.biases import (
    Center,
    GlobalMean,
    ItemMeans,
    ItemsThenUsers,
    RidgeBiases,
    UserMeans,
    UsersThenItems,
)
from zooadmm_reproduction.recommenders.co_clustering import CoClustering
from zooadmm_reproduction.recommenders.descent import DescentFactors, ImplicitFactors
from zooadmm_reproduction.recommenders.imputation import PrincipalComponents, SoftImputation
from zooadmm_reproduction.recommenders.neighborhoods import ItemNeighbors, UserNeighbors
from zooadmm_reproduction.recommenders.recommender import Recommender
from zooadmm_reproduction.recommenders.slope_one import SlopeOne

CENTERS: tuple[Center, ...] = ("mean", "user", "item", "biases")


def catalog() -> tuple[Recommender, ...]:
    """20 baselines, 110 factorizations, 80 neighborhoods and 27 others.

    >>> len(catalog())
    237
    >>> catalog()[20].name
    'als rank=1 l2=0.02 sweeps=8 center=mean'
    """
    return (*baselines(), *factorizations(), *neighborhoods(), *others())


def baselines() -> tuple[Recommender, ...]:
    pairs = ((1.0, 1.0), (5.0, 10.0), (25.0, 5.0), (100.0, 50.0))
    return (
        GlobalMean(),
        *(UserMeans(shrinkage) for shrinkage in (0.0, 5.0, 25.0)),
        *(ItemMeans(shrinkage) for shrinkage in (0.0, 25.0, 400.0)),
        *(ItemsThenUsers(*pair) for pair in pairs),
        *(UsersThenItems(*pair) for pair in pairs),
        *(RidgeBiases(l2) for l2 in (0.5, 2.0, 5.0, 15.0, 50.0)),
    )


def factorizations() -> tuple[Recommender, ...]:
    centers: tuple[Center, ...] = ("mean", "biases")
    alternating = product((1, 2, 3, 5, 8, 12), (0.02, 0.05, 0.1, 0.2, 0.35), centers)
    descending = tuple(product((2, 4, 8, 12, 16), (0.05, 0.1, 0.2, 0.3, 0.45)))
    return (
        *(AlternatingLeastSquares(rank, l2, 8, center) for rank, l2, center in alternating),
        *(DescentFactors(rank, l2, 40) for rank, l2 in descending),
        *(ImplicitFactors(rank, l2, 40) for rank, l2 in descending),
    )


def neighborhoods() -> tuple[Recommender, ...]:
    similarities = tuple(product(CENTERS, (2, 50)))
    return (
        *(ItemNeighbors(k, *s) for s, k in product(similarities, (5, 10, 15, 25, 40))),
        *(UserNeighbors(k, *s) for s, k in product(similarities, (5, 10, 20, 50, 200))),
    )


def others() -> tuple[Recommender, ...]:
    return (
        *(SoftImputation(threshold, 15) for threshold in (0.05, 0.1, 0.2, 0.3, 0.4, 0.6)),
        *(PrincipalComponents(rank, sweeps) for rank, sweeps in product((1, 2, 4), (2, 10))),
        *(LinearAutoencoder(l2) for l2 in (0.001, 0.005, 0.02, 0.05, 0.1, 0.3)),
        *(SlopeOne(power) for power in (0.0, 1.0)),
        *(CoClustering(*c) for c in ((2, 2), (3, 3), (5, 3), (5, 5), (10, 5), (20, 8), (40, 10))),
    )
