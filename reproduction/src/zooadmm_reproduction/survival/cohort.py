"""The kidney cohort as the experiments use it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

import numpy as np

from zooadmm.applications.baselines import univariate_scores
from zooadmm.datasets import load_kirc
from zooadmm.losses import Cox

Columns = Literal["raw", "standardized"]
"""Expression as released, or each gene with mean 0 and mean square 1 over the patients fitted."""

Patients = Literal["train", "everybody"]
"""The 372 patients that the authors trained on, or all 532."""

DATA = (
    "Data: the 160 genes that the authors released, with their labels (deaths 15 short of the "
    "clinical release of 2016) and, if nothing else is said, their columns as they are and their "
    "372 patients to train on; the other 160 test. The paper has 534 patients, names no split, and "
    "does not say how many genes it began with."
)


@dataclass(frozen=True, eq=False)
class Cohort:
    """Patients to fit on, and those to test on.

    X, y: covariates and structured outcome (event, time) of the patients fitted.
    X_test, y_test: of the authors' test patients, with the columns scaled alike.
    ranking: the genes by falling |univariate Cox score| on the patients fitted.
    """

    X: Any
    y: Any
    X_test: Any
    y_test: Any
    ranking: Any

    @property
    def loss(self) -> Cox:
        """(20), the negative log partial likelihood divided by the number of patients."""
        event, time = self.y.dtype.names
        return Cox(self.X, self.y[time], self.y[event])


@cache
def cohort(patients: Patients = "train", columns: Columns = "raw") -> Cohort:
    """The patients fitted and tested; FileNotFoundError or ImportError without the data."""
    released = load_kirc()
    fitted = released.train if patients == "train" else np.ones_like(released.train)
    X, y = released.covariates, np.zeros(len(fitted), dtype=[("died", "?"), ("days", "<f8")])
    y["died"], y["days"] = released.event, released.time
    if columns == "standardized":
        X = (X - X[fitted].mean(axis=0)) / X[fitted].std(axis=0)
    ranking = np.argsort(-np.abs(univariate_scores(X[fitted], y[fitted])), kind="stable")
    return Cohort(X[fitted], y[fitted], X[~released.train], y[~released.train], ranking)
