"""lambda_max(A'A), without forming A'A and never below the true value."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import scipy.linalg
import scipy.sparse
from scipy.sparse.linalg import LinearOperator

SMALL = 500
"""Up to this smaller side a matrix gets a dense singular value decomposition."""

LANCZOS_STEPS = 100
FAILURE_PROBABILITY = 1e-12


def as_dense(A: Any) -> Any:
    """A as a dense float64 array."""
    if scipy.sparse.issparse(A):
        return A.toarray().astype(np.float64)
    if isinstance(A, LinearOperator):
        return np.asarray(A @ np.eye(A.shape[1]), dtype=np.float64)
    return np.asarray(A, dtype=np.float64)


def largest_eigenvalue(A: Any) -> float:
    """An upper bound on lambda_max(A'A) that is tight up to rounding for a small A.

    The smallest of: the squared spectral norm (small A) or a Lanczos bound (any other A), and,
    where the entries are at hand, |A|_1 |A|_inf and the squared Frobenius norm.
    """
    rounding = 1.0 + 4 * np.finfo(np.float64).eps * max(A.shape)
    if min(A.shape) <= SMALL and max(A.shape) <= SMALL**2:
        bounds = [float(np.linalg.norm(as_dense(A), 2)) ** 2]
    else:
        bounds = [_lanczos_bound(A)]
    if not isinstance(A, LinearOperator):
        size = abs(A.astype(np.float64))
        bounds.append(float(size.sum(axis=0).max()) * float(size.sum(axis=1).max()))
        bounds.append(float((size**2).sum()))
    return float(min(bounds) * rounding)


def _lanczos_bound(A: Any) -> float:
    """A bound that holds with probability 1 - FAILURE_PROBABILITY over the starting vector.

    After k steps from a random start the largest Ritz value theta obeys
    P(theta < (1 - eps) lambda_max) <= 1.648 sqrt(n) exp(-sqrt(eps) (2k - 1))
    (Kuczynski and Wozniakowski, SIAM J. Matrix Anal. Appl. 13, 1992, Theorem 4.2).
    """
    n = A.shape[1]
    vector = np.random.default_rng(0).standard_normal(n)
    vector /= np.linalg.norm(vector)
    previous, beta = np.zeros(n), 0.0
    diagonal: list[float] = []
    off_diagonal: list[float] = []
    for _ in range(min(LANCZOS_STEPS, n)):
        image = A.T @ (A @ vector) - beta * previous
        diagonal.append(float(vector @ image))
        image -= diagonal[-1] * vector
        beta = float(np.linalg.norm(image))
        if beta <= 1e-14 * abs(diagonal[0]):  # an invariant subspace: the Ritz values are exact
            return _largest_ritz(diagonal, off_diagonal) * (1 + 1e-12)
        off_diagonal.append(beta)
        previous, vector = vector, image / beta
    steps = len(diagonal)
    exponent = math.log(1.648 * math.sqrt(n) / FAILURE_PROBABILITY) / (2 * steps - 1)
    return _largest_ritz(diagonal, off_diagonal[:-1]) / (1.0 - min(exponent**2, 0.5))


def _largest_ritz(diagonal: list[float], off_diagonal: list[float]) -> float:
    values = scipy.linalg.eigvalsh_tridiagonal(
        np.array(diagonal), np.array(off_diagonal[: len(diagonal) - 1])
    )
    return float(values[-1])
