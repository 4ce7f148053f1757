"""The same bits from every engine and any number of workers, given the same form of the loss."""

from __future__ import annotations

from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import zooadmm as zoo
from twins.bowl import CENTERS, M, bowl
from twins.workshop import bowls, driven, optimizer, slope
from zooadmm.evaluation import Engine, InProcess
from zooadmm.oracle.queries import JoinedQuery, LineQuery, PointsQuery, Query

FORMS: dict[str, Any] = {
    "point by point": bowl,
    "many at once": zoo.Loss(values=bowls, gradient=slope),
}
RUNS = ("forward", "hybrid", "central", "paired", "inside", "float32", "auto", "svrg", "stream")
ENGINES: list[tuple[Engine, str]] = [
    *((zoo.Processes(n), "point by point") for n in (1, 2, 8)),
    (zoo.Processes(3, timeout=600.0), "point by point"),
    (zoo.Processes(3), "many at once"),
    *((zoo.evaluation.Threads(n), form) for n in (1, 2, 3, 8) for form in FORMS),
]


@cache
def in_process(label: str, form: str) -> object:
    """What the run comes to without an engine."""
    return driven(optimizer(label), InProcess(FORMS[form]))


@pytest.mark.parametrize(("engine", "form"), ENGINES, ids=lambda given: str(given))
def test_runs_lead_to_the_same_bits(engine: Engine, form: str) -> None:
    loss, labels = FORMS[form], RUNS if form == "point by point" else (*RUNS, "gradients")
    with engine.evaluator(loss) as evaluate:
        for label in labels:
            for _ in range(2):  # when the time of an evaluation is known the tasks are others
                assert driven(optimizer(label), evaluate) == in_process(label, form), label


KEY = (1, 2)


def wide_queries() -> list[Query]:
    """Queries of several tables, whole and in pieces."""
    m, many = 3000, np.arange(4)
    x = np.linspace(-1.0, 1.0, m)
    found: list[Query] = [
        make(q, difference=difference, **given).query(
            3, x, 0.1, KEY, many[:q2], zoo.sets.WholeSpace()
        )
        for difference in ("forward", "central")
        for make, q, q2, given in (
            (zoo.paper.Smoothed, 25, 3, {"num_observations": 3}),
            (zoo.paper.Smoothed, 1, 1, {}),
            (zoo.paper.Paired, 4, 4, {"distribution": zoo.paper.Orthogonal()}),
        )
    ]
    points = np.outer(np.arange(1.0, 6.0), x)
    return [
        *found,
        zoo.paper.Smoothed(25).query(3, x, 0.1, KEY, None, zoo.sets.WholeSpace()),
        PointsQuery(1, points, many),
        PointsQuery(1, points, None, repeats=3),
        LineQuery(1, x, x, np.arange(5.0), None),
        JoinedQuery(1, (found[0], found[1], found[3])),
        PointsQuery(1, x[None], many),
    ]


@pytest.mark.parametrize("query", wide_queries(), ids=lambda query: repr(query))
def test_a_part_of_a_query_is_a_part_of_it(query: Query) -> None:
    whole = list(query)
    seams = query.seams()
    assert seams == [0, *(table.cells.stop for table in query.tables())]
    end = len(whole)
    for start, stop in [(0, 1), (end - 1, end), (end // 2, end), *pairwise(seams)]:
        part = list(query.evaluations_within(start, stop))
        assert [e.cell for e in part] == list(range(start, stop))
        for e in part:
            assert e.point.tobytes() == whole[e.cell].point.tobytes()
            assert np.array_equal(e.observation, whole[e.cell].observation)
        tables = list(query.tables_within(start, stop))
        assert tables[0].cells.start <= start < tables[0].cells.stop
        assert tables[-1].cells.start < stop <= tables[-1].cells.stop


def test_a_closure_and_the_arrays_it_writes_to_go_to_a_worker() -> None:
    scratch, center = np.zeros(M), CENTERS[1].copy()

    def loss(x: np.ndarray, w: int) -> float:
        np.subtract(x, center, out=scratch)
        return float(scratch @ scratch)

    here = zoo.minimize(loss, np.zeros(M), observations=range(9), max_iterations=8, rng=0)
    there = zoo.minimize(
        loss, np.zeros(M), observations=range(9), max_iterations=8, rng=0, workers=2
    )
    assert there.x.tobytes() == here.x.tobytes()
    assert (there.fun, there.nfev, there.nfev_report) == (here.fun, here.nfev, here.nfev_report)


def test_linear_algebra_has_one_thread_in_a_worker() -> None:
    import os

    names = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")

    def loss(x: np.ndarray) -> float:
        return float(all(os.environ.get(name) == "1" for name in names))

    with zoo.Processes(1).evaluator(loss) as evaluate:
        assert evaluate(PointsQuery(1, np.zeros((1, 2)), None)) == [1.0]
