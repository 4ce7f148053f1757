"""Every kind of query: true, small to send, and the same wherever it arrives."""

from __future__ import annotations

import copy
import pickle
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import Any

import numpy as np
import pytest

import zooadmm as zoo
from twins.elsewhere import evaluated, evaluated_with_pickle
from zooadmm.queries import PointQuery, Query
from zooadmm.randomness import key_from

M = 30
KEY = key_from(9)
CENTERS = np.random.default_rng(0).standard_normal((7, M))

SOURCES: dict[str, Any] = {
    **{
        f"{make.__name__} {difference} {mu}": make(5, distribution=mu, difference=difference)
        for make in (zoo.Smoothed, zoo.Paired)
        for difference in ("forward", "central")
        for mu in (
            zoo.Sphere(),
            zoo.Gaussian(),
            zoo.Rademacher(),
            zoo.Coordinate(),
            zoo.Orthogonal(),
        )
    },
    "several observations": zoo.Smoothed(5, 3),
    "inside": zoo.Smoothed(5, probes="inside"),
    "exact": zoo.Exact(),
    "exact, several observations": zoo.Exact(3),
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
    optimizer = zoo.Optimizer(np.ones(3), gradient=zoo.Exact(), max_iterations=7)
    while query := optimizer.ask():
        optimizer.tell(query.id, 2 * optimizer.state.x)
    assert optimizer.result().nit == 7


def test_a_report_is_true_also_of_no_observations() -> None:
    assert PointQuery(0, np.zeros(2), ())


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
    for make in (zoo.Smoothed, zoo.Paired):
        source = make(count)
        batch = np.zeros(source.num_observations)
        query = source.query(1, x, 0.1, KEY, batch, zoo.WholeSpace())
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
