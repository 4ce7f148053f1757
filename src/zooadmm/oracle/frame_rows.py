"""The rows of a pandas DataFrame as observations: each a Series, with the names of the columns."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class FrameRows:
    """Rows by number.

    columns: their names. data: the columns, which tell two frames apart in a checkpoint.
    frame: the DataFrame.
    """

    columns: tuple[str, ...]
    data: tuple[NDArray[Any], ...]
    frame: Any = field(default=None, init=False, repr=False)

    def __len__(self) -> int:
        return len(self.frame)

    def __getitem__(self, row: int) -> Any:
        return self.frame.iloc[row]

    def __iter__(self) -> Iterator[Any]:
        return (self.frame.iloc[row] for row in range(len(self)))


def is_frame(candidate: Any) -> bool:
    """Whether this is a DataFrame as pandas has them."""
    return hasattr(candidate, "iloc") and getattr(candidate, "ndim", 0) == 2


def rows_of_frame(frame: Any) -> FrameRows:
    """The rows of a DataFrame, of a copy that nobody changes."""
    kept = frame.copy()
    columns = tuple(str(name) for name in kept.columns)
    data = tuple(np.asarray(kept.iloc[:, j].to_numpy()) for j in range(len(columns)))
    rows = FrameRows(columns, data)
    object.__setattr__(rows, "frame", kept)
    return rows
