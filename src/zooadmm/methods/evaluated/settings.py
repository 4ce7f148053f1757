"""`evaluated=Evaluated(...)`: constraints whose values come with those of the loss."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, get_args

from zooadmm.problem.arguments import number, one_of, whole_number

Mode = Literal["soft", "safe"]

MOST = 10**6
"""Constraints at most: there is a row of slopes for each."""


@dataclass(frozen=True)
class Evaluated:
    """The loss returns (f, c_1, ..., c_k), and c_i(x) <= 0 is to hold at the answer.

    count: k, at least 1 and at most a million.
    mode: "soft" may violate constraints on its way. "safe" chooses every point so that none is
        violated, as far as curvatures that it has measured tell; x0 must satisfy all of them.
    tolerance: up to which violation, in the units of c, the answer counts as feasible; at least 0.

    >>> Evaluated(2, mode="safe")
    Evaluated(count=2, mode='safe', tolerance=1e-08)
    """

    count: int
    mode: Mode = "soft"
    tolerance: float = 1e-8

    def __post_init__(self) -> None:
        count = whole_number(self.count)
        if count is None or not 1 <= count <= MOST:
            raise ValueError(
                f"evaluated = {self.count!r} must be the number of constraints that the loss "
                f"returns beside f, a whole number of 1 or more, up to {MOST:,}."
            )
        one_of("mode", self.mode, get_args(Mode))
        tolerance = number("tolerance", self.tolerance)
        if not 0.0 <= tolerance < math.inf:
            raise ValueError(f"tolerance = {tolerance} must be a number of 0 or more.")
        object.__setattr__(self, "count", count)
        object.__setattr__(self, "tolerance", tolerance)


class UnsafeStart(ValueError):  # noqa: N818 - says what happened
    """x0 violates a constraint, and mode="safe" starts from points that satisfy all of them.

    constraint: which one, from 0.
    violation: by how much.
    """

    def __init__(self, constraint: int, count: int, violation: float) -> None:
        super().__init__(
            f"x0 violates constraint {constraint + 1} of {count} by {violation:.3g}; "
            'mode="safe" needs an x0 that satisfies all of them, mode="soft" starts anywhere.'
        )
        self.constraint, self.violation = constraint, violation
