"""Which genes go with the time until metastasis: sparse Cox regression from values alone.

198 patients with breast cancer and 76 genes (Desmedt and others, 2007; it ships with
scikit-survival). The likelihood is only evaluated; few genes are kept by the L1 norm.

    python examples/genes_and_survival.py [picture.png]
"""

from __future__ import annotations

import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
from sklearn.preprocessing import StandardScaler
from sksurv.datasets import load_breast_cancer
from sksurv.linear_model import CoxnetSurvivalAnalysis

from zooadmm.analysis.style import RUST, TEAL, dress
from zooadmm.applications import SparseCox, concordance
from zooadmm.applications.baselines import strongest


def main(picture: Path) -> None:
    table, y = load_breast_cancer()
    genes = [name for name in table.columns if name.startswith("X")]
    learn, test = np.arange(len(y)) % 3 > 0, np.arange(len(y)) % 3 == 0
    scaler = StandardScaler().fit(table.loc[learn, genes])
    X = scaler.transform(table[genes])

    model = SparseCox(max_evaluations=10_000, random_state=0)
    path = model.path(X[learn], y[learn], num_strengths=12)
    judge = CoxnetSurvivalAnalysis(l1_ratio=1.0, alphas=path.strengths, tol=1e-10)
    judge.fit(X[learn], y[learn])
    tested = path.score(X[test], y[test])
    print("strength  genes  Coxnet's  largest difference  concordance, other patients")
    for k, strength in enumerate(path.strengths):
        ours, theirs = path.coef[k], judge.coef_[:, k]
        print(
            f"{strength:8.4f}  {np.count_nonzero(ours):5}  {np.count_nonzero(theirs):8}"
            f"  {np.abs(ours - theirs).max():18.1e}  {tested[k]:27.3f}"
        )

    chosen = SparseCox(path.strengths[5], max_evaluations=10_000, random_state=0)
    chosen.fit(X[learn], y[learn])
    kept = np.flatnonzero(chosen.coef_)
    print("\nkept: " + ", ".join(f"{genes[j]} ({chosen.coef_[j]:+.2f})" for j in kept))
    by_scores = strongest(X[learn], y[learn], len(kept))
    names = ", ".join(genes[j] for j in np.flatnonzero(by_scores))
    print(f"as many by their univariate scores: {names}")
    print(
        f"concordance, other patients: {chosen.score(X[test], y[test]):.3f}, "
        f"by univariate scores {concordance(y[test], X[test] @ by_scores):.3f}"
    )

    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.3), layout="constrained")
    left.plot(path.strengths, path.coef, lw=1, color=RUST, alpha=0.6)
    left.set(title="Coefficients of 76 genes")
    right.plot(path.strengths, tested, "o-", color=RUST)
    theirs = [concordance(y[test], X[test] @ x) for x in judge.coef_.T]
    right.plot(path.strengths, theirs, "x--", color=TEAL)
    right.text(0.97, 0.15, "from values", color=RUST, ha="right", transform=right.transAxes)
    right.text(0.97, 0.05, "Coxnet", color=TEAL, ha="right", transform=right.transAxes)
    right.set(title="Concordance, other patients")
    for axis in (left, right):
        axis.set(xscale="log", xlabel="strength")
        axis.invert_xaxis()
        dress(axis)
    picture.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(picture, dpi=80)
    print(f"\ndrawn in {picture}")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "demo/genes.png"))
