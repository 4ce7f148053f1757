"""Total variation, matrix completion and a portfolio."""

from __future__ import annotations

import numpy as np
import scipy.linalg
import scipy.sparse

import zooadmm as zoo
from benchmarks.problem import NoStructure, Problem, SplitStructure
from zooadmm.losses import Squares
from zooadmm.problem.regularizers import NuclearNorm


def total_variation() -> Problem:
    """A signal of 100 samples with four steps, blurred and noisy."""
    generator = np.random.default_rng(2018)
    signal = np.repeat([0.0, 2.0, 1.0, 3.0, 0.5], 20)
    kernel = np.exp(-0.5 * (np.arange(100) / 2.0) ** 2)
    blur = scipy.linalg.toeplitz(kernel / (2 * kernel.sum() - kernel[0]))
    phi, constraint = zoo.total_variation(100, 0.003)
    return Problem(
        "total-variation",
        Squares(blur, blur @ signal + 0.05 * generator.standard_normal(100)),
        np.zeros(100),
        structure=SplitStructure(phi, constraint.A, constraint.lambda_max),
        regularizer=phi,
        constraint=constraint,
    )


def completion() -> Problem:
    """A 20 x 15 matrix of rank 2, of which six entries in ten were seen, with noise."""
    generator = np.random.default_rng(2018)
    truth = generator.standard_normal((20, 2)) @ generator.standard_normal((2, 15))
    seen = np.flatnonzero(generator.random(300) < 0.6)
    features = scipy.sparse.eye_array(300, format="csr")[seen]
    targets = truth.ravel()[seen] + 0.1 * generator.standard_normal(len(seen))
    phi = NuclearNorm(0.02, (20, 15))
    loss = Squares(features, targets)
    return Problem("completion", loss, np.zeros(300), structure=phi, regularizer=phi, complete="x")


def portfolio() -> Problem:
    """100 assets over 1000 days: least mean squared distance from a return of 0.1% a day.

    That is the variance plus the squared shortfall of the mean, in percent; returns follow five
    factors.
    """
    generator = np.random.default_rng(2018)
    exposure = generator.standard_normal((100, 5)) * [1.0, 0.5, 0.4, 0.3, 0.2] + [1.0, 0, 0, 0, 0]
    factors = generator.standard_normal((1000, 5)) * 0.8
    drift = 0.05 + 0.03 * generator.standard_normal(100)
    returns = drift + factors @ exposure.T + generator.standard_normal((1000, 100))
    domain = zoo.Simplex()
    return Problem(
        "portfolio",
        Squares(returns, np.full(1000, 0.1)),
        np.full(100, 0.01),
        structure=NoStructure(domain),
        feasible=domain,
        domain=domain,
    )
