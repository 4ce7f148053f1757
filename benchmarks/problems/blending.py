"""Blending 237 recommenders: weights for their predictions, squared error on 131,072 ratings.

The predictions are those of real recommenders trained on joke ratings, or a synthetic twin. The
weights are free in [-1, 1], or lie on the simplex. The start is the plain mean of all models.
"""

from __future__ import annotations

from functools import cache

import numpy as np

import zooadmm as zoo
from benchmarks.problem import NoStructure, Problem
from zooadmm import datasets
from zooadmm.losses import Squares
from zooadmm_reproduction.predictions import recommender_predictions


@cache
def squares(source: str) -> Squares:
    if source == "real":
        predictions = recommender_predictions()
    else:
        predictions = datasets.synthetic_predictions(rng=2018)
    return Squares(predictions.predictions, predictions.targets)


def blending(source: str, weights: str) -> Problem:
    """source: "real" or "synthetic"; weights: "box" or "simplex"."""
    loss = squares(source)
    m = loss.num_variables
    domain = zoo.Simplex() if weights == "simplex" else zoo.Box(-1.0, 1.0)
    return Problem(
        name=f"blending-{source}-{weights}",
        loss=loss,
        x0=np.full(m, 1.0 / m),
        structure=NoStructure(domain),
        feasible=domain,
        domain=domain,
    )
