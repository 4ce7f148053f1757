"""The pieces of both experiments; those of Fig. 1(b) are pieces of Fig. 1(a) as well."""

from __future__ import annotations

from dataclasses import dataclass

from zooadmm_reproduction.blending import runs
from zooadmm_reproduction.blending.data import SOURCES, Data, Source
from zooadmm_reproduction.blending.strategies import (
    COROLLARY,
    FIFTY,
    PAIRS,
    ROWS,
    SETTINGS,
    SINGLE,
    STRATEGIES,
    SWEPT,
    Setting,
)
from zooadmm_reproduction.exhibits import FIRST_ORDER
from zooadmm_reproduction.experiment import Piece, Size, trial_seed

FOLLOWED = (FIFTY, FIRST_ORDER)
"""The strategies of Fig. 1(b)."""

REST = (SINGLE, ROWS)
"""The other strategies of the sweep."""

OTHERS = tuple(name for name in STRATEGIES if name not in (*SWEPT, PAIRS))
"""Those that the table alone shows, in one setting."""

SPENDING = (SINGLE, "10 directions", FIFTY)
"""Whose evaluations zooadmm's default settings are given."""


@dataclass(frozen=True)
class Extent:
    """How much is run: ratings (train and test), iterations and seeds."""

    ratings: int
    iterations: int
    seeds: int


EXTENTS = {
    Size.QUICK: Extent(ratings=32_768, iterations=600, seeds=3),
    Size.FULL: Extent(ratings=131_072, iterations=10_000, seeds=5),
}
"""The paper has 131,072 ratings, 237 models and 10,000 iterations."""

SEEDS_OF_PAIRS = 3
"""In full size only: pairs are evaluated one at a time, which takes ten times as long."""


def of_both(size: Size, seed: int) -> list[Piece]:
    """The pieces that both experiments need."""
    return [_runs(size, seed, source, p, FOLLOWED) for p in _parts(size) for source in SOURCES]


def of_strategies(size: Size, seed: int) -> list[Piece]:
    """The pieces of all other runs, and of what they are compared with."""
    pieces: list[Piece] = []
    corrected = (COROLLARY,)
    for source in SOURCES:
        if size is Size.FULL:
            pieces.append(_runs(size, seed, source, corrected, (PAIRS,)))
        pieces += [_runs(size, seed, source, part, REST) for part in _parts(size)]
        pieces.append(_runs(size, seed, source, corrected, OTHERS))
        pieces.append(_comparisons(size, seed, source))
    return pieces


def _parts(size: Size) -> list[tuple[Setting, ...]]:
    """The settings that make a piece: one in full size; in quick size loading would take longer."""
    return [SETTINGS] if size is Size.QUICK else [(setting,) for setting in SETTINGS]


def _runs(
    size: Size, seed: int, source: Source, settings: tuple[Setting, ...], names: tuple[str, ...]
) -> Piece:
    extent = EXTENTS[size]
    seeds = SEEDS_OF_PAIRS if names == (PAIRS,) else extent.seeds
    group = {FOLLOWED: "followed", REST: "rest", OTHERS: "others"}.get(names, "pairs")
    which = settings[0].key if len(settings) == 1 else "all"
    return Piece(
        f"blending-{source}-{which}-{group}",
        runs.strategies,
        (_data(size, source), settings, names, _seeds(seed, seeds), extent.iterations),
    )


def _comparisons(size: Size, seed: int, source: Source) -> Piece:
    extent = EXTENTS[size]
    seeds = _seeds(seed, extent.seeds)
    arguments = (_data(size, source), seeds, extent.iterations, SPENDING)
    return Piece(f"blending-{source}-comparisons", runs.comparisons, arguments)


def _data(size: Size, source: Source) -> Data:
    return Data(source, EXTENTS[size].ratings)


def _seeds(seed: int, count: int) -> tuple[int, ...]:
    """The same for all strategies, which are compared seed by seed."""
    return tuple(trial_seed(seed, trial) for trial in range(count))
