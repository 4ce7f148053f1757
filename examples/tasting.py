"""A person in the loop: four knobs of a coffee machine, and a panel that tastes.

The program asks for a tasting, a person answers with a grade from 0 to 10 in half points, and the
run goes on from it. Two grades of the same coffee differ, so the loss is noisy. Here the panel is
played by a formula; with `input()` in place of `panel` it is you. The run is saved after every cup.

    python examples/tasting.py picture.png      (needs zooadmm[plot])
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import zooadmm as zoo
from zooadmm.analysis.style import GRAY, RUST, TEAL, dress

knobs = zoo.Parameters(
    {"grind": (0, 10), "dose": (14, 22), "heat": (85, 97), "seconds": (15, 45, "log")}
)
favorite = {"grind": 6.5, "dose": 18.5, "heat": 93.0, "seconds": 28.0}
tastes = np.random.default_rng(0)


def panel(cup: dict[str, float]) -> float:
    """A grade, as a person gives it: noisy, and rounded to half points."""
    away = knobs.point(cup) - knobs.point(favorite)
    grade = 9.0 - 16.0 * float(away @ away) + 0.5 * tastes.standard_normal()
    return round(2 * float(np.clip(grade, 0, 10))) / 2


saved = Path(tempfile.mkdtemp()) / "tasting.zoo"
optimizer = zoo.Optimizer(knobs, max_evaluations=250, rng=0)
grades = []
while (query := optimizer.ask()) is not None:
    for cell, point, _ in query:
        grade = panel(knobs.at(point))  # a card for the panel: grind 5.0, dose 18.0, ...
        grades.append(grade)
        optimizer.tell(query.id, {cell: -grade})  # the run minimizes
        optimizer.save(saved)
recommended = optimizer.result().named


def main(picture: Path) -> None:
    """Print the recommendation, and draw the grades and the knobs."""
    print(", ".join(f"{name} {value:.1f}" for name, value in recommended.items()))
    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.2), layout="constrained")
    cups = np.arange(1, len(grades) + 1)
    left.plot(cups, grades, ".", color=GRAY)
    mean = np.convolve(grades, np.ones(20) / 20, mode="valid")
    left.plot(cups[19:], mean, color=RUST, lw=2)
    left.text(130, 3, "mean of 20 cups", color=RUST, ha="center")
    left.set(xlabel="cup", ylabel="grade")
    scaled = knobs.point(recommended), knobs.point(favorite)
    right.plot(scaled[0], range(4), "o", color=RUST, ms=9)
    right.plot(scaled[1], range(4), "|", color=TEAL, ms=18, mew=3)
    right.text(scaled[0][3], 3.25, "recommended", color=RUST, ha="right")
    right.text(scaled[1][0], -0.35, "the panel's favorite", color=TEAL, ha="left")
    right.set_yticks(range(4), list(recommended))
    right.set(xlim=(0, 1), ylim=(-0.6, 3.6), xlabel="place on its scale")
    for axis in (left, right):
        dress(axis)
    picture.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(picture, dpi=100)
    plt.close(figure)


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "demo/tasting.png"))
