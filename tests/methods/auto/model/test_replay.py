"""A run on a loss without noise is a function of its arguments, its seed and its values alone."""

from __future__ import annotations

import numpy as np
import pytest

import zooadmm as zoo
from twins.structured import STRUCTURES, loss

CASES = ("l1 in a box", "simplex", "groups in a box")


def make(name, seed=5, **more):
    structure = STRUCTURES[name]
    return zoo.Optimizer(structure.x0, max_evaluations=400, rng=seed, **structure.given, **more)


def values_of(query):
    return np.array([loss(point) for point in query.points])


def played(optimizer, answered=None):
    """Every query with its values, told as `answered` has it; what was asked."""
    asked = []
    while (query := optimizer.ask()) is not None:
        asked.append(query.points.tobytes())
        if answered is None:
            optimizer.tell(query.id, values_of(query))
        else:
            optimizer = answered(optimizer, query)
    return optimizer, asked


def assert_same(one, other):
    for a, b in zip(one.recommended(), other.recommended(), strict=True):
        assert a.tobytes() == b.tobytes()
    assert one.state.dual.tobytes() == other.state.dual.tobytes()
    assert one.evaluations == other.evaluations
    assert one.status is other.status


@pytest.mark.parametrize("name", CASES)
def test_resumed_before_every_query_it_is_the_unbroken_run(name, tmp_path):
    path = tmp_path / "run.zoo"

    def broken(optimizer, query):
        optimizer.save(path)
        anew = make(name)
        anew.load(path)
        values = values_of(query)
        if len(values) > 1 and query.id % 2:
            anew.tell(query.id, {0: values[0]})
            anew.save(path)
            anew = make(name)
            anew.load(path)
        again = anew.ask()
        assert again.points.tobytes() == query.points.tobytes()
        anew.tell(query.id, values)
        return anew

    unbroken, asked = played(make(name))
    resumed, asked_again = played(make(name), broken)
    assert unbroken.status is zoo.Status.SETTLED
    assert asked == asked_again
    assert_same(resumed, unbroken)


@pytest.mark.parametrize("name", ["none", "simplex"])
def test_answers_may_come_cell_by_cell_in_any_order(name):
    generator = np.random.default_rng(0)

    def shuffled(optimizer, query):
        values = values_of(query)
        for cell in generator.permutation(len(values)):
            optimizer.tell(query.id, {int(cell): values[cell]})
        return optimizer

    unbroken, asked = played(make(name))
    other, asked_again = played(make(name), shuffled)
    assert asked == asked_again
    assert_same(other, unbroken)


def test_the_same_seed_gives_the_same_bits_and_another_other_points():
    one, asked = played(make("none"))
    other, asked_again = played(make("none"))
    assert_same(one, other)
    assert asked == asked_again
    assert played(make("none", seed=6))[1] != asked


def test_values_at_points_are_all_that_is_asked_and_batches_are_independent():
    """A query never holds a point twice, nor one that it could do without."""
    optimizer = make("none")
    optimizer.tell(optimizer.ask().id, values_of(optimizer.ask()))
    while (query := optimizer.ask()) is not None:
        assert query.observations is None
        assert len(np.unique(query.points, axis=0)) == len(query.points) > 0
        assert not (query.points == optimizer.state.x).all(axis=1).any()
        optimizer.tell(query.id, values_of(query))


def test_a_loss_that_writes_into_its_argument_changes_nothing():
    def careless(x):
        value = loss(x)
        x *= 2.0
        return value

    careful = zoo.minimize(loss, np.zeros(9), max_evaluations=400, rng=0)
    result = zoo.minimize(careless, np.zeros(9), max_evaluations=400, rng=0)
    assert result.x.tobytes() == careful.x.tobytes()


def test_iterates_never_get_worse_and_the_trace_says_what_they_cost():
    result = zoo.minimize(loss, np.zeros(9), max_evaluations=400, rng=0)
    losses = result.trace["loss"]
    assert (np.diff(losses) <= 0.0).all()
    assert result.trace["evaluations"][-1] == result.nfev
    steps = np.isfinite(result.trace["step_size"]).sum()
    assert f"{steps} steps" in result.message


def test_a_run_that_is_settled_stays_so_and_asks_for_nothing(tmp_path):
    optimizer, _ = played(make("none"))
    assert optimizer.ask() is None
    optimizer.save(tmp_path / "end.zoo")
    anew = make("none")
    anew.load(tmp_path / "end.zoo")
    assert anew.ask() is None
    assert anew.status is zoo.Status.SETTLED
    assert anew.result().success
