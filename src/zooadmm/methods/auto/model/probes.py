"""Where the answer could still change, and where it could not.

Errors e of v are drawn as the belief N(0, P) has them; S(v + e) - S(v) is how each would change
the minimizer of the model. Where these changes are small beside the step S(v) - x itself the
gradient is known well enough. Else slopes are measured along their principal directions, as many
as it takes to bring what is left well below the step. On a sparse problem most errors change
nothing, and whole subspaces are never asked about.
"""

from __future__ import annotations

import math

import numpy as np

from zooadmm.methods.auto.constants import FEW, FEWEST, HALF_DIGITS, MANY, PARALLEL
from zooadmm.problem.arrays import Matrix, Vector, metric_norm

RESOLVED = 0.25
"""The root mean square of the changes, in units of the step, below which no slope is measured."""


def draws(batch: int, m: int) -> int:
    """How many errors are drawn for a batch of slopes: doubled each time, up to MANY or m / 8.

    A batch takes factors of m x m matrices, O(m^3), and a slope an update of P, O(m^2): with m / 8
    slopes a batch an evaluation takes O(m^2).

    >>> [draws(batch, 200) for batch in (1, 2, 3, 4, 5)]
    [4, 8, 16, 32, 32]
    >>> [draws(batch, 1500) for batch in (4, 5, 6, 7, 8)]
    [32, 64, 128, 187, 187]
    """
    return min(FEWEST << max(batch - 1, 0), max(MANY, m // FEW))


def worth_measuring(changed: Matrix, H: Matrix, step: float) -> Matrix:
    """The directions along which to measure slopes; none where v is sure enough.

    Those left out may have half of what is enough.

    step: the length of the step in H, or of the shortest that would matter.
    """
    spread, parts = np.linalg.eigh(changed @ H @ changed.T / len(changed))
    spread, parts = np.maximum(spread[::-1], 0.0), parts[:, ::-1]
    enough = RESOLVED * step
    if math.sqrt(float(spread.sum())) <= enough:
        return changed[:0]
    left = np.cumsum(spread[::-1])[::-1]
    return (parts.T @ changed)[left > (0.5 * enough) ** 2]


def orthonormal(rows: Matrix, H: Matrix) -> Matrix:
    """The rows made orthogonal and of length 1 in H, one after another; dependent ones dropped.

    More than MANY of them that are orthogonal already, as principal directions are, are only made
    of length 1: that takes one product with H in place of three a row.
    """
    if len(rows) > MANY:
        gram = rows @ H @ rows.T
        lengths = np.sqrt(np.maximum(np.diagonal(gram), np.finfo(float).tiny))
        cosines = gram / np.outer(lengths, lengths) - np.eye(len(rows))
        if float(np.abs(cosines).max()) <= HALF_DIGITS:
            return rows / lengths[:, None]
    kept, images = list[Vector](), list[Vector]()  # z and z'H
    for row in rows:
        length = metric_norm(row, H)
        if not length > 0.0:
            continue
        z = row / length
        for other, image in zip(kept, images, strict=True):
            z = z - float(image @ z) * other
        rest = metric_norm(z, H)
        if rest > PARALLEL:
            kept.append(z / rest)
            images.append(kept[-1] @ H)
    return np.array(kept).reshape(-1, rows.shape[1])
