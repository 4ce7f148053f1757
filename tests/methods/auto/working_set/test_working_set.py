"""Many variables of which few matter: found in groups, worked on by a model, then certified."""

from __future__ import annotations

import itertools
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import Lasso

import zooadmm as zoo
from twins.problems import make_problem
from zooadmm.losses import Squares
from zooadmm.methods.auto.model import Model
from zooadmm.methods.auto.model.descent import First
from zooadmm.methods.auto.working_set import WorkingSet, WorkingState, bisection, sparse_coordinates
from zooadmm.methods.auto.working_set.entries import Entries, EntriesQuery, rows
from zooadmm.run.checkpoint.plain import packed, restored
from zooadmm.structure.splitting import Solved

M, ROWS = 1700, 200
GENERATOR = np.random.default_rng(0)
FEATURES = GENERATOR.standard_normal((ROWS, M))
TRUTH = np.zeros(M)
TRUTH[GENERATOR.choice(M, 8, replace=False)] = 3.0 * GENERATOR.choice([-1.0, 1.0], 8)
OUTCOME = FEATURES @ TRUTH + 0.3 * GENERATOR.standard_normal(ROWS)
STRENGTH = 0.15 * 2.0 * float(np.abs(FEATURES.T @ OUTCOME).max()) / ROWS
UNITS = 10.0 ** GENERATOR.uniform(-2.0, 2.0, M)
FEW_FREE = np.where(np.arange(M) < 3, 0.0, 1.0)
SOME_FIXED = np.where(np.arange(M) % 8 > 0, 4.0, 0.0)


def solved(features: np.ndarray = FEATURES, **keywords: Any) -> Any:
    loss = Squares(features, OUTCOME)
    given = {"regularizer": zoo.L1(STRENGTH), "max_evaluations": 20_000, "rng": 0, **keywords}
    return zoo.minimize(loss, np.zeros(M), **given)


def violation(
    x: np.ndarray, slopes: np.ndarray, w: np.ndarray, lower: Any, upper: Any
) -> np.ndarray:
    """How far the conditions of optimality are from being met, in units of w."""
    shrunk = np.sign(slopes) * np.maximum(np.abs(slopes) - w, 0.0)
    rest = np.where(x == 0.0, shrunk, slopes + w * np.sign(x))
    rest = np.where((x <= lower) & (rest > 0.0), 0.0, rest)
    rest = np.where((x >= upper) & (rest < 0.0), 0.0, rest)
    return np.abs(rest) / np.where(w > 0.0, w, np.median(w))


def test_the_optimum_of_coordinate_descent() -> None:
    result = solved()
    lasso = Lasso(STRENGTH / 2.0, fit_intercept=False, tol=1e-12, max_iter=100_000)
    other = lasso.fit(FEATURES, OUTCOME).coef_
    assert result.status == zoo.Status.SETTLED
    assert result.success
    np.testing.assert_allclose(result.x, other, atol=1e-5)
    assert np.array_equal(np.flatnonzero(result.x), np.flatnonzero(other))
    assert result.nfev < 3 * M
    assert f"of {M} variables were found to matter" in result.message
    assert "Each of the others was measured by itself." in result.message


CASES: dict[str, tuple[np.ndarray, dict[str, Any], np.ndarray, Any, Any]] = {
    "every variable in its own unit": (
        FEATURES / UNITS,
        {"regularizer": zoo.L1(STRENGTH, 1.0 / UNITS)},
        STRENGTH / UNITS,
        -np.inf,
        np.inf,
    ),
    "some without a penalty": (
        FEATURES,
        {"regularizer": zoo.L1(STRENGTH, FEW_FREE)},
        STRENGTH * FEW_FREE,
        -np.inf,
        np.inf,
    ),
    "a box for x": (
        FEATURES,
        {"domain": zoo.Box(-2.0, 2.5)},
        np.full(M, STRENGTH),
        -2.0,
        2.5,
    ),
    "bounds for y, some of them at zero": (
        FEATURES,
        {"regularizer": zoo.regularizers.Within(zoo.L1(STRENGTH), zoo.Box(-4.0, SOME_FIXED))},
        np.full(M, STRENGTH),
        -4.0,
        SOME_FIXED,
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_the_conditions_of_optimality(name: str) -> None:
    features, keywords, w, lower, upper = CASES[name]
    result = solved(features, **keywords)
    assert result.status == zoo.Status.SETTLED
    slopes = Squares(features, OUTCOME).gradient(result.x)
    assert violation(result.x, slopes, w, lower, upper).max() < 2e-3
    assert np.count_nonzero(result.x) < 50
    assert np.all(lower <= result.x)
    assert np.all(result.x <= upper)


FAR = np.zeros(M)
FAR[[3, 50, 700]] = 5.0, -5.0, 5.0


def bowl(x: np.ndarray) -> float:
    return 0.5 * float(np.square(x - FAR).sum())


@pytest.mark.parametrize("probes", ["anywhere", "inside"])
@pytest.mark.parametrize(
    ("at_zero", "room"),
    [(0.0, 1.5), (bowl(np.zeros(M)), 1e-9)],
    ids=["a loss of 0", "hardly any room"],
)
def test_no_room_is_too_little_for_a_look(at_zero: float, room: float, probes: Any) -> None:
    """A first length that is too long for the box leaves nobody out."""
    offset = at_zero - bowl(np.zeros(M))
    result = zoo.minimize(
        lambda x: bowl(x) + offset,
        np.zeros(M),
        regularizer=zoo.L1(0.01),
        domain=zoo.Box(-room, room),
        settings=zoo.Auto(probes=probes),
        max_evaluations=9000,
        rng=0,
    )
    assert result.status == zoo.Status.SETTLED
    np.testing.assert_allclose(result.x, np.clip(FAR, -room, room), rtol=1e-12)
    assert result.nfev < 3 * M


def test_some_have_room_and_some_have_none() -> None:
    room = np.where(np.arange(M) % 2 > 0, 1e-9, 2.0)
    result = zoo.minimize(
        lambda x: bowl(x) - bowl(np.zeros(M)),
        np.zeros(M),
        regularizer=zoo.L1(0.01),
        domain=zoo.Box(-0.5 * room, room),
        max_evaluations=9000,
        rng=0,
    )
    assert result.status == zoo.Status.SETTLED
    np.testing.assert_array_equal(result.x, np.clip(FAR, -0.5 * room, room))


def test_a_lasso_whose_loss_is_zero_at_zero() -> None:
    """f(x) - f(0): the run is that of f, but for rounding."""
    loss = Squares(FEATURES, OUTCOME)
    shifted = zoo.Loss(values=lambda p: loss.values(p) - loss(np.zeros(M)))
    result = zoo.minimize(
        shifted,
        np.zeros(M),
        regularizer=zoo.L1(STRENGTH),
        domain=zoo.Box(-1.5, 1.5),
        max_evaluations=20_000,
        rng=0,
    )
    assert result.status == zoo.Status.SETTLED
    slopes = loss.gradient(result.x)
    assert violation(result.x, slopes, np.full(M, STRENGTH), -1.5, 1.5).max() < 2e-3


def test_a_start_outside_the_bounds_of_y_is_brought_inside() -> None:
    """The first of the three far ones is fixed: what it was at x0 is no part of the loss told."""
    upper = np.where(np.arange(M) == 3, 0.0, 1.0)
    result = zoo.minimize(
        bowl,
        FAR,
        regularizer=zoo.regularizers.Within(zoo.L1(0.01), zoo.Box(-upper, upper)),
        max_evaluations=9000,
        rng=0,
    )
    assert result.status == zoo.Status.SETTLED
    np.testing.assert_array_equal(result.x, np.clip(FAR, -upper, upper))
    assert result.fun == pytest.approx(bowl(result.x) + 0.02)
    assert result.nfev < 2 * M


def test_nothing_is_evaluated_outside_where_that_is_forbidden() -> None:
    loss, least = Squares(FEATURES, OUTCOME), 0.0

    def values(points: np.ndarray) -> np.ndarray:
        nonlocal least
        least = min(least, float(points.min()))
        return loss.values(points)

    result = zoo.minimize(
        zoo.Loss(values=values),
        np.zeros(M),
        regularizer=zoo.L1(2.0 * STRENGTH),
        domain=zoo.Nonnegative(),
        settings=zoo.Auto(probes="inside"),
        max_evaluations=3000,
        rng=0,
    )
    assert least == 0.0
    assert np.count_nonzero(result.x) > 0
    assert result.x.min() >= 0.0


def test_a_start_with_few_nonzeros_goes_on_from_there() -> None:
    """From half of the truth; from zero so few evaluations are too few."""
    given: dict[str, Any] = {"regularizer": zoo.L1(STRENGTH), "max_evaluations": 300, "rng": 0}
    x0_half = 0.5 * TRUTH
    result = zoo.minimize(Squares(FEATURES, OUTCOME), x0_half, **given)
    least = objective(solved().x)
    assert objective(result.x) - least < 1e-3 * (objective(x0_half) - least)
    assert objective(solved(max_evaluations=300).x) > objective(x0_half)


@pytest.mark.parametrize(
    ("budget", "said"),
    [
        (9000, "way, and no step was taken. Each of the others was measured by itself."),
        (400, "way, and no step was taken. The run ended before each was measured by itself."),
    ],
)
def test_what_is_said_where_zero_is_the_answer(budget: int, said: str) -> None:
    loss = zoo.Loss(values=lambda p: 0.5 * np.square(p).sum(axis=1) - p[:, 0])
    result = zoo.minimize(loss, np.zeros(M), regularizer=zoo.L1(2.0), max_evaluations=budget, rng=0)
    assert not result.x.any()
    assert result.message.endswith(said)


def test_what_is_said_of_a_run_that_ended_before_its_first_step() -> None:
    message = solved(max_evaluations=300).message
    assert message.endswith("ended before the first step by a model of the loss on these.")


def test_a_loss_without_a_bound_is_doubted() -> None:
    loss = zoo.Loss(values=lambda p: 1.0 - p[:, 0] - 3.0 * p[:, 5])
    given: dict[str, Any] = {"regularizer": zoo.L1(0.5), "max_evaluations": 9000, "rng": 0}
    result = zoo.minimize(loss, np.zeros(M), **given)
    assert not result.success
    assert "is the loss bounded below? Else give a domain." in result.message
    inside = zoo.minimize(loss, np.zeros(M), domain=zoo.Box(-1.0, 1.0), **given)
    assert inside.success
    assert "bounded below" not in inside.message


STAGES = ["search", "start", "descend", "whole"]


def run_from(path: Path | None = None, saved: Path | None = None) -> zoo.Optimizer:
    """A run to its end, from a file if there is one, that saves itself where each stage begins."""
    loss = Squares(FEATURES, OUTCOME)
    run = zoo.Optimizer(np.zeros(M), regularizer=zoo.L1(STRENGTH), max_evaluations=9000, rng=3)
    if path is not None:
        run.load(path)
    while (query := run.ask()) is not None:
        model = run._state.learned.state
        if saved is not None and isinstance(model, WorkingState) and model.steps != 1:
            stage = saved / model.stage
            if not stage.exists():
                run.save(stage)
        run.tell(query.id, loss.values(query.points).reshape(query.shape))
    return run


@pytest.fixture(scope="module")
def unbroken(tmp_path_factory: pytest.TempPathFactory) -> tuple[zoo.Optimizer, Path]:
    saved = tmp_path_factory.mktemp("stages")
    return run_from(saved=saved), saved


@pytest.mark.xdist_group("working set")  # whose unbroken run is made once
@pytest.mark.parametrize("stage", STAGES)
def test_a_run_that_was_stopped_goes_on_bit_for_bit(
    unbroken: tuple[zoo.Optimizer, Path], stage: str
) -> None:
    whole, saved = unbroken
    other = run_from(saved / stage)
    assert other.evaluations == whole.evaluations
    assert other.result().x.tobytes() == whole.result().x.tobytes()


def test_what_is_known_survives_being_written_down() -> None:
    problem = make_problem(np.zeros(5), zoo.L1(1.0), zoo.Box(-1.0, 1.0), zoo.problem.Consensus())
    parts = sparse_coordinates(problem)
    assert parts is not None
    zero, normals = np.zeros(5), np.random.default_rng(0).standard_normal
    first = First(Solved(zero, zero, zero), 1.0, 1.0, 1e-15)
    known = WorkingSet(problem, parts).init(first, lambda k, n: normals((k, n)))
    arrays: dict[str, np.ndarray] = {}
    back = restored(Model | WorkingState | None, packed(known, arrays, "known"), arrays)
    assert isinstance(back, WorkingState)
    np.testing.assert_equal(back, known)


def test_memory_stays_a_few_vectors() -> None:
    """A matrix of all points would take m^2 numbers, 3.2 GB here."""
    m = 20_000
    curvature = np.linspace(0.5, 2.0, m)
    center = np.zeros(m)
    center[::4000] = 3.0

    def values(points: np.ndarray) -> np.ndarray:
        return np.array([float(curvature @ np.square(x - center)) for x in points])

    tracemalloc.start()
    try:
        result = zoo.minimize(
            zoo.Loss(values=values),
            np.zeros(m),
            regularizer=zoo.L1(0.5),
            max_evaluations=2500,
            rng=0,
        )
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 60 * 8 * m
    assert np.flatnonzero(result.x).tolist() == list(range(0, m, 4000))
    np.testing.assert_allclose(result.x[::4000], 3.0 - 0.25 / curvature[::4000], rtol=1e-5)


def searched(slopes: np.ndarray, spoiled: int | None = None) -> tuple[bisection.Search, int]:
    """A search among variables with these slopes; a group with the spoiled one has no value."""
    n = len(slopes)
    generator = np.random.default_rng(1)
    every = np.ones(n, dtype=bool)
    order, signs = generator.permutation(n), generator.choice([-1.0, 1.0], n)
    search = bisection.init(order, signs, every, every, 1.0)
    used = 0
    while True:
        starts, columns, moves = bisection.points(search, np.ones(n))
        values = np.add.reduceat(slopes[columns] * moves, starts[:-1])
        if spoiled is not None:
            values[np.logical_or.reduceat(columns == spoiled, starts[:-1])] = np.nan
        used += len(values)
        search = bisection.read(search, values)
        if bisection.is_over(search):
            return search, used


def test_a_search_finds_the_few_that_matter() -> None:
    slopes = 0.05 * np.random.default_rng(2).standard_normal(4000)
    slopes[[7, 700, 3999]] = 3.0, -4.0, 2.0
    search, used = searched(slopes)
    assert bisection.found(search).tolist() == [700, 7, 3999]
    assert used < 500


def test_a_search_goes_round_what_has_no_value() -> None:
    slopes = np.zeros(300)
    slopes[[5, 60]] = 3.0, -4.0
    search, _ = searched(slopes, spoiled=200)
    assert bisection.found(search).tolist() == [60, 5]


def test_a_search_takes_no_more_values_than_there_are_variables() -> None:
    slopes = np.random.default_rng(3).choice([-2.0, 2.0], 500)
    search, used = searched(slopes)
    assert used <= 500
    np.testing.assert_allclose(np.abs(search.slopes[search.stops - search.starts == 1]), 2.0)


@pytest.mark.parametrize("n", [150, 300, 400])
@pytest.mark.parametrize(("part", "dense"), [(0.95, True), (0.2, False), (0.01, False)])
def test_where_most_variables_matter_a_search_ends_early(n: int, part: float, dense: bool) -> None:
    generator = np.random.default_rng(n)
    matter = generator.random(n) < part
    slopes = np.where(matter, 30.0, 0.3) * generator.standard_normal(n)
    every = np.ones(n, dtype=bool)
    search = bisection.init(generator.permutation(n), np.ones(n), every, every, 1.0)
    while not search.used or not (bisection.is_over(search) or bisection.is_dense(search)):
        starts, columns, moves = bisection.points(search, np.ones(n))
        search = bisection.read(search, np.add.reduceat(slopes[columns] * moves, starts[:-1]))
    assert bisection.is_dense(search) == dense
    assert not dense or search.used[-1] <= 128


def test_a_dense_l1_problem_is_solved_without_a_whole_search() -> None:
    generator = np.random.default_rng(5)
    A = generator.standard_normal((400, 100))
    loss = Squares(A, A @ generator.choice([-1.0, 1.0], 100))
    searches = []
    run = zoo.Optimizer(np.zeros(100), regularizer=zoo.L1(0.05), rng=0)
    while (query := run.ask()) is not None and run.evaluations < 2_000:
        state = run.state.learned.state
        if isinstance(state, WorkingState) and state.stage == "search" and state.steps == 0:
            searches.append(query.evaluations)
        run.tell(query.id, zoo.evaluation.InProcess(loss)(query))
    assert sum(searches) == 64


def test_points_are_x_but_for_some_entries() -> None:
    x = np.arange(4.0)
    entries = Entries(np.array([0, 2, 2, 3]), np.array([3, 0, 1]), np.array([9.0, 8.0, 7.0]))
    query = EntriesQuery(1, x, entries)
    expected = np.array([[8.0, 1.0, 2.0, 9.0], x, [0.0, 7.0, 2.0, 3.0]])
    np.testing.assert_array_equal(query.points, expected)
    assert query.shape == (3, 1)
    square = EntriesQuery(1, x, rows(np.array([[5.0, 6.0], [7.0, 8.0]]), np.array([2, 0])))
    np.testing.assert_array_equal(square.points, [[6.0, 1.0, 5.0, 3.0], [8.0, 1.0, 7.0, 3.0]])


@pytest.mark.parametrize(
    ("regularizer", "domain", "fits"),
    [
        (zoo.L1(1.0), zoo.sets.WholeSpace(), True),
        (zoo.ElasticNet(1.0, 2.0), zoo.Nonnegative(), True),
        (zoo.L1(0.0), zoo.sets.WholeSpace(), False),
        (zoo.L1(1.0), zoo.Box(0.5, 1.0), False),
        (zoo.L1(1.0), zoo.Simplex(1.0), False),
        (zoo.regularizers.SquaredL2(1.0), zoo.sets.WholeSpace(), False),
    ],
)
def test_where_zeros_can_be_left_alone(regularizer: Any, domain: Any, fits: bool) -> None:
    x = domain.project(np.full(2000, 0.6))
    problem = make_problem(x, regularizer, domain, zoo.problem.Consensus())
    assert (sparse_coordinates(problem) is not None) is fits


def test_tables_of_a_piece_are_those_of_the_whole() -> None:
    """At m = 100,000 two points make a table: workers are given pieces between seams."""
    m = 100_000
    x = np.zeros(m)
    asked = Entries(np.arange(8), np.arange(7) * 11, np.arange(7) + 1.0)
    query = EntriesQuery(0, x, asked)
    seams = query.seams()
    assert seams == [0, 2, 4, 6, 7]
    for start, stop in itertools.pairwise(seams):
        (piece,) = query.tables_within(start, stop)
        assert piece.points.shape == (stop - start, m)
        assert np.flatnonzero(piece.points.sum(axis=0)).tolist() == [
            11 * k for k in range(start, stop)
        ]


def test_noise_is_left_to_the_method_for_it() -> None:
    loss, generator = Squares(FEATURES, OUTCOME), np.random.default_rng(5)
    noisy = zoo.Loss(values=lambda p: loss.values(p) + 1e-3 * generator.standard_normal(len(p)))
    result = zoo.minimize(
        noisy, np.zeros(M), regularizer=zoo.L1(STRENGTH), max_evaluations=3000, rng=0
    )
    assert "variables were found to matter" not in result.message
    assert "Learned: noise 0.00" in result.message


def test_noise_that_appears_on_the_way_is_left_to_it_too() -> None:
    loss, generator = Squares(FEATURES, OUTCOME), np.random.default_rng(5)

    def values(points: np.ndarray) -> np.ndarray:
        far = np.abs(points).max(axis=1) > 0.5
        return loss.values(points) + 1e-3 * far * generator.standard_normal(len(points))

    result = zoo.minimize(
        zoo.Loss(values=values),
        np.zeros(M),
        regularizer=zoo.L1(STRENGTH),
        max_evaluations=9000,
        rng=0,
    )
    assert "noise 0.00" in result.message
    assert objective(result.x) < 0.9 * objective(np.zeros(M))


def objective(x: np.ndarray) -> float:
    return float(Squares(FEATURES, OUTCOME)(x)) + STRENGTH * float(np.abs(x).sum())


def test_it_can_be_left_out() -> None:
    result = solved(settings=zoo.Auto(without=["model"]), max_evaluations=4000)
    assert "variables were found to matter" not in result.message
    assert objective(result.x) > 1.1 * objective(solved().x)


def test_a_set_that_is_outgrown_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """Four of eight variables that matter fit in; the run goes on with all of them."""
    monkeypatch.setattr("zooadmm.methods.auto.working_set.descent_on_few.MOST_MODELED", 4)
    result = solved(max_evaluations=12_000)
    assert result.nfev > 11_000
    assert "by a limited-memory model" in result.message
    assert objective(result.x) < 0.8 * objective(np.zeros(M))
