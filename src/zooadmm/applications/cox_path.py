"""Cox regression for a range of strengths."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from zooadmm.applications.formulation import Array


def event_and_time(y: Any) -> tuple[NDArray[np.bool_], Array]:
    """(event, time) from a structured array of two fields: whether it happened, and when.

    >>> y = np.array([(True, 5.0), (False, 3.0)], dtype=[("died", "?"), ("days", "<f8")])
    >>> event_and_time(y)
    (array([ True, False]), array([5., 3.]))
    """
    outcome = np.asarray(y)
    fields = outcome.dtype.names
    if fields is None or len(fields) != 2 or outcome.ndim != 1:
        raise ValueError(
            "y must be a structured array with two fields, whether the event happened and the time "
            "of it or of the last news, as sksurv.util.Surv.from_arrays(event, time) makes it."
        )
    event, time = outcome[fields[0]], outcome[fields[1]].astype(np.float64)
    if event.dtype != np.bool_:
        raise ValueError(f"the first field of y, {fields[0]!r}, must be boolean: the event.")
    if not np.isfinite(time).all():
        raise ValueError(f"y has NaN or infinite times in {fields[1]!r}; drop those subjects.")
    if (time < 0).any():
        subject = int(np.argmin(time))
        raise ValueError(
            f"y has negative times in {fields[1]!r}: {time[subject]:g} for subject {subject}, for "
            "instance; times are counted from the beginning of the observation."
        )
    if not event.any():
        raise ValueError(
            f"all subjects of y are censored: {fields[0]!r} is nowhere true, and without an event "
            "there is no likelihood."
        )
    return event, time


SMALLEST_PART = 0.05
"""The last strength of a path, as a part of gamma_max."""


@dataclass(frozen=True, eq=False)
class CoxPath:
    """Coefficients along falling strengths.

    strengths: (k,). coef: (k, m). evaluations: (k,), how many each fit took.
    """

    strengths: Array
    coef: Array
    evaluations: NDArray[np.int64]

    def predict(self, X: Any) -> Array:
        """The risk scores for each strength, (k, n)."""
        scores: Array = self.coef @ np.asarray(X, dtype=np.float64).T
        return scores

    def score(self, X: Any, y: Any) -> Array:
        """The concordance for each strength (needs scikit-survival)."""
        return np.array([concordance(y, risk) for risk in self.predict(X)])


def falling_strengths(given: ArrayLike | None, gamma_max: float, count: int) -> Array:
    """The strengths of a path, the strongest first.

    >>> falling_strengths([0.1, 0.3, 0.2], 1.0, 20)
    array([0.3, 0.2, 0.1])
    """
    if given is None:
        if count < 1:
            raise ValueError(f"num_strengths = {count} must be at least 1.")
        return gamma_max * np.geomspace(1.0, SMALLEST_PART, count)
    strengths = np.atleast_1d(np.asarray(given, dtype=np.float64))
    if strengths.ndim != 1 or len(strengths) == 0 or not (strengths >= 0).all():
        raise ValueError("strengths must be a list of numbers of zero or more.")
    return np.sort(strengths)[::-1]


def concordance(y: Any, risk: Array) -> float:
    """Harrell's c: of the pairs that can be compared, the part in the right order.

    y: structured array (event, time). risk: (n,), scores; high ones are to have early events.
    0.5 is no better than a coin, 1 the right order throughout. It needs scikit-survival.

    >>> y = np.array([(True, 5.0), (False, 3.0), (True, 2.0)], [("died", "?"), ("days", "<f8")])
    >>> concordance(y, np.array([0.1, 0.5, 0.9]))
    1.0
    """
    try:
        from sksurv.metrics import concordance_index_censored
    except ImportError as error:
        raise ImportError(
            "the concordance needs scikit-survival: pip install zooadmm[applications]."
        ) from error
    event, time = event_and_time(y)
    return float(concordance_index_censored(event, time, risk)[0])
