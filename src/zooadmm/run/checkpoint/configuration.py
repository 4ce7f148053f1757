"""The arguments that decide the course of a run: a checkpoint fits only the same."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import Any

from zooadmm.methods.method import State
from zooadmm.oracle.randomness import Key
from zooadmm.run.checkpoint.fingerprint import fingerprint


class Configuration:
    """What a run was made with, each argument as a short text.

    start: the state before the first iteration.
    decisive: the other arguments by name; they are described when a checkpoint needs them.
    """

    def __init__(self, start: State, decisive: dict[str, Any]) -> None:
        self._x0 = fingerprint(start.x)
        self._y0 = fingerprint(start.y)
        self._dual0 = fingerprint(start.dual)
        self._decisive = decisive

    def described(self, key: Key) -> dict[str, str]:
        """The texts by name, with the random numbers of a key."""
        return {**self._described, "rng": f"random numbers {key[0]:016x}{key[1]:016x}"}

    @cached_property
    def _described(self) -> dict[str, str]:
        """y0 comes last: where it was not given, the others decide it."""
        described = {name: fingerprint(value) for name, value in self._decisive.items()}
        return {"x0": self._x0, **described, "y0": self._y0, "dual0": self._dual0}

    def check(self, path: str | Path, written: dict[str, str], key: Key) -> None:
        """Refuse a checkpoint that was written with another argument, by its name.

        The settings come first: they decide which other arguments there are.
        """
        described = self.described(key)
        for name in ("settings", *described, *sorted(written)):
            there, here = written.get(name), described.get(name)
            if here != there:
                raise ValueError(
                    f"{path} was written with another {name}: {there} there, {here} here. Give the "
                    "same arguments to go on with it, or another path to start anew."
                )
