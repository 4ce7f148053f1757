"""Problems from their parts, without what a user may give."""

from __future__ import annotations

from typing import Any

import numpy as np

from zooadmm.problem.problem import Problem


def make_problem(x0: np.ndarray, regularizer: Any, domain: Any, constraint: Any) -> Problem:
    """Problem (1) for x as long as x0 and of its type."""
    sizes = constraint.sizes(len(x0))
    return Problem(len(x0), *sizes, x0.dtype, regularizer, domain, constraint)
