"""Recommenders, one family a file, in plain numpy: 237 of them make data for blending."""

from zooadmm.datasets.recommenders.catalog import catalog
from zooadmm.datasets.recommenders.recommender import Recommender, Training

__all__ = ["Recommender", "Training", "catalog"]
