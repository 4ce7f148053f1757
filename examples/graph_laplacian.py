"""A map of rates that is smooth along a graph: the graph Laplacian as a regularizer.

31 districts on a ring road and two bridges report 5 cases each, so that single rates are mostly
noise. The likelihood is only evaluated; neighbors are kept alike by (strength / 2) x' L x.

    python examples/graph_laplacian.py picture.png      (needs zooadmm[plot])
"""

from __future__ import annotations

import sys
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import zooadmm as zoo
from zooadmm.analysis.style import GRAY, RUST, TEAL, dress

count = 31
edges = [(i, (i + 1) % count) for i in range(count)] + [(2, 13), (18, 28)]
incidence = np.zeros((len(edges), count))
for row, (i, j) in enumerate(edges):
    incidence[row, [i, j]] = 1.0, -1.0

truth = 1.5 + np.sin(2 * np.pi * np.arange(count) / count)  # log of the cases expected
cases = np.random.default_rng(0).poisson(np.exp(truth))


def misfit(x: np.ndarray) -> float:
    """Minus the log-likelihood of the cases, without its constant."""
    return float(np.sum(np.exp(x) - cases * x))


# (8 / 2) |D x|^2 is (8 / 2) x' L x: D has one row per edge, and L = D'D is the Laplacian
result = zoo.minimize(
    misfit,
    np.ones(count),
    regularizer=zoo.regularizers.SquaredL2(8.0),
    constraint=zoo.Linear(incidence),
    max_evaluations=3_000,
    rng=0,
)
alone = np.log(np.maximum(cases, 0.5))


def main(picture: Path) -> None:
    """Compare the errors, and draw the rates."""
    for name, found in (("each alone", alone), ("with the graph", result.x)):
        print(f"{name}: off by {np.sqrt(np.mean((found - truth) ** 2)):.2f}")
    figure, axis = plt.subplots(figsize=(7, 2.8), layout="constrained")
    axis.plot(alone, ".", color=GRAY)
    axis.plot(truth, color=TEAL, lw=2)
    axis.plot(result.x, color=RUST, lw=2)
    for text, color, k, y in (
        ("each district alone", GRAY, 15.4, 2.5),
        ("true", TEAL, 3.5, 2.3),
        ("found with the graph", RUST, 20, 1.4),
    ):
        axis.text(k, y, text, color=color, ha="right" if text == "true" else "left")
    axis.set(xlabel="district, along the ring", ylabel="log of the rate")
    dress(axis)
    picture.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(picture, dpi=100)
    plt.close(figure)


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "demo/graph_laplacian.png"))
