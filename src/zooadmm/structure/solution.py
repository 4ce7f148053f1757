"""What a solver of the structured step returns."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

from zooadmm.problem.coordinates import Face, Floats


class Status(StrEnum):
    """How a solve ended."""

    SOLVED = "solved"
    """The residual is at the level of rounding."""
    INEXACT = "inexact"
    """No further progress, the residual is larger than rounding explains."""
    LIMIT = "limit"
    """The iteration limit came first."""
    INFEASIBLE = "infeasible"
    """No point satisfies the constraints."""
    UNBOUNDED = "unbounded"
    """The objective has no minimizer."""


class Solution(NamedTuple):
    """A minimizer u, and how far it is from one."""

    u: Floats
    """The point; within its bounds exactly."""
    face: Face
    """Where each coordinate stands: FREE, LOWER, UPPER or KINK."""
    dual: Floats
    """Multipliers of the rows (none: length 0): 0 is in g + H u + d phi(u) + A' dual."""
    residual: float
    """Largest distance of 0 to the subdifferential in units of sqrt(H_ii), relative to the largest
    of g and the slopes of phi; with rows also their largest violation, relative to theirs."""
    status: Status
    iterations: int

    @property
    def solved(self) -> bool:
        """Whether the residual is at the level of rounding."""
        return self.status is Status.SOLVED
