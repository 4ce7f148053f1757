"""What an iteration's observations are, for every kind of them."""

from __future__ import annotations

import collections
from collections.abc import Iterable, Iterator
from typing import Any, get_args

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

import zooadmm as zoo
from zooadmm.oracle.observations import Order, StreamEnded, as_observations
from zooadmm.oracle.randomness import key_from

ORDERS = get_args(Order)
KEY, OTHER = key_from(1), key_from(2)

every_order = pytest.mark.parametrize("order", ORDERS)


def drawn(samples: zoo.Samples, t: int, count: int, key: Any = KEY) -> list[Any]:
    return list(samples.draw(t, count, key, ()))


# Samples


@every_order
def test_a_draw_is_a_pure_function_of_key_and_t(order: str) -> None:
    samples = zoo.Samples(np.arange(23), order=order)
    forward = {t: drawn(samples, t, 5) for t in range(1, 40)}
    fresh = zoo.Samples(np.arange(23), order=order)
    for t in np.random.default_rng(0).permutation(np.arange(1, 40)):
        drawn(samples, 7, 2, OTHER)  # another run draws in between
        assert drawn(fresh, int(t), 5) == forward[t]
        assert drawn(samples, int(t), 5, (KEY[0], KEY[1])) == forward[t]


@every_order
def test_an_array_and_a_sequence_give_the_same(order: str) -> None:
    array = np.arange(60).reshape(20, 3)
    rows = [list(row) for row in array]
    for t in range(1, 12):
        of_array = zoo.Samples(array, order=order).draw(t, 6, KEY, ())
        of_rows = zoo.Samples(rows, order=order).draw(t, 6, KEY, ())
        assert isinstance(of_array, np.ndarray)
        assert of_array.shape == (6, 3)
        assert isinstance(of_rows, list)
        assert of_array.tolist() == of_rows


@every_order
def test_everything_that_can_come_comes_and_nothing_else(order: str) -> None:
    samples = zoo.Samples(np.arange(9), order=order)
    seen = collections.Counter(w for t in range(1, 301) for w in drawn(samples, t, 3))
    assert set(seen) == set(range(9))
    assert min(seen.values()) > 50  # 100 each on average, standard deviation 9.4 at most


@pytest.mark.parametrize("order", ["with replacement", "without replacement", "epochs"])
def test_another_key_gives_other_draws(order: str) -> None:
    samples = zoo.Samples(np.arange(1000), order=order)
    for t in (1, 2, 1000):
        assert drawn(samples, t, 10) != drawn(samples, t, 10, OTHER)
        assert drawn(samples, t, 10) != drawn(samples, t + 1, 10)


def test_with_replacement_repeats_and_has_no_limit() -> None:
    samples = zoo.Samples([10, 20], order="with replacement")
    samples.fits(100)
    assert set(drawn(samples, 1, 100)) == {10, 20}


def test_without_replacement_nothing_comes_twice_in_an_iteration() -> None:
    samples = zoo.Samples(np.arange(12), order="without replacement")
    for t in range(1, 200):
        assert len(set(drawn(samples, t, 9))) == 9
    assert sorted(drawn(samples, 1, 12)) == list(range(12))
    samples.fits(12)
    with pytest.raises(ValueError, match="num_observations = 13 cannot be drawn without replace"):
        samples.fits(13)


@pytest.mark.parametrize(("n", "count"), [(10, 1), (10, 3), (10, 10), (4, 7), (1, 3)])
def test_an_epoch_visits_everything_once(n: int, count: int) -> None:
    samples = zoo.Samples(np.arange(n), order="epochs")
    iterations = 6 * n
    sequence = [w for t in range(1, iterations + 1) for w in drawn(samples, t, count)]
    epochs = np.reshape(sequence[: len(sequence) // n * n], (-1, n))
    np.testing.assert_array_equal(np.sort(epochs, axis=1), np.tile(np.arange(n), (len(epochs), 1)))
    if n == 10:
        assert len({tuple(epoch) for epoch in epochs}) == len(epochs)  # reshuffled each time


@pytest.mark.parametrize(("n", "count"), [(5, 1), (5, 3), (5, 5), (3, 7)])
def test_in_order_starts_over_after_the_last(n: int, count: int) -> None:
    samples = zoo.Samples(np.arange(n), order="in order")
    sequence = [w for t in range(1, 12) for w in drawn(samples, t, count)]
    assert sequence == [i % n for i in range(11 * count)]


@every_order
def test_the_report_is_fixed_and_says_whether_it_is_complete(order: str) -> None:
    samples = zoo.Samples(np.arange(30), order=order)
    everything, exact = samples.report(5, 30, KEY, ())
    assert exact
    assert list(everything) == list(range(30))
    some, exact = samples.report(5, 10, KEY, ())
    assert not exact
    assert len(set(some)) == 10
    again, _ = samples.report(99, 10, KEY, ())
    assert list(some) == list(again)
    other, _ = samples.report(5, 10, OTHER, ())
    assert list(some) != list(other)


@pytest.mark.parametrize("values", [[], (), np.empty(0), np.empty((0, 4)), range(0)])
def test_empty_samples_are_refused(values: Any) -> None:
    with pytest.raises(ValueError, match="observations is empty: give at least one"):
        zoo.Samples(values)


@pytest.mark.parametrize("values", [iter([1, 2]), (i for i in range(3)), {1, 2}, 5, np.array(5.0)])
def test_samples_need_an_array_or_a_sequence(values: Any) -> None:
    with pytest.raises(TypeError, match="observations must be an array or a sequence"):
        zoo.Samples(values)


def test_samples_take_a_dataframe_with_any_index() -> None:
    frame = pd.DataFrame({"a": [1.0, 2.0, 3.0], "b": [4.0, 5.0, 6.0]}, index=["p", "q", "r"])
    samples = zoo.Samples(frame, order="in order")
    np.testing.assert_array_equal(samples.draw(1, 2, KEY, ()), [[1.0, 4.0], [2.0, 5.0]])
    assert drawn(zoo.Samples(frame["b"], order="in order"), 2, 2) == [6.0, 4.0]


def test_an_unknown_order_is_refused() -> None:
    with pytest.raises(ValueError, match=r"order must be .*epochs.*, not 'random'"):
        zoo.Samples([1], order="random")  # type: ignore[arg-type]


# Samples, however many at a time

COUNTS = (3, 1, 7, 2, 25, 1, 1, 10, 4, 6)


def followed(observations: Any, counts: Iterable[int], key: Any = KEY) -> list[list[Any]]:
    """What consecutive calls of `next` show."""
    shown, position = [], 0
    for count in counts:
        shown.append(list(observations.next(position, count, key)))
        position += count
    return shown


@every_order
def test_next_gives_as_many_as_are_wanted_of_what_there_is(order: str) -> None:
    shown = followed(zoo.Samples(np.arange(40), order=order), COUNTS * 20)
    assert [len(batch) for batch in shown] == [*COUNTS] * 20
    seen = collections.Counter(w for batch in shown for w in batch)
    assert set(seen) == set(range(40))
    assert min(seen.values()) > 10  # 30 each on average, standard deviation 5.4 at most


@every_order
def test_next_is_a_pure_function_of_key_and_position(order: str) -> None:
    samples, places = zoo.Samples(np.arange(23), order=order), np.cumsum((0, *COUNTS[:-1]))
    forward = followed(samples, COUNTS)
    fresh = zoo.Samples(np.arange(23), order=order)
    for k in np.random.default_rng(0).permutation(len(COUNTS)):
        samples.next(7, 2, OTHER)  # another run draws in between
        for one in (samples, fresh):
            assert list(one.next(int(places[k]), COUNTS[k], (KEY[0], KEY[1]))) == forward[k]


@every_order
def test_next_of_an_array_and_of_a_sequence_is_the_same(order: str) -> None:
    array = np.arange(60).reshape(20, 3)
    rows = [list(row) for row in array]
    for position in (0, 5, 19, 20, 33):
        of_array = zoo.Samples(array, order=order).next(position, 6, KEY)
        of_rows = zoo.Samples(rows, order=order).next(position, 6, KEY)
        assert isinstance(of_array, np.ndarray)
        assert of_array.shape == (6, 3)
        assert isinstance(of_rows, list)
        assert of_array.tolist() == of_rows


@pytest.mark.parametrize("order", ["with replacement", "without replacement", "epochs"])
def test_another_key_or_place_gives_other_observations(order: str) -> None:
    samples = zoo.Samples(np.arange(1000), order=order)
    for position in (0, 10, 990, 5000):
        shown = list(samples.next(position, 10, KEY))
        assert shown != list(samples.next(position, 10, OTHER))
        assert shown != list(samples.next(position + 10, 10, KEY))


@pytest.mark.parametrize("n", [1, 4, 10, 60])
def test_epochs_follow_each_other_without_a_gap(n: int) -> None:
    """However the calls cut them: an epoch shows every observation once, in an order of its own."""
    samples = zoo.Samples(np.arange(n), order="epochs")
    sequence = [w for batch in followed(samples, COUNTS * 5) for w in batch]
    assert sequence == list(samples.next(0, len(sequence), KEY))
    assert sequence == [w for t in range(1, len(sequence) + 1) for w in drawn(samples, t, 1)]
    epochs = np.reshape(sequence[: len(sequence) // n * n], (-1, n))
    np.testing.assert_array_equal(np.sort(epochs, axis=1), np.tile(np.arange(n), (len(epochs), 1)))
    if n >= 10:
        assert len({tuple(epoch) for epoch in epochs}) == len(epochs)  # reshuffled each time


@pytest.mark.parametrize("n", [1, 4, 10, 60])
def test_in_order_goes_on_where_it_was(n: int) -> None:
    samples = zoo.Samples(np.arange(n), order="in order")
    sequence = [w for batch in followed(samples, COUNTS * 5) for w in batch]
    assert sequence == [i % n for i in range(5 * sum(COUNTS))]


def test_without_replacement_nothing_comes_twice_in_a_call() -> None:
    samples = zoo.Samples(np.arange(12), order="without replacement")
    for position in range(200):
        assert len(set(samples.next(position, 9, KEY))) == 9
    assert sorted(samples.next(3, 12, KEY)) == list(range(12))


def test_with_replacement_a_call_repeats() -> None:
    shown = zoo.Samples(np.arange(50), order="with replacement").next(0, 50, KEY)
    assert len(set(shown)) < 45  # all 50 with probability 50!/50^50


# Stream


def windows(stream: zoo.Stream, iterations: int, count: int) -> list[tuple[Any, ...]]:
    """What the iterations see, with the window handed on as the state does."""
    seen: list[tuple[Any, ...]] = []
    window: tuple[Any, ...] = ()
    for t in range(1, iterations + 1):
        window = stream.draw(t, count, KEY, window)
        seen.append(window)
    return seen


def test_a_window_slides_and_is_shorter_at_first() -> None:
    assert windows(zoo.Stream(range(1, 6)), 5, 3) == [
        (1,),
        (2, 1),
        (3, 2, 1),
        (4, 3, 2),
        (5, 4, 3),
    ]


def test_a_window_of_one_is_the_newest() -> None:
    assert windows(zoo.Stream("abc"), 3, 1) == [("a",), ("b",), ("c",)]


def test_a_stream_ends() -> None:
    stream = zoo.Stream([1, 2])
    windows(stream, 2, 1)
    with pytest.raises(StreamEnded):
        stream.draw(3, 1, KEY, (2,))


@pytest.mark.parametrize("source", [[], (), iter([]), {}, (w for w in ())])
def test_an_empty_stream_is_refused_at_the_first_draw(source: Any) -> None:
    with pytest.raises(ValueError, match="observations is an empty stream"):
        zoo.Stream(source).draw(1, 1, KEY, ())


def test_a_stream_needs_an_iterable() -> None:
    with pytest.raises(TypeError, match=r"Stream needs an iterable; .* Time\(\)"):
        zoo.Stream(lambda t: t)  # type: ignore[arg-type]


class Ten:
    """Can be iterated again from the beginning, and says how often it was."""

    def __init__(self) -> None:
        self.begun = 0

    def __iter__(self) -> Iterator[int]:
        self.begun += 1
        return iter(range(10))


def test_what_can_be_iterated_again_is_rewound() -> None:
    source = Ten()
    stream = zoo.Stream(source)
    assert not stream.live
    assert source.begun == 0
    assert windows(stream, 4, 1)[-1] == (3,)
    stream.resume(2)
    assert stream.draw(3, 2, KEY, (1,)) == (2, 1)
    stream.resume(0)
    assert stream.draw(1, 1, KEY, ()) == (0,)
    assert source.begun == 3


def test_a_live_iterator_simply_goes_on() -> None:
    stream = zoo.Stream(iter(range(10)))
    assert stream.live
    assert windows(stream, 4, 1)[-1] == (3,)
    stream.resume(2)
    assert stream.draw(3, 2, KEY, (1,)) == (4, 1)


def test_a_rewound_stream_that_is_too_short_is_refused() -> None:
    with pytest.raises(ValueError, match=r"observations shows only 3 items, but .* has seen 5"):
        zoo.Stream([1, 2, 3]).resume(5)


def test_a_stream_reads_no_further_than_it_must() -> None:
    taken = []

    def source() -> Iterator[int]:
        for w in range(100):
            taken.append(w)
            yield w

    result = zoo.minimize(
        lambda x, w: float(np.square(x - w).sum()),
        np.zeros(2),
        settings="paper",
        observations=source(),
        gradient=zoo.paper.Smoothed(2, 3),
        max_iterations=4,
    )
    assert result.nit == 4
    assert taken == [0, 1, 2, 3]


def test_a_stream_ends_a_run_and_the_windows_count_as_evaluations() -> None:
    seen: list[int] = []

    def loss(x: np.ndarray, w: int) -> float:
        seen.append(w)
        return float(np.square(x - w).sum())

    result = zoo.minimize(
        loss,
        np.zeros(2),
        settings="paper",
        observations=zoo.Stream(range(5)),
        gradient=zoo.paper.Smoothed(2, 3),
    )
    assert result.status is zoo.Status.STREAM_ENDED
    assert result.nit == 5
    assert result.nfev == 3 * (1 + 2 + 3 + 3 + 3)
    in_the_run = seen[: result.nfev]
    assert in_the_run[:9] == [0, 0, 0, 1, 0, 1, 0, 1, 0]
    assert in_the_run[-3:] == [4, 3, 2]


def test_a_stream_can_be_used_for_a_second_run() -> None:
    stream = zoo.Stream([1.0, 2.0, 3.0])
    runs = [
        zoo.minimize(
            lambda x, w: float(x @ x) - w * x[0],
            np.ones(2),
            settings="paper",
            observations=stream,
            rng=0,
        )
        for _ in range(2)
    ]
    assert runs[0].nit == runs[1].nit == 3
    assert runs[0].x_last.tobytes() == runs[1].x_last.tobytes()


class Failing:
    """A source that fails at its third item; each `__iter__` starts anew."""

    def __iter__(self) -> Iterator[float]:
        yield 1.0
        yield 2.0
        raise ConnectionError("the line went dead")


@pytest.mark.parametrize("source", [Failing(), iter(Failing())], ids=["rewindable", "live"])
def test_a_stream_that_failed_has_not_ended(source: Any) -> None:
    """A generator that raised is over for Python; asked again it must not pass for a clean end."""
    stream = zoo.Stream(source)
    windows(stream, 2, 1)
    for _ in range(3):
        with pytest.raises(ConnectionError, match="the line went dead"):
            stream.draw(3, 1, KEY, (2.0,))
    optimizer = zoo.Optimizer(
        np.zeros(2),
        settings="paper",
        observations=iter(Failing()),
        gradient=zoo.paper.Smoothed(1),
        rng=0,
    )
    for _ in range(2):
        query = optimizer.ask()
        assert query is not None
        optimizer.tell(query.id, np.arange(float(len(query))).reshape(query.shape))
    for _ in range(3):
        with pytest.raises(ConnectionError, match="the line went dead"):
            optimizer.ask()
    assert optimizer.status is zoo.Status.RUNNING
    assert optimizer.result().nit == 2


def test_a_rewound_stream_has_forgotten_its_failure() -> None:
    stream = zoo.Stream(Failing())
    windows(stream, 2, 1)
    with pytest.raises(ConnectionError):
        stream.draw(3, 1, KEY, (2.0,))
    stream.resume(1)
    assert stream.draw(2, 2, KEY, (1.0,)) == (2.0, 1.0)


@pytest.mark.parametrize("given", [Ten(), zoo.Stream(Ten()), zoo.Stream(range(10))])
def test_every_optimizer_has_its_own_place_in_a_stream(given: Any) -> None:
    first, second = (
        zoo.Optimizer(
            np.zeros(2),
            settings="paper",
            observations=given,
            gradient=zoo.paper.Smoothed(1, 2),
            rng=0,
        )
        for _ in range(2)
    )
    shown: dict[str, list[tuple[int, ...]]] = {"first": [], "second": []}
    for name in ("first", "first", "second", "first", "second", "second"):
        optimizer = first if name == "first" else second
        query = optimizer.ask()
        assert query is not None
        assert query.observations is not None
        shown[name].append(tuple(query.observations))
        optimizer.tell(query.id, np.arange(float(len(query))).reshape(query.shape))
    assert shown["first"] == shown["second"] == [(0,), (1, 0), (2, 1)]


def test_a_live_stream_is_shared_by_those_who_read_it() -> None:
    """There is only one of it."""
    live = iter(range(10))
    runs = [
        zoo.minimize(
            lambda x, w: float(x @ x) - w * x[0],
            np.ones(2),
            settings="paper",
            observations=live,
            gradient=zoo.paper.Smoothed(1),
            max_iterations=3,
            rng=0,
        )
        for _ in range(2)
    ]
    assert [run.nit for run in runs] == [3, 3]
    assert next(live) == 6


@pytest.mark.parametrize("difference", ["forward", "central"])
@pytest.mark.parametrize("window", [1, 3])
def test_a_live_stream_is_asked_only_for_what_the_budget_can_use(
    window: int, difference: Any
) -> None:
    """To the evaluation: the first windows are shorter, and cost less."""
    points = 4 if difference == "forward" else 6
    for budget in range(0, 60):
        taken: list[int] = []

        def live(taken: list[int] = taken) -> Iterator[int]:
            for w in range(1, 100):
                taken.append(w)
                yield w

        result = zoo.minimize(
            lambda x, w: float(np.square(x - w).sum()),
            np.zeros(2),
            settings="paper",
            observations=live(),
            gradient=zoo.paper.Smoothed(3, window, difference=difference),
            smoothing=0.1,
            max_evaluations=budget,
            rng=0,
        )
        costs = np.cumsum([points * min(t, window) for t in range(1, 100)])
        affordable = int(np.searchsorted(costs, budget, side="right"))
        assert (result.nit, len(taken)) == (affordable, affordable)
        assert result.nfev == (costs[affordable - 1] if affordable else 0)
        assert result.status is zoo.Status.MAX_EVALUATIONS


def test_a_stream_shows_as_many_fresh_ones_as_are_wanted() -> None:
    taken = []

    def source() -> Iterator[int]:
        for w in range(100):
            taken.append(w)
            yield w

    stream = zoo.Stream(source())
    assert followed(stream, (3, 1, 4)) == [[0, 1, 2], [3], [4, 5, 6, 7]]
    assert taken == list(range(8))  # and is asked for no more


def test_a_stream_shows_fewer_at_its_end_and_then_ends() -> None:
    stream = zoo.Stream(range(5))
    assert followed(stream, (3, 4)) == [[0, 1, 2], [3, 4]]
    for count in (1, 4):
        with pytest.raises(StreamEnded):
            stream.next(5, count, KEY)
    whole = zoo.Stream(range(4))
    assert followed(whole, (2, 2)) == [[0, 1], [2, 3]]
    with pytest.raises(StreamEnded):
        whole.next(4, 2, KEY)


def test_a_rewound_stream_shows_what_follows() -> None:
    stream = zoo.Stream(Ten())
    followed(stream, (4, 4))
    stream.resume(3)
    assert stream.next(3, 4, KEY) == (3, 4, 5, 6)


@pytest.mark.parametrize("source", [[], iter([]), (w for w in ())])
@pytest.mark.parametrize("count", [1, 3])
def test_an_empty_stream_is_refused_at_the_first_next(source: Any, count: int) -> None:
    with pytest.raises(ValueError, match="observations is an empty stream"):
        zoo.Stream(source).next(0, count, KEY)


def test_a_stream_that_failed_among_several_has_not_ended() -> None:
    stream = zoo.Stream(Failing())
    assert stream.next(0, 1, KEY) == (1.0,)
    for _ in range(3):
        with pytest.raises(ConnectionError, match="the line went dead"):
            stream.next(1, 4, KEY)


# Time


def test_time_shows_t() -> None:
    time = zoo.Time()
    assert [time.draw(t, 1, KEY, ()) for t in (1, 2, 500)] == [(1,), (2,), (500,)]
    assert time.report(7, 3, KEY, ()) == ((6,), False)  # the last that a run about to do 7 has seen
    assert time.report(1, 3, KEY, ()) == ((1,), False)
    time.fits(1)
    with pytest.raises(ValueError, match=r"Time\(\) shows one .* not num_observations = 2"):
        time.fits(2)


def test_time_goes_on_by_as_many_as_are_wanted() -> None:
    assert followed(zoo.Time(), (1, 3, 2)) == [[1], [2, 3, 4], [5, 6]]
    assert zoo.Time().next(499, 2, OTHER) == (500, 501)


def test_a_loss_of_time_gets_the_iteration() -> None:
    seen = []

    def loss(x: np.ndarray, t: int) -> float:
        seen.append(t)
        return float(x @ x)

    result = zoo.minimize(
        loss,
        np.ones(2),
        settings="paper",
        observations=zoo.Time(),
        gradient=zoo.paper.Smoothed(1),
        max_iterations=3,
    )
    assert seen[: result.nfev] == [1, 1, 2, 2, 3, 3]


# What a user may give


@pytest.mark.parametrize(
    "given",
    [
        np.arange(4),
        np.ones((4, 2)),
        [1, 2, 3],
        (1, 2),
        ["a", "b"],
        range(5),
        collections.deque([1, 2]),
        [{"dose": 1}, {"dose": 2}],
        (np.ones(3), np.ones(4)),
        (np.ones(1), np.ones(1)),
        [np.ones(3), np.ones(3)],
        list(zip(np.ones((4, 2)), np.ones(4), strict=True)),
    ],
    ids=lambda given: type(given).__name__,
)
def test_what_has_a_length_is_sampled_with_replacement(given: Any) -> None:
    samples = as_observations(given)
    assert isinstance(samples, zoo.Samples)
    assert samples.order == "with replacement"
    assert len(samples.values) == len(given)


def test_pandas_is_sampled_row_by_row() -> None:
    frame = pd.DataFrame({"a": [1.0, 2.0], "b": [3.0, 4.0]}, index=[7, 8])
    rows = as_observations(frame)
    assert isinstance(rows, zoo.Samples)
    assert {tuple(w) for w in rows.draw(1, 50, KEY, ())} == {(1.0, 3.0), (2.0, 4.0)}
    entries = as_observations(frame["b"])
    assert isinstance(entries, zoo.Samples)
    assert set(entries.draw(1, 50, KEY, ())) == {3.0, 4.0}


@pytest.mark.parametrize(
    "given", [iter([1, 2]), (w for w in "ab"), Ten(), map(abs, [1])], ids=lambda g: type(g).__name__
)
def test_other_iterables_are_streams(given: Any) -> None:
    stream = as_observations(given)
    assert isinstance(stream, zoo.Stream)
    assert stream.live == (not isinstance(given, Ten))


@pytest.mark.parametrize("given", [None, zoo.Samples([1]), zoo.Stream([1]), zoo.Time()])
def test_ours_are_left_alone(given: Any) -> None:
    assert as_observations(given) is given


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("abc", "observations cannot be a str; give a sequence"),
        (b"abc", "observations cannot be a bytes; give a sequence"),
        ({"a": 1}, "observations cannot be a dict; give a sequence"),
        (collections.OrderedDict(a=1), "observations cannot be a OrderedDict; give a sequence"),
        ({1, 2}, "observations cannot be a set; give a sequence"),
        (frozenset([1]), "observations cannot be a frozenset; give a sequence"),
        ({"a": 1}.keys(), "observations cannot be a dict_keys; give a sequence"),
        (sparse.csr_array(np.eye(3)), r"observations cannot be a sparse matrix; give np\.arange"),
        (sparse.coo_matrix(np.eye(3)), r"observations cannot be a sparse matrix; give np\.arange"),
        ((np.ones((5, 2)), np.ones(5)), r"is a tuple of arrays, .* give list\(zip\(X, y\)\)"),
        ((np.ones(5), np.ones(5), np.ones(5)), "is a tuple of arrays, .* np.arange"),
        (np.array(3.0), "observations is a single number; give an array"),
        (3, "observations must be an array, a sequence, an iterable.* not int"),
        (lambda t: t, "observations must be an array, .* not function"),
    ],
)
def test_the_rest_is_refused(given: Any, message: str) -> None:
    with pytest.raises(TypeError, match=message):
        as_observations(given)


@pytest.mark.parametrize("given", [[], np.empty((0, 2)), pd.Series([], dtype=float)])
def test_what_is_empty_is_refused(given: Any) -> None:
    with pytest.raises(ValueError, match="observations is empty"):
        as_observations(given)
