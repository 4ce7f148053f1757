"""The solutions that gaps are measured from, as committed in `optima.json`.

`python -m benchmarks.solve` makes that file.
"""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.problem import Problem

PATH = Path(__file__).parent / "optima.json"


@cache
def optima() -> dict[str, dict[str, Any]]:
    """By name: optimum, support (sparse problems), and how both were found and checked."""
    return dict(json.loads(PATH.read_text())) if PATH.exists() else {}


def with_optimum(problem: Problem, name: str) -> Problem:
    """The problem, knowing its optimum."""
    known = optima().get(name)
    if known is None:
        raise LookupError(f"optima.json has no {name!r}; run python -m benchmarks.solve {name}.")
    support = np.array(known["support"], dtype=np.intp) if problem.sparse else None
    return replace(problem, optimum=known["optimum"], support=support)
