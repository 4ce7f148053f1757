"""Recommenders, one family a file, in plain numpy: 237 of them make data for blending."""

from zooadmm_reproduction.recommenders.catalog import catalog
from zooadmm_reproduction.recommenders.recommender import Recommender, Training

__all__ = ["Recommender", "Training", "catalog"]
