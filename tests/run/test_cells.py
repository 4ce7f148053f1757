"""Cells handed out one by one: the order of the answers and nothing else decides the run."""

from __future__ import annotations

import json
import pickle
import random
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import zooadmm as zoo
from zooadmm.oracle.queries import GradientQuery, JoinedQuery, Query
from zooadmm.run import Cell

M = 5
CENTER = np.linspace(-1.0, 1.0, M)
DATA = np.random.default_rng(7).normal(size=(11, M))

Log = list[tuple[tuple[int, int], Any]]
"""(id, value), in the order in which they were told"""

PAPER: dict[str, Callable[[], dict[str, Any]]] = {
    "forward": lambda: {"gradient": zoo.paper.Smoothed(6)},
    "central": lambda: {"gradient": zoo.paper.Smoothed(4, difference="central")},
    "crossed": lambda: {"gradient": zoo.paper.Smoothed(3, 4), "observations": DATA},
    "paired": lambda: {"gradient": zoo.paper.Paired(6), "observations": DATA},
    "stream": lambda: {"gradient": zoo.paper.Smoothed(2, 3), "observations": zoo.Stream(DATA)},
    "joined": lambda: {
        "settings": zoo.variance_reduced.SVRG(step_size=0.05, batch=2, period=2),
        "observations": DATA[:3],
        "max_iterations": 6,
    },
    "exact": lambda: {"gradient": zoo.paper.Exact()},
    "exact, observed": lambda: {"gradient": zoo.paper.Exact(5), "observations": DATA},
}
AUTO: dict[str, dict[str, Any]] = {
    "auto": {"max_evaluations": 120},
    "auto, observed": {"max_evaluations": 250, "observations": DATA},
    "auto, box": {"max_evaluations": 120, "domain": zoo.Box(-0.5, 0.5)},
}
every_case = pytest.mark.parametrize("case", [*PAPER, *AUTO])


def new(case: str, **more: Any) -> zoo.Optimizer:
    given: dict[str, Any] = {"regularizer": zoo.L1(0.2), "rng": 3, **more}
    if case in PAPER:
        given = {"settings": "paper", "max_iterations": 9, **PAPER[case](), **given}
    return zoo.Optimizer(np.full(M, 0.25), **{**AUTO.get(case, {}), **given})


def value(case: str, point: np.ndarray, observation: Any) -> Any:
    w = CENTER if observation is None else observation
    if case.startswith("exact"):
        return 2 * (point - w)
    return float(np.square(point - w).sum() * (1 + 0.1 * point[0] ** 2))


def contents(optimizer: zoo.Optimizer, path: Path) -> dict[str, bytes]:
    """Everything that a checkpoint holds."""
    optimizer.save(path / "contents.npz")
    with np.load(path / "contents.npz", allow_pickle=False) as file:
        return {name: file[name].tobytes() for name in file.files}


class Workshop:
    """Some workers, of whom any may be the next to answer, also after the step was taken."""

    def __init__(self, case: str, seed: int, copies: int = 1, noise: float = 0.0) -> None:
        self.case, self.copies, self.noise = case, copies, noise
        self.random = random.Random(seed)
        self.busy: list[Cell] = []
        self.log: Log = []

    def answers(self, optimizer: zoo.Optimizer, workers: int = 4) -> Iterator[zoo.run.Info | None]:
        """Until the run ends; what `tell` gave."""
        while (cells := optimizer.ask(workers - len(self.busy), copies=self.copies)) is not None:
            self.busy += cells
            done = self.busy.pop(self.random.randrange(len(self.busy)))
            told = value(self.case, done.point, done.observation)
            told = told + self.noise * self.random.gauss(0.0, 1.0)
            self.log.append((done.id, told))
            yield optimizer.tell(done.id, told)

    def run(self, optimizer: zoo.Optimizer) -> zoo.Optimizer:
        for _ in self.answers(optimizer):
            pass
        return optimizer


def told_whole(case: str) -> zoo.Optimizer:
    """The twin: a query at a time."""
    optimizer = new(case)
    while (query := optimizer.ask()) is not None:
        rows = [value(case, cell.point, cell.observation) for cell in optimizer.ask(query.cells)]
        optimizer.tell(query.id, np.array(rows).reshape(query.shape))
    return optimizer


@every_case
@pytest.mark.parametrize("copies", [1, 3])
def test_in_whatever_order_answers_come_it_is_the_same_run(
    case: str, copies: int, tmp_path: Path
) -> None:
    whole = contents(told_whole(case), tmp_path)
    for seed in range(2):
        assert contents(Workshop(case, seed, copies).run(new(case)), tmp_path) == whole


@every_case
@pytest.mark.parametrize("patience", [1.0, 0.6])
def test_the_log_of_answers_is_the_run(case: str, patience: float, tmp_path: Path) -> None:
    """With noise, copies, late answers and all."""
    workshop = Workshop(case, 5, copies=2, noise=0.1)
    optimizer = workshop.run(new(case, patience=patience))
    again = new(case, patience=patience)
    for id, told in workshop.log:
        again.ask()
        again.tell(list(id), told)  # as JSON gives it back
    again.ask()
    assert contents(again, tmp_path) == contents(optimizer, tmp_path)
    assert again.late == optimizer.late
    assert again.result().message == optimizer.result().message


@every_case
@pytest.mark.parametrize("patience", [1.0, 0.6])
def test_a_run_killed_after_any_answer_goes_on_as_if_it_had_not_been(
    case: str, patience: float, tmp_path: Path
) -> None:
    """Each answer is followed by a save; the workers outlive the program."""
    unbroken, broken = (Workshop(case, 8, copies=2, noise=0.1) for _ in range(2))
    expected = contents(unbroken.run(new(case, patience=patience)), tmp_path)
    kills, optimizer = random.Random(case), new(case, patience=patience)
    ended = False
    while not ended:
        ended = True
        for _ in broken.answers(optimizer):
            if kills.random() < 0.1:
                optimizer.save(tmp_path / "run.zoo")
                optimizer = new(case, patience=patience)
                optimizer.load(tmp_path / "run.zoo")
                ended = False
                break
    assert repr(broken.log) == repr(unbroken.log)
    assert contents(optimizer, tmp_path) == expected


@every_case
def test_answers_lost_in_a_crash_are_given_up_and_asked_again(case: str, tmp_path: Path) -> None:
    """A save after each ask: a crash takes answers along, and no worker has an unknown cell."""
    optimizer, rng, busy = new(case), random.Random(case), []
    while (cells := optimizer.ask(4 - len(busy))) is not None:
        optimizer.save(tmp_path / "run.zoo")
        busy += cells
        done = [busy.pop(rng.randrange(len(busy))) for _ in range(rng.randrange(1, len(busy) + 1))]
        for cell in done:
            optimizer.tell(cell.id, value(case, cell.point, cell.observation))
        if rng.random() < 0.2:
            optimizer = new(case)
            optimizer.load(tmp_path / "run.zoo")
            for cell in done:
                optimizer.give_up(cell.id)
    assert contents(optimizer, tmp_path) == contents(told_whole(case), tmp_path)


@pytest.mark.parametrize("case", [case for case in PAPER if case != "exact"])
def test_without_the_order_the_late_cells_are_enough_to_replay(case: str, tmp_path: Path) -> None:
    workshop = Workshop(case, 2, noise=0.1)
    optimizer = workshop.run(new(case, patience=0.5))
    first = dict(reversed(workshop.log))
    late = set(optimizer.late)
    assert late
    again = new(case)
    while (query := again.ask()) is not None:
        rows = np.zeros((query.cells, M if isinstance(query, GradientQuery) else 1))
        mask = np.zeros_like(rows, dtype=bool)
        for cell in range(query.cells):
            if (query.id, cell) in late:
                mask[cell] = True
            else:
                rows[cell] = first[query.id, cell]
        again.tell(query.id, np.ma.array(rows, mask=mask).reshape(query.shape))
    one, other = contents(optimizer, tmp_path), contents(again, tmp_path)
    for name in (*other.keys() - {"checksum"}, "late"):
        assert one[name] == other.get(name, np.array(optimizer.late).tobytes()), name


def sides(case: str, query: Query) -> list[set[int]]:
    """The cells of each difference, or gradient."""
    cells = query.cells
    if isinstance(query, JoinedQuery):  # the parts are compared cell by cell
        alone, starts = sides("central", query.parts[0]), query.starts[:-1]
        return [{start + cell for start in starts for cell in side} for side in alone]
    if case == "forward":
        return [{0, j} for j in range(1, cells)]
    if case in ("crossed", "stream"):  # a row a point, x first
        width = query.shape[1]
        return [{i % width, i} for i in range(width, cells)]
    if case == "central":  # rows in pairs
        width = cells // query.shape[0]
        return [{i, i + width} for i in range(cells) if i // width % 2 == 0]
    if case == "paired":
        return [{j, j + 1} for j in range(0, cells, 2)]
    return [{j} for j in range(cells)]


@pytest.mark.parametrize("case", [case for case in PAPER if case != "exact"])
@pytest.mark.parametrize("patience", [0.2, 0.5, 0.75, 0.9])
def test_a_step_is_taken_as_soon_as_enough_cells_count(case: str, patience: float) -> None:
    optimizer, shuffled = new(case, patience=patience), random.Random(1)
    while (query := optimizer.ask()) is not None:
        cells = optimizer.ask(query.cells)
        assert cells is not None
        shuffled.shuffle(cells)
        came: set[int] = set()
        for cell in cells:
            came.add(cell.id[1])
            whole = [side for side in sides(case, query) if side <= came]
            enough = len(set().union(*whole)) >= patience * query.cells
            info = optimizer.tell(cell.id, value(case, cell.point, cell.observation))
            assert (info is not None) == enough
            if info is not None:
                break
        missing = [cell for cell in range(query.cells) if cell not in came]
        assert [cell for id, cell in optimizer.late if id == query.id] == missing
        assert info is not None
        assert info.dropped == len(optimizer.late)


@pytest.mark.parametrize("case", ["exact", *AUTO])
def test_queries_that_are_not_averaged_wait_for_all(case: str, tmp_path: Path) -> None:
    patient, hasty = (Workshop(case, 4).run(new(case, patience=p)) for p in (1.0, 0.1))
    assert hasty.late == []
    assert contents(hasty, tmp_path) == contents(patient, tmp_path)


def test_failed_cells_do_not_count_towards_patience() -> None:
    optimizer = new("forward", patience=0.5)  # x and six directions: four of the seven cells
    query = asked(optimizer)
    assert optimizer.tell((1, 0), 1.0) is None
    for cell in (1, 2, 3):
        assert optimizer.tell((1, cell), np.ma.masked) is None
    for cell in (4, 5):
        assert optimizer.tell((1, cell), 1.5) is None
    info = optimizer.tell((1, 6), 1.5)
    assert info is not None
    assert query.cells == 7
    assert (info.dropped, optimizer.late) == (3, [])


def asked(optimizer: zoo.Optimizer) -> Query:
    query = optimizer.ask()
    assert query is not None
    return query


@every_case
def test_a_cell_is_at_one_worker_unless_it_was_given_up(case: str) -> None:
    optimizer, rng = new(case), random.Random(3)
    for _ in range(6):
        query = asked(optimizer)
        busy: list[Cell] = []
        given: set[int] = set()
        while given != set(range(query.cells)):
            cells = optimizer.ask(rng.randrange(1, 4))
            assert cells
            assert given.isdisjoint({cell.id[1] for cell in cells})
            given |= {cell.id[1] for cell in cells}
            busy += cells
        assert optimizer.ask(7) == []
        lost = rng.choice(busy)
        optimizer.give_up(lost.id)
        again = optimizer.ask(7)
        assert again is not None
        assert [cell.id for cell in again] == [lost.id]
        assert again[0].point.tobytes() == lost.point.tobytes()
        assert again[0].point is not lost.point
        for cell in busy:
            optimizer.tell(cell.id, value(case, cell.point, cell.observation))


def test_copies_go_to_the_cells_that_the_fewest_workers_have() -> None:
    optimizer = new("forward")
    cells = optimizer.ask(100, copies=3) or []
    assert [cell.id[1] for cell in cells] == 3 * list(range(7))
    assert not np.shares_memory(cells[0].point, cells[7].point)  # a worker may overwrite its own
    assert optimizer.ask(100, copies=3) == []
    assert [cell.id[1] for cell in optimizer.ask(3, copies=4) or []] == [0, 1, 2]
    optimizer.tell((1, 4), 1.0)
    assert [cell.id[1] for cell in optimizer.ask(9, copies=4) or []] == [3, 5, 6]
    assert optimizer.ask(0) == []


def test_a_list_of_cells_is_that_of_the_query() -> None:
    for case in ("crossed", "paired", "auto"):
        optimizer = new(case)
        made = list(asked(optimizer))
        cells = optimizer.ask(len(made))
        assert cells is not None
        for cell, (place, point, observation) in zip(cells, made, strict=True):
            assert cell.id == (1, place)
            assert cell.point.tobytes() == point.tobytes()
            assert np.array_equal(cell.observation, observation)


@every_case
def test_the_first_answer_counts_and_late_ones_change_nothing(case: str, tmp_path: Path) -> None:
    optimizer = new(case)
    old: list[tuple[int, int]] = []
    for _ in range(5):
        cells = optimizer.ask(1_000)
        assert cells
        for cell in cells:
            told = value(case, cell.point, cell.observation)
            assert optimizer.needs(cell.id)
            optimizer.tell(cell.id, told)
            if cell is not cells[0] and cell is not cells[-1]:
                continue
            before = contents(optimizer, tmp_path)
            assert not optimizer.needs(cell.id)
            assert optimizer.tell(cell.id, told + 1.0) is None
            assert optimizer.tell(cell.id, np.ma.masked) is None
            for id in old:
                assert optimizer.tell(id, told) is None
                optimizer.give_up(id)
            assert contents(optimizer, tmp_path) == before
        old = [cell.id for cell in cells]


@pytest.mark.parametrize(
    ("id", "sentence"),
    [
        ((2, 0), "query 2 is unknown; the pending one is 1"),
        ((0, 0), "query 0 is unknown"),
        ((1, 7), "query 1 has no cell 7; its cells are 0 to 6"),
        ((1, -1), "query 1 has no cell -1"),
        ((1,), "no id of a cell"),
        ((1, 0, 0), "no id of a cell"),
        ((1, 0.0), "no id of a cell"),
        ((1, True), "no id of a cell"),
        (("1", 0), "no id of a cell"),
        ((None, None), "no id of a cell"),
    ],
)
def test_an_id_that_was_not_given_is_refused(id: Any, sentence: str, tmp_path: Path) -> None:
    optimizer = new("forward")
    optimizer.ask(2)
    before = contents(optimizer, tmp_path)
    for method in (lambda: optimizer.tell(id, 1.0), lambda: optimizer.needs(id)):
        with pytest.raises(ValueError, match=sentence):
            method()
    assert contents(optimizer, tmp_path) == before


def test_a_cell_in_place_of_its_id_is_refused_with_the_remedy() -> None:
    optimizer = new("forward")
    (cell,) = optimizer.ask(1) or []
    with pytest.raises(ValueError, match=r"give the id of the cell, \(1, 0\), as in tell\(cell.id"):
        optimizer.tell(cell, 1.0)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="nothing is pending"):
        new("forward").tell((1, 0), 1.0)


@pytest.mark.parametrize(
    "given", [{"n": -1}, {"n": 1.5}, {"n": True}, {"n": 1, "copies": 0}], ids=str
)
def test_what_is_no_number_of_cells_is_refused(given: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="must be a whole number, at least"):
        new("forward").ask(**given)


@pytest.mark.parametrize("patience", [0.0, -1.0, 1.5, float("nan")])
def test_what_is_no_patience_is_refused(patience: float) -> None:
    with pytest.raises(ValueError, match=r"patience = .* must be above 0 and at most 1"):
        new("forward", patience=patience)
    with pytest.raises(TypeError, match="patience must be a number"):
        new("forward", patience="much")


def test_a_value_that_is_refused_leaves_the_cell_open(tmp_path: Path) -> None:
    optimizer = new("forward", patience=0.9)
    cells = optimizer.ask(7)
    assert cells
    before = contents(optimizer, tmp_path)
    for wrong, error in ((np.nan, ValueError), ("1.0", TypeError), ([1.0, 2.0], ValueError)):
        with pytest.raises(error):
            optimizer.tell(cells[0].id, wrong)
        assert optimizer.needs(cells[0].id)
    assert contents(optimizer, tmp_path) == before


def test_late_cells_are_named_in_the_message_and_failed_ones_apart() -> None:
    optimizer = new("forward", patience=0.7, max_iterations=1)
    optimizer.ask()
    optimizer.tell((1, 2), np.ma.masked)
    for cell in (0, 1, 3, 4, 5):
        optimizer.tell((1, cell), 1.0 + cell)
    assert optimizer.ask() is None
    message = optimizer.result().message
    assert "1 evaluation(s) failed and were dropped. 1 evaluation(s) came late" in message


@pytest.mark.parametrize("case", ["forward", "auto"])
def test_threads_that_ask_and_tell_at_once_make_the_same_run(case: str, tmp_path: Path) -> None:
    shared, interval = new(case), sys.getswitchinterval()

    def work(_: int) -> None:
        while (cells := shared.ask(1, copies=2)) is not None:
            for cell in cells:
                shared.tell(cell.id, value(case, cell.point, cell.observation))

    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(6) as threads:
            list(threads.map(work, range(6)))
    finally:
        sys.setswitchinterval(interval)
    assert contents(shared, tmp_path) == contents(told_whole(case), tmp_path)


def test_an_id_survives_json_and_a_cell_is_pickled_to_its_worker() -> None:
    optimizer = new("auto, observed")
    (cell,) = optimizer.ask(1) or []
    again = pickle.loads(pickle.dumps(cell))
    assert again.point.tobytes() == cell.point.tobytes()
    id = json.loads(json.dumps(cell.id))
    optimizer.tell(id, value("auto", again.point, again.observation))
    assert not optimizer.needs(id)


def test_a_resumed_run_knows_which_cells_are_out(tmp_path: Path) -> None:
    optimizer = new("forward")
    optimizer.ask(4)
    optimizer.tell((1, 2), 1.0)
    optimizer.save(tmp_path / "run.zoo")
    resumed = new("forward")
    resumed.load(tmp_path / "run.zoo")
    assert [cell.id[1] for cell in resumed.ask(9) or []] == [4, 5, 6]
    resumed.give_up((1, 0))
    assert [cell.id[1] for cell in resumed.ask(9) or []] == [0]
