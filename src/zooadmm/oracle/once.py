"""Items that can be evaluated once each, at one point."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sized
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from zooadmm.oracle.observations import Batch, Stream, StreamEnded, Window, is_frame, rows_of_frame
from zooadmm.oracle.randomness import Key


@dataclass(eq=False)
class Once(Stream):
    """A stream whose items can be evaluated once each: a customer, a patient, a battery.

    Every f(x; w) has an item w of its own. What x does and what w does cannot be separated in one
    value: f(x; w) = F(x) + noise, where F is the mean over items. The run ends when the items
    do. `source` is any iterable; where it has a length the run paces itself by it. All items of a
    query are taken before the first of them is evaluated.

    >>> import numpy as np
    >>> import zooadmm as zoo
    >>> heights = 1.7 + 0.1 * np.random.default_rng(0).standard_normal(2_000)
    >>> result = zoo.minimize(
    ...     lambda x, w: (x[0] - w) ** 2, np.zeros(1), observations=zoo.Once(heights), rng=0
    ... )
    >>> bool(result.nfev <= 2_000), bool(abs(result.x[0] - 1.7) < 0.02)
    (True, True)
    """

    _kept: list[Any] = field(default_factory=list, init=False, repr=False)

    def __post_init__(self) -> None:
        if isinstance(self.source, (str, bytes, Mapping)) or not isinstance(self.source, Iterable):
            raise TypeError(
                f"Once() needs items, one after another; {type(self.source).__name__} is none of "
                "them: give a sequence, a data frame (an item a row) or an iterator."
            )
        if is_frame(self.source):
            self.source = rows_of_frame(self.source)

    @property
    def length(self) -> int:
        """How many items there are, where that is known; else 0."""
        return len(self.source) if isinstance(self.source, Sized) else 0

    def fits(self, count: int) -> None:
        if count != 1:
            raise ValueError(
                f"num_observations = {count} evaluates an item more than once, and Once() has one "
                "evaluation an item; leave it out, or give Stream() if items can be evaluated "
                "again."
            )

    def resume(self, shown: int) -> None:
        self._kept = []
        super().resume(shown)

    def next(self, position: int, count: int, key: Key) -> Window:
        """As many items, or the end of the stream: a query needs all of them.

        Items that are too few for a query are kept for the next one, should more of them come.
        """
        shown, self._kept = self._kept, []
        with suppress(StreamEnded):
            while len(shown) < count:
                shown.append(self._newest(first=position == 0 and not shown))
        if len(shown) < count:
            self._kept = shown
            raise StreamEnded(unused=len(shown))
        return tuple(shown)

    def report(self, t: int, count: int, key: Key, window: Window) -> tuple[Batch, bool]:
        """None: what was shown is gone."""
        return (), False
