"""What a run has counted and noticed: it decides when a run ends, never where it goes."""

from __future__ import annotations

import math
from typing import Any, NamedTuple


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

    def to_json(self) -> dict[str, Any]:
        """The fields, with None for numbers that are not finite."""
        return {k: None if _not_finite(v) else v for k, v in self._asdict().items()}

    @staticmethod
    def from_json(fields: dict[str, Any]) -> Ledger:
        """The ledger that `to_json` wrote."""
        return Ledger(**{k: v for k, v in fields.items() if v is not None})


def _not_finite(value: Any) -> bool:
    return isinstance(value, float) and not math.isfinite(value)
