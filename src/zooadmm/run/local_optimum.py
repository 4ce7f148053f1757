"""Where one of several starts led."""

from __future__ import annotations

from dataclasses import dataclass

from zooadmm.problem.arrays import Vector
from zooadmm.run.limits import Status


@dataclass(frozen=True, eq=False)
class LocalOptimum:
    """Where one of several starts led: of a run with `starts=`."""

    x0: Vector
    x: Vector
    """Its answer"""
    fun: float | None
    """F at its answer; None if unknown"""
    nfev: int
    """Evaluations that it got"""
    status: Status
