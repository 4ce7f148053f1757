"""Three of twenty features matter: a regression from values of its loss, and its picture.

    python examples/few_features.py picture.png      (needs zooadmm[plot])

The picture of the README: what was found beside what is true.
"""

from __future__ import annotations

import sys
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import zooadmm as zoo
from zooadmm.analysis.style import RUST, TEAL, dress

generator = np.random.default_rng(0)
truth = np.zeros(20)
truth[[3, 7, 11]] = 1.5, -2.0, 1.0
features = generator.standard_normal((200, 20))
outcome = features @ truth + 0.1 * generator.standard_normal(200)


def loss(x: np.ndarray, row: int) -> float:
    """The squared error of one observation."""
    return float((features[row] @ x - outcome[row]) ** 2)


def main(picture: Path) -> None:
    """Find the features and draw them."""
    result = zoo.minimize(
        loss,
        np.zeros(20),
        observations=np.arange(200),
        regularizer=zoo.L1(0.1),
        max_evaluations=30_000,
        rng=0,
    )
    print(np.flatnonzero(result.x))
    figure, axis = plt.subplots(figsize=(7, 2.6), layout="constrained")
    places = np.arange(20)
    axis.bar(places, result.x, color=RUST, width=0.6)
    axis.plot(places, truth, "_", color=TEAL, ms=16, mew=2)
    axis.axhline(0.0, color="black", lw=0.6)
    axis.annotate("found", (3, result.x[3] / 2), xytext=(10, 0), textcoords="offset points",
                  color=RUST, va="center")  # fmt: skip
    axis.annotate("true", (3, truth[3]), xytext=(12, 0), textcoords="offset points",
                  color=TEAL, va="center")  # fmt: skip
    axis.set(xlabel="feature", ylabel="coefficient", xticks=places)
    dress(axis)
    axis.grid(False, axis="x")
    picture.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(picture, dpi=110)
    plt.close(figure)


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "demo/few_features.png"))
