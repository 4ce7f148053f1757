"""Cells handed out one at a time: any order of answers gives the bits of whole answers."""

from __future__ import annotations

import math
import pickle
import random
from pathlib import Path

import numpy as np
import pytest

import zooadmm as zoo
from zooadmm.integrations.numbered_cells import NumberedCell, NumberedCells
from zooadmm.problem.arrays import Vector


def loss(x: Vector) -> float:
    return float(np.square(x - [1.0, 0.5, -3.0, 0.02]).sum() + np.abs(x).sum() ** 1.5)


def optimizer() -> zoo.Optimizer:
    return zoo.Optimizer(
        np.zeros(4), domain=zoo.Box(-2.0, 2.0), regularizer=zoo.L1(0.1), max_evaluations=150, rng=3
    )


def whole() -> zoo.Optimizer:
    """The naive twin: each query is answered at once."""
    run = optimizer()
    while (query := run.ask()) is not None:
        run.tell(query.id, [loss(x) for x in query.points])
    return run


def assert_same_bits(run: zoo.Optimizer) -> None:
    twin = whole()
    assert run.evaluations == twin.evaluations
    assert run.result().x.tobytes() == twin.result().x.tobytes()


@pytest.mark.parametrize("seed", range(5))
def test_any_order_gives_the_bits_of_whole_answers(seed: int, tmp_path: Path) -> None:
    dice, cells, live = random.Random(seed), NumberedCells(optimizer()), list[NumberedCell]()
    while True:
        if live and dice.random() < 0.5:
            cell = live.pop(dice.randrange(len(live)))
            cells.answer(cell.id, loss(cell.point))
            assert not cells.answer(cell.id, math.pi)  # the first answer stands
        elif taken := cells.take(dice.randrange(1, 4)):
            live += taken
        elif not live:
            break
        if dice.random() < 0.1:  # killed, and gone on with elsewhere
            cells.save(tmp_path / "run.zoo")
            cells = NumberedCells(optimizer())
            assert cells.load(tmp_path / "run.zoo") == {}
            kept = dice.random() < 0.5  # whether the evaluations go on without the run
            if not kept:
                cells.release_all()
                live = []
    assert_same_bits(cells.optimizer)


def test_a_copy_goes_its_own_way() -> None:
    cells = NumberedCells(optimizer())
    (first,) = cells.take()
    copied = pickle.loads(pickle.dumps(cells))
    assert first.id == 0
    cells.answer(0, 1.0)
    assert copied.answer(0, loss(first.point))
    while taken := copied.take(7):
        for cell in taken:
            copied.answer(cell.id, loss(cell.point))
    assert_same_bits(copied.optimizer)


def test_numbers_count_evaluations_and_lost_cells_return() -> None:
    cells = NumberedCells(optimizer())
    query = cells.query
    assert query is not None
    taken = cells.take(query.cells + 5)
    assert [cell.id for cell in taken] == list(range(query.cells))
    assert cells.take() == []
    cells.release(2)
    (again,) = cells.take(2)
    assert again.id == 2
    assert again.point.tobytes() == taken[2].point.tobytes()
    again.point[:] = 7.0  # whoever is given a point may overwrite it
    assert cells.cell(2).point.tobytes() == taken[2].point.tobytes()


@pytest.mark.parametrize("id", [-1, 10**9, 1.5, "0", None, True])
def test_an_unknown_number_is_refused(id: object) -> None:
    cells = NumberedCells(optimizer())
    with pytest.raises(ValueError, match="unknown"):
        cells.answer(id, 1.0)  # type: ignore[arg-type]
    assert cells.optimizer.evaluations == 0


def test_gradients_are_refused() -> None:
    paper = zoo.Paper(gradient=zoo.paper.Exact(), step_size=0.1)
    cells = NumberedCells(zoo.Optimizer(np.zeros(2), settings=paper, max_iterations=3))
    with pytest.raises(ValueError, match="settings ask for gradients"):
        cells.take()


def test_failed_evaluations_are_values() -> None:
    cells = NumberedCells(optimizer())
    while taken := cells.take():
        for cell in taken:
            cells.answer(cell.id, math.nan if cell.point[0] > 0.4 else loss(cell.point))
    found = cells.optimizer.result().x
    assert found[0] <= 0.4
    assert loss(found) < loss(np.zeros(4))
