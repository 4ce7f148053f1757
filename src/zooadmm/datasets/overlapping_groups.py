"""The authors' example of a logistic loss with overlapping groups."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from zooadmm.datasets.folder import RELEASE, Remote, released, variable

FILE = "dataSample_overlapGroupLasso.mat"
SIDE, NUM_SAMPLES = 10, 512


@dataclass(frozen=True, eq=False, repr=False)
class GridClassification:
    """512 labeled samples with 100 features on a 10 x 10 grid, whose 10 rows and 10 columns are the
    20 groups: feature i is in row i // 10 and in column i % 10.

    features: (512, 100); labels: (512,), -1 or 1.
    """

    features: NDArray[np.float64]
    labels: NDArray[np.float64]

    def groups(self) -> list[list[int]]:
        """The features of each row of the grid, then those of each column."""
        grid = np.arange(SIDE * SIDE).reshape(SIDE, SIDE)
        return [*grid.tolist(), *grid.T.tolist()]

    def __repr__(self) -> str:
        samples, features = self.features.shape
        return f"GridClassification({samples} samples, {features} features, {2 * SIDE} groups)"


def load_overlapping_groups() -> GridClassification:
    """The sample of the authors' fourth program, from the folder or from their archive.

    >>> load_overlapping_groups()  # doctest: +SKIP
    GridClassification(512 samples, 100 features, 20 groups)
    """
    return from_release()


def from_release(release: Remote = RELEASE, cache: Path | None = None) -> GridClassification:
    """The sample from its MATLAB file, which has a sample a column."""
    content = released(FILE, release, cache)
    features = variable(content, "an_matrix", (SIDE * SIDE, NUM_SAMPLES), FILE)
    labels = variable(content, "cn_vec", (NUM_SAMPLES,), FILE)
    return GridClassification(
        features=features.T.astype(np.float64, order="C"), labels=labels.astype(np.float64)
    )
