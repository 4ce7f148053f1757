"""States are written down and read back by the types of their fields; others are refused."""

from __future__ import annotations

import json
import math
from typing import Any, Literal, NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray

import zooadmm as zoo
from zooadmm.methods.auto.known import Learned
from zooadmm.run.checkpoint.plain import packed, restored


class Inner(NamedTuple):
    vector: NDArray[np.floating[Any]]
    flags: NDArray[np.bool_]


class Other(NamedTuple):
    word: Literal["one", "two"]


class Outer(NamedTuple):
    number: float
    count: int
    is_set: bool
    inner: Inner
    either: Inner | Other | None
    many: tuple[NDArray[np.float64], ...]
    pair: tuple[Inner, float]


INNER = Inner(np.array([0.5, -0.0]), np.array([True]))
OUTER = Outer(
    math.nan, 3, True, INNER, Other("two"), (np.zeros(2), np.ones((1, 2))), (INNER, math.inf)
)


def written(value: Any) -> tuple[Any, dict[str, Any]]:
    arrays: dict[str, Any] = {}
    return json.loads(json.dumps(packed(value, arrays, "state"))), arrays


@pytest.mark.parametrize(
    "state", [OUTER, OUTER._replace(either=None), OUTER._replace(either=INNER, many=())]
)
def test_a_state_survives(state: Outer) -> None:
    back = restored(Outer, *written(state))
    np.testing.assert_equal(back, state)
    assert type(back.either) is type(state.either)
    assert [type(v) for v in back] == [type(v) for v in state]


def test_the_state_of_an_automatic_run_survives() -> None:
    values = [(x, 1.0) for x in np.eye(3)]
    run = zoo.Optimizer(np.arange(3.0), start_values=values, max_evaluations=100)
    learned = run.state.learned
    assert isinstance(learned, Learned)
    assert len(learned.known.values.values) == 3
    np.testing.assert_equal(restored(Learned, *written(learned)), learned)


def changed(**fields: Any) -> tuple[Any, dict[str, Any]]:
    return written(OUTER._replace(**fields))


REFUSED = {
    "a word for a number": (changed(number="0.5"), "number is '0.5'"),
    "a truth for a count": (changed(count=True), "count is True"),
    "a number for a truth": (changed(is_set=1), "is_set is 1"),
    "an unknown word": (changed(either=Other("three")), "word is 'three'"),  # type: ignore[arg-type]
    "another state": (changed(inner=Other("one")), "inner is no Inner"),
    "whole numbers for real ones": (
        changed(inner=Inner(np.arange(2), INNER.flags)),
        "vector is an array of int64",
    ),
    "a shorter tuple": (changed(pair=(INNER,)), "pair has 1 entries, not 2"),
    "no tuple": (changed(many=0.5), "many is no tuple"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_does_not_fit_is_refused_by_name(case: str) -> None:
    (content, arrays), said = REFUSED[case]
    with pytest.raises(ValueError, match=said):
        restored(Outer, content, arrays)


def test_a_field_too_few_or_too_many_is_refused() -> None:
    content, arrays = written(OUTER)
    less = {**content, "fields": {k: v for k, v in content["fields"].items() if k != "count"}}
    more = {**content, "fields": {**content["fields"], "further": 1}}
    for wrong in (less, more):
        with pytest.raises(ValueError, match="state is no Outer"):
            restored(Outer, wrong, arrays)
