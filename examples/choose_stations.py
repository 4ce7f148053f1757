"""Choose 10 of 104 Colorado weather stations, from values of the criterion alone.

The field is a combination of five spatial patterns; the stations chosen should pin it down. The
relaxed problem of the paper's Section 5.2 is

    minimize  -logdet(sum_i x_i a_i a_i')   subject to  0 <= x <= 1,  1'x = 10,

split as in its supplement: the box is the domain of x, the budget the indicator of y, and x = y.

    python examples/choose_stations.py [picture.png]
"""

from __future__ import annotations

import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np

from zooadmm.analysis import plot
from zooadmm.applications import SensorSelector, spatial_modes
from zooadmm.applications.baselines import greedy, second_order
from zooadmm.applications.selection import largest, log_determinant
from zooadmm.datasets import load_colorado
from zooadmm.losses import LogDeterminant

BUDGET = 10
MODES = 5


def main(picture: Path) -> None:
    record = load_colorado()
    A = spatial_modes(record.anomalies(), MODES)
    selector = SensorSelector(
        BUDGET,
        splitting="box and budget",
        rounding="swaps",
        max_evaluations=62_000,
        random_state=0,
    ).fit(A)
    print(selector.result_)

    generator = np.random.default_rng(0)
    at_random = [largest(generator.random(len(record.station)), BUDGET) for _ in range(1000)]
    by_newton = largest(second_order(A, BUDGET), BUDGET)
    print("\nlogdet of the information from ten stations (larger is better)")
    print(f"  chosen here            {selector.log_determinant_:8.3f}")
    print(f"  second-order method    {log_determinant(by_newton, A):8.3f}")
    print(f"  greedy selection       {log_determinant(greedy(A, BUDGET), A):8.3f}")
    print(f"  best of 1000 random    {max(log_determinant(some, A) for some in at_random):8.3f}")
    chosen = record.station[selector.support_]
    print("\nstations: " + ", ".join(str(name).strip() for name in chosen))

    optimum = LogDeterminant(A)(second_order(A, BUDGET))
    figure, (chart, course) = plt.subplots(
        1, 2, figsize=(10, 4.6), layout="constrained", width_ratios=(1.4, 1)
    )
    positions = np.column_stack([record.longitude, record.latitude])
    selector.plot(positions, axis=chart, names=record.station)
    chart.set(title="Ten of 104 stations", xlabel="longitude", ylabel="latitude")
    plot.convergence(selector.result_, optimum=optimum, axis=course)
    course.set_title("The relaxed problem")
    picture.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(picture, dpi=80)
    print(f"\ndrawn in {picture}")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "demo/stations.png"))
