"""The parts the theory is checked in: each has pieces, exhibits and claims of its own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from zooadmm.experiments.claims import Claim
from zooadmm.experiments.exhibits import Exhibit
from zooadmm.experiments.experiment import Piece, Size
from zooadmm.experiments.rows import Row

SEEDS = 1_000
"""Trial k of seed n has the random numbers of seed SEEDS n + k."""


@dataclass(frozen=True)
class Part:
    """A part of the theory; each function sees the rows of all parts and takes its own."""

    pieces: Callable[[Size, int], list[Piece]]
    exhibits: Callable[[list[Row]], list[Exhibit]]
    claims: Callable[[list[Row]], list[Claim]]
