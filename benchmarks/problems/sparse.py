"""Few nonzeros: Cox on kidney cancer, the lasso, 100,000 variables; and overlapping groups."""

from __future__ import annotations

import numpy as np
import scipy.sparse

import zooadmm as zoo
from benchmarks.problem import BatchedLoss, Problem, SplitStructure
from zooadmm.datasets import load_kirc, load_overlapping_groups
from zooadmm.losses import Cox, Logistic, Squares


def with_l1(name: str, loss: BatchedLoss, m: int, strength: float) -> Problem:
    """f + strength |x|_1 from x0 = 0; the answer is y's side, which has the zeros."""
    phi = zoo.L1(strength)
    return Problem(
        name, loss, np.zeros(m), structure=phi, regularizer=phi, complete="x", sparse=True
    )


def cox(part: float) -> Problem:
    """532 patients, 160 genes; the strength as a part of the one that leaves no gene."""
    patients = load_kirc()
    loss = Cox(patients.standardized(), patients.time, patients.event)
    m = patients.covariates.shape[1]
    strongest = float(np.abs(loss.gradient(np.zeros(m))).max())
    return with_l1(f"cox-kirc-{part:g}", loss, m, part * strongest)


def lasso() -> Problem:
    """200 variables of which 20 matter, 400 noisy observations."""
    generator = np.random.default_rng(2018)
    features = generator.standard_normal((400, 200))
    truth = np.zeros(200)
    truth[generator.choice(200, 20, replace=False)] = 3.0 * generator.standard_normal(20)
    loss = Squares(features, features @ truth + generator.standard_normal(400))
    return with_l1("lasso", loss, 200, 0.3)


def large() -> Problem:
    """100,000 variables with curvatures from 0.1 to 10, one in a hundred of which matters.

    f = mean_i (a_i x_i - b_i)^2 m: every variable is a problem of its own, which no method is told.
    """
    m = 100_000
    generator = np.random.default_rng(2018)
    curvature = 10.0 ** generator.uniform(-0.5, 0.5, m)
    truth = np.where(generator.random(m) < 0.01, 2.0 * generator.standard_normal(m), 0.0)
    features = scipy.sparse.diags_array(np.sqrt(m) * curvature, format="csr")
    targets = np.sqrt(m) * (curvature * truth + 0.01 * generator.standard_normal(m))
    return with_l1("large", Squares(features, targets), m, 0.2)


def overlapping_groups() -> Problem:
    """The authors' sample: logistic loss, rows and columns of a 10 x 10 grid as groups."""
    data = load_overlapping_groups()
    grid = np.arange(100).reshape(10, 10)
    phi, constraint = zoo.overlapping_groups(100, [*grid, *grid.T], 0.025)
    return Problem(
        "groups-sample",
        Logistic(data.features, data.labels),
        np.zeros(100),
        structure=SplitStructure(phi, constraint.A, constraint.lambda_max),
        regularizer=phi,
        constraint=constraint,
    )
