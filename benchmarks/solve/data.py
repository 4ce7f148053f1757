"""The numbers inside a loss, for judges that compute it in their own way."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.problem import Array
from zooadmm.losses import Logistic, Squares


def matrix_and_targets(loss: Squares) -> tuple[Any, Array]:
    """A and b of the mean of (A x - b)^2."""
    return loss._features.rows(slice(None)), loss._targets


def matrix_and_labels(loss: Logistic) -> tuple[Any, Array]:
    """A and the labels."""
    return loss._features.rows(slice(None)), loss._labels


def squares_on_few_rows(loss: Squares) -> tuple[Any, Array]:
    """A and b with m + 1 rows at most and the same sum of squares at every x."""
    A, b = matrix_and_targets(loss)
    if not isinstance(A, np.ndarray) or len(b) <= 2 * A.shape[1]:
        return A, b
    R: Array = np.asarray(np.linalg.qr(np.column_stack([A, b]), mode="r"))
    return R[:, :-1], R[:, -1]
