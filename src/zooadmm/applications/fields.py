"""From records of a field at stations to the vectors of sensor selection, and back."""

from __future__ import annotations

from typing import Any

import numpy as np

from zooadmm.applications.formulation import Array
from zooadmm.applications.selection import Mask


def spatial_modes(records: Any, num_modes: int, num_periods: int = 1) -> Array:
    """A of shape (num_periods, m, num_modes): what station i says about the modes of the field.

    records: (times, m), departures from what is usual, nan where missing, which counts as usual.
    num_modes: n, how many leading principal patterns make up the field.
    num_periods: T; the record is cut into this many periods, which have their own patterns.

    A_t' A_t / m = I: the columns are the patterns, of unit mean square over the stations. Their
    signs and order have no influence on a log-determinant.

    >>> spatial_modes(np.random.default_rng(0).standard_normal((48, 5)), 2, num_periods=4).shape
    (4, 5, 2)
    """
    known = np.asarray(records, dtype=np.float64)
    if known.ndim != 2:
        raise ValueError(f"records has shape {known.shape}, but must be (times, stations).")
    if np.isinf(known).any():
        raise ValueError("records has infinite entries; mark what is missing by nan.")
    if not 1 <= num_periods <= len(known):
        raise ValueError(f"num_periods = {num_periods} must be 1 to {len(known)}, the times.")
    m, shortest = known.shape[1], len(known) // num_periods
    if not 1 <= num_modes <= min(m, shortest):
        raise ValueError(
            f"num_modes = {num_modes} must be 1 to {min(m, shortest)}: a period has {shortest} "
            f"times or more, and there are {m} stations."
        )
    filled = np.nan_to_num(known)
    periods = np.array_split(filled, num_periods)
    patterns = [np.linalg.svd(some, full_matrices=False)[2][:num_modes].T for some in periods]
    scaled: Array = np.sqrt(m) * np.stack(patterns)
    return scaled


def reconstructed(modes: Array, support: Mask, readings: Array) -> Array:
    """The field at all stations from readings at the chosen ones, by least squares on the modes.

    modes: (m, n). support: (m,). readings: (times, m), of which only the chosen columns are used.

    >>> modes = np.array([[1.0], [2.0], [3.0]])
    >>> reconstructed(modes, np.array([True, False, False]), np.array([[2.0, 0.0, 0.0]]))
    array([[2., 4., 6.]])
    """
    amplitudes = np.linalg.lstsq(modes[support], readings[:, support].T, rcond=None)[0]
    field: Array = (modes @ amplitudes).T
    return field
