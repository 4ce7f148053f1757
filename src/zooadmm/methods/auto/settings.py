"""`settings=Auto(...)`: the automatic method and its options."""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal, get_args

from zooadmm.problem.arguments import listed, number, one_of, whole_number

Part = Literal[
    "radius", "ridges", "sampled", "model", "scale", "metric", "answer", "check", "epochs"
]
PARTS: tuple[Part, ...] = get_args(Part)
"""What can be left out by name; each has its page in docs/auto."""


@dataclass(frozen=True)
class Auto:
    """The settings "auto", and what may be said about them.

    horizon: after how many iterations the past is forgotten, for a loss that drifts; by default
        never.
    noise: the standard deviation of a value at one point on one observation, 0 for a loss that
        gives the same value every time; by default it is measured.
    probes: "inside", the default, never evaluates outside bounds, budgets, simplices, balls and
        halfspaces; outside other sets, `AffineSet` and sets of one's own, differences of a sampled
        or noisy loss may lie. "anywhere" allows points outside the domain.
    budget: the evaluations that the run paces itself by, where they are not `max_evaluations`; it
        is fixed when a run begins and kept in its checkpoint.
    without: parts to leave out, any of "radius", "ridges", "sampled", "model", "scale", "metric",
        "answer", "check" and "epochs": to see what they are good for.

    >>> Auto(horizon=200)
    Auto(horizon=200.0, noise=None, probes='inside', budget=None, without=())
    """

    horizon: float = math.inf
    noise: float | None = None
    probes: Literal["anywhere", "inside"] = "inside"
    budget: int | None = None
    without: Collection[str] = ()

    def __post_init__(self) -> None:
        without = listed(self.without)
        if without is None:
            raise TypeError(f"without must be a collection of names, such as {PARTS[:1]}.")
        for part in without:
            if not isinstance(part, str) or part not in PARTS:
                raise ValueError(f"without names {part!r}; the parts are {', '.join(PARTS)}.")
        horizon, budget = number("horizon", self.horizon), whole_number(self.budget)
        if not horizon >= 2:
            raise ValueError(f"horizon = {horizon} must be at least 2 iterations.")
        if self.noise is not None and not 0.0 <= number("noise", self.noise) < math.inf:
            raise ValueError(f"noise = {self.noise} must be zero or more, or None to find it out.")
        if self.budget is not None and not (budget is not None and budget >= 1):
            raise ValueError(f"budget = {self.budget!r} must be an integer of 1 or more, or None.")
        one_of("probes", self.probes, ("anywhere", "inside"))
        object.__setattr__(self, "horizon", horizon)
        object.__setattr__(self, "budget", budget)
        object.__setattr__(self, "without", tuple(sorted(set(without))))
