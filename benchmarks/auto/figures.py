"""Median and spread over seeds, and their ratios, as they stand in tables."""

from __future__ import annotations

import math
import statistics
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from benchmarks.auto.study import Row
from benchmarks.report.board import FLOOR
from benchmarks.report.text import digits

Place = tuple[str, str, int]


@dataclass(frozen=True)
class Figure:
    """The median of some runs, the least and the largest."""

    median: float
    least: float
    largest: float

    def __str__(self) -> str:
        return f"{digits(self.median)} [{digits(self.least)}, {digits(self.largest)}]"


def figure(values: Sequence[float]) -> Figure:
    """Of at least one value.

    >>> str(figure([0.3, 0.1, 0.2]))
    '0.2 [0.1, 0.3]'
    """
    return Figure(statistics.median(values), min(values), max(values))


def figures(rows: Iterable[Row]) -> dict[Place, Figure]:
    """Over seeds, by (case, variant, evaluations)."""
    found: dict[Place, list[float]] = defaultdict(list)
    for row in rows:
        found[row.case, row.variant, row.evaluations].append(row.value)
    return {place: figure(values) for place, values in found.items()}


def ratio(above: Figure, below: Figure) -> float:
    """Of median gaps, those that are too small to be told apart taken as equal."""
    if math.isinf(above.median):
        return math.inf
    return max(above.median, FLOOR) / max(below.median, FLOOR)


def places(rows: Iterable[Row]) -> list[tuple[str, int]]:
    """(case, evaluations) in the order of the cases as they came, then of the budgets."""
    rows = list(rows)
    cases = list(dict.fromkeys(row.case for row in rows))
    pairs = {(row.case, row.evaluations) for row in rows}
    return sorted(pairs, key=lambda pair: (cases.index(pair[0]), pair[1]))


def ratios_summary(ratios: Sequence[float], enough: float) -> str:
    """How many ratios are within bounds, and the worst.

    >>> ratios_summary([0.5, 1.1, 3.0], 1.2)
    'Ratios up to 1.2: 2 of 3 (67 %); median 1.1, worst 3.'
    """
    if not ratios:
        return "No ratios yet."
    good = sum(value <= enough for value in ratios)
    share = f"{good} of {len(ratios)} ({100 * good / len(ratios):.0f} %)"
    return (
        f"Ratios up to {digits(enough)}: {share}; "
        f"median {digits(statistics.median(ratios))}, worst {digits(max(ratios))}."
    )
