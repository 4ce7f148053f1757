"""Evaluate on a Ray cluster: on the one that is there, or on this machine.

Needs `zooadmm[ray]`. Each evaluation is a task of one processor; x is put once an iteration.
"""

from __future__ import annotations

import numpy as np

import zooadmm as zoo

generator = np.random.default_rng(0)
features = generator.standard_normal((500, 10))
outcome = features[:, [2, 5]] @ [1.0, -1.0] + 0.1 * generator.standard_normal(500)


def robust_error(x: np.ndarray) -> float:
    """Imagine an hour of simulation here."""
    return float(np.median(np.abs(features @ x - outcome)))


def main() -> None:
    result = zoo.minimize(
        robust_error,
        np.zeros(10),
        regularizer=zoo.L1(0.01),
        complete="x",
        max_evaluations=600,
        evaluator=zoo.evaluation.Ray(timeout=600.0),
        on_error="drop",
        rng=0,
    )
    print(result)


if __name__ == "__main__":
    main()
