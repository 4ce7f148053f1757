"""Ask and tell: any way of telling the same answer is the same run, byte for byte."""

from __future__ import annotations

import copy
import math
import pickle
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import zooadmm as zoo
from zooadmm.oracle.queries import GradientQuery, Query

M = 5
CENTER = np.linspace(-1.0, 1.0, M)
DATA = np.random.default_rng(7).normal(size=(11, M))
ITERATIONS = 12

Keywords = dict[str, Any]
Contents = dict[str, tuple[str, tuple[int, ...], bytes]]


class Bowl:
    """|x - w|^2 (1 + x_1^2 / 10), with w = CENTER where there are no observations."""

    def __init__(self) -> None:
        self.calls = 0

    def __call__(self, x: np.ndarray, w: Any = CENTER) -> float:
        self.calls += 1
        return float(np.square(x - w).sum() * (1 + 0.1 * x[0] ** 2))

    def gradient(self, x: np.ndarray, w: Any = CENTER) -> np.ndarray:
        slope = 2 * (x - w) * (1 + 0.1 * x[0] ** 2)
        slope[0] += 0.2 * x[0] * np.square(x - w).sum()
        return slope


CASES: dict[str, Callable[[], Keywords]] = {
    "forward": lambda: {"gradient": zoo.paper.Smoothed(4)},
    "central": lambda: {"gradient": zoo.paper.Smoothed(3, difference="central")},
    "crossed": lambda: {"gradient": zoo.paper.Smoothed(3, 2), "observations": DATA},
    "central crossed": lambda: {
        "gradient": zoo.paper.Smoothed(3, 2, difference="central"),
        "observations": zoo.Samples(DATA, order="epochs"),
    },
    "paired": lambda: {"gradient": zoo.paper.Paired(4), "observations": DATA},
    "central paired": lambda: {
        "gradient": zoo.paper.Paired(4, difference="central"),
        "observations": list(DATA),
    },
    "stream": lambda: {"gradient": zoo.paper.Smoothed(2, 3), "observations": zoo.Stream(DATA)},
    "inside": lambda: {
        "gradient": zoo.paper.Smoothed(4, probes="inside"),
        "domain": zoo.Box(-0.5, 0.5),
    },
    "several blocks": lambda: {"gradient": zoo.paper.Smoothed(3300), "max_iterations": 2},
    "exact": lambda: {"gradient": zoo.paper.Exact()},
    "exact, observed": lambda: {"gradient": zoo.paper.Exact(3), "observations": DATA},
}
every_case = pytest.mark.parametrize("case", CASES)
every_value_case = pytest.mark.parametrize("case", [case for case in CASES if "exact" not in case])


def keywords(case: str, **changes: Any) -> Keywords:
    common = {
        "settings": "paper",
        "regularizer": zoo.L1(0.2),
        "max_iterations": ITERATIONS,
        "rng": 3,
    }
    return {**common, **CASES[case](), **changes}


def optimizer_of(case: str, **changes: Any) -> zoo.Optimizer:
    return zoo.Optimizer(np.full(M, 0.25), **keywords(case, **changes))


def answer_to(query: Query) -> np.ndarray:
    """The whole answer, an evaluation at a time."""
    answer = np.full(query.shape, np.nan)
    loss = Bowl()
    if isinstance(query, GradientQuery):
        seen = [()] if query.observations is None else [(w,) for w in query.observations]
        answer.reshape(len(seen), M)[:] = [loss.gradient(query.x, *w) for w in seen]
        return answer
    for cell, point, observation in query:
        w = () if query.observations is None else (observation,)
        answer.reshape(-1)[cell] = loss(point, *w)
    return answer


def cells_of(query: Query, answer: np.ndarray) -> dict[int, Any]:
    """The answer cell by cell: numbers, or gradients."""
    rows = answer.reshape(query.cells, -1)
    return {
        cell: rows[cell] if isinstance(query, GradientQuery) else rows[cell, 0]
        for cell in range(query.cells)
    }


def contents(optimizer: zoo.Optimizer, directory: Path) -> Contents:
    """Everything a checkpoint holds: the state, the trace, the ledger, what is pending."""
    path = directory / "contents.npz"
    optimizer.save(path)
    with np.load(path, allow_pickle=False) as file:
        return {
            name: (str(file[name].dtype), file[name].shape, file[name].tobytes())
            for name in file.files
        }


def asked(optimizer: zoo.Optimizer) -> Query:
    query = optimizer.ask()
    assert query is not None
    return query


def queries(optimizer: zoo.Optimizer) -> Iterator[Query]:
    while (query := optimizer.ask()) is not None:
        yield query


def run(optimizer: zoo.Optimizer) -> zoo.Optimizer:
    for query in queries(optimizer):
        optimizer.tell(query.id, answer_to(query))
    return optimizer


def assert_same_state(one: zoo.methods.method.State, other: zoo.methods.method.State) -> None:
    """Every field, to the last byte."""
    for name, value, wanted in zip(one._fields, one, other, strict=True):
        if isinstance(wanted, np.ndarray):
            assert (value.dtype, value.tobytes()) == (wanted.dtype, wanted.tobytes()), name
        else:
            assert repr(value) == repr(wanted), name


def assert_same_result(one: zoo.Result, other: zoo.Result) -> None:
    for name in ("x", "y", "x_average", "y_average", "x_last", "y_last", "dual"):
        assert getattr(one, name).tobytes() == getattr(other, name).tobytes(), name
    for name in ("nit", "nfev", "njev", "residual", "status", "success", "message"):
        assert getattr(one, name) == getattr(other, name), name
    assert one.trace.rows().tobytes() == other.trace.rows().tobytes()


@every_case
def test_minimize_is_the_loop_of_ask_and_tell(case: str) -> None:
    called = zoo.minimize(Bowl(), np.full(M, 0.25), **keywords(case))
    looped = run(optimizer_of(case)).result()
    assert_same_result(called, looped)
    assert called.nit == {"stream": len(DATA), "several blocks": 2}.get(case, ITERATIONS)


@every_case
def test_asking_again_gives_the_same_query(case: str) -> None:
    optimizer = optimizer_of(case)
    for query in queries(optimizer):
        assert optimizer.ask() is query
        answer = answer_to(query)
        first, *_ = cells = cells_of(query, answer)
        optimizer.tell(query.id, {first: cells[first]})
        if query.cells > 1:
            assert optimizer.ask() is query
            optimizer.tell(query.id, answer)
        assert optimizer.ask() is not query


Manner = Callable[[zoo.Optimizer, Query, np.ndarray, np.random.Generator], None]


def flattened(
    optimizer: zoo.Optimizer, query: Query, answer: np.ndarray, rng: np.random.Generator
) -> None:
    optimizer.tell(query.id, answer.reshape(-1))


def as_a_list(
    optimizer: zoo.Optimizer, query: Query, answer: np.ndarray, rng: np.random.Generator
) -> None:
    optimizer.tell(np.int64(query.id), answer.tolist())


def backwards(
    optimizer: zoo.Optimizer, query: Query, answer: np.ndarray, rng: np.random.Generator
) -> None:
    cells = cells_of(query, answer)
    infos = [optimizer.tell(query.id, {cell: cells[cell]}) for cell in reversed(cells)]
    assert [info is None for info in infos] == [True] * (len(cells) - 1) + [False]


def shuffled_and_repeated(
    optimizer: zoo.Optimizer, query: Query, answer: np.ndarray, rng: np.random.Generator
) -> None:
    cells = cells_of(query, answer)
    last, *others = rng.permutation(query.cells)
    for cell in rng.choice(others, size=2 * len(others)) if others else ():
        optimizer.tell(query.id, {cell: cells[cell]})
    for cell in rng.permutation(others):
        optimizer.tell(query.id, {cell: cells[cell]})
    assert optimizer.tell(query.id, {last: cells[last]}) is not None


def in_overlapping_parts(
    optimizer: zoo.Optimizer, query: Query, answer: np.ndarray, rng: np.random.Generator
) -> None:
    cells = cells_of(query, answer)
    while optimizer.ask() is query:
        part = rng.choice(query.cells, size=1 + query.cells // 2, replace=False)
        if optimizer.tell(query.id, {cell: cells[cell] for cell in part}) is not None:
            break


def some_and_then_all(
    optimizer: zoo.Optimizer, query: Query, answer: np.ndarray, rng: np.random.Generator
) -> None:
    cells = cells_of(query, answer)
    optimizer.tell(query.id, {})
    for cell in rng.choice(query.cells, size=query.cells // 2, replace=False):
        optimizer.tell(query.id, {int(cell): cells[cell]})
    assert optimizer.tell(query.id, answer) is not None


@every_case
@pytest.mark.parametrize(
    "manner",
    [
        flattened,
        as_a_list,
        backwards,
        shuffled_and_repeated,
        in_overlapping_parts,
        some_and_then_all,
    ],
)
def test_however_it_is_told_it_is_the_same_run(case: str, manner: Manner, tmp_path: Path) -> None:
    told_whole = run(optimizer_of(case))
    told_so = optimizer_of(case)
    rng = np.random.default_rng(1)
    for query in queries(told_so):
        manner(told_so, query, answer_to(query), rng)
    assert told_so.status is told_whole.status
    assert_same_state(told_so.state, told_whole.state)
    assert contents(told_so, tmp_path) == contents(told_whole, tmp_path)
    assert_same_result(told_so.result(), told_whole.result())


@every_case
def test_the_same_value_again_changes_nothing(case: str, tmp_path: Path) -> None:
    optimizer = optimizer_of(case)
    for query in queries(optimizer):
        answer = answer_to(query)
        if query.cells > 1:
            cells = cells_of(query, answer)
            optimizer.tell(query.id, {1: cells[1]})
            before = contents(optimizer, tmp_path)
            assert optimizer.tell(query.id, {1: cells[1]}) is None
            assert contents(optimizer, tmp_path) == before
        optimizer.tell(query.id, answer)


def changed(answer: np.ndarray, cell: int, value: float) -> np.ndarray:
    other = answer.copy()
    other.reshape(-1)[cell] = value
    return other


def at_cell(cell: Any, value: Any) -> Callable[[Query, np.ndarray], Any]:
    return lambda query, answer: {cell: value}


REFUSED_VALUES: dict[str, tuple[Callable[[Query, np.ndarray], Any], type[Exception], str]] = {
    "another value": (lambda q, a: {0: a[0, 0] + 1}, ValueError, "cell 0 .* another value"),
    "a contradicting whole": (lambda q, a: a * 2, ValueError, "cell 0 .* another value"),
    "a contradiction after news": (
        lambda q, a: {3: a.reshape(-1)[3], 1: 0.5},
        ValueError,
        "cell 1 .* another value",
    ),
    "one too few": (lambda q, a: a.reshape(-1)[1:], ValueError, r"shape \(4, 2\).*\(7,\)"),
    "one row too many": (lambda q, a: np.vstack([a, a[:1]]), ValueError, r"\(4, 2\).*\(5, 2\)"),
    "transposed": (lambda q, a: a.T, ValueError, r"\(4, 2\).*\(2, 4\)"),
    "a single number": (lambda q, a: 1.0, ValueError, r"\(4, 2\).*\(\)"),
    "nothing": (lambda q, a: [], ValueError, r"\(4, 2\).*\(0,\)"),
    "ragged": (lambda q, a: [[1.0, 2.0], [3.0]], ValueError, "inhomogeneous"),
    "NaN": (lambda q, a: changed(a, 5, np.nan), ValueError, "evaluation 5 of query .* not finite"),
    "inf": (lambda q, a: changed(a, 7, np.inf), ValueError, "evaluation 7 of query .* not finite"),
    "inf and -inf": (
        lambda q, a: changed(changed(a, 2, np.inf), 3, -np.inf),
        ValueError,
        "evaluation 2 of query .* is inf, not finite",
    ),
    "NaN in a cell": (at_cell(2, np.nan), ValueError, "evaluation 2 of query .* is nan"),
    "-inf in a cell": (at_cell(2, -np.inf), ValueError, "evaluation 2 of query .* is -inf"),
    "strings": (lambda q, a: a.astype(str), TypeError, "must be real numbers"),
    "a string in a cell": (at_cell(2, "1.5"), TypeError, "must be real numbers"),
    "complex": (lambda q, a: a + 1j, TypeError, "must be real numbers"),
    "None": (lambda q, a: None, TypeError, "must be real numbers"),
    "None in a cell": (at_cell(2, None), TypeError, "must be real numbers"),
    "two numbers in a cell": (at_cell(2, [1.0, 2.0]), ValueError, "cell 2 .* needs 1 number"),
    "cell below": (at_cell(-1, 1.0), ValueError, "no cell -1; its cells are 0 to 7"),
    "cell above": (at_cell(8, 1.0), ValueError, "no cell 8; its cells are 0 to 7"),
    "cell of another kind": (at_cell("2", 1.0), ValueError, "no cell '2'"),
    "half a cell": (at_cell(1.5, 1.0), ValueError, "no cell 1.5"),
    "news and an unknown cell": (lambda q, a: {2: 1.0, 99: 1.0}, ValueError, "no cell 99"),
    "news and a NaN": (lambda q, a: {2: 1.0, 3: np.nan}, ValueError, "evaluation 3 of query"),
}


@pytest.mark.parametrize("label", REFUSED_VALUES)
@pytest.mark.parametrize("before_step", [0, 4])
def test_a_refused_answer_changes_nothing(label: str, before_step: int, tmp_path: Path) -> None:
    wrong, error, sentence = REFUSED_VALUES[label]
    optimizer, undisturbed = optimizer_of("crossed"), run(optimizer_of("crossed"))
    for _ in range(before_step):
        query = asked(optimizer)
        optimizer.tell(query.id, answer_to(query))
    query = asked(optimizer)
    answer = answer_to(query)
    optimizer.tell(query.id, {0: answer[0, 0], 1: answer[0, 1]})
    before = contents(optimizer, tmp_path)
    with pytest.raises(error, match=sentence):
        optimizer.tell(query.id, wrong(query, answer))
    assert contents(optimizer, tmp_path) == before
    assert optimizer.ask() is query
    assert contents(run(optimizer), tmp_path) == contents(undisturbed, tmp_path)


REFUSED_GRADIENTS: dict[str, tuple[Callable[[Query, np.ndarray], Any], type[Exception], str]] = {
    "another gradient": (lambda q, a: {0: a[0] + 1}, ValueError, "cell 0 .* another value"),
    "a gradient too short": (lambda q, a: {1: a[1, 1:]}, ValueError, "needs 5 number.*not 4"),
    "NaN in a gradient": (lambda q, a: {1: a[1] * np.nan}, ValueError, "evaluation 1 of query"),
    "NaN in the whole": (lambda q, a: changed(a, 2 * M + 1, np.nan), ValueError, "evaluation 2 of"),
    "a gradient too few": (lambda q, a: a[:2], ValueError, r"\(3, 5\).*\(2, 5\)"),
    "cell above": (lambda q, a: {3: a[0]}, ValueError, "no cell 3; its cells are 0 to 2"),
}


@pytest.mark.parametrize("label", REFUSED_GRADIENTS)
def test_a_refused_gradient_changes_nothing(label: str, tmp_path: Path) -> None:
    wrong, error, sentence = REFUSED_GRADIENTS[label]
    optimizer = optimizer_of("exact, observed")
    query = asked(optimizer)
    answer = answer_to(query)
    optimizer.tell(query.id, {0: answer[0]})
    before = contents(optimizer, tmp_path)
    with pytest.raises(error, match=sentence):
        optimizer.tell(query.id, wrong(query, answer))
    assert contents(optimizer, tmp_path) == before
    undisturbed = run(optimizer_of("exact, observed"))
    assert contents(run(optimizer), tmp_path) == contents(undisturbed, tmp_path)


@pytest.mark.parametrize(
    ("id", "sentence"),
    [
        (0, "query 0 is unknown; the pending one is 4"),
        (1, "query 1 has been answered, and its step has been taken"),
        (3, "query 3 has been answered, and its step has been taken"),
        (5, "query 5 is unknown; the pending one is 4"),
        (-4, "query -4 is unknown"),
        ("4", "query '4' is unknown"),
        (None, "query None is unknown"),
    ],
)
def test_an_id_that_is_not_pending_is_refused(id: Any, sentence: str, tmp_path: Path) -> None:
    optimizer = optimizer_of("forward")
    for _ in range(3):
        query = asked(optimizer)
        optimizer.tell(query.id, answer_to(query))
    query = asked(optimizer)
    optimizer.tell(query.id, {2: 1.5})
    before = contents(optimizer, tmp_path)
    with pytest.raises(ValueError, match=sentence):
        optimizer.tell(id, answer_to(query))
    assert contents(optimizer, tmp_path) == before


def test_telling_before_asking_is_refused(tmp_path: Path) -> None:
    optimizer = optimizer_of("forward")
    before = contents(optimizer, tmp_path)
    with pytest.raises(ValueError, match="nothing is pending"):
        optimizer.tell(1, np.zeros(5))
    assert contents(optimizer, tmp_path) == before
    query = asked(optimizer)
    optimizer.tell(query.id, answer_to(query))
    between = contents(optimizer, tmp_path)
    with pytest.raises(ValueError, match="nothing is pending"):
        optimizer.tell(2, answer_to(query))
    assert contents(optimizer, tmp_path) == between


class Moody:
    """No regularization, but its value can be asked for only so often."""

    def __init__(self, patience: int) -> None:
        self.patience = patience

    def __call__(self, y: np.ndarray) -> float:
        self.patience -= 1
        if self.patience < 0:
            raise ArithmeticError("enough")
        return 0.0

    def prox(self, v: np.ndarray, tau: float) -> np.ndarray:
        return v


@pytest.mark.parametrize("whole", [True, False], ids=["whole", "cell by cell"])
@pytest.mark.parametrize("limit", [{"target": -1.0}, {"tolerance": 0.0}, {}], ids=str)
def test_a_step_that_fails_changes_nothing(whole: bool, limit: Keywords, tmp_path: Path) -> None:
    regularizer = Moody(1)
    optimizer = optimizer_of("forward", regularizer=regularizer, **limit)
    query = asked(optimizer)
    answer = answer_to(query)
    regularizer.patience = 0
    if not whole:
        optimizer.tell(query.id, dict(enumerate(answer[1:], start=1)))
    before = contents(optimizer, tmp_path)
    for _ in range(2):
        with pytest.raises(ArithmeticError, match="enough"):
            optimizer.tell(query.id, answer if whole else {0: answer[0]})
        assert contents(optimizer, tmp_path) == before
    regularizer.patience = 10_000
    assert optimizer.tell(query.id, answer) is not None
    patient = run(optimizer_of("forward", regularizer=Moody(10_000), **limit))
    assert_same_result(run(optimizer).result(), patient.result())


def test_a_step_to_infinity_is_not_taken(tmp_path: Path) -> None:
    optimizer = optimizer_of("forward", smoothing=1e-3, step_size=1e10)
    query = asked(optimizer)
    answer = np.array([0.0, 1e306, 1e306, 1e306, 1e306])
    optimizer.tell(query.id, dict(enumerate(answer[:-1])))
    before = contents(optimizer, tmp_path)
    with np.errstate(all="ignore"), pytest.raises(FloatingPointError, match="Lower step_size"):
        optimizer.tell(query.id, {4: answer[-1]})
    assert contents(optimizer, tmp_path) == before


def test_a_warning_made_an_error_changes_nothing(tmp_path: Path) -> None:
    optimizer = optimizer_of("forward", smoothing=1e-17)
    query = asked(optimizer)
    before = contents(optimizer, tmp_path)
    for _ in range(2):
        with pytest.raises(RuntimeWarning, match="larger smoothing"):
            optimizer.tell(query.id, answer_to(query))
        assert contents(optimizer, tmp_path) == before
    with pytest.warns(RuntimeWarning, match="larger smoothing"):
        assert optimizer.tell(query.id, answer_to(query)) is not None
    run(optimizer)  # said once


@every_value_case
def test_a_query_is_its_cells_each_once(case: str) -> None:
    optimizer = optimizer_of(case)
    for _ in range(2):
        query = asked(optimizer)
        evaluations = list(query)
        assert [e.cell for e in evaluations] == list(range(int(np.prod(query.shape))))
        assert len(evaluations) == len(query) == query.evaluations == query.cells
        points = query.points
        per_point = len(query) // len(points)
        assert per_point * len(points) == len(query)
        for cell, point, observation in evaluations:
            assert point.tobytes() == points[cell // per_point].tobytes()
            if query.observations is None:
                assert observation is None
            elif "paired" in case:
                assert np.array_equal(observation, query.observations[cell // 2])
            else:
                assert np.array_equal(observation, query.observations[cell % per_point])
        optimizer.tell(query.id, answer_to(query))


@every_value_case
def test_the_points_are_where_the_estimate_wants_them(case: str) -> None:
    optimizer = optimizer_of(case)
    x = optimizer.state.x
    points = asked(optimizer).points
    if case == "central" or case == "central crossed":
        np.testing.assert_allclose((points[0::2] + points[1::2]) / 2, np.tile(x, (3, 1)))
    elif case == "central paired":
        np.testing.assert_allclose((points[0::2] + points[1::2]) / 2, np.tile(x, (4, 1)))
    elif case == "paired":
        assert (points[0::2] == x).all()
        assert (points[1::2] != x).any(axis=1).all()
    else:
        assert (points[0] == x).all()
        assert (points[1:] != x).any(axis=1).all()
    beta = optimizer.algorithm.smoothing(1)
    moved = points[(points != x).any(axis=1)]
    if case != "inside":
        np.testing.assert_allclose(np.linalg.norm(moved - x, axis=1), beta * np.sqrt(M))


def test_a_gradient_query_has_a_cell_for_each_gradient() -> None:
    plain, observed = asked(optimizer_of("exact")), asked(optimizer_of("exact, observed"))
    assert (plain.shape, plain.cells, plain.evaluations, plain.gradients) == ((M,), 1, 0, 1)
    assert (observed.shape, observed.cells, observed.evaluations) == ((3, M), 3, 0)
    assert list(plain) == list(observed) == []
    assert (plain.points == np.full((1, M), 0.25)).all()


@pytest.mark.parametrize("case", ["forward", "central", "crossed", "paired", "stream"])
def test_the_budget_is_never_exceeded_and_used_as_far_as_it_goes(case: str) -> None:
    for budget in (0, 1, 5, 6, 7, 8, 30, 31, 32, 33, 64):
        loss = Bowl()
        limits = {"max_evaluations": budget, "max_iterations": None}
        result = zoo.minimize(loss, np.full(M, 0.25), **keywords(case, **limits))
        assert result.nfev <= budget
        assert loss.calls == result.nfev + result.nfev_report
        optimizer = optimizer_of(case, **limits)
        spent = 0
        for query in queries(optimizer):
            spent += len(query)
            assert spent <= budget
            optimizer.tell(query.id, answer_to(query))
        assert optimizer.ask() is None
        assert spent == result.nfev == optimizer.evaluations
        if optimizer.status is zoo.Status.MAX_EVALUATIONS:
            following = optimizer_of(case, max_iterations=optimizer.state.t)
            assert run(following).evaluations > budget
        else:
            assert (case, optimizer.status) == ("stream", zoo.Status.STREAM_ENDED)


def test_after_the_last_iteration_there_is_nothing_to_ask() -> None:
    optimizer = run(optimizer_of("forward"))
    for _ in range(3):
        assert optimizer.ask() is None
    assert optimizer.status is zoo.Status.MAX_ITERATIONS
    assert optimizer.state.t - 1 == ITERATIONS
    assert optimizer_of("forward", max_iterations=0).ask() is None
    assert optimizer_of("forward", max_seconds=0.0).ask() is None


@pytest.mark.parametrize("limit", [{"max_evaluations": 12}, {"max_iterations": 2}], ids=str)
def test_a_query_that_was_not_given_cannot_be_told(limit: Keywords, tmp_path: Path) -> None:
    optimizer = run(optimizer_of("forward", **{"max_iterations": None, **limit}))
    before = contents(optimizer, tmp_path)
    with pytest.raises(ValueError, match="query 3 was not given by ask"):
        optimizer.tell(3, np.arange(5.0))
    assert contents(optimizer, tmp_path) == before


def test_a_query_given_in_time_can_be_told_late() -> None:
    optimizer = optimizer_of("forward", max_iterations=None, max_seconds=1.0)
    query = asked(optimizer)
    time.sleep(1.0)
    assert optimizer.ask() is None
    assert optimizer.status is zoo.Status.MAX_SECONDS
    assert optimizer.tell(query.id, answer_to(query)) is not None
    assert optimizer.ask() is None


@pytest.mark.parametrize(
    ("limit", "shown"),
    [({"max_iterations": 4}, 4), ({"max_evaluations": 3}, 1), ({"max_evaluations": 0}, 0)],
    ids=str,
)
def test_a_live_stream_is_not_asked_in_vain(limit: Keywords, shown: int) -> None:
    taken = []

    def live() -> Iterator[np.ndarray]:
        for w in DATA:
            taken.append(w)
            yield w

    result = zoo.minimize(
        Bowl(),
        np.zeros(M),
        settings="paper",
        observations=live(),
        gradient=zoo.paper.Smoothed(2),
        rng=0,
        **limit,
    )
    assert len(taken) == result.nit == shown


def test_what_is_told_is_copied() -> None:
    optimizer, undisturbed = optimizer_of("crossed"), run(optimizer_of("crossed"))
    for query in queries(optimizer):
        answer = answer_to(query)
        part = {0: answer[0, 0]}
        optimizer.tell(query.id, part)
        part[0] = 1e6
        optimizer.tell(query.id, answer)
        answer[:] = 1e6
    assert_same_result(optimizer.result(), undisturbed.result())


@pytest.mark.parametrize("seed", range(4))
def test_values_told_by_several_threads_all_arrive(seed: int) -> None:
    """Each thread tells some of the cells; interpreters switch often, in random places."""
    rng, before = np.random.default_rng(seed), sys.getswitchinterval()
    m, teams = 24, 6
    given = {"rng": seed, "settings": "paper", "max_iterations": 6}
    alone, shared = zoo.Optimizer(np.zeros(m), **given), zoo.Optimizer(np.zeros(m), **given)
    values = lambda points: np.square(points - 1).sum(axis=1)  # noqa: E731
    while (query := alone.ask()) is not None:
        alone.tell(query.id, values(query.points))
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(teams) as threads:
            while (query := shared.ask()) is not None:
                told, id = values(query.points), query.id
                shares = np.array_split(rng.permutation(query.cells), query.cells)
                parts = [{int(cell): told[cell] for cell in share} for share in shares]
                taken = list(threads.map(lambda part, id=id: shared.tell(id, part), parts))
                assert sum(info is not None for info in taken) == 1  # the step was taken, once
    finally:
        sys.setswitchinterval(before)
    assert shared.state.x.tobytes() == alone.state.x.tobytes()


@pytest.mark.parametrize("settings", ["auto", "paper"])
@pytest.mark.parametrize(
    "given",
    [
        {},
        {"regularizer": zoo.GroupL2(0.1, [[0, 1], [2]])},
        {"regularizer": zoo.L1(0.1), "constraint": zoo.Inequality(np.ones((1, 3)), -1.0, 1.0)},
    ],
    ids=["plain", "groups", "rows"],
)
def test_an_optimizer_can_be_copied(given: Keywords, settings: Any) -> None:
    run = zoo.Optimizer(np.zeros(3), max_iterations=4, rng=0, settings=settings, **given)
    twins = [copy.deepcopy(run), pickle.loads(pickle.dumps(run))]
    for each in (run, *twins):
        while (query := each.ask()) is not None:
            each.tell(query.id, np.square(query.points - 1).sum(axis=1))
    for twin in twins:
        assert run.result().x.tobytes() == twin.result().x.tobytes()


@pytest.mark.parametrize("seed", range(5))
def test_masked_values_of_another_size_and_cells_that_are_no_numbers_are_refused(seed: int) -> None:
    rng = np.random.default_rng(seed)
    run = zoo.Optimizer(
        np.zeros(3), observations=range(9), max_iterations=4, rng=seed, settings="paper",
        gradient=zoo.paper.Smoothed(int(rng.integers(1, 5)), int(rng.integers(1, 4))),
    )  # fmt: skip
    query = run.ask()
    assert query is not None
    right = math.prod(query.shape)
    for size in {*rng.integers(0, 4 * right, 6).tolist(), 2 * right} - {right}:
        with pytest.raises(ValueError, match=r"needs values of shape"):
            run.tell(query.id, np.ma.array(np.zeros(size), mask=np.arange(size) % 2 == 0))
    for cell in (True, False, np.True_, 0.0, "0", None):
        with pytest.raises(ValueError, match="has no cell"):
            run.tell(query.id, {cell: 1.0})
    for id in (True, float(query.id), str(query.id), None):
        with pytest.raises(ValueError, match="is unknown; the pending one is 1"):
            run.tell(id, np.zeros(query.shape))  # type: ignore[arg-type]
    assert run.tell(query.id, np.ma.zeros(query.shape)) is not None
