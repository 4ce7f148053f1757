"""Quadratics in a box, and a black box that answers with noise."""

from __future__ import annotations

import numpy as np

import zooadmm as zoo
from benchmarks.problem import NoStructure, Problem
from benchmarks.problems.sparse import with_l1
from zooadmm.losses import Logistic, Squares


def quadratic(condition: float) -> Problem:
    """100 variables in [-1, 1], eigenvalues from 1/condition to 1; a third of the bounds bind."""
    m = 100
    generator = np.random.default_rng(2018)
    basis = np.linalg.qr(generator.standard_normal((m, m)))[0]
    roots = np.sqrt(np.geomspace(1.0 / condition, 1.0, m))
    features = np.sqrt(m) * roots[:, None] * basis.T
    center = generator.standard_normal(m)
    domain = zoo.Box(-1.0, 1.0)
    return Problem(
        f"quadratic-{condition:.0e}".replace("e+0", "e").replace("1e0", "1"),
        Squares(features, features @ center),
        np.zeros(m),
        structure=NoStructure(domain),
        feasible=domain,
        domain=domain,
    )


def noisy(noise: float) -> Problem:
    """A logistic loss in 50 variables, 5 of which matter, that answers with noise added."""
    generator = np.random.default_rng(2018)
    features = generator.standard_normal((500, 50))
    margin = features[:, :5] @ [2.0, -2.0, 1.5, -1.5, 1.0]
    labels = np.where(generator.random(500) < 1 / (1 + np.exp(-margin)), 1.0, -1.0)
    problem = with_l1(f"noisy-{noise:g}", Logistic(features, labels), 50, 0.03)
    return problem.with_noise(noise)
