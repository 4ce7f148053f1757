"""Every kind of query: true, small to send, and the same wherever it arrives."""

from __future__ import annotations

import copy
import pickle
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from multiprocessing import get_context
from typing import Any

import numpy as np
import pytest

import zooadmm as zoo
from twins.elsewhere import evaluated, evaluated_with_pickle, value
from zooadmm.evaluation import InProcess
from zooadmm.oracle.queries import LineQuery, PointsQuery, Query
from zooadmm.oracle.randomness import key_from
from zooadmm.run.pending import NotFinite, Pending

M = 30
KEY = key_from(9)
CENTERS = np.random.default_rng(0).standard_normal((7, M))

SOURCES: dict[str, Any] = {
    **{
        f"{make.__name__} {difference} {mu}": make(5, distribution=mu, difference=difference)
        for make in (zoo.paper.Smoothed, zoo.paper.Paired)
        for difference in ("forward", "central")
        for mu in (
            zoo.paper.Sphere(),
            zoo.paper.Gaussian(),
            zoo.paper.Rademacher(),
            zoo.paper.Coordinate(),
            zoo.paper.Orthogonal(),
        )
    },
    "several observations": zoo.paper.Smoothed(5, 3),
    "inside": zoo.paper.Smoothed(5, probes="inside"),
    "exact": zoo.paper.Exact(),
    "exact, several observations": zoo.paper.Exact(3),
}
every_source = pytest.mark.parametrize("label", SOURCES)
both_dtypes = pytest.mark.parametrize("dtype", [np.float32, np.float64])


def query_of(label: str, m: int = M, dtype: type = np.float64) -> Query:
    source = SOURCES[label]
    batch = CENTERS[: source.num_observations, :m] if m <= M else np.zeros((9, 1))
    x = np.linspace(0.1, 0.9, m).astype(dtype)
    return source.query(4, x, 0.01, KEY, batch[: source.num_observations], zoo.Box(0.0, 1.0))


@every_source
def test_a_query_is_true(label: str) -> None:
    """`while query := optimizer.ask()` reads well, and must not end at a query without values."""
    query = query_of(label)
    assert query
    assert bool(query) is True
    assert len(query) == query.evaluations
    assert (len(query) == 0) == ("exact" in label)


def test_a_loop_over_gradient_queries_runs_to_its_end() -> None:
    optimizer = zoo.Optimizer(
        np.ones(3), settings="paper", gradient=zoo.paper.Exact(), max_iterations=7
    )
    while query := optimizer.ask():
        optimizer.tell(query.id, 2 * optimizer.state.x)
    assert optimizer.result().nit == 7


def test_a_report_is_true_also_of_no_observations() -> None:
    assert PointsQuery(0, np.zeros((1, 2)), ())


@every_source
@both_dtypes
def test_what_arrives_is_what_was_sent(label: str, dtype: type) -> None:
    query, source = query_of(label, dtype=dtype), SOURCES[label]
    for arrived in (pickle.loads(pickle.dumps(query)), copy.copy(query), copy.deepcopy(query)):
        assert type(arrived) is type(query)
        assert (arrived.id, arrived.shape, arrived.cells) == (query.id, query.shape, query.cells)
        assert arrived.points.dtype == dtype
        assert arrived.points.tobytes() == query.points.tobytes()
        answer = evaluated(arrived)
        assert answer.tobytes() == evaluated(query).tobytes()
        assert (
            source.gradient(arrived, answer).tobytes() == source.gradient(query, answer).tobytes()
        )
    again = pickle.loads(pickle.dumps(arrived))
    assert again.points.tobytes() == query.points.tobytes()


@pytest.mark.parametrize("count", [1, 30, 300])
@pytest.mark.parametrize("m", [10, 1000, 3000])
def test_directions_do_not_travel(m: int, count: int) -> None:
    """A query is x and a few bytes, whatever the number of directions."""
    x = np.zeros(m)
    for make in (zoo.paper.Smoothed, zoo.paper.Paired):
        source = make(count)
        batch = np.zeros(source.num_observations)
        query = source.query(1, x, 0.1, KEY, batch, zoo.sets.WholeSpace())
        assert query.kept is not None  # here they are kept
        sent = len(pickle.dumps(query))
        assert sent <= x.nbytes + batch.nbytes + 1500


def test_sending_leaves_the_sender_as_it_was() -> None:
    query = query_of("Smoothed forward Sphere()")
    kept = query.kept
    pickle.dumps(query)
    copy.deepcopy(query)
    assert query.kept is kept is not None


def test_another_process_makes_the_same_points() -> None:
    labels = ["Smoothed forward Sphere()", "Paired central Orthogonal()", "inside", "exact"]
    queries = [query_of(label) for label in labels]
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        answers = list(pool.map(evaluated_with_pickle, [pickle.dumps(query) for query in queries]))
    for query, answer in zip(queries, answers, strict=True):
        assert answer == evaluated(query).tobytes()


# At points, and along a line

POINTS = np.random.default_rng(1).standard_normal((4, M))
STEPS = np.array([0.0, 1e-3, -2.0, 0.5])

LISTED: dict[str, Any] = {
    "points": lambda dtype: PointsQuery(7, POINTS.astype(dtype), None),
    "points, repeated": lambda dtype: PointsQuery(7, POINTS.astype(dtype), None, 3),
    "points, observed": lambda dtype: PointsQuery(7, POINTS.astype(dtype), CENTERS[:5]),
    "points, observed once": lambda dtype: PointsQuery(7, POINTS.astype(dtype), CENTERS[:1]),
    "one point, observed": lambda dtype: PointsQuery(7, POINTS[:1].astype(dtype), CENTERS),
    "line": lambda dtype: LineQuery(7, *POINTS[:2].astype(dtype), STEPS, None),
    "line, observed": lambda dtype: LineQuery(7, *POINTS[:2].astype(dtype), STEPS, CENTERS[2:3]),
}
every_listed = pytest.mark.parametrize("label", LISTED)


def listed(query: Any) -> list[tuple[np.ndarray, Any]]:
    """(point, observation) for every cell, from what the query is said to ask."""
    if isinstance(query, LineQuery):
        seen = None if query.observations is None else query.observations[0]
        return [(query.x + query.x.dtype.type(s) * query.direction, seen) for s in query.steps]
    cells = []
    for point in query.candidates:
        for w in [None] * query.repeats if query.observations is None else query.observations:
            cells.append((point, w))
    return cells


@every_listed
@both_dtypes
def test_the_cells_are_those_listed(label: str, dtype: type) -> None:
    query = LISTED[label](dtype)
    wanted = listed(query)
    assert len(query) == query.evaluations == query.cells == len(wanted) == np.prod(query.shape)
    assert query.shape[0] == (len(STEPS) if "line" in label else len(query.candidates))
    before = query.points
    assert before.dtype == dtype
    count = 0
    for (cell, point, observation), (x, w) in zip(query, wanted, strict=True):
        assert cell == count
        assert point.dtype == dtype
        np.testing.assert_array_equal(point, x)
        np.testing.assert_array_equal(observation, w)
        point[:] = 9.0  # a point is the loss's to play with
        count += 1
    assert query.points.tobytes() == before.tobytes()
    cells = [cell for table in query.tables() for cell in range(*table.cells.indices(count))]
    assert cells == list(range(count))


@every_listed
def test_one_by_one_and_many_at_once_give_the_listed_values(label: str) -> None:
    def many(points: np.ndarray, seen: Any = None) -> np.ndarray:
        against = np.zeros((1, M)) if seen is None else seen
        values = np.array([[value(x, w) for w in against] for x in points])
        return values[:, 0] if seen is None else values

    query = LISTED[label](np.float64)
    wanted = [value(x, np.zeros(M) if w is None else w) for x, w in listed(query)]
    for loss in (lambda x, w=np.zeros(M): value(x, w), zoo.Loss(values=many)):  # noqa: B008
        answer = InProcess(loss)(query)
        assert answer.shape == query.shape
        assert answer.reshape(-1).tolist() == wanted


@every_listed
@both_dtypes
def test_what_is_listed_arrives(label: str, dtype: type) -> None:
    query = LISTED[label](dtype)
    for arrived in (pickle.loads(pickle.dumps(query)), copy.copy(query), copy.deepcopy(query)):
        assert type(arrived) is type(query)
        assert (arrived.id, arrived.shape, arrived.cells) == (query.id, query.shape, query.cells)
        assert arrived.points.dtype == dtype
        assert arrived.points.tobytes() == query.points.tobytes()
        assert bool(arrived) is arrived.forgiving is True


def test_repeats_are_for_losses_without_observations() -> None:
    query = PointsQuery(1, POINTS, CENTERS[:2], 5)
    assert query.shape == (4, 2)
    assert [table.points.shape for table in query.tables()] == [(1, M)] * 4


def test_a_line_in_single_precision_stays_there() -> None:
    """Also where the direction is given in double precision."""
    x, direction = POINTS[0].astype(np.float32), POINTS[1]
    query = LineQuery(1, x, direction, STEPS, None)
    wanted = [(x + s * direction).astype(np.float32) for s in STEPS]
    assert query.points.dtype == np.float32
    np.testing.assert_array_equal(query.points, wanted)


# What directions show of a vector


def projected(query: Any, v: np.ndarray) -> np.ndarray:
    """(1/q) sum_j <v, z_j> z_j, a direction at a time, in double precision."""
    total = np.zeros(len(v))
    for j in range(query.total):
        z = query.directions(j, j + 1)[0].astype(np.float64)
        total += (v.astype(np.float64) @ z) * z
    return total / query.total


def test_all_orthogonal_directions_show_everything() -> None:
    source = zoo.paper.Smoothed(M, distribution=zoo.paper.Orthogonal())
    query: Any = source.query(1, np.zeros(M), 0.1, KEY, None, zoo.sets.WholeSpace())
    np.testing.assert_allclose(projected(query, POINTS[0]), POINTS[0], atol=1e-12)


# What is not finite

NOT_FINITE = [np.nan, np.inf, -np.inf]


@every_listed
@pytest.mark.parametrize("odd", NOT_FINITE)
def test_a_forgiving_query_takes_what_is_not_finite(label: str, odd: float) -> None:
    query = LISTED[label](np.float64)
    answer = np.arange(1.0, len(query) + 1)
    answer[2] = odd
    for given in (answer, answer.reshape(query.shape)):
        np.testing.assert_array_equal(Pending(query).tell(given), answer.reshape(query.shape))
    pending = Pending(query)
    for cell in range(1, len(query)):
        assert pending.tell({cell: answer[cell]}) is None
    np.testing.assert_array_equal(pending.tell({0: 1.0}), answer.reshape(query.shape))


@pytest.mark.parametrize("odd", NOT_FINITE)
def test_what_is_not_finite_may_be_told_again_and_stands(odd: float) -> None:
    for again in ({0: odd}, np.array([odd, 1.0, 2.0, 3.0])):
        pending = Pending(LISTED["line"](np.float64))
        pending.tell({0: odd})
        pending.tell(again)
    for other in ({0: 1.0}, np.arange(4.0)):
        pending = Pending(LISTED["line"](np.float64))
        pending.tell({0: odd})
        with pytest.raises(ValueError, match="cell 0 of query 7 was told before with another"):
            pending.tell(other)


@pytest.mark.parametrize("label", SOURCES)
@pytest.mark.parametrize("odd", NOT_FINITE)
def test_other_queries_refuse_what_is_not_finite(label: str, odd: float) -> None:
    query = query_of(label)
    assert not query.forgiving
    answer = np.ones(query.shape)
    cell = query.cells - 1
    answer.reshape(query.cells, -1)[cell, -1] = odd
    for given in (answer, {cell: answer.reshape(query.cells, -1)[cell]}):
        pending = Pending(query)
        with pytest.raises(NotFinite) as refusal:
            pending.tell(given)
        assert refusal.value.cell == cell
        assert pending.told is None  # nothing has changed


def test_a_query_that_is_made_forgiving_stays_so_on_its_way() -> None:
    query = replace(query_of("Smoothed forward Sphere()"), forgiving=True)
    arrived = pickle.loads(pickle.dumps(query))
    answer = np.full(query.shape, np.nan)
    assert Pending(arrived).tell(answer) is not None
    assert not query_of("Smoothed forward Sphere()").forgiving
