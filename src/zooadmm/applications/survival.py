"""The outcome of survival analysis, as scikit-survival writes it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

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
