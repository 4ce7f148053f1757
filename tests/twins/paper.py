"""The paper written down slowly: explicit matrices, one loop, nothing shared with the library."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np


def lambda_max(A: np.ndarray) -> float:
    return float(np.linalg.eigvalsh(A.T @ A)[-1])


def o_admm(
    gradient: Callable[[int, np.ndarray], np.ndarray],
    A: np.ndarray,
    B: np.ndarray,
    c: np.ndarray,
    prox: Callable[[np.ndarray, float], np.ndarray],
    x: np.ndarray,
    y: np.ndarray,
    *,
    rho: float,
    eta: Callable[[int], float],
    alpha: Callable[[int], float],
    project: Callable[[np.ndarray], np.ndarray] | None = None,
) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """(x_t, y_t, lambda_t) for t = 1, 2, ...

    Without X the x-step minimizes (6) as it stands, by its normal equations with the matrix G_t;
    with X it is the projection (7). The y-step is the prox for B'B = tau I.
    """
    dual = np.zeros(len(c))
    identity = np.eye(len(x))
    tau = float(np.trace(B.T @ B)) / B.shape[1]
    t = 1
    while True:
        yield x, y, dual
        g = gradient(t, x)
        if project is None:
            G = alpha(t) * identity - rho * eta(t) * A.T @ A
            # zero of the derivative of (6): g - A'lambda + rho A'(Ax + By - c) + G(x - x_t)/eta
            left = rho * A.T @ A + G / eta(t)
            right = -g + A.T @ dual - rho * A.T @ (B @ y - c) + G @ x / eta(t)
            x = np.linalg.solve(left, right)
        else:
            x = project(x + eta(t) / alpha(t) * (-g + A.T @ (dual - rho * (A @ x + B @ y - c))))
        y = prox(B.T @ (c - A @ x + dual / rho) / tau, 1 / (rho * tau))
        dual = dual - rho * (A @ x + B @ y - c)
        t += 1


def soft_threshold(v: np.ndarray, shift: float) -> np.ndarray:
    """Entry by entry, as a reader of the paper would write it (with the sign kept)."""
    return np.array([np.sign(d) * max(abs(d) - shift, 0.0) for d in v])
