"""When a run is saved in its checkpoint, and how it goes on from there."""

from __future__ import annotations

import os
import time
from pathlib import Path

from zooadmm.run.optimizer import Optimizer
from zooadmm.run.trace import Observer


class Saver:
    """Keeps the checkpoint up to date: from the start, now and then, and on exit."""

    def __init__(
        self, optimizer: Optimizer, regret: Observer | None, path: str | Path, interval: float
    ) -> None:
        if not isinstance(path, (str, os.PathLike)):
            raise TypeError(f"checkpoint must be a path, not a {type(path).__name__}.")
        if not str(path):
            raise ValueError("checkpoint is an empty path; give a file name, or None for none.")
        self._optimizer = optimizer
        self._regret = regret
        self._path = Path(path).expanduser().absolute()
        if self._path.is_dir():
            raise ValueError(f"checkpoint = {str(path)!r} is a folder; give a file in it.")
        if not self._path.parent.is_dir():
            raise ValueError(
                f"checkpoint = {str(path)!r} is in a folder that does not exist; make it first."
            )
        self._interval = interval
        self._due = 0.0

    def __enter__(self) -> Saver:
        if self._path.exists():
            notes = self._optimizer.load(self._path)
            if self._regret is not None:
                self._regret.resume(notes, self._optimizer.state.t - 1)
        else:
            self._save()
            self._optimizer.ask()
            self._save()  # a stream that cannot be kept says so at once
        self._due = time.monotonic() + self._interval
        return self

    def save_if_due(self) -> None:
        """Save, where the last time is long enough ago."""
        if time.monotonic() >= self._due:
            self._save()
            self._due = time.monotonic() + self._interval

    def __exit__(self, *exception: object) -> None:
        self._save()

    def _save(self) -> None:
        self._optimizer.save(self._path, None if self._regret is None else self._regret.notes())
