"""Change digits so little that a network takes them for other digits, from its probabilities only.

The network has 64 inputs, 64 hidden units and 10 classes, and never shows its weights. The same
four images are attacked with three distortions: L2 changes everything a little, L1 few pixels,
L-infinity no pixel by much.

    python examples/fool_a_network.py [picture.png]
"""

from __future__ import annotations

import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.neural_network import MLPClassifier

from zooadmm.applications import BlackBoxAttack

SHOWN = 4
QUERIES = 600


def main(picture: Path) -> None:
    X, y = load_digits(return_X_y=True)
    X = X / 16.0
    network = MLPClassifier((64,), random_state=0, max_iter=150, tol=1e-3).fit(X[:1200], y[:1200])
    right = 1200 + np.flatnonzero(network.predict(X[1200:]) == y[1200:])[:SHOWN]
    images, labels = X[right], y[right]

    figure, axes = plt.subplots(4, SHOWN, figsize=(6, 6.6), layout="constrained")
    for axis, image, label in zip(axes[0], images, labels, strict=True):
        axis.imshow(image.reshape(8, 8), cmap="gray_r", vmin=0, vmax=1)
        axis.set(title=f"a {label}")
    print("norm  fooled  median distortion  pixels changed  largest change")
    for row, norm in zip(axes[1:], ("L2", "L1", "Linf"), strict=True):
        attack = BlackBoxAttack(
            network.predict_proba, distortion=norm, max_queries=QUERIES, random_state=0
        )
        found = attack.attack(images, labels)
        change = np.abs(found.images - images)
        pixels = np.median((change > 1e-6).sum(axis=1))
        middle, most = np.median(found.distortion), np.median(change.max(axis=1))
        print(f"{norm:4}  {found.success.mean():6.0%}  {middle:17.3f}  {pixels:14g}  {most:14.3f}")
        for axis, image, label in zip(row, found.images, found.labels, strict=True):
            axis.imshow(image.reshape(8, 8), cmap="gray_r", vmin=0, vmax=1)
            axis.set(title=f"a {label} ({norm})")
    for axis in axes.flat:
        axis.set_xticks([])
        axis.set_yticks([])
    picture.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(picture, dpi=70)
    print(f"\ndrawn in {picture}")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "demo/attack.png"))
