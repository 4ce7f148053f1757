"""Blend eight regressors on a real data set, from values of a loss alone.

Each model predicts the progression of diabetes for patients that it was not trained on. The blend
is learned twice: for the least squared error, and for the largest area under the curve of a yes-no
question, a metric that has plateaus in place of slopes. In the second case the predictions stay
with their owner, who only answers how good some weights are.

    python examples/blend_models.py [picture.png]
"""

from __future__ import annotations

import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_diabetes
from sklearn.ensemble import RandomForestRegressor
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, WhiteKernel
from sklearn.linear_model import BayesianRidge, HuberRegressor, LinearRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import cross_val_predict
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVR
from sklearn.tree import DecisionTreeRegressor

from zooadmm.analysis.style import RUST, TEAL, dress
from zooadmm.applications import Blender
from zooadmm.applications.baselines import least_squares_weights

MODELS = {
    "linear": LinearRegression(),
    "Bayes": BayesianRidge(),
    "Huber": HuberRegressor(max_iter=1000),
    "neighbors": KNeighborsRegressor(15),
    "SVM": SVR(C=50),
    "forest": RandomForestRegressor(60, random_state=0),
    "Gauss": GaussianProcessRegressor(
        RBF(3.0) + WhiteKernel(0.5), optimizer=None, normalize_y=True
    ),
    "tree": DecisionTreeRegressor(max_depth=4, random_state=0),
}

SPLITS = 50


def rmse(predictions: np.ndarray, y: np.ndarray, x: np.ndarray, half: np.ndarray) -> float:
    """The error of a blend on what is not in this half."""
    other = np.setdiff1d(np.arange(len(y)), half)
    return float(np.sqrt(np.mean((predictions[other] @ x - y[other]) ** 2)))


def main(picture: Path) -> None:
    X, y = load_diabetes(return_X_y=True)
    predictions = np.column_stack(
        [cross_val_predict(make_pipeline(StandardScaler(), m), X, y) for m in MODELS.values()]
    )
    generator = np.random.default_rng(0)
    halves = [np.sort(generator.permutation(len(y))[: len(y) // 2]) for _ in range(SPLITS)]

    fits = [
        Blender(max_evaluations=2_000, random_state=0).fit(predictions[half], y[half])
        for half in halves
    ]
    judge = least_squares_weights(predictions[halves[0]], y[halves[0]])
    print(f"{'weights on the simplex':28}" + "  ".join(f"{name:>9}" for name in MODELS))
    print(f"{'from values of the error':28}" + "  ".join(f"{w:9.3f}" for w in fits[0].coef_))
    print(f"{'least squares':28}" + "  ".join(f"{w:9.3f}" for w in judge))

    weights = {name: [np.eye(len(MODELS))[j]] * SPLITS for j, name in enumerate(MODELS)}
    weights["average"] = [np.full(len(MODELS), 1 / len(MODELS))] * SPLITS
    weights["blend"] = [fit.coef_ for fit in fits]
    errors = {
        name: np.mean([rmse(predictions, y, x, half) for x, half in zip(each, halves, strict=True)])
        for name, each in weights.items()
    }
    print(f"\nerror on the other half, mean over {SPLITS} halves")
    print("  " + ", ".join(f"{name} {error:.2f}" for name, error in errors.items()))

    severe, half = y > np.quantile(y, 0.75), halves[0]

    def owner(x: np.ndarray) -> float:
        return 1.0 - roc_auc_score(severe[half], predictions[half] @ x)

    ranked = Blender(smoothing=0.03, max_evaluations=800, random_state=0)
    ranked.fit_remote(owner, num_models=len(MODELS))
    print("\n1 - AUC of the yes-no question")
    for name, x in (("average", weights["average"][0]), ("learned from its values", ranked.coef_)):
        print(f"  {name:24} {owner(x):.4f}")

    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.3), layout="constrained")
    places = np.arange(len(MODELS))
    left.bar(places - 0.2, fits[0].coef_, 0.4, color=RUST)
    left.bar(places + 0.2, judge, 0.4, color=TEAL)
    left.text(0.03, 0.9, "from values", color=RUST, transform=left.transAxes)
    left.text(0.03, 0.8, "least squares", color=TEAL, transform=left.transAxes)
    left.set_xticks(places, list(MODELS), rotation=45)
    left.set(title="Weights")
    colors = [TEAL] * (len(MODELS) + 1) + [RUST]
    right.scatter(list(errors.values()), list(errors), color=colors)
    right.invert_yaxis()
    right.set(title=f"Error, mean over {SPLITS} other halves")
    dress(left)
    dress(right)
    picture.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(picture, dpi=80)
    print(f"\ndrawn in {picture}")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "demo/blend.png"))
