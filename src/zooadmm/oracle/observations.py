"""The observations w_t that a loss f(x; w) is evaluated on.

Wherever it can be, an iteration's observations are a pure function of (key, t): `Samples` and
`Time`. A `Stream` shows each observation once; what of it is still needed is its window
w_t, w_{t-1}, ..., w_{t-q2+1}, and that is kept in the state of the run.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import islice
from typing import Any, Literal, get_args

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from zooadmm.oracle.randomness import Key, Purpose, generator_at
from zooadmm.problem.arguments import one_of


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


Order = Literal["with replacement", "without replacement", "in order", "epochs"]
Window = tuple[Any, ...]
Batch = Sequence[Any] | NDArray[Any]
"""The observations of an iteration; an array where they are rows of one."""


MANY = 10**7
"""Beyond this many observations, seeds for instance, their order is not shuffled in memory."""


class StreamEnded(Exception):  # noqa: N818 - an end, not an error
    """A stream has no further observation.

    unused: how many it still showed, too few for a query.
    """

    def __init__(self, unused: int = 0) -> None:
        super().__init__()
        self.unused = unused


class Observations(ABC):
    """What an iteration's observations w_{t,1}, ..., w_{t,count} are drawn from."""

    @abstractmethod
    def draw(self, t: int, count: int, key: Key, window: Window) -> Batch:
        """The observations of iteration t; `window` is what a stream showed before."""

    @abstractmethod
    def next(self, position: int, count: int, key: Key) -> Batch:
        """The `count` observations that follow after the first `position` of a run.

        For runs whose iterations take unlike numbers of them; fewer where a stream ends.
        """

    @abstractmethod
    def fits(self, count: int) -> None:
        """Refuse a number of observations an iteration that cannot be drawn."""

    @abstractmethod
    def report(self, t: int, count: int, key: Key, window: Window) -> tuple[Batch, bool]:
        """At most `count` observations to judge a point by, and whether they are all there are."""


@dataclass(frozen=True, eq=False)
class Samples(Observations):
    """Observations from a finite collection of n: an array (its rows) or any sequence.

    A pandas DataFrame gives its rows as Series, with the names of its columns.

    `order` says how an iteration's `num_observations` are chosen:

    - "with replacement": independently and uniformly, the i.i.d. case of Corollary 1;
    - "without replacement": uniformly, none twice within an iteration;
    - "epochs": in a random order, reshuffled whenever all n have been seen;
    - "in order": as they stand, starting over after the last.

    >>> Samples(np.arange(5), order="in order").draw(2, 3, (0, 0), ())
    array([3, 4, 0])
    """

    values: Batch
    order: Order = "with replacement"

    def __post_init__(self) -> None:
        one_of("order", self.order, get_args(Order))
        if hasattr(self.values, "to_numpy"):
            given: Any = self.values
            rows = rows_of_frame(given) if is_frame(given) else np.asarray(given.to_numpy())
            object.__setattr__(self, "values", rows)
        is_array = isinstance(self.values, np.ndarray) and self.values.ndim > 0
        if not is_array and not isinstance(self.values, (Sequence, FrameRows)):
            raise TypeError(
                "observations must be an array or a sequence, something with a length; an "
                "iterable is a Stream."
            )
        if len(self.values) == 0:
            raise ValueError("observations is empty: give at least one, or leave it out.")

    def __repr__(self) -> str:
        return f"Samples({len(self.values)} observations, order={self.order!r})"

    def fits(self, count: int) -> None:
        if self.order == "without replacement" and count > len(self.values):
            raise ValueError(
                f"num_observations = {count} cannot be drawn without replacement from "
                f"{len(self.values)} observations; lower it or draw with replacement."
            )

    def draw(self, t: int, count: int, key: Key, window: Window) -> Batch:
        n = len(self.values)
        if self.order == "with replacement":
            return self._take(generator_at(key, Purpose.OBSERVATIONS, t).integers(0, n, size=count))
        if self.order == "without replacement":
            return self._take(
                generator_at(key, Purpose.OBSERVATIONS, t).choice(n, size=count, replace=False)
            )
        return self._at(np.arange((t - 1) * count, t * count), key)

    def next(self, position: int, count: int, key: Key) -> Batch:
        n = len(self.values)
        if self.order == "with replacement" or self.order == "without replacement":
            generator = generator_at(key, Purpose.OBSERVATIONS, position)
            once = self.order == "without replacement" and count <= n
            return self._take(
                generator.choice(n, count, replace=False)
                if once
                else generator.integers(n, size=count)
            )
        return self._at(np.arange(position, position + count), key)

    def _at(self, positions: NDArray[np.int64], key: Key) -> Batch:
        """The observations at those places of an order that goes on for ever."""
        n = len(self.values)
        if self.order == "in order":
            return self._take(positions % n)
        return self._take(
            np.array([_epoch(key, n, int(p) // n)[int(p) % n] for p in positions], dtype=np.int64)
        )

    def report(self, t: int, count: int, key: Key, window: Window) -> tuple[Batch, bool]:
        n = len(self.values)
        if count >= n:
            return self._take(np.arange(n)), True
        generator = generator_at(key, Purpose.REPORT, 0)
        return self._take(generator.choice(n, size=count, replace=False)), False

    def _take(self, indices: NDArray[np.int64]) -> Batch:
        if isinstance(self.values, np.ndarray):
            return self.values[indices]
        return [self.values[int(i)] for i in indices]


@lru_cache(maxsize=2)
def _epoch(key: Key, n: int, epoch: int) -> NDArray[np.int64]:
    """The order in which the observations are visited in an epoch."""
    return generator_at(key, Purpose.OBSERVATIONS, epoch).permutation(n)


@dataclass(frozen=True)
class Time(Observations):
    """w_t = t: for a loss(x, t) that changes with time.

    With "paper" t is the iteration. The default method may use several times in one iteration.
    """

    def fits(self, count: int) -> None:
        if count != 1:
            raise ValueError(
                f"Time() shows one observation an iteration, not num_observations = {count}."
            )

    def draw(self, t: int, count: int, key: Key, window: Window) -> Batch:
        return (t,)

    def next(self, position: int, count: int, key: Key) -> Batch:
        return tuple(range(position + 1, position + count + 1))

    def report(self, t: int, count: int, key: Key, window: Window) -> tuple[Batch, bool]:
        return (max(1, t - 1),), False


@dataclass(eq=False)
class Stream(Observations):
    """Observations that come one per iteration, with a sliding window of the latest q2.

    At iteration t the loss is averaged over w_t, w_{t-1}, ..., w_{t-q2+1}; the first q2 - 1
    iterations have a shorter window. A source that can be iterated from its beginning again (a
    list, a range, an object with `__iter__`) is rewound when a run is resumed; an iterator (a
    generator, a queue's `iter`) is live and cannot be rewound, so a checkpoint keeps its window.

    >>> stream = Stream([10, 20, 30])
    >>> window = stream.draw(1, 2, (0, 0), ())
    >>> stream.draw(2, 2, (0, 0), window)
    (20, 10)
    """

    source: Iterable[Any]
    _iterator: Iterator[Any] | None = field(default=None, init=False, repr=False)
    _failure: Exception | None = field(default=None, init=False, repr=False)

    def __post_init__(self) -> None:
        if not isinstance(self.source, Iterable):
            raise TypeError("Stream needs an iterable; for a function of time use Time().")

    @property
    def live(self) -> bool:
        """Whether the source is an iterator, which cannot be rewound."""
        return isinstance(self.source, Iterator)

    def fits(self, count: int) -> None:
        """Any window length will do."""

    def draw(self, t: int, count: int, key: Key, window: Window) -> Window:
        return (self._newest(first=t == 1), *window)[:count]

    def next(self, position: int, count: int, key: Key) -> Window:
        shown = [self._newest(first=position == 0)]
        with suppress(StreamEnded):
            while len(shown) < count:
                shown.append(self._newest(first=False))
        return tuple(shown)

    def _newest(self, first: bool) -> Any:
        """The next thing the source shows."""
        if self._failure is not None:
            raise self._failure
        if self._iterator is None:
            self._iterator = iter(self.source)
        try:
            return next(self._iterator)
        except StopIteration:
            if first:
                raise ValueError(
                    "observations is an empty stream; let it show at least one."
                ) from None
            raise StreamEnded from None
        except Exception as error:  # a generator that has failed would next seem to have ended
            self._failure = error
            raise

    def report(self, t: int, count: int, key: Key, window: Window) -> tuple[Batch, bool]:
        return window, False

    def resume(self, shown: int) -> None:
        """Stand after the first `shown` observations, of which the run has had its part."""
        iterator = iter(self.source)
        if not self.live:
            skipped = sum(1 for _ in islice(iterator, shown))
            if skipped < shown:
                raise ValueError(
                    f"observations shows only {skipped} items, but the checkpoint has seen {shown}."
                )
        self._iterator, self._failure = iterator, None


def _rows(part: Any) -> int:
    """The length of an array with several rows, else 0."""
    return len(part) if isinstance(part, np.ndarray) and part.ndim > 0 and len(part) > 1 else 0


def as_observations(candidate: Any, order: Order = "with replacement") -> Observations | None:
    """Observations from what a user gave: None, one of ours, a sequence, an array, an iterable.

    order: how samples are drawn from an array or a sequence.
    """
    if candidate is None or isinstance(candidate, Observations):
        return candidate
    if isinstance(candidate, np.ndarray):
        if candidate.ndim == 0:
            raise TypeError("observations is a single number; give an array with one row each.")
        return Samples(candidate, order)
    if isinstance(candidate, (str, bytes, Mapping, Set)):
        raise TypeError(f"observations cannot be a {type(candidate).__name__}; give a sequence.")
    if scipy.sparse.issparse(candidate):
        raise TypeError(
            "observations cannot be a sparse matrix; give np.arange(n) and let the loss take row w."
        )
    if isinstance(candidate, tuple) and len({_rows(part) for part in candidate} - {0}) == 1:
        raise TypeError(
            "observations is a tuple of arrays, which would be one observation each; give "
            "list(zip(X, y)) for pairs of rows, or np.arange(n) and let the loss take row w."
        )
    if isinstance(candidate, Sequence):
        return Samples(candidate, "with replacement" if len(candidate) > MANY else order)
    if hasattr(candidate, "to_numpy"):
        return Samples(candidate, order)
    if isinstance(candidate, Iterable):
        return Stream(candidate)
    raise TypeError(
        "observations must be an array, a sequence, an iterable, Samples, Stream, Once or Time, "
        f"not {type(candidate).__name__}."
    )
