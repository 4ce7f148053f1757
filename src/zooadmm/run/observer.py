"""What may watch a run: it sees each iteration, and never feeds back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, Self

import numpy as np
from numpy.typing import NDArray

from zooadmm.methods.method import Method
from zooadmm.oracle.observations import Observations
from zooadmm.oracle.queries import Answer, Query
from zooadmm.run.info import Info


class Observer(Protocol):
    """Follows a run from its first iteration; a checkpoint keeps what it notes."""

    evaluations: int
    """f(x; w) evaluated only for the observer."""

    def begin(self, method: Method, observations: Observations | None) -> None:
        """Prepare to follow a run of this method."""

    def follow(self, evaluate: Callable[[Query], Answer], query: Query, info: Info) -> None:
        """Take in iteration t; `evaluate` answers further queries."""

    def notes(self) -> dict[str, NDArray[np.float64]]:
        """The arrays that a checkpoint keeps."""

    def resume(self, notes: dict[str, NDArray[np.float64]], t: int) -> None:
        """Continue from the notes kept after t iterations."""

    def copy(self) -> Self:
        """The observer as it is now."""
