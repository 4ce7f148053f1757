"""`settings=Auto(...)`: the automatic method with parts left out, or with a horizon."""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass

PARTS = ("radius", "scale", "metric", "memory", "answer", "check", "epochs")
"""What can be left out by name; each has its page in docs/auto."""


@dataclass(frozen=True)
class Auto:
    """The settings "auto", and what may be said about them.

    horizon: after how many iterations the past is forgotten, for a loss that drifts; by default
        never.
    without: parts to leave out, any of "radius", "scale", "metric", "memory", "answer", "check"
        and "epochs": to see what they are good for.

    >>> Auto(horizon=200)
    Auto(horizon=200.0, without=())
    """

    horizon: float = math.inf
    without: Collection[str] = ()

    def __post_init__(self) -> None:
        if isinstance(self.without, str):
            raise TypeError(f'without must be a collection of names, such as ("{self.without}",).')
        unknown = sorted(set(self.without) - set(PARTS))
        if unknown:
            raise ValueError(f"without names {unknown[0]!r}; the parts are {', '.join(PARTS)}.")
        if not self.horizon >= 2:
            raise ValueError(f"horizon = {self.horizon} must be at least 2 iterations.")
        object.__setattr__(self, "horizon", float(self.horizon))
        object.__setattr__(self, "without", tuple(sorted(set(self.without))))
