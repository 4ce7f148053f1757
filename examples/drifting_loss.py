"""A loss that drifts: prices that follow demand, and the regret of every decision on the way.

Each day shows one customer, and what the best answer is turns slowly. The run is judged by its
regret: its mean loss so far, less that of the best fixed answer in hindsight. Below zero it has
done better than any fixed answer could.

    python examples/drifting_loss.py picture.png      (needs zooadmm[plot])
"""

from __future__ import annotations

import sys
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import zooadmm as zoo
from zooadmm.analysis import plot
from zooadmm.analysis.style import RUST, TEAL, dress

days = 3_000
customers = np.random.default_rng(0).standard_normal((2 * days, 4))


def best(t: int) -> np.ndarray:
    """The best answer of day t, which nobody knows on that day."""
    turn = 2 * np.pi * t / days
    return np.array([np.cos(turn), np.sin(turn), 0.5, 0.0])


def loss(x: np.ndarray, t: int) -> float:
    """The squared error for the customer of day t."""
    return float(customers[t] @ (x - best(t))) ** 2


fixed = np.mean([best(t) for t in range(1, days + 1)], axis=0)  # about the best in hindsight
path = plot.Iterates()
result = zoo.minimize(
    loss,
    np.zeros(4),
    observations=zoo.Time(),
    settings=zoo.Auto(horizon=200),  # iterations that still count
    max_iterations=days,
    regret=zoo.Regret(fixed),
    callback=path,
    rng=0,
)


def main(picture: Path) -> None:
    """Print the regret at the end, and draw the path and the regret."""
    print(f"regret against the best fixed answer: {result.regret['iterates'][-1]:.2f}")
    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.2), layout="constrained")
    turn = np.array([best(t) for t in range(1, days)])
    left.plot(turn[:, 0], turn[:, 1], color=TEAL, lw=6, alpha=0.35)
    left.plot(path.x[:, 0], path.x[:, 1], color=RUST, lw=1.2)
    left.text(0, 0.55, "the run", color=RUST, ha="center")
    left.text(0, -0.6, "the best of the day", color=TEAL, ha="center")
    left.set(xlabel="first variable", ylabel="second variable", aspect="equal")
    dress(left)
    plot.regret(result.regret, axis=right)
    picture.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(picture, dpi=100)
    plt.close(figure)


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "demo/drifting_loss.png"))
