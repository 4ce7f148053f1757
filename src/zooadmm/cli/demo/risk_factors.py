"""Few of 64 risk factors, from the errors of single patients: noise, and an answer with zeros."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.optimize
from matplotlib.figure import Figure
from sklearn.datasets import load_diabetes
from sklearn.linear_model import Lasso

import zooadmm as zoo
from zooadmm.analysis.style import dress
from zooadmm.cli.demo.story import OTHERS, OURS, Line, Story, Watch, values

STRENGTH = 0.1
"""gamma of gamma |x|_1."""

SEX = 1
"""The column that has no square: it has two values."""

GAINS = (3e-4, 1e-3, 3e-3)
"""The steps that SPSA is tried with, as parts of the first slopes; the best is shown."""

OUR_WAY = "zooadmm"


@dataclass(frozen=True, eq=False)
class Half:
    """Half of the patients to learn from, the others to test on; all in units of the first."""

    A: Any
    target: Any
    A_test: Any
    target_test: Any

    def error(self, x: Any, patient: Any) -> Any:
        """The squared error of a patient: one value."""
        return np.square(self.A[patient] @ x - self.target[patient])

    def objective(self, x: Any) -> float:
        """The mean error of all, which costs a value a patient, and gamma |x|_1."""
        return float(np.mean(self.error(x, slice(None))) + STRENGTH * np.abs(x).sum())

    def explained(self, x: Any) -> float:
        """R^2 on the patients that were not learned from."""
        missed = np.mean(np.square(self.A_test @ x - self.target_test))
        return float(1.0 - missed / np.var(self.target_test))


@dataclass(frozen=True, eq=False)
class Found:
    """What a method found on a half."""

    x: Any
    objective: float
    explained: float


def candidates() -> tuple[Any, Any]:
    """Ten measurements of 442 patients, their squares and products; and the disease a year on."""
    X, y = load_diabetes(return_X_y=True)
    squares = [X[:, j] ** 2 for j in range(10) if j != SEX]
    products = [X[:, i] * X[:, j] for i in range(10) for j in range(i)]
    return np.column_stack([X, *squares, *products]), y


def halves_of(number: int, seed: int) -> list[Half]:
    """Random halves of the patients."""
    X, y = candidates()
    generator, halves = np.random.default_rng(seed), []
    for _ in range(number):
        learn, test = np.array_split(generator.permutation(len(y)), 2)
        X_unit = (X - X[learn].mean(axis=0)) / X[learn].std(axis=0)
        y_unit = (y - y[learn].mean()) / y[learn].std()
        halves.append(Half(X_unit[learn], y_unit[learn], X_unit[test], y_unit[test]))
    return halves


def risk_factors(seed: int, watch: Watch, evaluations: int = 17_500, halves: int = 5) -> Story:
    """Learn from values that are about one patient each, and predict for the other half.

    evaluations: for each of the `halves`.
    """
    found: dict[str, list[Found]] = {}
    spent = 0
    for half in halves_of(halves, seed):
        before = spent

        def watched(info: zoo.run.Info, before: int = before) -> None:
            watch(before + info.evaluations, info.loss)

        result = zoo.minimize(
            half.error,
            np.zeros(half.A.shape[1]),
            observations=np.arange(len(half.A)),
            regularizer=zoo.L1(STRENGTH),
            max_evaluations=evaluations,
            rng=seed,
            callback=watched,
            progress=False,
        )
        spent += result.nfev
        watch(spent, result.fun if result.fun is not None else float("nan"))
        for name, x in {OUR_WAY: result.x, **_others(half, evaluations, seed)}.items():
            known = Found(x, half.objective(x), half.explained(x))
            found.setdefault(name, []).append(known)
    most = values(evaluations * halves)
    given = {OUR_WAY: values(spent), "Lasso": "formula, all data"}
    lines = [Line(name, given.get(name, most), _figures(some)) for name, some in found.items()]
    return Story(
        "Find few of 64 risk factors, one patient a value",
        ("objective ↓", "kept", "R², others ↑"),
        lines,
        f"Means over {halves} random halves of 442 patients to learn from, and the other halves. A "
        "value is the error of one patient. Powell and COBYQA minimize the mean over all of the "
        "half, and pay for each patient in it; SPSA samples patients, and has the best of three "
        "gains.",
        _picture(found),
    )


def _figures(some: list[Found]) -> tuple[str, ...]:
    kept = np.mean([np.count_nonzero(one.x) for one in some])
    objective, explained = (
        np.mean([getattr(one, name) for one in some]) for name in ("objective", "explained")
    )
    return f"{objective:.3f}", f"{kept:.0f}", f"{explained:.3f}"


def _others(half: Half, evaluations: int, seed: int) -> dict[str, Any]:
    """What others find with as many values."""
    n, m = half.A.shape
    found = {}
    for name in ("Powell", "COBYQA"):
        options = {"maxfev": evaluations // n}
        start = np.zeros(m)
        found[name] = scipy.optimize.minimize(half.objective, start, method=name, options=options).x
    tried = [spsa(half, evaluations, gain, seed) for gain in GAINS]
    found["SPSA"] = min(tried, key=half.objective)
    found["Lasso"] = Lasso(STRENGTH / 2, fit_intercept=False).fit(half.A, half.target).coef_
    return found


def spsa(half: Half, evaluations: int, gain: float, seed: int) -> Any:
    """Spall's SPSA with his exponents, both values of a pair on the same patient, and soft zeros.

    Each step is followed by the prox of gamma |x|_1, so that it can have zeros too.
    """
    generator, x = np.random.default_rng(seed), np.zeros(half.A.shape[1])
    steps = evaluations // 2
    later, c = 0.1 * steps, 0.2
    first = generator.choice([-1.0, 1.0], (20, len(x)))
    slopes = [half.error(c * d, k) - half.error(-c * d, k) for k, d in enumerate(first)]
    a = gain * (later + 1) ** 0.602 / float(np.mean(np.abs(slopes)) / (2 * c))
    for k in range(steps - len(first)):
        patient, d = generator.integers(len(half.A)), generator.choice([-1.0, 1.0], len(x))
        step, apart = a / (k + 1 + later) ** 0.602, c / (k + 1) ** 0.101
        there, back = half.error(x + apart * d, patient), half.error(x - apart * d, patient)
        x = x - step * (there - back) / (2 * apart) * d
        x = np.sign(x) * np.maximum(np.abs(x) - step * STRENGTH, 0.0)
    return x


def _picture(found: dict[str, list[Found]]) -> Figure:
    figure = Figure(figsize=(11, 4.2), layout="constrained")
    scores, weights = figure.subplots(1, 2, width_ratios=(1, 1.5))
    for k, (name, some) in enumerate(found.items()):
        color = OURS if name == OUR_WAY else OTHERS
        points = [one.explained for one in some]
        scores.plot(points, np.full(len(points), k), "o", color=color, alpha=0.35)
        scores.plot(np.mean(points), k, "D", color=color, ms=9, mec="black")
    scores.set_yticks(range(len(found)), list(found))
    scores.set_ylim(len(found) - 0.5, -0.5)
    scores.set(title="On patients not learned from", xlabel="R²; each half a dot, their mean ◆")
    ours, lasso, spsa = (found[name][0].x for name in (OUR_WAY, "Lasso", "SPSA"))
    places = np.arange(len(ours))
    weights.plot(places, spsa, ".", color="0.6", ms=6)
    weights.vlines(places[ours != 0], 0.0, ours[ours != 0], color=OURS, lw=5)
    weights.plot(places[lasso != 0], lasso[lasso != 0], "_", color=OTHERS, ms=11, mew=2)
    weights.axhline(0.0, color="black", lw=0.6)
    weights.set(title="The first half: few factors are left", xlabel="risk factor")
    weights.set_ylabel("coefficient")
    for row, (text, color) in enumerate(
        (("zooadmm, from values", OURS), ("Lasso, with the formula", OTHERS), ("SPSA", "0.5"))
    ):
        weights.text(0.97, 0.93 - 0.08 * row, text, color=color, ha="right", weight="bold",
                     transform=weights.transAxes)  # fmt: skip
    for axis in (scores, weights):
        dress(axis)
    return figure
