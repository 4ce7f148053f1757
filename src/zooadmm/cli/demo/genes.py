"""The genes that go with the time until metastasis: a sparse Cox model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from sksurv.datasets import load_breast_cancer
from sksurv.linear_model import CoxnetSurvivalAnalysis
from sksurv.nonparametric import kaplan_meier_estimator

from zooadmm.analysis.style import dress
from zooadmm.applications import SparseCox, concordance
from zooadmm.applications.baselines import strongest
from zooadmm.cli.demo.story import OTHERS, OURS, Line, Story, Watch, solved, values

PART = 0.25
"""gamma as a part of the one that leaves no gene."""


@dataclass(frozen=True, eq=False)
class Patients:
    """198 patients and 76 genes (Desmedt and others, 2007): two thirds to learn from."""

    X: Any
    y: Any
    X_test: Any
    y_test: Any
    names: list[str]

    def tested(self, x: Any) -> str:
        """The concordance on the test patients, to be read."""
        return f"{concordance(self.y_test, self.X_test @ x):.3f}"


def patients() -> Patients:
    """Every third patient tests; genes are scaled by the others."""
    table, y = load_breast_cancer()
    names = [str(name) for name in table.columns if str(name).startswith("X")]
    learn, X = np.arange(len(y)) % 3 > 0, table[names].to_numpy(dtype=np.float64)
    X = (X - X[learn].mean(axis=0)) / X[learn].std(axis=0)
    return Patients(X[learn], y[learn], X[~learn], y[~learn], names)


def genes(seed: int, watch: Watch, evaluations: int = 10_000) -> Story:
    """Fit from values of the partial likelihood alone, and see whom the model tells apart."""
    known = patients()
    strength = PART * SparseCox().gamma_max(known.X, known.y)
    problem = SparseCox(strength).formulation(known.X, known.y)
    result = solved(problem, evaluations, seed, watch)
    judge = CoxnetSurvivalAnalysis(l1_ratio=1.0, alphas=[strength], tol=1e-10, max_iter=10**6)
    theirs = judge.fit(known.X, known.y).coef_[:, 0]
    scored = strongest(known.X, known.y, int(np.count_nonzero(result.x)))
    lines = [
        Line(by, given, (*_reached(problem, x), known.tested(x)))
        for by, given, x in (
            ("zooadmm", values(result.nfev), result.x),
            ("Coxnet", "formula, slopes", theirs),
        )
    ]
    kept = f"{np.count_nonzero(scored)}"
    lines.append(Line("univariate scores", "formula", ("", kept, known.tested(scored))))
    return Story(
        "Keep few of 76 genes in a Cox model",
        ("objective ↓", "kept", "concordance, others ↑"),
        lines,
        f"76 genes and {len(known.y)} patients with breast cancer to learn from, "
        f"{len(known.y_test)} others to test on. The strength is a quarter of the one that leaves "
        "no gene.",
        _picture(known, result.x, theirs),
    )


def _reached(problem: Any, x: Any) -> tuple[str, str]:
    return f"{problem.objective(x):.7f}", f"{np.count_nonzero(x)}"


def _picture(known: Patients, ours: Any, theirs: Any) -> Figure:
    figure = Figure(figsize=(11, 4.6), layout="constrained")
    bars, curves = figure.subplots(1, 2)
    kept = np.flatnonzero((ours != 0) | (theirs != 0))
    kept = kept[np.argsort(ours[kept])]
    places = np.arange(len(kept))
    bars.barh(places, ours[kept], color=OURS, alpha=0.75)
    bars.plot(theirs[kept], places, "|", ms=14, mew=2.2, color=OTHERS)
    bars.set_yticks(places, [known.names[j] for j in kept], fontsize=7)
    bars.axvline(0, color="0.3", lw=0.8)
    bars.set(title=f"{len(kept)} of {len(known.names)} genes are kept", xlabel="coefficient")
    bars.text(0.97, 0.10, "zooadmm, from values", color=OURS, ha="right", transform=bars.transAxes)
    bars.text(0.97, 0.04, "Coxnet |", color=OTHERS, ha="right", transform=bars.transAxes)
    dress(bars)
    _survival(curves, known, ours)
    return figure


def _survival(axis: Any, known: Patients, x: Any) -> None:
    """Kaplan and Meier's curves of the test patients of high and of low risk."""
    event, time = known.y_test.dtype.names
    risk = known.X_test @ x
    high = risk > np.median(known.X @ x)
    for some, label, color in ((~high, "low", OTHERS), (high, "high", OURS)):
        y = known.y_test[some]
        when, part, band = kaplan_meier_estimator(y[event], y[time], conf_type="log-log")
        years = when / 365.25
        axis.step(years, part, where="post", color=color, lw=2)
        axis.annotate(f"{label} risk, {len(y)} patients", (7.9, part[years <= 7.9][-1]),
                      xytext=(4, 5), textcoords="offset points", color=color)  # fmt: skip
        axis.fill_between(years, *band, step="post", color=color, alpha=0.15, lw=0)
    axis.set(title="Patients that the model has not seen", xlabel="years", ylim=(0, 1.02))
    axis.set_ylabel("share without metastasis")
    dress(axis)
