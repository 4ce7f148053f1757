"""What the user gave to an automatic run."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from zooadmm.methods.auto.model import Normals
from zooadmm.methods.auto.model.regression import NO_VALUES, Values
from zooadmm.methods.auto.settings import Auto
from zooadmm.methods.schedule import Schedule, usable
from zooadmm.oracle.gradients import GradientSource
from zooadmm.oracle.randomness import Key, Purpose, generator_at
from zooadmm.problem.arrays import Matrix
from zooadmm.problem.constraint import Side
from zooadmm.problem.problem import Problem
from zooadmm.problem.sets import ConvexSet, ProbeSafe


@dataclass(frozen=True, eq=False)
class Given:
    """A problem, and what the user gave by name.

    auto: which parts are at work, and how long the past counts.
    key: where random numbers come from.
    sampled: whether the loss has observations.
    samples: how many there are, where they are finitely many and known; else 0.
    in_turn: whether these come each once before any twice.
    budget: the evaluations planned for, or 0.
    gradient, step_size, smoothing, penalty: what the user gave by name, or None.
    complete: the side of the answer that is computed from the other.
    once: whether each value is about an item of its own.
    values: points that the user has evaluated already.
    """

    problem: Problem
    auto: Auto
    key: Key
    sampled: bool
    samples: int
    in_turn: bool
    budget: int
    gradient: GradientSource | None
    step_size: Schedule | None
    smoothing: Schedule | None
    penalty: float | None
    complete: Side | None
    once: bool = False
    values: Values = NO_VALUES

    def has(self, part: str) -> bool:
        """Whether a part is at work."""
        return part not in self.auto.without

    @property
    def checks(self) -> bool:
        """Whether answers are compared; not where the loss drifts, and with it what is better."""
        return self.has("check") and math.isinf(self.auto.horizon)

    @property
    def demands_steps(self) -> str:
        """Why only steps fit what was given; empty where any strategy does."""
        single = "" if self.problem.dtype == np.float64 else f"x0 is {self.problem.dtype}"
        return self.named or single

    @property
    def named(self) -> str:
        """Which parameter given by name, or drift, requires steps; empty for none."""
        named = {
            "gradient": self.gradient,
            "step_size": self.step_size,
            "smoothing": self.smoothing,
            "penalty": self.penalty,
        }
        given = [name for name, value in named.items() if value is not None]
        if given:
            return f"{given[0]} was given"
        if math.isfinite(self.auto.horizon):
            return "the loss drifts"
        return ""

    @cached_property
    def limits(self) -> ConvexSet | None:
        """The domain where no point may be evaluated outside; None where points may be anywhere."""
        domain = self.problem.domain
        given = self.gradient is not None and self.gradient.stays_inside
        inside = given or self.auto.probes == "inside"
        return domain if inside and not domain.is_everything else None

    @cached_property
    def stays_inside(self) -> bool:
        """Whether differences stay inside the domain: it must know how far its boundary is."""
        if self.gradient is not None:
            return self.gradient.stays_inside
        return isinstance(self.limits, ProbeSafe) and self.limits.inradius(self.problem.m) > 0.0

    def beta(self, length: float, t: int) -> float:
        """beta_t, for differences of this length unless the user gave it."""
        if self.smoothing is not None:
            return usable("smoothing", self.smoothing, t)
        return length / math.sqrt(self.problem.m)

    def normals(self, t: int) -> Normals:
        """The random numbers of iteration t."""

        def normals(count: int, length: int = self.problem.m) -> Matrix:
            generator = generator_at(self.key, Purpose.DIRECTIONS, t)
            return generator.standard_normal((count, length))

        return normals
