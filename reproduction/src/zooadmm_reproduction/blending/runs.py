"""The pieces' work: runs of Algorithm 1, followed on the test ratings, and what they compare with.

Rows of kind "run" are one run each; "curve" are thinned iterations of a run; "reference" are blends
that no run made.
"""

from __future__ import annotations

import numpy as np

import zooadmm as zoo
from zooadmm_reproduction.blending.data import Array, Blend, Data
from zooadmm_reproduction.blending.strategies import STRATEGIES, Setting
from zooadmm_reproduction.exhibits import AUTO
from zooadmm_reproduction.rows import Row, short

WAY = 0.9
"""How far on the way from the start's test RMSE to the best a run is to come."""

POINTS = 40
"""How many iterations a curve shows, evenly on a logarithmic axis."""

EARLY = 10
"""The first iterations, of which Fig. 1(b) says that they differ."""

LATE = 0.1
"""The part of all iterations that counts as their end."""


def marks(iterations: int) -> tuple[int, ...]:
    """The iterations at which methods are compared: a hundredth of all, a tenth, and the last.

    >>> marks(10_000)
    (100, 1000, 10000)
    """
    return iterations // 100, iterations // 10, iterations


class Course:
    """What a run does, after each of its iterations.

    rmse: on the test ratings. update: |x_{t+1} - x_t|. average_update: the same of the means
    xbar_t of x_1 to x_t, which the authors' program plots. distance: |x_{t+1} - x*|.
    """

    def __init__(self, blend: Blend, iterations: int) -> None:
        self._blend = blend
        self._mean = blend.start.copy()
        self.rmse, self.update, self.average_update, self.distance = np.empty((4, iterations))

    def __call__(self, info: zoo.run.Info) -> None:
        x, at = np.asarray(info.after.x), info.t - 1
        self.rmse[at] = self._blend.rmse(x)
        self.update[at] = info.update
        step = (x - self._mean) / (info.t + 1)
        self._mean += step
        self.average_update[at] = np.linalg.norm(step)
        self.distance[at] = np.linalg.norm(x - self._blend.solution)


def strategies(
    data: Data,
    settings: tuple[Setting, ...],
    names: tuple[str, ...],
    seeds: tuple[int, ...],
    iterations: int,
) -> list[Row]:
    """Runs with each of the settings, strategies and seeds."""
    rows: list[Row] = []
    for setting in settings:
        for name in names:
            for seed in seeds:
                label: Row = {"source": data.source, "setting": setting.key}
                label |= {"strategy": name, "seed": seed}
                rows += _run(data.blend(), setting, name, seed, iterations, label)
    return rows


def _run(
    blend: Blend, setting: Setting, name: str, seed: int, iterations: int, label: Row
) -> list[Row]:
    gradient, course = STRATEGIES[name], Course(blend, iterations)
    loss = blend.loss(setting.unit(blend))
    result = zoo.minimize(
        loss,
        blend.start,
        domain=blend.domain,
        observations=zoo.Samples(loss.observations),
        gradient=gradient,
        settings="paper",
        step_size=setting.step_size(gradient, blend.num_models),
        max_iterations=iterations,
        rng=seed,
        callback=course,
        max_trace_rows=0,
        progress=False,
    )
    summary = _summary(blend, course, result.nfev, label)
    summary["curvature"] = short(blend.curvature / setting.unit(blend) ** 2)
    return [summary, *_curve(course, label)]


def _summary(blend: Blend, course: Course, evaluations: int, label: Row) -> Row:
    iterations = len(course.rmse)
    start, best = blend.rmse(blend.start), blend.rmse(blend.solution)
    row: Row = {"kind": "run", **label, **blend.label, "models": blend.num_models}
    row["iterations"] = iterations
    row |= {"evaluations": evaluations, "best": best, "end": float(course.rmse[-1])}
    reached = arrival(course.rmse, start - WAY * (start - best))
    if reached is not None:
        row["reached"] = reached
    for mark in marks(iterations):
        row[f"rmse {mark}"] = float(course.rmse[mark - 1])
    late = max(1, round(LATE * iterations))
    row["early update"] = _root_mean_square(course.update[:EARLY])
    row["late update"] = _root_mean_square(course.update[-late:])
    row["early average update"] = _root_mean_square(course.average_update[:EARLY])
    row["late average update"] = _root_mean_square(course.average_update[-late:])
    row["start distance"] = float(np.linalg.norm(blend.start - blend.solution))
    row["end distance"] = float(course.distance[-1])
    return row


def arrival(rmse: Array, level: float) -> int | None:
    """The first iteration with an RMSE at or below the level, in a run that ends there too.

    None for a run that does not. One observation can throw a run back for a few iterations, so it
    need not stay there all the time.

    >>> arrival(np.array([3.0, 1.0, 3.0, 1.0]), 2.0)
    2
    >>> arrival(np.array([3.0, 1.0, 3.0, 3.0]), 2.0)
    """
    below = rmse <= level
    return int(np.argmax(below)) + 1 if below[-1] else None


def _curve(course: Course, label: Row) -> list[Row]:
    iterations = len(course.rmse)
    shown = np.unique(np.geomspace(1, iterations, min(POINTS, iterations)).round().astype(int))
    rows: list[Row] = []
    for t in shown.tolist():
        row: Row = {"kind": "curve", **label, "iteration": t, "rmse": short(course.rmse[t - 1])}
        row["update"] = short(course.update[t - 1])
        row["average update"] = short(course.average_update[t - 1])
        row["distance"] = short(course.distance[t - 1])
        rows.append(row)
    return rows


def _root_mean_square(values: Array) -> float:
    return float(np.sqrt(np.mean(np.square(values))))


def comparisons(
    data: Data, seeds: tuple[int, ...], iterations: int, names: tuple[str, ...]
) -> list[Row]:
    """Blends that need no run, and zooadmm's default settings at equal evaluations.

    names: the strategies whose evaluations they are given, one run for each and each seed.
    """
    blend = data.blend()
    m = blend.num_models
    single = min(blend.rmse(np.eye(m)[j]) for j in range(m))
    rows: list[Row] = [
        {"kind": "reference", "source": data.source, **blend.label, "blend": name, "rmse": rmse}
        for name, rmse in (
            ("least squares", blend.rmse(blend.solution)),
            ("best single model", single),
            ("plain average", blend.rmse(np.full(m, 1.0 / m))),
            ("start, x = 0", blend.rmse(blend.start)),
        )
    ]
    for name in names:
        for seed in seeds:
            rows.append(_with_defaults(data, name, seed, iterations))
    return rows


def _with_defaults(data: Data, rival: str, seed: int, iterations: int) -> Row:
    blend, gradient = data.blend(), STRATEGIES[rival]
    loss = blend.loss(1.0)
    result = zoo.minimize(
        loss,
        blend.start,
        domain=blend.domain,
        observations=zoo.Samples(loss.observations),
        max_evaluations=iterations * gradient.evaluations(gradient.num_observations),
        rng=seed,
        max_trace_rows=0,
        progress=False,
    )
    row: Row = {"kind": "run", "source": data.source, "setting": "default", "strategy": AUTO}
    row |= {"rival": rival, "seed": seed, **blend.label, "models": blend.num_models}
    row |= {"iterations": result.nit, "evaluations": result.nfev}
    row["best"] = blend.rmse(blend.solution)
    return row | {"end": blend.rmse(result.x)}
