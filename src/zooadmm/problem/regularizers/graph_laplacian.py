"""Smoothness along the edges of a graph."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy import linalg, sparse
from scipy.sparse.linalg import SuperLU, splu

from zooadmm.problem.arrays import Matrix, Vector
from zooadmm.problem.sets.parameters import frozen_matrix, in_dtype_of, nonnegative, positive

REMEMBERED_FACTORS = 4


@dataclass(frozen=True, eq=False, repr=False)
class GraphLaplacian:
    """phi(y) = (strength / 2) y'Ly for a symmetric positive semidefinite L, dense or sparse.

    With the Laplacian of a graph, y'Ly is the sum over the edges of weight * (y_i - y_j)^2. The
    prox solves (I + tau * strength * L) y = v; strength >= 0. The factors of the last few values of
    tau are kept to save time; the answer is the same without them.

    >>> path = np.array([[1.0, -1.0, 0.0], [-1.0, 2.0, -1.0], [0.0, -1.0, 1.0]])
    >>> phi = GraphLaplacian(strength=1.0, laplacian=path)
    >>> phi(np.array([0.0, 1.0, 3.0]))
    2.5
    >>> np.round(phi.prox(np.array([0.0, 0.0, 8.0]), tau=1.0), 9)
    array([1., 2., 5.])
    """

    strength: float
    laplacian: Matrix | sparse.csr_array[Any]
    _factors: dict[float, Callable[[Vector], Vector]] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "strength", nonnegative("strength", self.strength))
        laplacian = frozen_matrix("laplacian", self.laplacian)
        _refuse_unless_symmetric(laplacian)
        _refuse_unless_semidefinite(laplacian)
        object.__setattr__(self, "laplacian", laplacian)

    def __repr__(self) -> str:
        return f"GraphLaplacian(strength={self.strength}, {self.laplacian.shape[0]} nodes)"

    def __reduce__(self) -> tuple[Any, ...]:
        return GraphLaplacian, (self.strength, self.laplacian)

    def __call__(self, y: Vector) -> float:
        wide = np.asarray(y, dtype=np.float64)
        return 0.5 * self.strength * float(wide @ (self.laplacian @ wide))

    def prox(self, v: Vector, tau: float) -> Vector:
        solve = self._solver(self.strength * positive("tau", tau))
        return in_dtype_of(v, solve(np.asarray(v, dtype=np.float64)))

    def hessian(self, d: int) -> Any:
        return self.strength * sparse.csc_array(self.laplacian)

    def fits(self, d: int) -> None:
        if self.laplacian.shape[0] != d:
            raise ValueError(
                f"laplacian has {self.laplacian.shape[0]} rows, but the vector has length {d}; "
                f"give one row and column per coordinate."
            )

    def _solver(self, weight: float) -> Callable[[Vector], Vector]:
        solve = self._factors.get(weight)
        if solve is None:
            solve = _solver_of(self.laplacian, weight)
            while len(self._factors) >= REMEMBERED_FACTORS:
                self._factors.pop(next(iter(self._factors)), None)
            self._factors[weight] = solve
        return solve


def _solver_of(laplacian: Any, weight: float) -> Callable[[Vector], Vector]:
    """Solves (I + weight L) y = v."""
    if sparse.issparse(laplacian):
        factors = _symmetric_factors(laplacian, 1.0, weight)
        return lambda v: factors.solve(v)
    matrix = weight * laplacian
    matrix[np.diag_indices_from(matrix)] += 1.0
    triangle = linalg.cho_factor(matrix)
    return lambda v: linalg.cho_solve(triangle, v)


def _symmetric_factors(laplacian: Any, shift: float, weight: float) -> SuperLU:
    """Factors of shift I + weight L whose pivots, on the diagonal, have its eigenvalues' signs."""
    identity = sparse.eye_array(laplacian.shape[0])
    return splu(
        sparse.csc_array(shift * identity + weight * laplacian),
        permc_spec="MMD_AT_PLUS_A",
        diag_pivot_thresh=0.0,
        options={"SymmetricMode": True},
    )


def _refuse_unless_symmetric(laplacian: Any) -> None:
    rows, columns = laplacian.shape
    if rows != columns or rows == 0:
        raise ValueError(f"laplacian must be square, but its shape is {laplacian.shape}.")
    if abs(laplacian - laplacian.T).max() > 1e-10 * abs(laplacian).max():
        raise ValueError("laplacian must be symmetric; use (L + L.T) / 2 for the same y'Ly.")


def _refuse_unless_semidefinite(laplacian: Any) -> None:
    forgiven = 1e-9 * (float(abs(laplacian).max()) or 1.0)
    if sparse.issparse(laplacian):
        factors = _symmetric_factors(laplacian, forgiven, 1.0)
        lowest = float(factors.U.diagonal().min())
    else:
        lowest = float(linalg.eigvalsh(laplacian, subset_by_index=[0, 0])[0]) + forgiven
    if lowest < 0.0:
        raise ValueError(
            "laplacian must be positive semidefinite, but it has a negative eigenvalue; "
            "a Laplacian is the diagonal of the degrees minus the weights of the edges."
        )
