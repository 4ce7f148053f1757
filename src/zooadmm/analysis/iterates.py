"""The path of the variables: a callback that keeps the iterates, thinned evenly."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from zooadmm.run.trace import Info


class Iterates:
    """Keeps x_t while a run goes on: `minimize(..., callback=iterates)`.

    max_rows: when more rows than this come, every second one is dropped and from then on every
        second iteration kept, and so on. At least 2.
    names: of the variables, for pictures; by default x0, x1, ...

    evaluations: evaluations made when each x_t was reached. x: the iterates, one a row.

    >>> import zooadmm as zoo
    >>> path = Iterates()
    >>> result = zoo.minimize(
    ...     lambda x: x @ x, np.ones(2), max_iterations=3, callback=path, settings="paper"
    ... )
    >>> path.x.shape, path.evaluations.tolist()
    ((3, 2), [31, 62, 93])
    """

    def __init__(self, max_rows: int = 1_000, names: Sequence[str] | None = None) -> None:
        if max_rows < 2:
            raise ValueError(f"max_rows = {max_rows} must be at least 2.")
        self.max_rows = max_rows
        self.names = None if names is None else [str(name) for name in names]
        self._stride, self._seen = 1, 0
        self._rows: list[tuple[int, NDArray[np.floating]]] = []

    def __call__(self, info: Info) -> None:
        self._seen += 1
        if (self._seen - 1) % self._stride == 0:
            self._rows.append((info.evaluations, info.x.copy()))
            if len(self._rows) > self.max_rows:
                self._rows = self._rows[::2]
                self._stride *= 2

    @property
    def evaluations(self) -> NDArray[np.int64]:
        """Evaluations made up to and with each kept iteration."""
        return np.array([count for count, _ in self._rows], dtype=np.int64)

    @property
    def x(self) -> NDArray[np.floating]:
        """The kept iterates, one a row."""
        return np.array([x for _, x in self._rows])
