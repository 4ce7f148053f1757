"""A dense symmetric positive semidefinite matrix in units that make its diagonal about 1.

    u = d v,   d_i = 2^-round(log2(H_ii) / 2)

The d_i are powers of two, so the change of units rounds nothing: bounds, kinks and zeros keep their
bits. Thresholds and tolerances are set in these units.
"""

from __future__ import annotations

import numpy as np

from zooadmm.problem.coordinates import Floats
from zooadmm.structure.factor import Factor, Mask

RIDGE = 1e-14
"""First ridge of a singular matrix, per variable and unit of its row norms: 50 roundings."""

STEEPER = 100.0
"""Factor by which the ridge rises until the Cholesky factorization succeeds."""

FLAT = 1e-300
"""Diagonal entries up to this count as zero; a semidefinite matrix then has a zero row."""


class Hessian:
    """H, scaled, with its current factor. One object serves all steps of the same H,
    which must not change afterward.

    The factor depends on the free sets solved before: equal bits need an equal sequence of solves
    from a new object (a resumed run begins with a new one).

    >>> H = Hessian(np.array([[4.0, 0.0], [0.0, 1e6]]))
    >>> H.units.tolist()
    [0.5, 0.0009765625]
    """

    def __init__(self, matrix: Floats, curvature: Floats | None = None) -> None:
        self.matrix: Floats = np.asarray(matrix, dtype=np.float64)
        if curvature is not None:
            self.matrix = self.matrix.copy()
            self.matrix[np.diag_indices(len(self.matrix))] += curvature
        self.diagonal = np.diagonal(self.matrix).copy()
        self.flat = self.diagonal <= FLAT
        exponents = np.round(np.log2(np.where(self.flat, 1.0, self.diagonal)) / 2.0)
        self.units: Floats = np.exp2(-exponents)
        self.scaled: Floats = self.matrix * self.units
        self.scaled *= self.units[:, None]
        self.row_norms: Floats = np.sqrt(np.einsum("ij,ij->i", self.scaled, self.scaled))
        self._factor = Factor(self.scaled)
        self._plain = matrix
        self._curved: tuple[Floats, Hessian] | None = None

    def curved(self, curvature: Floats) -> Hessian:
        """H + diag(curvature), the last one kept."""
        if not curvature.any():
            return self
        if self._curved is None or not np.array_equal(self._curved[0], curvature):
            self._curved = curvature, Hessian(self._plain, curvature)
        return self._curved[1]

    def select(self, F: Mask) -> Factor | None:
        """The factor at F, with a larger ridge where H_FF is singular; None if none helps."""
        while not self._factor.select(F):
            first = RIDGE * len(F) * max(1.0, float(self.row_norms.max()))
            ridge = max(first, STEEPER * self._factor.ridge)
            if ridge > 1.0:
                return None
            self._factor = Factor(self.scaled, ridge)
        return self._factor


def row_units(A: Floats) -> Floats:
    """Powers of two that bring the rows of A to a norm of about 1; 1 for a row of zeros.

    >>> row_units(np.array([[3.0, 4.0], [0.0, 0.0]])).tolist()
    [0.25, 1.0]
    """
    norms = np.sqrt(np.einsum("ij,ij->i", A, A))
    units: Floats = np.exp2(-np.round(np.log2(np.where(norms > 0, norms, 1.0))))
    return units
