"""A table with most entries missing, completed by its nuclear norm.

A 12 x 10 table has rank 2, and 60 of its 120 entries are known, with noise. Few singular values are
preferred; the misfit is only evaluated.

    python examples/nuclear_norm.py picture.png      (needs zooadmm[plot])
"""

from __future__ import annotations

import sys
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import zooadmm as zoo
from zooadmm.analysis.style import signed_colors

shape = 12, 10
generator = np.random.default_rng(1)
table = generator.standard_normal((12, 2)) @ generator.standard_normal((2, 10))
known = generator.permutation(120)[:60]
ratings = table.reshape(-1)[known] + 0.05 * generator.standard_normal(60)


def misfit(x: np.ndarray) -> float:
    """Half the squared error on the entries that are known."""
    return float(np.square(x[known] - ratings).sum() / 2)


result = zoo.minimize(
    misfit,
    np.zeros(120),
    regularizer=zoo.regularizers.NuclearNorm(0.3, shape),
    max_evaluations=5_000,
    rng=0,
)
completed = result.x.reshape(shape)
rank = np.linalg.matrix_rank(completed, tol=1e-6)


def main(picture: Path) -> None:
    """Print the rank and the error, and draw the table before and after."""
    missing = np.setdiff1d(np.arange(120), known)
    error, size = (
        np.sqrt(np.mean(np.square(v[missing])))
        for v in (result.x - table.reshape(-1), table.reshape(-1))
    )
    print(f"rank {rank}; missing entries of size {size:.2f} are off by {error:.2f}")
    seen = np.full(120, np.nan)
    seen[known] = ratings
    figure, axes = plt.subplots(1, 3, figsize=(7, 2.9), layout="constrained")
    titles = "60 of 120 entries", f"completed, rank {rank}", "true"
    for axis, shown, title in zip(axes, (seen, result.x, table), titles, strict=True):
        axis.imshow(np.reshape(shown, shape), cmap=signed_colors(), vmin=-3, vmax=3)
        axis.set(title=title, xticks=[], yticks=[], facecolor="0.9")
    picture.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(picture, dpi=100)
    plt.close(figure)


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "demo/nuclear_norm.png"))
