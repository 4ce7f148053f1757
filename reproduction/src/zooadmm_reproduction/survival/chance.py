"""How many genes two selections have in common by chance."""

from __future__ import annotations

from dataclasses import dataclass

from scipy import stats

from zooadmm_reproduction.intervals import CONFIDENCE

GENES = 160
"""In the released file."""


@dataclass(frozen=True)
class Chance:
    """Genes in common of a selection drawn at random with as many genes of the highest scores.

    mean, low, high: the mean k^2 / 160 and the 95% interval of the hypergeometric distribution.

    >>> common_by_chance(45)
    Chance(mean=12.65625, low=8, high=18)
    """

    mean: float
    low: int
    high: int


def common_by_chance(genes: int) -> Chance:
    """The distribution of |S and top k| for a random S of k genes out of 160.

    >>> common_by_chance(160)
    Chance(mean=160.0, low=160, high=160)
    """
    low, high = stats.hypergeom.interval(CONFIDENCE, GENES, genes, genes)
    return Chance(genes**2 / GENES, int(low), int(high))


def above_chance(genes: int, common: int) -> bool:
    """Whether so many genes in common lie above the interval of chance."""
    return common > common_by_chance(genes).high


def by_chance(genes: int, common: int) -> float:
    """How probable at least so many genes in common are, by chance.

    >>> round(by_chance(45, 18), 3), by_chance(160, 160)
    (0.031, 1.0)
    """
    return float(stats.hypergeom.sf(common - 1, GENES, genes, genes))
