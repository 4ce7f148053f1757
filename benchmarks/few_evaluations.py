"""Few evaluations: `python -m benchmarks.few_evaluations [develop] [--told] [--points 10]`.

Smooth losses of m = 5 to 500 variables and budgets of 1 to 5 evaluations a variable, and of 20.
Values have noise of `--sigma` times F(x0) - F*. The gap is (F(x) - F*) / (F(x0) - F*) at the
answer, F without noise. Without `--told` a run does not know its budget: one run is read at every
budget.

`--points n` gives each run the values at x0 and n other points that it did not pay for,
`start_values=`. They are x0 plus normal numbers of standard deviation 0.3 in the units of each
variable, moved into the domain. `--blind` only starts at the best of these points instead.

Constants of the method are chosen with `develop`: the kinds "quadratic", "box", "sparse" and
"units" with instances 0 to 2. It is judged on all seven kinds with instances 100 to 104.
"""

from __future__ import annotations

import argparse
import statistics

import numpy as np

import zooadmm as zoo
from benchmarks.noise import small_budgets
from benchmarks.noise.small_budgets import Array, Case, answers

SIZES = (5, 20, 100, 500)
BUDGETS = (1, 2, 3, 4, 5, 20)
"""In evaluations a variable."""
DEVELOPED, DEVELOPING = (*small_budgets.DEVELOPED, "units"), (0, 1, 2)
JUDGED, JUDGING = (*small_budgets.JUDGED, "units", "curved"), (100, 101, 102, 103, 104)
SPREAD = 0.3
"""Of the points with known values around x0, in the units of the variables."""


def case(kind: str, m: int, instance: int) -> tuple[Case, Array]:
    """A random one, and the units of its variables; the same for the same arguments."""
    if kind not in ("units", "curved"):
        return small_budgets.case(kind, m, instance), np.ones(m)
    generator = np.random.default_rng([instance, m, len(kind), 1])
    units = 10.0 ** generator.uniform(-2.0, 2.0, m)
    turn = np.linalg.qr(generator.standard_normal((m, m)))[0]
    center = generator.uniform(-1.5, 1.5, m)
    rows = (turn * np.geomspace(0.3, 3.0, m)) @ turn.T

    def square(x: Array) -> float:
        return 0.5 * float(np.square(rows @ (x / units - center)).sum())

    def rounded(x: Array) -> float:
        z = rows @ (x / units - center)
        return float((np.logaddexp(z, -z) - np.log(2.0)).sum())

    return Case(square if kind == "units" else rounded, 0.5 * units, 0.0, {}), units


def points(made: Case, units: Array, number: int, seed: int) -> Array:
    """Points around x0 in the domain, a row each."""
    generator = np.random.default_rng([seed, number, 3])
    around = made.x0 + SPREAD * units * generator.standard_normal((number, len(made.x0)))
    domain = made.given.get("domain")
    return around if domain is None else np.array([domain.project(x) for x in around])


def gaps(
    made: Case, units: Array, sigma: float, seed: int, told: bool, number: int, blind: bool
) -> list[float]:
    """The gap at every budget."""
    m, scale = len(made.x0), sigma * (made.objective(made.x0) - made.least)
    generators = iter(np.random.default_rng([seed, 7, i]) for i in range(len(BUDGETS) + 1))
    noise = next(generators)
    x0, given = made.x0, dict(made.given)

    def loss(x: Array) -> float:
        return made.f(x) + (scale * float(noise.standard_normal()) if sigma > 0.0 else 0.0)

    if number > 0:
        X = np.vstack([x0, points(made, units, number, seed)])
        values = np.array([loss(x) for x in X])
        if blind:
            objective = [v + made.objective(x) - made.f(x) for x, v in zip(X, values, strict=True)]
            x0 = X[int(np.argmin(objective))]
        else:
            given["start_values"] = (X, values)
    if told:
        found = []
        for times in BUDGETS:
            noise = next(generators)
            result = zoo.minimize(loss, x0, max_evaluations=times * m, rng=seed, **given)
            found.append(made.gap(result.x))
        return found
    return [made.gap(x) for x in answers(loss, x0, seed, given, BUDGETS)]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.few_evaluations")
    parser.add_argument("form", nargs="?", choices=("develop", "judge"), default="judge")
    parser.add_argument("--told", action="store_true", help="the run knows its budget")
    parser.add_argument("--sigma", type=float, default=0.0, help="of the noise, by F(x0) - F*")
    parser.add_argument("--points", type=int, default=0, help="points with known values")
    parser.add_argument("--blind", action="store_true", help="only start at the best of them")
    parser.add_argument("--kinds", default="", help="only these, by commas")
    parser.add_argument("--sizes", default="", help="only these m, by commas")
    chosen = parser.parse_args()
    kinds, instances = (JUDGED, JUDGING) if chosen.form == "judge" else (DEVELOPED, DEVELOPING)
    kinds = tuple(chosen.kinds.split(",")) if chosen.kinds else kinds
    sizes = tuple(map(int, chosen.sizes.split(","))) if chosen.sizes else SIZES
    print("| kind | m | " + " | ".join(f"{times} m" for times in BUDGETS) + " |")
    print("|---|---|" + "---|" * len(BUDGETS))
    for kind in kinds:
        for m in sizes:
            found = [
                gaps(*case(kind, m, i), chosen.sigma, i, chosen.told, chosen.points, chosen.blind)
                for i in instances
            ]
            medians = [statistics.median(column) for column in zip(*found, strict=True)]
            print(f"| {kind} | {m} | " + " | ".join(f"{v:.3g}" for v in medians) + " |", flush=True)


if __name__ == "__main__":
    main()
