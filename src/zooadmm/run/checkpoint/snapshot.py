"""A run at rest: the state, the pending answers, the ledger and the trace, to a file and back."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from zooadmm.methods.method import State
from zooadmm.oracle.observations import Window
from zooadmm.oracle.queries import Answer
from zooadmm.oracle.randomness import Key
from zooadmm.problem.arrays import Vector
from zooadmm.run.checkpoint import file
from zooadmm.run.checkpoint.archive import Arrays
from zooadmm.run.checkpoint.plain import packed, restored
from zooadmm.run.diagnosis import warn
from zooadmm.run.limits import Ledger
from zooadmm.run.trace import COLUMNS

Notes = dict[str, NDArray[np.float64]]

_VECTORS = ("x", "y", "dual", "x_sum", "y_sum")
_META = (
    "numpy",
    "configuration",
    "key",
    "t",
    "ledger",
    "stride",
    "window",
    "asked",
    "learned",
    "shown",
)
_NOTE = "note_"

NO_CELLS = np.zeros((0, 2), dtype=np.int64)


@dataclass(frozen=True, eq=False)
class Snapshot:
    """All that the future of a run depends on, and what it has recorded."""

    configuration: dict[str, str]
    """the arguments that decide the course of the run, each as a short text"""
    key: Key
    state: State
    ledger: Ledger
    rows: NDArray[np.float64]
    """of the trace"""
    stride: int
    """of the trace"""
    met: tuple[Vector, Vector] | None
    """the pair whose value is compared with a target"""
    asked: bool
    """whether a query is pending"""
    shown: Window | None
    """what a stream has shown for the pending query"""
    answer: Answer | None
    told: NDArray[np.bool_] | None
    """the cells of the pending query that have been told"""
    dropped: NDArray[np.bool_] | None
    """those of them that have no value"""
    copies: NDArray[np.int64] | None
    """how many workers have each cell of the pending query"""
    late: NDArray[np.int64]
    """(query, cell) of the cells that steps did not wait for, one a row"""
    notes: Notes
    """arrays that an observer keeps beside it"""

    def write(self, path: Path) -> None:
        """Write the file, atomically."""
        state = self.state
        arrays: dict[str, NDArray[Any]] = {name: getattr(state, name) for name in _VECTORS}
        arrays["trace"] = self.rows
        if self.met is not None:
            arrays["met_x"], arrays["met_y"] = self.met
        if self.answer is not None and self.told is not None:
            arrays["answer"], arrays["told"] = self.answer, self.told
        if self.dropped is not None:
            arrays["dropped"] = self.dropped
        if self.copies is not None:
            arrays["copies"] = self.copies
        if len(self.late) > 0:
            arrays["late"] = self.late
        shown = self.shown
        meta = {
            "numpy": np.__version__,
            "configuration": self.configuration,
            "key": self.key,
            "t": state.t,
            "ledger": self.ledger.to_json(),
            "stride": self.stride,
            "window": file.pack(state.window, arrays, "window"),
            "asked": self.asked,
            "learned": packed(state.learned, arrays, "learned"),
            "shown": None if shown is None else file.pack(shown, arrays, "shown"),
        }
        arrays |= {f"{_NOTE}{name}": note for name, note in self.notes.items()}
        file.write(path, arrays, meta)

    @staticmethod
    def read(
        path: Path, learned_type: Any, check: Callable[[dict[str, str], Key], None]
    ) -> Snapshot:
        """The snapshot in a file, of a method that learns a state of this type.

        check: refuses another configuration or key, before a state of another type is read.
        """
        arrays, meta = file.read(path, (*_VECTORS, "trace"), _META)
        with _altered(path):
            configuration, key = meta["configuration"], tuple(meta["key"])
            _check_origin(configuration, key)
        check(configuration, key)
        with _altered(path):
            found = _snapshot(arrays, meta, learned_type)
            _check(found)
        for name, here in (("numpy", np.__version__), ("zooadmm", file.VERSION)):
            if meta[name] != here:
                warn(
                    f"{path} was written under {name} {meta[name]}, this is {here}: the run goes "
                    "on, but it may not be what an unbroken run would be."
                )
        return found

    def check_vectors(self, like: State) -> None:
        """Refuse vectors of another type or size than those of a state of the run."""
        for name in _VECTORS:
            _require_like(name, getattr(self.state, name), getattr(like, name))
        if self.met is not None:
            _require_like("met_x", self.met[0], like.x)
            _require_like("met_y", self.met[1], like.y)


@contextmanager
def _altered(path: Path) -> Iterator[None]:
    """Whatever altered content makes a constructor raise, in one sentence."""
    try:
        yield
    except Exception as unfit:
        raise ValueError(f"{file.NO_CHECKPOINT.format(path)} ({unfit})") from unfit


def _snapshot(arrays: Arrays, meta: dict[str, Any], learned_type: Any) -> Snapshot:
    shown = meta["shown"]
    _require(isinstance(meta["numpy"], str) and isinstance(meta["zooadmm"], str), "its version")
    window = file.unpack(meta["window"], arrays)
    learned = restored(learned_type, meta["learned"], arrays, "learned")
    vectors = {name: arrays[name] for name in _VECTORS}
    for iterate in vectors.values():
        iterate.setflags(write=False)
    return Snapshot(
        configuration=meta["configuration"],
        key=tuple(meta["key"]),
        state=State(t=meta["t"], window=window, learned=learned, **vectors),
        ledger=Ledger.from_json(meta["ledger"]),
        rows=arrays["trace"],
        stride=meta["stride"],
        met=(arrays["met_x"], arrays["met_y"]) if "met_x" in arrays else None,
        asked=meta["asked"],
        shown=None if shown is None else file.unpack(shown, arrays),
        answer=arrays.get("answer"),
        told=arrays.get("told"),
        dropped=arrays.get("dropped"),
        copies=arrays.get("copies"),
        late=arrays.get("late", NO_CELLS),
        notes={k.removeprefix(_NOTE): v for k, v in arrays.items() if k.startswith(_NOTE)},
    )


def _check_origin(configuration: dict[str, str], key: Key) -> None:
    words = [word for word in key if type(word) is int and 0 <= word < 2**64]
    _require(len(words) == len(key) == 2, "key")
    texts = [*configuration.values(), *configuration.keys()]
    _require(all(isinstance(text, str) for text in texts), "configuration")


def _check(found: Snapshot) -> None:
    """Types and ranges of all that does not depend on the problem."""
    state, ledger = found.state, found.ledger
    width = len(COLUMNS)
    _require(found.rows.dtype == np.float64 and found.rows.shape[1:] == (width,), "trace")
    late = found.late
    _require(late.dtype == np.int64 and late.shape[1:] == (2,), "late")
    _require(type(state.t) is int and state.t >= 1, "t")
    _require(type(found.stride) is int and found.stride >= 1, "stride")
    _require(type(found.asked) is bool, "asked")
    _require(type(state.window) is tuple and type(found.shown) in (tuple, type(None)), "window")
    for name, like in Ledger()._asdict().items():
        value = getattr(ledger, name)
        whole = type(value) is int and (type(like) is float or value >= 0)
        _require(type(value) is type(like) or (whole and type(like) is not str), f"ledger: {name}")


def _require_like(name: str, vector: NDArray[Any], like: NDArray[Any]) -> None:
    same = vector.dtype == like.dtype and vector.shape == like.shape
    _require(same and bool(np.isfinite(vector).all()), name)


def _require(fits: bool, name: str) -> None:
    if not fits:
        raise ValueError(f"{name} does not fit this run")
