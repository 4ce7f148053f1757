"""`settings=SVRG(...)` and `settings=SPIDER(...)`: two methods to compare with."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

from zooadmm.methods.arguments import fields_given, positive, schedule
from zooadmm.methods.schedule import Power
from zooadmm.methods.variance_reduced.algorithm import (
    PathIntegrated,
    StochasticVarianceReduced,
    VarianceReduced,
)
from zooadmm.oracle.directions import Coordinate
from zooadmm.oracle.gradients import Smoothed
from zooadmm.oracle.observations import Observations, Samples
from zooadmm.oracle.randomness import Key
from zooadmm.problem.arguments import whole
from zooadmm.problem.problem import Problem
from zooadmm.problem.sets import ProbeSafe
from zooadmm.structure.metrics import Linearized
from zooadmm.structure.y_steps import y_step_for


@dataclass(frozen=True)
class Corrections(ABC):
    """What both methods can be given; None stands for the default.

    step_size: eta, about 1/L for gradients of Lipschitz constant L; there is no default.
    smoothing: beta_t = 1/(m^1.5 sqrt t), so that differences are 1/(m sqrt t) long.
    penalty: rho = 1/eta_1.
    batch: how many observations correct a gradient.
    period: iterations from one gradient on all observations to the next.
    """

    step_size: Any = None
    smoothing: Any = None
    penalty: Any = None
    batch: int | None = None
    period: int | None = None
    name: ClassVar[str]
    kind: ClassVar[type[VarianceReduced]]

    def __post_init__(self) -> None:
        for name in ("batch", "period"):
            if getattr(self, name) is not None:
                object.__setattr__(self, name, whole(name, getattr(self, name), 1))

    def __repr__(self) -> str:
        given = ", ".join(f"{name}={value!r}" for name, value in fields_given(self).items())
        return f"{type(self).__name__}({given})"

    @abstractmethod
    def sizes(self, n: int) -> tuple[int, int]:
        """(batch, period) of the theory, for n observations."""


@dataclass(frozen=True, repr=False)
class SVRG(Corrections):
    """ZO-SVRG-ADMM of Huang, Gao, Chen and Huang (IJCAI 2019): batch n^(2/3), period n^(1/3).

    For a finite sample, convex or not. A gradient on all observations starts each period; batches
    correct it. The answer is the last iterate.

    >>> import numpy as np
    >>> import zooadmm as zoo
    >>> centers = np.random.default_rng(0).standard_normal((27, 3))
    >>> result = zoo.minimize(
    ...     lambda x, w: np.square(x - w).sum() / 2, np.zeros(3), observations=centers,
    ...     settings="svrg", step_size=0.5, max_evaluations=20_000, rng=0,
    ... )
    >>> bool(np.abs(result.x - centers.mean(axis=0)).max() < 1e-6)
    True
    """

    name: ClassVar[str] = "svrg"
    kind: ClassVar[type[VarianceReduced]] = StochasticVarianceReduced

    def sizes(self, n: int) -> tuple[int, int]:
        return math.ceil(n ** (2 / 3)), math.ceil(n ** (1 / 3))


@dataclass(frozen=True, repr=False)
class SPIDER(Corrections):
    """ZO-SPIDER-ADMM of Huang, Gao, Pei and Huang (2019): batch and period sqrt n.

    As `SVRG`, but each gradient is corrected from the one before it.

    >>> SPIDER(step_size=0.5).sizes(100)
    (10, 10)
    """

    name: ClassVar[str] = "spider"
    kind: ClassVar[type[VarianceReduced]] = PathIntegrated

    def sizes(self, n: int) -> tuple[int, int]:
        return math.ceil(math.sqrt(n)), math.ceil(math.sqrt(n))


def variance_reduced_method(
    given: Corrections, problem: Problem, key: Key, observations: Observations | None
) -> tuple[VarianceReduced, dict[str, Any]]:
    """The method with its parameters, and what the course of a run depends on, by name."""
    if not isinstance(observations, Samples):
        raise ValueError(
            f'settings="{given.name}" reduces the variance of a finite sample: give observations= '
            'an array or a sequence, or take settings="auto".'
        )
    if given.step_size is None:
        raise ValueError(
            f'settings="{given.name}" needs step_size: about 1/L, if gradients of the loss change '
            "by at most L times the change of x."
        )
    m, n = problem.m, len(observations.values)
    batch, period = given.sizes(n)
    batch = batch if given.batch is None else given.batch
    period = period if given.period is None else given.period
    eta = schedule("step_size", given.step_size)
    beta = Power(m**-1.5, 0.5) if given.smoothing is None else given.smoothing
    rho = 1.0 / eta(1) if given.penalty is None else given.penalty
    domain = problem.domain
    inside = isinstance(domain, ProbeSafe) and domain.bounds() is not None
    source = Smoothed(
        m,
        batch,
        distribution=Coordinate(),
        difference="central",
        probes="inside" if inside and not domain.is_everything else "anywhere",
    )
    parameters: dict[str, Any] = {
        "step_size": eta,
        "smoothing": schedule("smoothing", beta),
        "penalty": positive("penalty", rho),
        "batch": batch,
        "period": period,
    }
    method = given.kind(
        problem=problem,
        source=source,
        sample=n,
        x_step=Linearized().x_step(problem, rho),
        y_step=y_step_for(problem, rho),
        key=key,
        **parameters,
    )
    return method, {"settings": given.name, **parameters}
