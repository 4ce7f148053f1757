"""Tell threes from eights with whole rows and columns of pixels left out.

The digits are images of 8 x 8 pixels (they ship with scikit-learn). Each row and each column of
pixels is a group, so that every pixel is in two; a pixel has no weight where its row or its column
has none. The loss is only evaluated.

    python examples/classify_on_a_grid.py [picture.png]
"""

from __future__ import annotations

import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits

from zooadmm.analysis.style import signed_colors
from zooadmm.applications import OverlappingGroupClassifier

STRENGTHS = (0.003, 0.03, 0.06)


def main(picture: Path) -> None:
    images, digits = load_digits(return_X_y=True)
    wanted = (digits == 3) | (digits == 8)
    X, y = images[wanted] / 16.0, digits[wanted]
    learn, test = np.arange(len(y)) % 2 == 0, np.arange(len(y)) % 2 == 1
    grid = np.arange(64).reshape(8, 8)
    groups = [*grid.tolist(), *grid.T.tolist()]

    figure, axes = plt.subplots(1, 4, figsize=(10, 2.9), layout="constrained")
    axes[0].imshow(X[y == 8].mean(axis=0).reshape(8, 8), cmap="gray_r")
    axes[0].set(title="mean eight")
    print("strength  pixels  rows and columns  right in the other half")
    for strength, axis in zip(STRENGTHS, axes[1:], strict=True):
        model = OverlappingGroupClassifier(
            groups, strength, max_evaluations=20_000, random_state=0
        ).fit(X[learn], y[learn])
        weights = model.coef_[0]
        alive = sum(bool(weights[group].any()) for group in groups)
        right = model.score(X[test], y[test])
        print(f"{strength:8}  {np.count_nonzero(weights):6}  {alive:16}  {right:23.3f}")
        most = np.abs(weights).max()
        shown = np.ma.masked_equal(weights.reshape(8, 8), 0.0)
        axis.imshow(shown, cmap=signed_colors(), vmin=-most, vmax=most)
        axis.set(title=f"strength {strength:g}, {right:.1%} right", facecolor="0.85")
    for axis in axes:
        axis.set_xticks([])
        axis.set_yticks([])
    picture.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(picture, dpi=80)
    print(f"\ndrawn in {picture} (gray: no weight)")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "demo/grid.png"))
