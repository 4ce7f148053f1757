"""Heat a batch quickly, and never above the temperature that spoils it.

An oven has four heating phases; the power of each is to be chosen. A simulator integrates the
temperatures of the air, the crust and the core. The loss is how far the core is from its target
over the second half of the program, plus the energy; the constraints are the largest temperature
of the crust and the largest gradient within the batch. "safe" never tries a program that would
spoil a batch; "soft" and scipy's solvers, which may, are run beside it.

    python examples/safe_oven.py
"""

from __future__ import annotations

import numpy as np
import scipy.optimize

import zooadmm as zoo

HOT, STEEP = 190.0, 75.0
"""Largest temperature of the crust, and difference between crust and core, in degrees."""
START = np.array([0.3, 0.3, 0.3, 0.3])


def oven(power: np.ndarray) -> np.ndarray:
    """(f, c_1, c_2) of a program of four phases of 15 minutes each, by Heun steps of 24 seconds."""
    state, crusts, spans, missed = np.full(3, 20.0), [20.0], [0.0], 0.0
    steps = 150

    def rates(at: np.ndarray, heat: float) -> np.ndarray:
        air, crust, core = at
        lost = 0.02 * (air - 20.0) + 1.5e-10 * ((air + 273.0) ** 4 - 293.0**4)
        return np.array(
            [
                60.0 * heat - lost - 0.12 * (air - crust),
                0.06 * (air - crust) - 0.05 * (crust - core),
                0.035 * (crust - core),
            ]
        )

    for step in range(steps):
        heat = float(power[4 * step // steps])
        first = rates(state, heat)
        state = state + 0.2 * (first + rates(state + 0.4 * first, heat))
        crusts.append(state[1])
        spans.append(state[1] - state[2])
        if step >= steps // 2:
            missed += (state[2] - 95.0) ** 2 / steps
    smooth = [_largest(np.array(seen)) for seen in (crusts, spans)]
    return np.array([missed + 20.0 * power.sum(), smooth[0] - HOT, smooth[1] - STEEP])


def _largest(seen: np.ndarray) -> float:
    """A smooth upper bound of the largest: log of the mean of exponentials, plus log of n."""
    top = seen.max()
    return float(top + np.log(np.exp(seen - top).sum()))


def recorded(values: list[np.ndarray], power: np.ndarray) -> np.ndarray:
    values.append(oven(power))
    return values[-1]


def main() -> None:
    box = zoo.Box(0.0, 1.0)
    print("solver     cost   worst violation  spoiled  evaluations")
    for mode in ("safe", "soft"):
        seen: list[np.ndarray] = []
        found = zoo.minimize(
            lambda x, seen=seen: recorded(seen, x),
            START,
            domain=box,
            evaluated=zoo.Evaluated(2, mode=mode),
            max_evaluations=400,
            progress=False,
        )
        report(f"zoo, {mode}", found.fun, np.array(seen)[: found.nfev])
    for name in ("COBYQA", "SLSQP"):
        seen = []
        limits = scipy.optimize.NonlinearConstraint(lambda x: oven(x)[1:], -np.inf, 0.0)
        theirs = scipy.optimize.minimize(
            lambda x, seen=seen: recorded(seen, x)[0],
            START,
            method=name,
            bounds=[(0.0, 1.0)] * 4,
            constraints=[limits],
        )
        report(name, theirs.fun, np.array(seen))


def report(name: str, cost: float | None, seen: np.ndarray) -> None:
    """A line of the table; a batch is spoiled where a limit is exceeded by more than 0.001."""
    worst = seen[:, 1:].max(axis=1)
    print(
        f"{name:10} {cost:6.3f} {max(worst.max(), 0.0):13.4f} {int((worst > 1e-3).sum()):9} "
        f"{len(seen):9}"
    )


if __name__ == "__main__":
    main()
