"""The parts the theory is checked in: each has pieces, exhibits and claims of its own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from zooadmm_reproduction.claims import Claim
from zooadmm_reproduction.exhibits import Exhibit
from zooadmm_reproduction.experiment import Piece, Size, trial_seed
from zooadmm_reproduction.rows import Row


@dataclass(frozen=True)
class Part:
    """A part of the theory; each function sees the rows of all parts and takes its own."""

    pieces: Callable[[Size, int], list[Piece]]
    exhibits: Callable[[list[Row]], list[Exhibit]]
    claims: Callable[[list[Row]], list[Claim]]


def seeds(seed: int, trials: int, *address: int) -> list[int]:
    """Those of so many trials at an address, such as m.

    Runs at one address with the same number of trial share their random numbers, whatever else
    they differ in: they are compared within the trial.

    >>> len({*seeds(0, 3, 16), *seeds(0, 3, 32)})
    6
    """
    return [trial_seed(seed, trial, *address) for trial in range(trials)]
