"""The Cox loss, judged by scikit-survival, on made-up patients and on real ones."""

from __future__ import annotations

import numpy as np
import pytest
from sksurv.linear_model import CoxnetSurvivalAnalysis, CoxPHSurvivalAnalysis
from sksurv.util import Surv

from zooadmm.datasets import load_kirc
from zooadmm.datasets.folder import VARIABLE, at_hand
from zooadmm.datasets.kirc import TABLE
from zooadmm.losses import Cox

Patients = tuple[np.ndarray, np.ndarray, np.ndarray]


def made_up() -> Patients:
    """Weeks, so that many times are tied, and some events with censorings."""
    generator = np.random.default_rng(8)
    covariates = generator.normal(size=(200, 6))
    time = np.ceil(4 * generator.exponential(np.exp(-covariates @ [1, -1, 0.5, 0, 0, 0])))
    return covariates, time, generator.random(200) < 0.6


def kirc() -> Patients:
    """Kidney cancer: 532 patients, 160 genes standardized, labels as the authors gave them."""
    if at_hand(TABLE) is None:
        pytest.skip(f"{TABLE} is not at hand; put it into a folder and let {VARIABLE} name it")
    cohort = load_kirc()
    return cohort.standardized(), cohort.time, cohort.event


@pytest.mark.parametrize("ridge", [0.0, 5.0])
def test_the_ridge_optimum_of_scikit_survival_is_ours(ridge: float) -> None:
    covariates, time, event = made_up()
    judge = CoxPHSurvivalAnalysis(alpha=ridge, ties="breslow", tol=1e-14)
    x = judge.fit(covariates, Surv.from_arrays(event, time)).coef_
    assert np.abs(x).max() > 0.3
    gradient = Cox(covariates, time, event).gradient(x)
    np.testing.assert_allclose(gradient, -ridge * x / len(time), atol=1e-9)


@pytest.mark.parametrize("patients", [made_up, kirc])
@pytest.mark.parametrize("fraction", [0.5, 0.2])
def test_the_sparse_optimum_of_scikit_survival_is_ours(patients, fraction: float) -> None:
    covariates, time, event = patients()
    loss = Cox(covariates, time, event)
    strength = fraction * np.abs(loss.gradient(np.zeros(loss.num_variables))).max()
    judge = CoxnetSurvivalAnalysis(l1_ratio=1.0, alphas=[strength], tol=1e-14, max_iter=10**6)
    x = judge.fit(covariates, Surv.from_arrays(event, time)).coef_[:, 0]
    gradient, kept = loss.gradient(x), x != 0.0
    assert 0 < np.count_nonzero(kept) < len(x)
    np.testing.assert_allclose(gradient[kept], -strength * np.sign(x[kept]), atol=1e-6)
    assert np.abs(gradient[~kept]).max() < strength + 1e-6


def test_the_strength_that_keeps_no_gene_of_kirc() -> None:
    loss = Cox(*kirc())
    assert repr(loss) == "Cox(160 events of 532 subjects, 160 variables)"
    assert np.abs(loss.gradient(np.zeros(160))).max() == pytest.approx(0.15760, abs=5e-6)


@pytest.mark.parametrize(
    ("fraction", "optimum", "genes"),
    [(0.5, 1.677689, 7), (0.2, 1.626990, 32), (0.05, 1.503151, 85)],
)
def test_the_optimum_on_kirc(fraction: float, optimum: float, genes: int) -> None:
    covariates, time, event = kirc()
    loss = Cox(covariates, time, event)
    strength = fraction * np.abs(loss.gradient(np.zeros(160))).max()
    judge = CoxnetSurvivalAnalysis(l1_ratio=1.0, alphas=[strength], tol=1e-14, max_iter=10**6)
    x = judge.fit(covariates, Surv.from_arrays(event, time)).coef_[:, 0]
    assert np.count_nonzero(x) == genes
    assert loss(x) + strength * np.abs(x).sum() == pytest.approx(optimum, abs=1e-6)
