"""Choose 10 of 104 Colorado weather stations, from values of the criterion alone.

The field is a combination of five spatial patterns; the stations chosen should pin it down. The
relaxed problem of the paper's Section 5.2 is

    minimize  -logdet(sum_i x_i a_i a_i')   subject to  0 <= x <= 1,  1'x = 10,

split as in its supplement: the box is the domain of x, the budget the indicator of y, and x = y.
Writes demo/stations.png.
"""

from __future__ import annotations

from pathlib import Path

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np

import zooadmm as zoo
from zooadmm.datasets import load_colorado
from zooadmm.losses import LogDeterminant

BUDGET = 10
MODES = 5


def chosen(weights: np.ndarray) -> np.ndarray:
    """The stations of largest weight, as zeros and ones."""
    selection = np.zeros(len(weights))
    selection[np.argsort(weights)[-BUDGET:]] = 1.0
    return selection


def greedy(loss: LogDeterminant, m: int) -> np.ndarray:
    """Add the best station again and again, starting from a little of everything."""
    selection = np.zeros(m)
    for _ in range(BUDGET):
        left = np.flatnonzero(selection == 0)
        trials = np.tile(selection, (len(left), 1)) + 1e-6
        trials[np.arange(len(left)), left] += 1.0
        selection[left[np.argmin(loss.values(trials))]] = 1.0
    return selection


def main() -> None:
    record = load_colorado()
    vectors = record.spatial_modes(MODES) * np.sqrt(len(record.station))
    loss, m = LogDeterminant(vectors), len(vectors)

    result = zoo.minimize(
        loss,
        np.full(m, BUDGET / m),
        domain=zoo.Box(0, 1),
        regularizer=zoo.Budget(BUDGET),
        complete="y",
        max_evaluations=62_000,
        rng=0,
    )
    print(result)

    ours, by_greed = chosen(result.x), greedy(loss, m)
    generator = np.random.default_rng(0)
    at_random = np.array([chosen(generator.random(m)) for _ in range(1000)])
    print("\nlogdet of the information from ten stations (larger is better)")
    print(f"  chosen here          {-loss(ours):8.3f}")
    print(f"  greedy selection     {-loss(by_greed):8.3f}")
    print(f"  best of 1000 random  {-loss.values(at_random).min():8.3f}")
    print("\nstations: " + ", ".join(str(name).strip() for name in record.station[ours == 1]))

    figure, (chart, above, below) = plt.subplots(
        1, 3, figsize=(15, 4.5), layout="constrained", width_ratios=(1.3, 1, 1)
    )
    dots = chart.scatter(
        record.longitude, record.latitude, c=record.elevation, s=18 + 90 * result.x, cmap="terrain"
    )
    chart.scatter(
        record.longitude[ours == 1],
        record.latitude[ours == 1],
        s=200,
        facecolors="none",
        edgecolors="crimson",
        linewidths=2,
        label="chosen",
    )
    figure.colorbar(dots, ax=chart, label="elevation (m)")
    chart.set(title="Ten of 104 stations", xlabel="longitude", ylabel="latitude")
    chart.legend()
    result.trace.plot(axes=(above, below))
    target = Path("demo") / "stations.png"
    target.parent.mkdir(exist_ok=True)
    figure.savefig(target, dpi=110)
    print(f"\ndrawn in {target}")


if __name__ == "__main__":
    main()
