"""Eight models blended for the area under the curve, a metric that has no gradient."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from scipy.stats import rankdata
from sklearn.datasets import load_diabetes
from sklearn.ensemble import RandomForestRegressor
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, WhiteKernel
from sklearn.linear_model import BayesianRidge, HuberRegressor, LinearRegression
from sklearn.model_selection import cross_val_predict
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVR
from sklearn.tree import DecisionTreeRegressor

from zooadmm.analysis.style import dress
from zooadmm.applications import Blender
from zooadmm.applications.baselines import least_squares_weights
from zooadmm.cli.demo.story import OTHERS, OURS, Line, Story, Watch, values

SEVERE = 0.75
"""The question: does the disease go on faster than in so many of the patients?"""


OUR_WAY = "zooadmm"


@dataclass(frozen=True, eq=False)
class Trial:
    """Weights, and their AUC where they were learned and elsewhere."""

    by: str
    learned: float
    other: float
    weights: Any


def models() -> dict[str, Any]:
    """Regressors of different kinds, as they come."""
    kernel = RBF(3.0) + WhiteKernel(0.5)
    return {
        "linear": LinearRegression(),
        "Bayes": BayesianRidge(),
        "Huber": HuberRegressor(max_iter=1000),
        "neighbors": KNeighborsRegressor(15),
        "SVM": SVR(C=50),
        "forest": RandomForestRegressor(40, random_state=0),
        "Gauss": GaussianProcessRegressor(kernel, optimizer=None, normalize_y=True),
        "tree": DecisionTreeRegressor(max_depth=4, random_state=0),
    }


@dataclass(frozen=True, eq=False)
class Patients:
    """442 patients: what each model says of those it was not trained on, and the truth."""

    predicted: Any
    progress: Any
    severe: Any

    def auc(self, some: Any, x: Any) -> float:
        """The area under the curve of a blend on some of the patients."""
        return area_under_curve(self.severe[some], self.predicted[some] @ x)


def area_under_curve(target: Any, blended: Any) -> float:
    """Of the pairs of a severe and another patient, the part in the right order; ties are halves.

    >>> area_under_curve([0, 0, 1], [0.1, 0.5, 0.3])
    0.5
    """
    severe = np.asarray(target, dtype=np.bool_)
    count = int(severe.sum())
    above = rankdata(blended)[severe].sum() - count * (count + 1) / 2
    return float(above / (count * (len(severe) - count)))


class Called:
    """1 - AUC, which counts its calls."""

    def __init__(self, watch: Watch) -> None:
        self.count = 0
        self._watch = watch

    def metric(self, target: Any, blended: Any) -> float:
        """What is to be made small."""
        self.count += 1
        value = 1.0 - area_under_curve(target, blended)
        self._watch(self.count, value)
        return value


def patients(kinds: dict[str, Any]) -> Patients:
    """The progression of diabetes, predicted by cross-validation."""
    X, y = load_diabetes(return_X_y=True)
    predicted = np.column_stack(
        [cross_val_predict(make_pipeline(StandardScaler(), kind), X, y) for kind in kinds.values()]
    )
    return Patients(predicted, y, y > np.quantile(y, SEVERE))


def blend(seed: int, watch: Watch, evaluations: int = 500, halves: int = 10) -> Story:
    """Learn weights from values of the metric on half of the patients; try them on the others.

    evaluations: for each of the `halves`.
    """
    kinds = models()
    known, called = patients(kinds), Called(watch)
    generator, trials = np.random.default_rng(seed), list[Trial]()
    for _ in range(halves):
        order = generator.permutation(len(known.severe))
        half, other = np.array_split(order, 2)
        blender = Blender(called.metric, max_evaluations=evaluations, random_state=seed)
        blender.fit(known.predicted[half], known.severe[half])
        for name, x in {OUR_WAY: blender.coef_, **_others(known, half)}.items():
            trials.append(Trial(name, known.auc(half, x), known.auc(other, x), x))
    given = {
        OUR_WAY: values(called.count),
        "equal weights": "nothing",
        "best single model": values(len(kinds)),
        "least squares": "predictions, formula",
    }
    mine = {name: [trial for trial in trials if trial.by == name] for name in given}
    lines = [
        Line(name, given[name], (_mean(t.learned for t in some), _mean(t.other for t in some)))
        for name, some in mine.items()
    ]
    best = max(mine, key=lambda name: np.mean([trial.other for trial in mine[name]]))
    return Story(
        "Blend 8 models for the AUC, which has no gradient",
        ("AUC ↑", "AUC, others ↑"),
        lines,
        f"Means over {halves} random halves of 442 patients to learn from, and the other halves. "
        f"Best there: {best}. Least squares minimizes something else.",
        _picture(mine, list(kinds)),
    )


def _others(known: Patients, half: Any) -> dict[str, Any]:
    """The weights of those who do without."""
    m = known.predicted.shape[1]
    single = np.eye(m)
    best = max(single, key=lambda x: known.auc(half, x))
    squares = least_squares_weights(known.predicted[half], known.progress[half])
    return {"equal weights": np.full(m, 1 / m), "best single model": best, "least squares": squares}


def _mean(numbers: Iterable[float]) -> str:
    return f"{np.mean(list(numbers)):.4f}"


def _picture(mine: dict[str, list[Trial]], names: list[str]) -> Figure:
    figure = Figure(figsize=(11, 4.2), layout="constrained")
    scores, weights = figure.subplots(1, 2)
    ways = list(mine)
    for k, way in enumerate(ways):
        color = OURS if way == OUR_WAY else OTHERS
        points = [trial.other for trial in mine[way]]
        learned = np.mean([trial.learned for trial in mine[way]])
        scores.plot(points, np.full(len(points), k), "o", color=color, alpha=0.35)
        scores.plot(np.mean(points), k, "D", color=color, ms=9, mec="black")
        scores.plot(learned, k, "D", mfc="none", ms=9, mec=color)
    scores.set_yticks(range(len(ways)), ways)
    scores.set_ylim(len(ways) - 0.5, -0.5)
    scores.set(title="On patients not learned from (◇: mean where learned)")
    scores.set_xlabel("AUC; each of the other halves a dot, their mean ◆")
    for shift, way in ((-0.2, OUR_WAY), (0.2, "least squares")):
        mean = np.mean([trial.weights for trial in mine[way]], axis=0)
        color = OURS if way == OUR_WAY else OTHERS
        weights.bar(np.arange(len(names)) + shift, mean, 0.4, color=color)
        weights.text(0.03, 0.92 - max(0, shift) * 0.35, way, color=color, weight="bold",
                     transform=weights.transAxes)  # fmt: skip
    weights.set_xticks(range(len(names)), names, fontsize=8.5)
    weights.set(title="Mean weights, on the simplex")
    weights.margins(y=0.25)
    for axis in (scores, weights):
        dress(axis)
    return figure
