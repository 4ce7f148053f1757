"""Items that are shown once: one evaluation an item, any form of the loss, and refusals."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import zooadmm as zoo
from zooadmm.methods.auto.probe import items

M, N = 4, 600
ROWS = np.random.default_rng(0).standard_normal((N, M))
BEST = np.array([1.0, -0.5, 0.0, 2.0])
TARGETS = ROWS @ BEST + 0.1 * np.random.default_rng(1).standard_normal(N)


def of_row(x: np.ndarray, row: int) -> float:
    return float((ROWS[row] @ x - TARGETS[row]) ** 2) / 2


def shifted(x: np.ndarray, noise: float) -> float:
    """Noise that is the same everywhere."""
    return float(np.square(x - BEST).sum()) / 2 + noise


def run(loss: Any = of_row, items: Any = None, x0: Any = None, **given: Any) -> zoo.Result:
    seen = zoo.Once(range(N)) if items is None else items
    start = np.zeros(M) if x0 is None else x0
    return zoo.minimize(loss, start, observations=seen, **{"rng": 0, "progress": False, **given})


class Counting:
    """Which item was evaluated, in the order of calls."""

    def __init__(self) -> None:
        self.seen: list[int] = []

    def __call__(self, x: np.ndarray, row: int) -> float:
        self.seen.append(row)
        return of_row(x, row)


def test_each_item_is_evaluated_once_and_in_order() -> None:
    loss = Counting()
    result = run(loss)
    assert loss.seen == list(range(result.nfev))
    assert result.nfev_report == 0
    needed = re.search(r"last (\d+) items were .* takes (\d+)\.", result.message)
    assert needed is not None
    assert N - result.nfev == int(needed[1]) < int(needed[2])


def test_an_answer_from_one_value_an_item() -> None:
    result = run()
    assert np.abs(result.x - BEST).max() < 0.5  # from values that differ by 3 at x0
    assert "noise depends on x" in result.learned


def test_the_naive_twin_has_the_same_bits() -> None:
    """The loss as a closure over the iterator, which does not see the items of the queries."""
    source = iter(range(N))
    optimizer = zoo.Optimizer(np.zeros(M), observations=zoo.Once(["?"] * N), rng=0)
    while (query := optimizer.ask()) is not None:
        optimizer.tell(query.id, {cell: of_row(x, next(source)) for cell, x, _ in query})
    assert optimizer.result().x.tobytes() == run().x.tobytes()


def test_residual_feedback_is_that_of_a_stream() -> None:
    given: dict[str, Any] = {"settings": "paper", "step_size": 0.003, "smoothing": 0.5}
    given |= {"penalty": 1.0, "domain": zoo.Box(-3, 3)}
    once = run(**given)
    stream = run(items=zoo.Stream(range(N)), gradient=zoo.paper.Residual(), **given)
    assert once.x.tobytes() == stream.x.tobytes()
    assert (once.nfev, once.nfev_report, stream.nfev_report) == (N, 0, 1)


def test_even_noise_is_left_to_the_strategies_for_noisy_losses() -> None:
    noise = 0.1 * np.random.default_rng(2).standard_normal(N)
    result = run(shifted, zoo.Once(noise))
    assert "quadratic model" in result.learned
    assert np.abs(result.x - BEST).max() < 0.1


def test_items_that_agree_at_x0_are_not_taken_for_an_exact_loss() -> None:
    """A linear model that starts at 0 predicts the same for all."""
    signs = np.sign(ROWS @ BEST)

    def logistic(x: np.ndarray, row: int) -> float:
        return float(np.logaddexp(0.0, -signs[row] * (ROWS[row] @ x)))

    result = run(logistic, domain=zoo.Box(-3, 3))
    assert "no noise" not in result.learned
    assert (signs == np.sign(ROWS @ result.x)).mean() > 0.85


def test_rare_events_are_not_taken_for_an_exact_loss() -> None:
    """Most answers are 0, and most of the rest 1."""
    uniform = np.random.default_rng(3).random(2_000)

    def loss(x: np.ndarray, u: float) -> float:
        return float(u < 0.02 + 0.2 * np.square(x - 0.5).sum())

    result = run(loss, zoo.Once(uniform), np.zeros(2), domain=zoo.Box(-1, 1))
    assert np.square(result.x - 0.5).sum() < 0.25  # 0.5 at x0


class Batched:
    """The loss for many points at once, which sees one point with its item."""

    def values(self, points: np.ndarray, rows: Any) -> np.ndarray:
        assert (len(points), len(rows)) == (1, 1)
        return np.array([[of_row(points[0], rows[0])]])


def by_value() -> Any:
    """The loss as a worker can load it without this module."""
    rows, targets = ROWS, TARGETS
    return lambda x, row: float((rows[row] @ x - targets[row]) ** 2) / 2


@pytest.mark.parametrize(
    "given",
    [
        {"loss": Batched()},
        {"evaluator": zoo.evaluation.Threads(3)},
        {"loss": by_value(), "workers": 2},
        {"items": zoo.Once(iter(range(N))), "settings": zoo.Auto(budget=N)},
        {"items": zoo.Once(np.arange(N))},
    ],
    ids=["batched", "threads", "processes", "live", "array"],
)
def test_the_same_bits_however_it_is_evaluated(given: dict[str, Any]) -> None:
    assert run(**given).x.tobytes() == run().x.tobytes()


@pytest.mark.parametrize("cut", [1, 7, 60, 333])
@pytest.mark.parametrize("live", [False, True])
def test_a_resumed_run_is_the_unbroken_one(cut: int, live: bool, tmp_path: Path) -> None:
    file, told = tmp_path / "run.zoo", 0

    def optimizer(source: Any) -> zoo.Optimizer:
        settings = zoo.Auto(budget=N)
        return zoo.Optimizer(np.zeros(M), observations=zoo.Once(source), settings=settings, rng=0)

    source = iter(range(N)) if live else range(N)
    run_ = optimizer(source)
    while (query := run_.ask()) is not None:
        for cell, x, row in query:
            run_.tell(query.id, {cell: of_row(x, row)})
            told += 1
            if told == cut:  # amid a query
                run_.save(file)
                run_ = optimizer(source)
                run_.load(file)
    assert run_.result().x.tobytes() == run().x.tobytes()


def test_a_checkpoint_of_a_stream_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "run.zoo"
    zoo.Optimizer(np.zeros(M), observations=zoo.Stream(range(N)), rng=0).save(file)
    with pytest.raises(ValueError, match="observations"):
        zoo.Optimizer(np.zeros(M), observations=zoo.Once(range(N)), rng=0).load(file)


@pytest.mark.parametrize("count", [1, 2, 5, 13, 40, 97, 150])
def test_streams_that_end_early(count: int) -> None:
    result = run(items=zoo.Once(range(count)))
    assert result.status is zoo.Status.STREAM_ENDED
    assert result.nfev <= count
    assert np.isfinite(result.x).all()
    if result.nfev < count:
        assert "not evaluated: the next query takes" in result.message


def test_limits_count_items() -> None:
    result = run(max_evaluations=200)
    assert result.status is zoo.Status.MAX_EVALUATIONS
    assert 150 < result.nfev <= 200
    with pytest.raises(ValueError, match="empty stream"):
        run(items=zoo.Once([]))


def nan_sometimes(x: np.ndarray, row: int) -> float:
    return np.nan if row % 50 == 3 else of_row(x, row)


def nan_beyond(x: np.ndarray, row: int) -> float:
    return of_row(x, row) if np.abs(x).max() < 0.7 else np.inf


PROBLEMS: dict[str, dict[str, Any]] = {
    "L1": {"regularizer": zoo.L1(0.1)},
    "L1 in a box": {"regularizer": zoo.L1(0.1), "domain": zoo.Box(-1, 1)},
    "corner": {"domain": zoo.Box(0, 1)},
    "simplex": {"domain": zoo.Simplex(), "x0": np.full(M, 1 / M)},
    "two shares": {
        "loss": lambda x, row: 100.0 * np.sin(ROWS[row, :2] @ x),
        "domain": zoo.Simplex(),
        "x0": np.full(2, 0.5),
        "max_evaluations": 105,
    },
    "vertex": {"domain": zoo.Simplex(), "x0": np.eye(M)[0]},
    "ball": {"domain": zoo.sets.L2Ball(1.0)},
    "equality": {"constraint": zoo.Equality(np.ones((1, M)), [1.0]), "x0": np.full(M, 1 / M)},
    "inequality": {"constraint": zoo.Inequality(np.ones((1, M)), upper=1.0)},
    "fixed variable": {"domain": zoo.Box([0, -1, -1, -1], [0, 1, 1, 1])},
    "float32": {"x0": np.zeros(M, dtype=np.float32)},
    "NaN at times": {"loss": nan_sometimes},
    "infinite beyond": {"loss": nan_beyond},
    "constant": {"loss": lambda x, row: 1.0},
    "no noise": {"loss": lambda x, row: float(np.square(x - BEST).sum())},
    "huge": {"loss": lambda x, row: 1e90 * of_row(x, row)},
    "tiny": {"loss": lambda x, row: 1e-90 * of_row(x, row)},
    "one variable": {"loss": lambda x, row: (x[0] - TARGETS[row]) ** 2, "x0": np.zeros(1)},
    "known noise": {"settings": zoo.Auto(noise=3.0)},
    "drift": {"settings": zoo.Auto(horizon=50)},
    "given step": {"step_size": 0.01},
    "given gradient": {"gradient": zoo.paper.Smoothed(3)},
    "left out": {"settings": zoo.Auto(without=("model", "check", "scale", "radius"))},
    "dropped": {"loss": lambda x, row: of_row(x, row) if row % 40 else 1 / 0, "on_error": "drop"},
}


@pytest.mark.parametrize("name", PROBLEMS)
@pytest.mark.parametrize("seed", [0, 1])
def test_whatever_the_problem_the_answer_is_allowed(name: str, seed: int) -> None:
    given = {"rng": seed, **PROBLEMS[name]}
    result = run(**given)
    assert np.isfinite(result.x).all()
    assert result.x_violation <= 1e-9
    if "constraint" in given:
        excess = result.x.sum() - 1.0
        assert (abs(excess) if name == "equality" else excess) < 1e-8
    if name == "no noise":
        assert np.abs(result.x - BEST).max() < 0.1


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"settings": "follow"}, r'settings="follow" evaluates an item at several points'),
        ({"settings": "svrg", "step_size": 0.1}, "finite sample"),
        ({"settings": "compare"}, "without observations"),
        ({"evaluated": 1}, "without observations"),
        ({"settings": "paper"}, r"Once\(\) needs smoothing"),
        (
            {"settings": "paper", "gradient": zoo.paper.Smoothed(3), "smoothing": 0.1},
            r"gradient=Smoothed\(\) evaluates an item at several points.*give gradient=Residual",
        ),
        ({"gradient": zoo.paper.Smoothed(3, 2)}, "num_observations = 2 evaluates an item"),
        ({"gradient": zoo.paper.Paired(3)}, "Paired"),
        ({"regret": zoo.Regret(BEST)}, "regret evaluates items more than once"),
        ({"starts": 3, "max_evaluations": 90}, "starts evaluates items more than once"),
        ({"on_error": zoo.Retry(2)}, r"on_error=Retry\(\) evaluates an item again"),
    ],
)
def test_what_needs_an_item_twice_is_refused(given: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        run(domain=zoo.Box(-3, 3), **given)


def test_a_cell_has_one_worker() -> None:
    optimizer = zoo.Optimizer(np.zeros(M), observations=zoo.Once(range(N)), rng=0)
    cells = optimizer.ask(2)
    assert cells is not None
    assert [cell.observation for cell in cells] == [0, 1]
    with pytest.raises(ValueError, match="copies = 2 evaluates an item more than once"):
        optimizer.ask(2, copies=2)


@pytest.mark.parametrize("source", [3, "Ann", {"Ann": 1}])
def test_a_source_without_items_is_refused(source: Any) -> None:
    with pytest.raises(TypeError, match=r"Once\(\) needs items"):
        zoo.Once(source)


def test_the_items_of_a_frame_are_its_rows() -> None:
    frame = pd.DataFrame({"row": range(N), "name": "Ann"})
    result = run(lambda x, item: of_row(x, item["row"]), zoo.Once(frame))
    assert result.x.tobytes() == run().x.tobytes()


def test_items_that_were_too_few_are_the_first_of_the_next_query() -> None:
    class Waiting:
        """Whoever has come so far."""

        def __init__(self) -> None:
            self.came = list(range(20))

        def __iter__(self) -> Waiting:
            return self

        def __next__(self) -> int:
            if not self.came:
                raise StopIteration
            return self.came.pop(0)

    waiting = Waiting()
    optimizer = zoo.Optimizer(np.zeros(M), observations=zoo.Once(waiting), rng=0)
    assert optimizer.ask() is None
    assert "last 20 items were not evaluated" in optimizer.result().message
    waiting.came += range(20, 60)
    query = optimizer.ask()
    assert query is not None
    assert query.observations == tuple(range(items.number(0)))


def test_a_narrow_variable_leaves_even_noise_to_the_model() -> None:
    noise = np.random.default_rng(5).standard_normal(2_000)
    lower, upper = np.full(M, -3.0), np.full(M, 3.0)
    upper[0] = lower[0] + 0.1
    start = np.array([lower[0] + 0.05, 0.0, 0.0, 0.0])
    result = run(shifted, zoo.Once(noise), start, domain=zoo.Box(lower, upper))
    assert "quadratic model" in result.message
    assert np.abs(result.x[1:] - BEST[1:]).max() < 0.5


def test_a_loss_that_ends_nearby_does_not_end_the_run() -> None:
    generator = np.random.default_rng(6)
    rows = generator.standard_normal((3_000, M))
    targets = rows @ np.full(M, 0.4) + 0.1 * generator.standard_normal(3_000)

    def bounded(x: np.ndarray, row: int) -> float:
        return float((rows[row] @ x - targets[row]) ** 2) if np.abs(x).max() < 0.7 else np.inf

    result = run(bounded, zoo.Once(range(3_000)))
    assert np.abs(result.x - 0.4).max() < 0.2


def test_a_live_source_is_asked_for_no_more_than_a_query() -> None:
    taken = 0

    def source() -> Iterator[int]:
        nonlocal taken
        for row in range(N):
            taken += 1
            yield row

    optimizer = zoo.Optimizer(np.zeros(M), observations=zoo.Once(source()), rng=0)
    query = optimizer.ask()
    assert query is not None
    assert taken == query.evaluations == items.number(0)


@pytest.mark.parametrize("sigma", [0.7, 3.0])
def test_the_noise_of_a_squared_error_is_uneven(sigma: float) -> None:
    """sqrt 2 F: 1 + sqrt(2) LENGTH / 2 times as much at a second difference of LENGTH sigma."""
    ratio = 1.0 + np.sqrt(2.0) * items.LENGTH / 2.0
    random, x = np.random.default_rng(4), np.zeros(3)
    domain = zoo.sets.WholeSpace()

    def values(points: np.ndarray) -> np.ndarray:
        """Of a normal residual with variance sigma^2 + |x|^2."""
        spread = np.sqrt(sigma**2 + np.square(points).sum(axis=1, keepdims=True))
        return np.square(spread * random.standard_normal((len(points), 2))) / 2

    known = items.at_start(x, values(np.zeros((40_000, 3)))[:, 0], domain)
    found: list[float] = []
    for _ in range(2):
        query = items.query(1, x, known.trial, (0, 0), 0, None)
        points = np.repeat(query.candidates, 2_000, axis=0)
        wide = type(query)(1, points, None, 2)
        seen = items.read(x, wide, values(points), known)
        found.append(seen.noise / known.noise)
        known = items.further(x, known, seen, domain) or known
    assert found[-1] == pytest.approx(ratio, rel=0.1)
