"""Against Optuna's own samplers at equal trials: `python -m benchmarks.optuna_studies.compare`.

Six structured or noisy problems of 10 to 100 variables. Every sampler has the same box of bounds.
This sampler gets regularizer and domain as structure. The others minimize f + phi as one loss, and
on the simplex their point is projected before it is evaluated. The gap is

    (F(x) - F*) / (F(x0) - F*)

with F the objective without noise, x0 the middle of the box (projected), x this sampler's answer or
the best trial of the others, and F* from cvxpy. Rows go into `results/optuna/compare.csv`; the same
command goes on with those that are not there, and writes `compare.md` beside it. With names of
samplers (`compare TPE GP`) only these are run, and `compare ours --again` runs the rows of this
sampler anew after a change of the method. CMA-ES needs cmaes, GP torch.
"""

from __future__ import annotations

import argparse
import csv
import statistics
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cvxpy as cp
import numpy as np
import optuna
from optuna.distributions import FloatDistribution
from optuna.samplers import BaseSampler, CmaEsSampler, GPSampler, TPESampler

import zooadmm as zoo
from zooadmm.integrations.optuna import Sampler, point, result

FOLDER = Path(__file__).parents[1] / "results" / "optuna"
ROWS = FOLDER / "compare.csv"
FIELDS = ("problem", "sampler", "seed", "trials", "gap", "seconds")
TRIALS = (100, 500)
SEEDS = (0, 1, 2)
ACCURACY = 1e-8
"""What cvxpy's least value is good for, as a gap"""
Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Case:
    """f + phi over a box or the simplex, with its least value."""

    name: str
    m: int
    bounds: tuple[float, float]
    f: Callable[[Array], float]
    best: float
    regularizer: Any = None
    simplex: bool = False
    noise: float = 0.0

    def allowed(self, x: Array) -> Array:
        """The point that is evaluated."""
        return zoo.Simplex().project(x) if self.simplex else np.clip(x, *self.bounds)

    def objective(self, x: Array) -> float:
        """F(x) without noise."""
        return self.f(x) + (self.regularizer(x) if self.regularizer is not None else 0.0)

    @property
    def start(self) -> Array:
        return self.allowed(np.full(self.m, sum(self.bounds) / 2))

    def gap(self, x: Array) -> float:
        first = self.objective(self.start)
        return (self.objective(x) - self.best) / (first - self.best)


def cases() -> Iterator[Case]:
    yield _lasso("sparse regression", 20, noise=0.0)
    yield _lasso("sparse regression, noisy", 20, noise=0.05)
    yield _logistic("sparse logistic regression", 100)
    yield _quadratic("noisy quadratic in a box", 10, noise=0.05)
    yield _portfolio("portfolio on the simplex", 30)
    yield _curve("smooth curve", 50)


def _lasso(name: str, m: int, noise: float) -> Case:
    generator = np.random.default_rng(m)
    rows = generator.standard_normal((3 * m, m))
    truth = np.where(np.arange(m) % 5 == 0, generator.uniform(0.5, 1.5, m), 0.0)
    outcome = rows @ truth + 0.1 * generator.standard_normal(3 * m)
    x = cp.Variable(m)
    value = cp.sum_squares(rows @ x - outcome) / (6 * m) + 0.1 * cp.norm1(x)
    best = _least(value, [x >= -1, x <= 2])

    def f(x: Array) -> float:
        return float(np.square(rows @ x - outcome).sum() / (6 * m))

    return Case(name, m, (-1.0, 2.0), f, best, zoo.L1(0.1), noise=noise)


def _logistic(name: str, m: int) -> Case:
    generator = np.random.default_rng(m)
    rows = generator.standard_normal((200, m))
    truth = np.where(np.arange(m) < 5, 2.0, 0.0)
    signs = np.where(generator.uniform(size=200) < 1 / (1 + np.exp(-rows @ truth)), 1.0, -1.0)
    x = cp.Variable(m)
    value = cp.sum(cp.logistic(-cp.multiply(signs, rows @ x))) / 200 + 0.02 * cp.norm1(x)
    best = _least(value, [x >= -2, x <= 3])

    def f(x: Array) -> float:
        return float(np.logaddexp(0, -signs * (rows @ x)).mean())

    return Case(name, m, (-2.0, 3.0), f, best, zoo.L1(0.02))


def _quadratic(name: str, m: int, noise: float) -> Case:
    generator = np.random.default_rng(m)
    turn = np.linalg.qr(generator.standard_normal((m, m)))[0]
    matrix = turn @ np.diag(np.geomspace(0.1, 10.0, m)) @ turn.T
    center = generator.uniform(-1.5, 1.5, m)
    x = cp.Variable(m)
    value = 0.5 * cp.quad_form(x - center, cp.psd_wrap(matrix))
    best = _least(value, [x >= -1, x <= 2])

    def f(x: Array) -> float:
        return float(0.5 * (x - center) @ matrix @ (x - center))

    return Case(name, m, (-1.0, 2.0), f, best, noise=noise)


def _portfolio(name: str, m: int) -> Case:
    generator = np.random.default_rng(m)
    factors = generator.standard_normal((m, 5))
    matrix = factors @ factors.T + np.diag(generator.uniform(0.1, 1.0, m))
    gains = generator.uniform(0.0, 0.5, m)
    x = cp.Variable(m)
    value = cp.quad_form(x, cp.psd_wrap(matrix)) - gains @ x
    best = _least(value, [x >= 0, cp.sum(x) == 1])

    def f(x: Array) -> float:
        return float(x @ matrix @ x - gains @ x)

    return Case(name, m, (0.0, 1.0), f, best, simplex=True)


def _curve(name: str, m: int) -> Case:
    """A curve near data that cannot turn sharply: squared second differences."""
    generator = np.random.default_rng(m)
    data = np.sin(np.linspace(0, 5, m)) + 0.3 * generator.standard_normal(m)
    bends = np.diff(np.eye(m), 2, axis=0)
    x = cp.Variable(m)
    value = cp.sum_squares(x - data) + 20 * cp.sum_squares(bends @ x)
    best = _least(value, [x >= -1, x <= 2])

    def f(x: Array) -> float:
        return float(np.square(x - data).sum() + 20 * np.square(bends @ x).sum())

    return Case(name, m, (-1.0, 2.0), f, best)


def _least(value: Any, constraints: list[Any]) -> float:
    problem = cp.Problem(cp.Minimize(value), constraints)
    problem.solve(solver=cp.CLARABEL)
    return float(problem.value)


def ours(case: Case, seed: int, trials: int) -> Iterator[tuple[int, Array]]:
    """(trials, x): a run for each number of trials, which is its limit."""
    names = _space(case)
    space: Any = names if case.m <= 20 else case.m
    box = zoo.Box(np.full(case.m, case.bounds[0]), np.full(case.m, case.bounds[1]))
    for limit in [n for n in TRIALS if n <= trials]:
        sampler = Sampler(
            space,
            x0=case.start,
            domain=zoo.Simplex() if case.simplex else box,
            regularizer=case.regularizer,
            max_evaluations=limit,
            seed=seed,
        )
        noise = np.random.default_rng([seed, 7])
        study = optuna.create_study(sampler=sampler)
        study.optimize(
            lambda t, n=noise: case.f(point(t)) + case.noise * n.standard_normal(), limit
        )
        yield limit, result(study).x


def theirs(sampler: BaseSampler, case: Case, seed: int, trials: int) -> Iterator[tuple[int, Array]]:
    """(trials, x of the best trial so far)."""
    noise = np.random.default_rng([seed, 7])

    def read(trial: Any) -> Array:
        return case.allowed(np.array([trial.params[name] for name in _space(case)]))

    def evaluate(trial: optuna.Trial) -> float:
        for name in _space(case):
            trial.suggest_float(name, *case.bounds)
        return case.objective(read(trial)) + case.noise * noise.standard_normal()

    study = optuna.create_study(sampler=sampler)
    study.enqueue_trial(_start(case))
    for limit in [n for n in TRIALS if n <= trials]:
        study.optimize(evaluate, n_trials=limit - len(study.trials))
        yield limit, read(study.best_trial)


def _space(case: Case) -> dict[str, FloatDistribution]:
    return {f"v{i}": FloatDistribution(*case.bounds) for i in range(case.m)}


Contest = Callable[[Case, int], Iterator[tuple[int, Array]]]
OURS = "this sampler"
SAMPLERS: dict[str, tuple[Contest, int]] = {
    OURS: (lambda c, s: ours(c, s, 500), len(SEEDS)),
    "CMA-ES": (lambda c, s: theirs(CmaEsSampler(x0=_start(c), seed=s), c, s, 500), len(SEEDS)),
    "TPE": (lambda c, s: theirs(TPESampler(seed=s), c, s, 500), len(SEEDS)),
    "GP": (lambda c, s: theirs(GPSampler(seed=s), c, s, 100), len(SEEDS)),
}
"""How each is run, and with how many seeds"""


def _start(case: Case) -> dict[str, float]:
    return dict(zip(_space(case), case.start.tolist(), strict=True))


def stored() -> list[dict[str, str]]:
    if not ROWS.exists():
        return []
    with ROWS.open() as file:
        return list(csv.DictReader(file))


def forget(names: list[str]) -> None:
    """Leave out the rows of some samplers."""
    kept = [row for row in stored() if row["sampler"] not in names]
    with ROWS.open("w", newline="") as file:
        writer = csv.DictWriter(file, FIELDS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(kept)


def run(names: list[str]) -> None:
    done = {(r["problem"], r["sampler"], r["seed"]) for r in stored()}
    if not ROWS.exists():
        ROWS.write_text(",".join(FIELDS) + "\n")
    for name in names:
        contest, seeds = SAMPLERS[name]
        for seed in SEEDS[:seeds]:
            for case in cases():
                if (case.name, name, str(seed)) in done:
                    continue
                began = time.process_time()
                rows = [
                    (case.name, name, seed, n, f"{case.gap(x):.3g}", time.process_time() - began)
                    for n, x in contest(case, seed)
                ]
                with ROWS.open("a", newline="") as file:
                    writer = csv.writer(file, lineterminator="\n")
                    writer.writerows((*row[:5], f"{row[5]:.1f}") for row in rows)
                print(rows, flush=True)


def table(trials: int) -> list[str]:
    """Gaps, median over seeds and their number; the least of a row is in bold."""
    lines = [f"| problem | m | {' | '.join(SAMPLERS)} |", "|---|---" + "|---" * 4 + "|"]
    rows = [r for r in stored() if int(r["trials"]) == trials]
    for case in cases():
        gaps = {}
        for name in SAMPLERS:
            its = [
                float(r["gap"]) for r in rows if (r["problem"], r["sampler"]) == (case.name, name)
            ]
            gaps[name] = its
        least = min(statistics.median(its) for its in gaps.values() if its)
        shown = [_cell(gaps[name], least) for name in SAMPLERS]
        lines.append(f"| {case.name} | {case.m} | {' | '.join(shown)} |")
    return lines


def _cell(gaps: list[float], least: float) -> str:
    if not gaps:
        return "not run"
    gap = statistics.median(gaps)
    shown = f"{gap:.2g}" if gap > ACCURACY else f"< {ACCURACY:g}"
    shown = f"**{shown}**" if gap == least else shown
    return shown if len(gaps) == len(SEEDS) else f"{shown} ({len(gaps)})"


def page() -> str:
    """The tables of the stored rows."""
    lines = [
        "# Against Optuna's samplers at equal trials",
        "",
        "The part of the gap that is left, F(x) - F* over F(x0) - F*: median of three seeds, or",
        "of the number in brackets. GP has 100 trials at most: it fits all earlier ones anew. By",
        "`python -m benchmarks.optuna_studies.compare`, which says what each sampler gets;",
        "the rows are in [compare.csv](compare.csv).",
    ]
    for trials in TRIALS:
        lines += ["", f"## {trials} trials", "", *table(trials)]
    return "\n".join(lines) + "\n"


def main() -> None:
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
    warnings.simplefilter("ignore", FutureWarning)  # x0 of CMA-ES has no successor yet
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("samplers", nargs="*", help=f"ours, {', '.join(SAMPLERS)}; default all")
    parser.add_argument("--again", action="store_true", help="run stored rows anew")
    given = parser.parse_args()
    names = [OURS if name == "ours" else name for name in given.samplers] or list(SAMPLERS)
    if unknown := set(names) - SAMPLERS.keys():
        parser.error(f"no sampler is called {', '.join(sorted(unknown))}")
    if given.again:
        forget(names)
    run(names)
    (FOLDER / "compare.md").write_text(page())


if __name__ == "__main__":
    main()
