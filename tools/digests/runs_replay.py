"""Ask and tell out of order, and runs that are saved in the middle and go on from a file."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from tools.digests import library as zoo
from tools.digests.losses import ROWS, START, Noisy, barrier, bowl, curved, regression, sparse_bowl
from tools.digests.table import entered

Make = Callable[[], Any]


def _answers(query: Any, loss: Any) -> dict[int, float]:
    """The value of every cell of a query."""
    if query.observations is None:
        return {cell: loss(point) for cell, point, _ in query}
    return {cell: loss(point, w) for cell, point, w in query}


def _shuffled(make: Make, loss: Any) -> Any:
    """Each answer in three parts that overlap, in an order drawn at random."""
    generator, optimizer = np.random.default_rng(8), make()
    while (query := optimizer.ask()) is not None:
        values = _answers(query, loss)
        order = [int(cell) for cell in generator.permutation(query.cells)]
        third = max(1, len(order) // 3)
        parts = order[:third], order[third // 2 : 2 * third]
        for part in parts:
            if len(set(parts[0]) | set(part)) < query.cells:
                optimizer.tell(query.id, {cell: values[cell] for cell in part})
        optimizer.tell(query.id, {cell: values[cell] for cell in order})
    return optimizer.result()


def _resumed(make: Make, loss: Any, every: int) -> Any:
    """Saved and loaded by a new optimizer every so many queries, half of one being answered."""
    with tempfile.TemporaryDirectory() as folder:
        path, optimizer, asked = Path(folder) / "run.zoo", make(), 0
        while (query := optimizer.ask()) is not None:
            values = _answers(query, loss)
            asked += 1
            if asked % every == 0:
                half = list(values)[: query.cells // 2]
                optimizer.tell(query.id, {cell: values[cell] for cell in half})
                optimizer.save(path)
                optimizer = make()
                optimizer.load(path)
                query = optimizer.ask()
                assert query is not None
            optimizer.tell(query.id, values)
        return optimizer.result()


def _optimizer(x0: Any = START, **given: Any) -> Make:
    return lambda: zoo.Optimizer(x0, **{"regularizer": zoo.L1(0.1), "rng": 6, **given})


def _one_of_1600(x: Any) -> float:
    return float(SPARSE(x[None])[0])


SPARSE = sparse_bowl(1600)
PAPER = {"settings": "paper", "gradient": zoo.Smoothed(5, 2), "max_iterations": 30}
CASES: dict[str, tuple[Make, Any, int]] = {
    "paper/{}": (_optimizer(observations=ROWS, **PAPER), curved, 7),
    "paper/{} inside": (
        _optimizer(
            settings="paper",
            domain=zoo.Box(-0.3, 0.3),
            gradient=zoo.Smoothed(4, probes="inside"),
            max_iterations=20,
        ),
        bowl,
        6,
    ),
    "paper/{} shrink": (
        _optimizer(settings="paper", on_nan="shrink", smoothing=0.3, max_iterations=20),
        barrier,
        6,
    ),
    "paper/{} stream": (
        _optimizer(settings="paper", observations=zoo.Stream(ROWS), gradient=zoo.Smoothed(3, 2)),
        curved,
        9,
    ),
    "auto/{} model": (_optimizer(max_evaluations=300), bowl, 3),
    "auto/{} model in a box": (_optimizer(domain=zoo.Box(-0.3, 0.3), max_evaluations=300), bowl, 3),
    "auto/{} ridges": (
        _optimizer(np.zeros(12), observations=np.arange(80), max_evaluations=2500),
        regression,
        3,
    ),
    "auto/{} ridges failed": (_optimizer(observations=ROWS, max_evaluations=600), curved, 3),
    "auto/{} steps": (_optimizer(observations=zoo.Stream(np.tile(ROWS, (3, 1)))), curved, 11),
    "auto/{} nan": (_optimizer(max_evaluations=400), barrier, 4),
    "auto/{} working set": (_optimizer(np.zeros(1600), max_evaluations=5000), _one_of_1600, 4),
}
for _name, (_make, _loss, _every) in CASES.items():
    entered(_name.format("replay/shuffled"))(partial(_shuffled, _make, _loss))
    entered(_name.format("replay/resumed"))(partial(_resumed, _make, _loss, _every))


@entered("auto/replay/resumed noise")
def _noise() -> Any:
    return _resumed(_optimizer(max_evaluations=800), Noisy(0.1), 10)


def _in_two(loss: Any, **given: Any) -> Any:
    """`minimize` with a checkpoint: to a limit, and on to twice as far."""
    with tempfile.TemporaryDirectory() as folder:
        path, limit = Path(folder) / "run.zoo", given.pop("max_iterations")
        common = {"regularizer": zoo.L1(0.1), "rng": 6, "checkpoint": path, **given}
        first = zoo.minimize(loss, START, max_iterations=limit, **common)
        return [first, zoo.minimize(loss, START, max_iterations=2 * limit, **common)]


entered("paper/replay/two sessions")(lambda: _in_two(bowl, settings="paper", max_iterations=15))
entered("auto/replay/two sessions")(lambda: _in_two(bowl, max_iterations=6))
entered("auto/replay/two sessions sampled")(
    lambda: _in_two(curved, observations=ROWS, max_iterations=40)
)


@entered("paper/replay/two sessions with regret")
def _regret() -> Any:
    given = {"settings": "paper", "max_iterations": 15, "observations": ROWS}
    return _in_two(curved, regret=zoo.Regret(np.zeros(len(START))), **given)
