"""Black-box attacks on a network for scikit-learn's digits, beside others at equal queries.

A query is one row of `predict_proba`. Every method has the same images, and what counts is the
nearest adversarial image among those that it evaluated.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from benchmarks.applications import attack_peers
from benchmarks.applications.attack_peers import Peer
from benchmarks.applications.line import Figures, Limit, Line
from benchmarks.applications.witness import Witness
from zooadmm.applications import BlackBoxAttack
from zooadmm.applications.attack.black_box_attack import Norm

TRAINING = 1200
FIRST = 30
"""The images before were used while the method was developed."""

IMAGES = 20

PEERS: dict[str, dict[str, Peer]] = {
    "L2": {
        "CMA-ES": attack_peers.cma_es,
        "ART HopSkipJump": attack_peers.hop_skip_jump,
        "ART Zoo": attack_peers.zoo,
    },
    "L1": {"CMA-ES": attack_peers.cma_es},
    "Linf": {"ART Square": attack_peers.square},
}
"""Attacks with this distortion as their objective."""


class Digits(NamedTuple):
    """A classifier, and images that it gets right."""

    predict_proba: Callable[[NDArray[Any]], NDArray[Any]]
    images: NDArray[np.float64]
    labels: NDArray[np.int64]


@cache
def digits() -> Digits:
    """A network 64-64-10 trained on 1,200 of the digits; images from the others."""
    from sklearn.datasets import load_digits
    from sklearn.neural_network import MLPClassifier

    X, y = load_digits(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(X))
    X, y = X[order] / 16.0, y[order]
    model = MLPClassifier((64,), random_state=0, max_iter=400).fit(X[:TRAINING], y[:TRAINING])
    X, y = X[TRAINING:], y[TRAINING:]
    right = np.flatnonzero(model.predict(X) == y)[FIRST : FIRST + IMAGES]
    return Digits(_plain(model), X[right], y[right])


def _plain(model: Any) -> Callable[[NDArray[Any]], NDArray[Any]]:
    """The network's predict_proba without scikit-learn's checks, which take longer."""
    (first, second), (bias, last) = model.coefs_, model.intercepts_

    def predict_proba(X: NDArray[Any]) -> NDArray[Any]:
        scores = np.maximum(X @ first + bias, 0.0) @ second + last
        powers = np.exp(scores - scores.max(axis=1, keepdims=True))
        return np.asarray(powers / powers.sum(axis=1, keepdims=True))

    return predict_proba


def run(case: str, seed: int, evaluations: int) -> Figures:
    """Median distortions over the images that all fooled, and the rate of success."""
    data, marks = digits(), (500, 2000, evaluations)
    attack = BlackBoxAttack(
        data.predict_proba,
        distortion=cast("Norm", case),
        max_queries=evaluations,
        random_state=seed,
    )
    found = attack.attack(data.images, data.labels)
    ours = np.stack([found.distortion_after(mark) for mark in marks])
    others = {}
    for name, peer in PEERS[case].items():
        witnesses = [
            Witness(data.predict_proba, image, int(label), case, evaluations)
            for image, label in zip(data.images, data.labels, strict=True)
        ]
        for number, witness in enumerate(witnesses):
            peer(witness, seed + number)
        others[name] = np.array([[w.after(mark) for w in witnesses] for mark in marks])
    both = np.isfinite(ours[-1])
    for distortions in others.values():
        both &= np.isfinite(distortions[-1])
    figures = {"success": float(np.isfinite(ours[-1]).mean())}
    for mark, row in zip(marks, ours, strict=True):
        figures[f"at {mark:,}"] = float(np.median(row[both]))
    best = np.inf
    for name, distortions in others.items():
        figures[f"{name}: success"] = float(np.isfinite(distortions[-1]).mean())
        for mark, row in zip(marks, distortions, strict=True):
            figures[f"{name} at {mark:,}"] = float(np.median(row[both]))
        best = min(best, float(np.median(distortions[-1][both])))
    figures["of the best peer's"] = figures[f"at {evaluations:,}"] / best
    return figures


def _line(norm: str) -> Line:
    return Line(
        f"attack-{norm}",
        f"Attacks on digits, median {norm} distortion of {IMAGES} images by queries",
        (norm,),
        run,
        {"success": Limit("at least", 1.0), "of the best peer's": Limit("at most", 0.9)},
        6_000,
    )


LINES = [_line(norm) for norm in PEERS]
