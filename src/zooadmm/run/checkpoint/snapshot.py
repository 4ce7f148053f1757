"""A run at rest: the state, the pending answers, the ledger and the trace, to a file and back."""

from __future__ import annotations

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
from zooadmm.run.checkpoint.plain import packed, restored
from zooadmm.run.diagnosis import warn
from zooadmm.run.ledger import Ledger

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
    """the pair that a target is held against"""
    asked: bool
    """whether a query is pending"""
    shown: Window | None
    """what a stream has shown for the pending query"""
    answer: Answer | None
    told: NDArray[np.bool_] | None
    """the cells of the pending query that have been told"""
    dropped: NDArray[np.bool_] | None
    """those of them that have no value"""
    notes: Notes
    """arrays that somebody wants kept beside it"""

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
    def read(path: Path, learned_type: Any) -> Snapshot:
        """The snapshot in a file, of a method that learns a state of this type."""
        arrays, meta = file.read(path, (*_VECTORS, "trace"), _META)
        if meta["numpy"] != np.__version__:
            warn(
                f"{path} was written under numpy {meta['numpy']}, this is {np.__version__}: the "
                "run goes on, but its random directions may not be those of an unbroken run."
            )
        vectors, shown = {name: arrays[name] for name in _VECTORS}, meta["shown"]
        try:
            window = file.unpack(meta["window"], arrays)
            shown = None if shown is None else file.unpack(shown, arrays)
            learned = restored(learned_type, meta["learned"], arrays, "learned")
            met = (arrays["met_x"], arrays["met_y"]) if "met_x" in arrays else None
        except (AttributeError, KeyError, ValueError, TypeError) as unfit:
            raise ValueError(f"{file.NO_CHECKPOINT.format(path)} ({unfit})") from unfit
        notes = {k.removeprefix(_NOTE): v for k, v in arrays.items() if k.startswith(_NOTE)}
        return Snapshot(
            configuration=meta["configuration"],
            key=tuple(meta["key"]),
            state=State(t=meta["t"], window=window, learned=learned, **vectors),
            ledger=Ledger.from_json(meta["ledger"]),
            rows=arrays["trace"],
            stride=meta["stride"],
            met=met,
            asked=meta["asked"],
            shown=shown,
            answer=arrays.get("answer"),
            told=arrays.get("told"),
            dropped=arrays.get("dropped"),
            notes=notes,
        )
