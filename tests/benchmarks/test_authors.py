"""The comparison with the authors' program runs in its settings; its figures are not judged."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.authors import THEIRS, ours, table
from benchmarks.problems import build


@pytest.mark.parametrize("name", THEIRS)
def test_in_the_authors_settings(name: str) -> None:
    try:
        problem = build(name)
    except (FileNotFoundError, ImportError) as missing:
        pytest.skip(str(missing))
    seconds, objective, violation = ours(name, seed=0, iterations=50)
    assert seconds > 0
    assert problem.optimum < objective < problem.objective(problem.nearest(np.full(problem.m, 0.5)))
    assert violation >= 0
    lines = table(name, [(2.0, objective, violation)]).splitlines()
    assert f"{THEIRS[name].seconds / 2:.0f} times" in lines[-1]
