"""When a run ends, and what is said of it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum
from numbers import Real
from typing import Any, NamedTuple

from zooadmm.problem.arguments import NO_NUMBERS, whole_number


class Ledger(NamedTuple):
    """Counts and notes, as of the last step."""

    evaluations: int = 0
    """f(x; w) that the steps were made of"""
    gradients: int = 0
    """gradients that the steps were made of"""
    first_height: float = math.nan
    """the mean of f(x_1; w) at the first iteration, or |g_1| where no value was asked"""
    last_height: float = math.nan
    """the same when it was last checked"""
    objective: float = math.nan
    """f(x_t; w_t) + phi(y_t) at the last iteration, kept where there is a target"""
    accuracy: float = math.inf
    """the larger relative residual of the last iteration, kept where there is a tolerance"""
    diverged: str = ""
    """a sentence about how the run diverges, if it does"""
    warned: bool = False
    """whether rounding has been warned of"""
    dropped: int = 0
    """evaluations, or gradients, that failed and were left out of their averages"""

    start_loss: float = math.nan
    """f(x_1), where the first query had it and there are no observations"""
    first_change: float = 0.0
    """how far the values of the first query lie apart"""
    varied: bool = False
    """whether a finite value differed from the first one"""
    elsewhere: bool = False
    """whether a query had different points, noted as long as no value differed"""
    unbounded: str = ""
    """a sentence about how values fall without limit, if they do"""
    start_size: float = math.inf
    """|x_1|, once the first step was taken"""

    def to_json(self) -> dict[str, Any]:
        """The fields, with None for numbers that are not finite."""
        return {k: None if _not_finite(v) else v for k, v in self._asdict().items()}

    @staticmethod
    def from_json(fields: dict[str, Any]) -> Ledger:
        """The ledger that `to_json` wrote."""
        return Ledger(**{k: v for k, v in fields.items() if v is not None})


def _not_finite(value: Any) -> bool:
    return isinstance(value, float) and not math.isfinite(value)


class Status(StrEnum):
    """Why a run ended."""

    TARGET = "target"
    """A measured objective was at most `target`."""
    TOLERANCE = "tolerance"
    """Both residuals fell to `tolerance`."""
    MAX_EVALUATIONS = "max evaluations"
    """The budget allows no further iteration."""
    MAX_ITERATIONS = "max iterations"
    """All iterations were made."""
    MAX_SECONDS = "max seconds"
    """The time is over."""
    STREAM_ENDED = "stream ended"
    """The stream has no further observation."""
    CALLBACK = "callback"
    """The callback raised `StopIteration`."""
    INTERRUPTED = "interrupted"
    """Ctrl-C."""
    DIVERGED = "diverged"
    """The loss rose without limit."""
    RUNNING = "running"
    """The run has not ended: `Optimizer.result()` before the end."""
    SETTLED = "settled"
    """No step promises a decrease beyond rounding."""
    UNCHANGED = "unchanged"
    """No finite value differed from f(x0)."""
    UNBOUNDED = "unbounded"
    """Values fell without limit."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What ends a run; None sets no limit.

    max_evaluations: values f(x; w); an iteration that would exceed it is not started.
    max_iterations: iterations of Algorithm 1.
    max_seconds: wall-clock time of this session, checked between iterations.
    target: stop at the first t with f(x_t; w_t) + phi(y) <= target, as measured by the iteration
        itself, y being y'_t where y is completed and else y_t. With observations, noise, central
        differences or probes kept inside the measurement is not f(x_t) itself.
    tolerance: stop when |A x_t + B y_t - c| and |x_{t+1} - x_t| are at most tolerance max(1, |x_t|)
        and the x-step is stationary to tolerance max(1, |g_t|). A gradient estimate is noisy, so
        this is for exact or nearly exact gradients. In a quadratic model of the loss the step that
        it suggests counts before it is tried.
    """

    max_evaluations: int | None = None
    max_iterations: int | None = None
    max_seconds: float | None = None
    target: float | None = None
    tolerance: float | None = None

    def __post_init__(self) -> None:
        for name in ("max_evaluations", "max_iterations"):
            value: Any = getattr(self, name)
            count = whole_number(value)
            if value is not None and count is None:
                raise ValueError(f"{name} = {value!r} must be a whole number, or None.")
            object.__setattr__(self, name, count)
        for name in ("max_evaluations", "max_iterations", "max_seconds", "tolerance", "target"):
            value = getattr(self, name)
            real = isinstance(value, Real) and not isinstance(value, NO_NUMBERS)
            if value is None or (real and (value >= 0 if name != "target" else value == value)):
                continue
            if name == "target":
                raise ValueError(f"target is {value!r}; give a number, or None for no target.")
            raise ValueError(f"{name} = {value!r} must be at least 0, or None for no limit.")

    def met(self, ledger: Ledger) -> Status | None:
        """The accuracy that has been reached, if the user set one; or divergence."""
        if self.target is not None and ledger.objective <= self.target:
            return Status.TARGET
        if self.tolerance is not None and ledger.accuracy <= self.tolerance:
            return Status.TOLERANCE
        if ledger.unbounded:
            return Status.UNBOUNDED
        return Status.DIVERGED if ledger.diverged else None

    def exhausted(self, iterations: int, evaluations: int, seconds: float) -> Status | None:
        """The limit that forbids the next iteration, with its evaluations; None for none."""
        if self.max_evaluations is not None and evaluations > self.max_evaluations:
            return Status.MAX_EVALUATIONS
        if self.max_iterations is not None and iterations >= self.max_iterations:
            return Status.MAX_ITERATIONS
        if self.max_seconds is not None and seconds >= self.max_seconds:
            return Status.MAX_SECONDS
        return None

    def success(self, status: Status) -> bool:
        """Whether no criterion that the user set was missed.

        Where the user gave a target or a tolerance, that was met; where not, the run ended
        regularly. Whether its answer is an optimum is for `verdict`.
        """
        if status in (Status.TARGET, Status.TOLERANCE, Status.CALLBACK):
            return True
        if status in (Status.INTERRUPTED, Status.DIVERGED, Status.RUNNING):
            return False
        if status in (Status.UNCHANGED, Status.UNBOUNDED):
            return False
        if status is Status.SETTLED:
            return self.target is None
        return self.target is None and self.tolerance is None

    def message(self, status: Status, ledger: Ledger) -> str:
        """A sentence about how the run ended; for UNCHANGED the method has it."""
        return {
            Status.TARGET: f"The target {self.target} was reached: {ledger.objective:.6g}.",
            Status.TOLERANCE: f"Both residuals fell to the tolerance {self.tolerance}.",
            Status.MAX_EVALUATIONS: (
                f"The budget of {self.max_evaluations} evaluations allows no further iteration."
            ),
            Status.MAX_ITERATIONS: f"The limit of {self.max_iterations} iterations is reached.",
            Status.MAX_SECONDS: f"The {self.max_seconds} seconds are over.",
            Status.STREAM_ENDED: "The stream of observations ended.",
            Status.CALLBACK: "The callback stopped the run.",
            Status.INTERRUPTED: "The run was interrupted; this is what there was.",
            Status.DIVERGED: ledger.diverged,
            Status.RUNNING: "The run is not finished.",
            Status.SETTLED: "Settled: no step promises a decrease beyond rounding.",
            Status.UNBOUNDED: ledger.unbounded,
        }[status]


NO_LIMITS = Limits()
