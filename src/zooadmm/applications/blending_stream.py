"""A blend that goes on while rows come in: the same method by ask and tell."""

from __future__ import annotations

from collections import deque
from typing import Any

import numpy as np

import zooadmm as zoo
from zooadmm.applications.blending_losses import Named, elementwise
from zooadmm.applications.formulation import Array, Formulation

TOGETHER = 40
"""Rows are buffered up to this number: an iteration that compares points may need as many."""


class Waiting:
    """Rows that were not used yet; an iterator that may end and continue later."""

    def __init__(self) -> None:
        self.rows: deque[tuple[Array, float]] = deque()

    def __iter__(self) -> Waiting:
        return self

    def __next__(self) -> tuple[Array, float]:
        if not self.rows:
            raise StopIteration
        return self.rows.popleft()


class BlendingStream:
    """An optimizer, and the rows it is still to see.

    name: the loss. parts: the problem but for its loss. seed: of its random numbers.
    """

    def __init__(self, name: Named, parts: Formulation, seed: Any) -> None:
        self.name, self.waiting = name, Waiting()
        self.optimizer = zoo.Optimizer(
            parts.x0,
            regularizer=parts.regularizer,
            domain=parts.domain,
            complete=parts.complete,
            observations=zoo.Stream(self.waiting),
            rng=seed,
        )

    def follow(self, X: Array, y: Array) -> Array:
        """Use these rows, and return the current weights."""
        self.waiting.rows.extend(zip(X, y.tolist(), strict=True))
        while len(self.waiting.rows) >= TOGETHER and (query := self.optimizer.ask()) is not None:
            answer = np.empty(query.evaluations)
            for points, observations, cells in query.tables():
                rows = np.array([row for row, _ in observations or ()])
                target = np.array([value for _, value in observations or ()])
                answer[cells] = elementwise(self.name, target, points @ rows.T).reshape(-1)
            self.optimizer.tell(query.id, answer)
        return np.array(self.optimizer.recommended()[0])
