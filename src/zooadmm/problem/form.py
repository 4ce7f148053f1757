"""The form in which a problem can be solved exactly: functions of coordinates and of rows.

    phi(x) + psi(R x)

phi and psi are functions of coordinates: bounds, one kink and a curvature each. A set or a
regularizer says by `form(m)` that it is of this kind: an L1 norm and a box have no rows, a budget
is a box with the row 1'x, a linear constraint makes rows of what its y has. Sums and linear maps of
forms are forms, so whatever has one takes part in every fast path.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse

from zooadmm.problem.coordinates import Coordinates, Floats, coordinates


class Form(NamedTuple):
    """phi(x) + psi(R x).

    >>> box = of_coordinates(coordinates(2, lower=0.0))
    >>> simplex = with_row(box, np.ones(2), 1.0)
    >>> simplex.rows.toarray().tolist(), simplex.psi.upper.tolist()
    ([[1.0, 1.0]], [1.0])
    """

    phi: Coordinates
    """Of x"""
    rows: Any
    """R, a scipy.sparse.csr_array with a column for each coordinate of x"""
    psi: Coordinates
    """Of R x"""

    @property
    def num_rows(self) -> int:
        """How many rows there are."""
        return int(self.rows.shape[0])

    def plus(self, other: Form) -> Form | None:
        """The sum of two forms; None where a coordinate would have two kinks."""
        phi = self.phi.plus(other.phi)
        if phi is None:
            return None
        rows = scipy.sparse.vstack([self.rows, other.rows], format="csr")
        return Form(phi, rows, self.psi.beside(other.psi))

    def beside(self, other: Form) -> Form:
        """The sum of this function of the first coordinates and another of the others."""
        phi, psi = self.phi.beside(other.phi), self.psi.beside(other.psi)
        rows = scipy.sparse.block_diag([self.rows, other.rows], format="csr")
        return Form(phi, scipy.sparse.csr_array(rows), psi)

    def through(self, A: Any, b: float, c: Floats) -> Form:
        """The form as a function of x, where A x + b y = c and this is one of y.

        A: a sparse matrix with a row for each coordinate of y; b is not 0.
        """
        rows = scipy.sparse.vstack([A, self.rows @ A / -b], format="csr")
        psi = _affine(self.phi, -b, c).beside(_affine(self.psi, 1.0, -(self.rows @ c) / b))
        return Form(coordinates(A.shape[1]), rows, psi)


def form_of(part: Any, m: int) -> Form | None:
    """The form of a set or a regularizer for vectors of length m; None where it has none."""
    ability = getattr(part, "form", None)
    return None if ability is None else ability(m)


def of_coordinates(phi: Coordinates) -> Form:
    """A form without rows."""
    return Form(phi, scipy.sparse.csr_array((0, len(phi.lower))), coordinates(0))


def with_row(form: Form, row: Floats, total: float) -> Form:
    """The form over <row, x> = total."""
    one = scipy.sparse.csr_array(np.asarray(row, dtype=np.float64)[None])
    equation = Form(coordinates(len(row)), one, coordinates(1, lower=total, upper=total))
    both = form.plus(equation)
    assert both is not None  # an equation has no kink
    return both


def _affine(phi: Coordinates, scale: float, shift: Floats) -> Coordinates:
    """phi as a function of v, where y = (v - shift) / scale."""
    ends = scale * phi.lower + shift, scale * phi.upper + shift
    lower, upper = ends if scale > 0.0 else ends[::-1]
    slopes = phi.below / scale, phi.above / scale
    below, above = slopes if scale > 0.0 else slopes[::-1]
    curvature = phi.curvature / scale**2
    below, above = below - curvature * shift, above - curvature * shift
    return Coordinates(lower, upper, scale * phi.kink + shift, below, above, curvature)
