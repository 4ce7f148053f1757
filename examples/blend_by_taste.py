"""Which of two is better? A taster who loves one kind of wine chooses a blend of other wines.

The wines are real: 178 bottles of three cultivars with 13 measurements each (UCI wine recognition
data, which scikit-learn ships). The taster is simulated: she likes what is typical of cultivar 0,
f = minus its log density fitted to these bottles, and prefers one of two glasses with the odds of
Bradley and Terry. She never gives a grade. The blend has eight bottles of the other cultivars, with
shares that add up to 1.

    python examples/blend_by_taste.py      (needs scikit-learn)
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
from sklearn.covariance import ledoit_wolf
from sklearn.datasets import load_wine

import zooadmm as zoo

measurements, cultivar = load_wine(return_X_y=True)
standard = (measurements - measurements.mean(axis=0)) / measurements.std(axis=0)
center = standard[cultivar == 0].mean(axis=0)
precision = np.linalg.inv(ledoit_wolf(standard[cultivar == 0])[0])
others = np.flatnonzero(cultivar != 0)
bottles = standard[np.random.default_rng(3).choice(others, 8, replace=False)]
taste = np.random.default_rng(0)


def dislike(shares: np.ndarray) -> float:
    """Minus the log density of cultivar 0 at the measurements of a blend."""
    away = shares @ bottles - center
    return float(away @ precision @ away) / 2


def prefers_first(first: np.ndarray, second: np.ndarray) -> bool:
    """What the taster says of two glasses; asked again, she may say something else."""
    odds = np.exp(np.clip(dislike(second) - dislike(first), -50, 50))
    return bool(taste.random() < odds / (1 + odds))


even = np.full(8, 1 / 8)
saved = Path(tempfile.mkdtemp()) / "tasting.zoo"
optimizer = zoo.Optimizer(
    even, domain=zoo.Simplex(), settings="compare", max_evaluations=200, rng=0
)
while (query := optimizer.ask()) is not None:
    for cell, (first, second) in enumerate(query.pairs):  # two glasses on the table
        optimizer.tell(query.id, {cell: prefers_first(first, second)})
        optimizer.save(saved)
result = optimizer.result()


def wins(shares: np.ndarray, other: np.ndarray) -> float:
    """How often she prefers a blend to another one."""
    return float(1 / (1 + np.exp(np.clip(dislike(shares) - dislike(other), -50, 50))))


if __name__ == "__main__":
    print("shares:", np.round(result.x, 2).tolist())
    print("give or take:", np.round(result.x_error, 2).tolist())
    print(f"preferred to the even blend in {wins(result.x, even):.0%} of tastings")
    best = zoo.minimize(dislike, even, domain=zoo.Simplex(), max_evaluations=2_000, rng=0)
    print(f"and to the best of all, found by grades without noise, in {wins(result.x, best.x):.0%}")
