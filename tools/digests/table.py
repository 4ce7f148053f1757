"""The table of runs: each has a name, "settings/what it covers", and returns what it came to."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Run = Callable[[], Any]
"""Returns a result, or a list of results and arrays."""

RUNS: dict[str, Run] = {}


def entered(name: str) -> Callable[[Run], Run]:
    """Enter a function in the table under this name."""

    def enter(run: Run) -> Run:
        if name in RUNS:
            raise ValueError(f"two runs have the name {name}.")
        RUNS[name] = run
        return run

    return enter
