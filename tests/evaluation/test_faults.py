"""Workers that are killed, evaluations that kill, hang and raise: what the user gets.

`make torture` has the full counts.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import Future
from pathlib import Path

import numpy as np
import pytest

import zooadmm as zoo
from twins.bowl import M, bowl
from twins.workshop import (
    TORTURE,
    Deadly,
    Hanging,
    Refusing,
    Slow,
    alive,
    assert_kills_leave_no_trace,
    driven,
    optimizer,
    point_of,
    told,
)
from zooadmm.evaluation import Engine, InProcess, dispatch
from zooadmm.evaluation.calls import Calls, Part
from zooadmm.evaluation.dispatch import Crew, HandingOut, Ticket
from zooadmm.oracle.queries import PointsQuery, Query

KILLS = 20 if TORTURE else 3
DRIVERS = 100 if TORTURE else 1
HERE = ("forward", 6, 5)
"""The evaluation at which things go wrong: the run, the query, the cell."""


def minimized(loss: object, **given: object) -> zoo.Result:
    settings = {"observations": np.arange(9), "settings": "paper", "max_iterations": 12, "rng": 4}
    return zoo.minimize(loss, np.zeros(M), regularizer=zoo.L1(0.1), **{**settings, **given})


def test_workers_killed_at_random_moments_leave_no_trace(tmp_path: Path) -> None:
    with zoo.Processes(2).evaluator(Slow(tmp_path)) as evaluate:
        assert_kills_leave_no_trace(evaluate, tmp_path, KILLS)


def test_an_evaluation_that_always_kills_is_named_and_the_checkpoint_stays(tmp_path: Path) -> None:
    point, path = point_of(*HERE), tmp_path / "run.zoo"
    began = time.monotonic()
    said = "evaluation 5 of query 6 ended its worker 3 times"
    with pytest.raises(zoo.evaluation.EvaluationFailed, match=said) as e:
        minimized(Deadly(point), workers=1, checkpoint=path)
    assert time.monotonic() - began < 30
    assert (e.value.query, e.value.cell) == (6, 5)
    assert np.array_equal(e.value.point, point)
    assert "killed by SIGKILL" in str(e.value)
    assert np.array2string(point) in str(e.value)
    resumed = minimized(bowl, checkpoint=path)
    assert resumed.x.tobytes() == minimized(bowl).x.tobytes()


def test_what_always_kills_can_be_dropped() -> None:
    result = minimized(Deadly(point_of(*HERE)), workers=1, on_error="drop")
    assert result.trace["dropped"].tolist() == [0] * 5 + [1] * 7
    assert "EvaluationFailed" in result.message


def test_a_worker_that_ends_by_itself_is_told_by_its_exit_code() -> None:
    def loss(x: np.ndarray) -> float:
        os._exit(7)

    with (
        zoo.Processes(1).evaluator(loss) as evaluate,
        pytest.raises(
            zoo.evaluation.EvaluationFailed, match=r"ended its worker 3 times \(exit code 7\)"
        ),
    ):
        evaluate(PointsQuery(1, np.zeros((1, 2)), None))


def test_an_evaluation_that_hangs_is_made_elsewhere(tmp_path: Path) -> None:
    """And once more, when all workers hang."""
    loss = Hanging(tmp_path, point_of(*HERE), times=2)
    peace = driven(optimizer("forward"), InProcess(bowl))
    with zoo.Processes(2, timeout=2.0).evaluator(loss) as evaluate:
        assert driven(optimizer("forward"), evaluate) == peace
    assert (tmp_path / "hung 1").exists()


SHORT = 0.1
"""The timeout of the crew below."""


class Acted(Ticket):
    """Begins and ends at given times, in seconds after it was handed out; never for inf."""

    def __init__(self, begins: float, ends: float) -> None:
        super().__init__(Future())
        self.began = None
        self.given_up = False
        self.timers: list[threading.Timer] = []
        for after, act in ((begins, self.begin), (ends, self.end)):
            if after < np.inf:
                self.timers.append(threading.Timer(after, act))
                self.timers[-1].start()

    def begin(self) -> None:
        self.began = time.monotonic()

    def end(self) -> None:
        self.future.set_result(Part(np.ones(1)))

    def give_up(self) -> None:
        self.given_up = True
        for timer in self.timers:
            timer.cancel()


class ActedCrew(Crew):
    """Tickets begin and end at times that are given."""

    worthwhile = 1.0

    def __init__(self, size: int, room: int | None, *times: tuple[float, float]) -> None:
        self.size, self.room = size, room
        self.times = [*times]
        self.tickets: list[Acted] = []

    def publish(self, query: Query) -> None:
        return

    def submit(self, start: int, stop: int) -> Ticket:
        self.tickets.append(Acted(*self.times.pop(0)))
        return self.tickets[-1]

    def close(self) -> None:
        return

    def answer(self, cells: int) -> list[bool]:
        """Whether each ticket was given up before it ended, once the cells are answered."""
        evaluate = HandingOut(self, Calls(bowl, "stop"), SHORT)
        assert (evaluate(PointsQuery(1, np.zeros((cells, 2)), None)) == 1.0).all()
        return [ticket.given_up and not ticket.future.done() for ticket in self.tickets]


def test_a_late_answer_counts_while_another_worker_starts() -> None:
    """One worker is slow, and the other one starts slowly: nothing is to be gained by ending it."""
    crew = ActedCrew(2, None, (0.0, 0.25), (0.0, 0.01), (0.4, 0.41))
    assert crew.answer(2) == [False, False, True]


@pytest.mark.parametrize(("room", "ended"), [(1, True), (2, False)])
def test_late_tasks_are_ended_where_others_wait_for_their_room(room: int, ended: bool) -> None:
    """Of two places the second may still be at the start of its worker."""
    crew = ActedCrew(3, room, (0.0, 0.6), (0.25, 0.26), (0.7, 0.71))
    assert crew.answer(2)[0] is ended


def test_what_never_begins_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dispatch, "START", 0.5)
    late = (0.0, np.inf)
    crew = ActedCrew(2, None, late, *[(np.inf, np.inf)] * 3)
    said = "evaluation 1 of query 1 did not begin within 0.5 seconds, while no other was at work"
    with pytest.raises(zoo.evaluation.EvaluationFailed, match=said):
        crew.answer(2)
    assert all(ticket.given_up for ticket in crew.tickets)


def test_an_evaluation_that_always_hangs_is_named(tmp_path: Path) -> None:
    loss = Hanging(tmp_path, point_of(*HERE), times=99)
    said = "evaluation 5 of query 6 did not end within 1.5 seconds, 3 times"
    with pytest.raises(zoo.evaluation.EvaluationFailed, match=said):
        minimized(loss, evaluator=zoo.Processes(1, timeout=1.5))


@pytest.mark.parametrize(("first", "second", "counts"), [(2.5, 3600.0, 1.0), (3600.0, 0.0, 2.0)])
def test_the_first_answer_to_arrive_counts(
    first: float, second: float, counts: float, tmp_path: Path
) -> None:
    """Asked again after a second and a half, whichever of two unlike answers comes first stands."""

    def loss(x: np.ndarray) -> float:
        try:
            (tmp_path / "asked").touch(exist_ok=False)
        except FileExistsError:
            time.sleep(second)
            return 2.0
        time.sleep(first)
        return 1.0

    with zoo.Processes(2, timeout=1.5).evaluator(loss) as evaluate:
        assert evaluate(PointsQuery(1, np.zeros((1, 2)), None)) == [counts]
        (tmp_path / "asked").unlink(missing_ok=True)


ENGINES: list[Engine | None] = [None, zoo.evaluation.Threads(2), zoo.Processes(1)]


@pytest.mark.parametrize("engine", ENGINES, ids=str)
def test_what_the_loss_raises_is_raised_with_its_traceback_and_its_evaluation(
    engine: Engine | None, tmp_path: Path
) -> None:
    loss = Refusing(tmp_path, point_of(*HERE), times=99)
    with pytest.raises(ZeroDivisionError, match="no answer to this") as caught:
        minimized(loss, evaluator=engine)
    notes = "\n".join(caught.value.__notes__)
    assert "raised by the loss at evaluation 5 of query 6" in notes
    if isinstance(engine, zoo.Processes):
        assert 'raise ZeroDivisionError("no answer to this")' in notes
        assert "workshop.py" in notes
    else:
        assert caught.traceback[-1].path.name == "workshop.py"


@pytest.mark.parametrize("engine", ENGINES, ids=str)
def test_what_is_tried_again_leaves_no_trace(engine: Engine | None, tmp_path: Path) -> None:
    loss = Refusing(tmp_path, point_of(*HERE), times=3)
    result = minimized(loss, evaluator=engine, on_error=zoo.Retry(3))
    assert result.x.tobytes() == minimized(bowl).x.tobytes()
    assert (tmp_path / "raised 2").exists()


def test_what_raises_once_too_often_is_raised(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError):
        minimized(Refusing(tmp_path, point_of(*HERE), times=3), on_error=zoo.Retry(2))


@pytest.mark.parametrize("engine", ENGINES, ids=str)
def test_what_is_dropped_is_left_out_of_the_average(engine: Engine | None, tmp_path: Path) -> None:
    loss = Refusing(tmp_path, point_of(*HERE), times=99)
    dropped = minimized(loss, evaluator=engine, on_error="drop")
    assert dropped.trace["dropped"].tolist() == [0] * 5 + [1] * 7
    assert "1 evaluation(s) failed and were dropped." in dropped.message
    assert "ZeroDivisionError('no answer to this')" in dropped.message
    by_hand = optimizer("forward")
    while (query := by_hand.ask()) is not None:
        answer = np.ma.array(InProcess(bowl)(query), mask=False)
        if query.id == HERE[1]:
            answer.reshape(-1)[HERE[2]] = np.ma.masked
        by_hand.tell(query.id, answer)
    assert dropped.x.tobytes() == by_hand.result().x.tobytes()
    assert dropped.x.tobytes() != minimized(bowl).x.tobytes()


def test_an_error_that_cannot_travel_is_told_in_words() -> None:
    def loss(x: np.ndarray) -> float:
        class PeculiarError(Exception):
            def __init__(self, one: int, two: int) -> None:
                super().__init__(f"{one} and {two}")

        raise PeculiarError(1, 2)

    with (
        zoo.Processes(1).evaluator(loss) as evaluate,
        pytest.raises(RuntimeError, match="PeculiarError: 1 and 2"),
    ):
        evaluate(PointsQuery(1, np.zeros((1, 2)), None))


def test_a_loss_that_a_worker_cannot_load_says_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "only_here.py").write_text(
        "import os\nif os.environ.get('DRIVER') != str(os.getpid()):\n"
        "    raise ImportError('not in a worker')\ndef loss(x):\n    return 0.0\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("DRIVER", str(os.getpid()))
    import only_here  # type: ignore[import-not-found]

    with (
        zoo.Processes(1).evaluator(only_here.loss) as evaluate,
        pytest.raises(ImportError, match="not in a worker") as caught,
    ):
        evaluate(PointsQuery(1, np.zeros((1, 2)), None))
    assert "it must be able to import what the loss is made of" in "".join(caught.value.__notes__)


def test_after_an_error_an_evaluator_goes_on(tmp_path: Path) -> None:
    query = PointsQuery(1, np.zeros((1, M)), range(9))
    loss = Refusing(tmp_path, np.zeros(M), times=1)
    with zoo.Processes(2).evaluator(loss) as evaluate:
        with pytest.raises(ZeroDivisionError):
            evaluate(query)
        assert evaluate(query).tobytes() == InProcess(bowl)(query).tobytes()


# The driver

PROGRAM = """
import os, signal, sys, time
import numpy as np, zooadmm as zoo
from twins.workshop import Slow
from pathlib import Path
signal.signal(signal.SIGINT, signal.default_int_handler)
print("begun", flush=True)
result = zoo.minimize(
    Slow(Path(sys.argv[1]), 0.01), np.zeros(12), rng=0, settings="paper", max_iterations=10**6,
    workers=2, checkpoint=sys.argv[2], checkpoint_seconds=0.0,
)
print(result.status.name, flush=True)
"""


def begun(directory: Path, checkpoint: Path) -> subprocess.Popen[str]:
    """A program that minimizes with two workers, at work."""
    paths = os.pathsep.join(path for path in sys.path if path)
    directory.mkdir()
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, str(directory), str(checkpoint)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": paths},
    )
    deadline = time.monotonic() + 60
    while len(list(directory.iterdir())) < 2 and time.monotonic() < deadline:
        assert process.poll() is None
        time.sleep(0.01)
    return process


def wait_until_gone(directory: Path) -> None:
    workers = [int(path.name) for path in directory.iterdir()]
    assert len(workers) >= 2
    deadline = time.monotonic() + 30
    while any(alive(pid) for pid in workers):
        assert time.monotonic() < deadline, "workers have outlived their driver"
        time.sleep(0.01)


def test_a_driver_that_is_killed_takes_its_workers_along_and_leaves_its_checkpoint(
    tmp_path: Path,
) -> None:
    checkpoint, rng = tmp_path / "run.zoo", random.Random(0)
    for k in range(DRIVERS):
        with begun(tmp_path / str(k), checkpoint) as driver:
            time.sleep(rng.uniform(0.0, 0.5))
            driver.kill()
            driver.communicate()
        wait_until_gone(tmp_path / str(k))
    reached = zoo.Optimizer(np.zeros(M), rng=0, settings="paper")
    reached.load(checkpoint)
    iterations = reached.state.t + 5
    given = {"rng": 0, "settings": "paper", "max_iterations": iterations}
    resumed = zoo.minimize(bowl, np.zeros(M), checkpoint=checkpoint, **given)
    assert resumed.x.tobytes() == zoo.minimize(bowl, np.zeros(M), **given).x.tobytes()
    if TORTURE:
        told(f"{DRIVERS} drivers with 2 workers killed, {iterations} iterations, the same bits")


def test_ctrl_c_ends_the_workers_and_returns_a_result(tmp_path: Path) -> None:
    with begun(tmp_path / "workers", tmp_path / "run.zoo") as driver:
        driver.send_signal(signal.SIGINT)
        out, err = driver.communicate(timeout=60)
    assert (out, err) == ("begun\nINTERRUPTED\n", "")
    wait_until_gone(tmp_path / "workers")
