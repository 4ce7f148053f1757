"""A classifier that counts its queries and keeps the nearest adversarial image."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

SIZES: dict[str, Callable[[NDArray[Any]], NDArray[Any]]] = {
    "L1": lambda d: np.abs(d).sum(axis=1),
    "L2": lambda d: np.linalg.norm(d, axis=1),
    "Linf": lambda d: np.abs(d).max(axis=1),
}


class UsedUpError(Exception):
    """There are no queries left."""


class Witness:
    """Probabilities of images in [0, 1]; points outside are brought inside first."""

    def __init__(
        self,
        predict_proba: Callable[[NDArray[Any]], NDArray[Any]],
        image: NDArray[np.float64],
        label: int,
        norm: str,
        max_queries: int,
    ) -> None:
        self.predict_proba, self.image, self.label = predict_proba, image, label
        self.norm, self.max_queries = norm, max_queries
        self.queries = 0
        self.course: list[tuple[int, float]] = []

    def __call__(self, images: NDArray[Any]) -> NDArray[Any]:
        """A row of probabilities for each image; raises UsedUpError after the last query."""
        left = self.max_queries - self.queries
        X = np.clip(np.asarray(images, dtype=np.float64)[:left], 0.0, 1.0)
        if len(X) == 0:
            raise UsedUpError
        answer = self.predict_proba(X)
        sizes = SIZES[self.norm](X - self.image)
        for i in np.flatnonzero(answer.argmax(axis=1) != self.label):
            if not self.course or sizes[i] < self.course[-1][1]:
                self.course.append((self.queries + int(i) + 1, float(sizes[i])))
        self.queries += len(X)
        if len(X) < len(images):
            raise UsedUpError
        return answer

    def after(self, queries: int) -> float:
        """The least distortion after so many queries, inf for none."""
        return min((size for at, size in self.course if at <= queries), default=np.inf)
