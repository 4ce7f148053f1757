"""What a checkpoint takes for the same configuration, and what for another."""

from __future__ import annotations

import functools
import itertools
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

import numpy as np
import pyproximal
import pytest
from scipy import sparse
from scipy.sparse.linalg import LinearOperator, aslinearoperator

import zooadmm as zoo
from zooadmm.problem.regularizers import ProximalSum
from zooadmm.run.checkpoint.fingerprint import fingerprint

DIFFERENCES = np.diff(np.eye(5), axis=0)


class Slots:
    """Keeps what it knows in slots, and a part of it in those of its parent."""

    __slots__ = ("strength",)

    def __init__(self, strength: Any) -> None:
        self.strength = strength

    def __call__(self, y: np.ndarray) -> float:
        return 0.0

    def prox(self, v: np.ndarray, tau: float) -> np.ndarray:
        return v


class MoreSlots(Slots):
    __slots__ = ("shape", "unset")

    def __init__(self, strength: Any, shape: Any) -> None:
        super().__init__(strength)
        self.shape = shape


class OneSlot:
    __slots__ = "value"

    def __init__(self, value: Any) -> None:
        self.value = value


class Holding:
    """An operator of somebody else's, with something inside."""

    def __init__(self, part: Any) -> None:
        self.part = part
        self.count = 0

    def __call__(self, y: np.ndarray) -> float:
        self.count += 1
        return 0.0

    def prox(self, v: np.ndarray, tau: float) -> np.ndarray:
        self.count += 1
        return v


class Looped:
    """Holds itself."""

    def __init__(self, value: Any) -> None:
        self.value = value
        self.me = self


class Decay:
    """A schedule with a parameter."""

    def __init__(self, scale: float) -> None:
        self.scale = scale

    def __call__(self, t: int) -> float:
        return self.scale / t


def doubled(schedule: Callable[[int], float]) -> Callable[[int], float]:
    @functools.wraps(schedule)
    def twice(t: int) -> float:
        return 2 * schedule(t)

    return twice


def remembered(schedule: Callable[[int], float]) -> Callable[[int], float]:
    return functools.lru_cache(schedule)


def inverse(t: int) -> float:
    return 1 / t


def root(t: int) -> float:
    return t**-0.5


def scaling(scale: float) -> LinearOperator:
    return LinearOperator(
        (4, 4),
        matvec=lambda v: scale * v.reshape(-1),
        rmatvec=lambda v: scale * v.reshape(-1),
        dtype=float,
    )


OTHER: dict[str, list[Callable[[], Any]]] = {
    "numbers": [lambda: 1, lambda: 1.5, lambda: "1", lambda: b"1", lambda: None, lambda: 1j],
    "true is not one": [lambda: True, lambda: 1, lambda: 1.0],
    "where an item ends": [
        lambda: ["ab", "c"],
        lambda: ["a", "bc"],
        lambda: ["abc"],
        lambda: ["abc", ""],
        lambda: ["", "abc"],
    ],
    "how items nest": [
        lambda: [[1, 2], [3]],
        lambda: [[1], [2, 3]],
        lambda: [1, 2, 3],
        lambda: [[1, 2, 3]],
        lambda: [1, [2, 3]],
    ],
    "arrays in a list": [
        lambda: [np.arange(3.0), np.arange(2.0)],
        lambda: [np.arange(2.0), np.arange(3.0)],
        lambda: [np.arange(3.0)],
    ],
    "shapes and types of arrays": [
        lambda: np.zeros(4),
        lambda: np.zeros((2, 2)),
        lambda: np.zeros(8, np.float32),
        lambda: np.zeros(4, np.int64),
        lambda: np.zeros(0),
        lambda: np.zeros((0, 2)),
    ],
    "arrays of objects": [
        lambda: np.array([1, None, "a"], dtype=object),
        lambda: np.array([1, None, "b"], dtype=object),
        lambda: np.array([1, "a", None], dtype=object),
    ],
    "dates": [lambda: np.datetime64("2020-01-01"), lambda: np.datetime64("2020-01-02")],
    "dicts": [
        lambda: {"a": 1, "b": 2},
        lambda: {"a": 2, "b": 1},
        lambda: {"a": 1},
        lambda: {"a": "b", "b": "a"},
        lambda: {"a": "a", "b": "b"},
        lambda: ["a", "b", 1, 2],
        lambda: [("a", 1), ("b", 2)],
    ],
    "sets": [
        lambda: {"a", "b"},
        lambda: {"ab"},
        lambda: {"a", "c"},
        lambda: {"a"},
        lambda: set(),
    ],
    "sparse matrices": [
        lambda: sparse.csr_array(DIFFERENCES),
        lambda: sparse.csr_array(2 * DIFFERENCES),
        lambda: sparse.csr_array(DIFFERENCES.T),
        lambda: DIFFERENCES,
    ],
    "operators": [
        lambda: aslinearoperator(DIFFERENCES),
        lambda: aslinearoperator(2 * DIFFERENCES),
        lambda: aslinearoperator(DIFFERENCES[::-1]),
        lambda: aslinearoperator(DIFFERENCES.T),
    ],
    "operators by what they do": [lambda: scaling(1.0), lambda: scaling(1.001)],
    "operators in an object": [
        lambda: Holding(aslinearoperator(DIFFERENCES)),
        lambda: Holding(aslinearoperator(2 * DIFFERENCES)),
        lambda: Holding([aslinearoperator(DIFFERENCES)]),
        lambda: Holding([aslinearoperator(2 * DIFFERENCES)]),
        lambda: Holding(scaling(1.0)),
        lambda: Holding(scaling(2.0)),
    ],
    "operators in pyproximal": [
        lambda: pyproximal.L2(pyproximal_operator(1.0), b=np.ones(4)),
        lambda: pyproximal.L2(pyproximal_operator(2.0), b=np.ones(4)),
        lambda: pyproximal.L2(pyproximal_operator(1.0), b=np.zeros(4)),
    ],
    "objects in objects": [
        lambda: Holding(Holding(1)),
        lambda: Holding(Holding(2)),
        lambda: Holding(1),
        lambda: Holding(OneSlot(1)),
    ],
    "slots": [
        lambda: Slots(1.0),
        lambda: Slots(2.0),
        lambda: Slots(np.ones(2)),
        lambda: OneSlot(1),
    ],
    "slots of a parent": [
        lambda: MoreSlots(1.0, 2),
        lambda: MoreSlots(1.0, 3),
        lambda: MoreSlots(2.0, 2),
    ],
    "a single slot": [lambda: OneSlot(1), lambda: OneSlot(2)],
    "what holds itself": [lambda: Looped(1), lambda: Looped(2)],
    "schedules": [
        lambda: inverse,
        lambda: root,
        lambda: doubled(inverse),
        lambda: doubled(doubled(inverse)),
        lambda: lambda t: 1 / t if t < 500 else 0.5 / t,
        lambda: Decay(3.0),
        lambda: functools.partial(pow, 2.0),
        lambda: zoo.paper.schedules.Power(1.0, 1.0),
        lambda: zoo.paper.schedules.Power(1.0, 0.5),
        lambda: zoo.paper.schedules.Constant(1.0),
    ],
    "remembered schedules": [lambda: remembered(inverse), lambda: remembered(root)],
    "other functions": [lambda: np.sin, lambda: len, lambda: ",".join],
    "regularizers": [
        lambda: zoo.L1(0.1),
        lambda: zoo.L1(0.2),
        lambda: zoo.L1(0.1, weights=np.ones(3)),
        lambda: zoo.regularizers.SquaredL2(0.1),
        lambda: zoo.regularizers.Within(zoo.L1(0.1), zoo.Box(0.0, 1.0)),
        lambda: zoo.regularizers.Within(zoo.L1(0.1), zoo.Box(0.0, 2.0)),
        lambda: ProximalSum(zoo.L1(0.1), zoo.Simplex()),
        lambda: ProximalSum(zoo.L1(0.1), zoo.Simplex(2.0)),
        lambda: ProximalSum(zoo.Simplex(), zoo.L1(0.1)),
        lambda: zoo.GroupL2(0.1, [[0, 1], [2]]),
        lambda: zoo.GroupL2(0.1, [[0], [1, 2]]),
    ],
    "constraints": [
        lambda: zoo.problem.Consensus(),
        lambda: zoo.Linear(np.eye(4)),
        lambda: zoo.Linear(np.eye(4), 1.0),
        lambda: zoo.Linear(np.eye(4), np.eye(4)),
        lambda: zoo.Linear(np.eye(4), c=np.ones(4)),
        lambda: zoo.Linear(scaling(1.0)),
        lambda: zoo.Linear(scaling(2.0)),
    ],
    "metrics": [
        lambda: zoo.paper.Linearized(),
        lambda: zoo.paper.Fixed(1.0),
        lambda: zoo.paper.Fixed(2.0),
        lambda: zoo.paper.Fixed(np.ones(3)),
        lambda: zoo.paper.Fixed(np.eye(3)),
        lambda: zoo.paper.LinearizedDiagonal(np.ones(3)),
        lambda: zoo.paper.LinearizedDiagonal([1.0, 2.0, 1.0]),
    ],
}


def pyproximal_operator(scale: float) -> Any:
    import pylops

    return pylops.MatrixMult(scale * np.eye(4))


@pytest.mark.parametrize("label", OTHER)
def test_what_differs_is_told_apart_and_what_does_not_is_not(label: str) -> None:
    texts = [fingerprint(make()) for make in OTHER[label]]
    again = [fingerprint(make()) for make in OTHER[label]]
    assert texts == again
    for (i, one), (j, other) in itertools.combinations(enumerate(texts), 2):
        assert one != other, (i, j)


SAME: dict[str, tuple[Any, Any]] = {
    "numpy's numbers": (np.float64(0.25), 0.25),
    "numpy's whole numbers": (np.int64(3), 3),
    "numpy's truth": (np.bool_(True), True),
    "numpy's words": (np.str_("word"), "word"),
    "in a schedule": (
        zoo.paper.schedules.Power(np.float64(0.3), 0.5),
        zoo.paper.schedules.Power(0.3, 0.5),
    ),
    "layouts": (np.arange(6.0).reshape(2, 3), np.asfortranarray(np.arange(6.0).reshape(2, 3))),
    "parts of arrays": (np.arange(6.0)[::2], np.array([0.0, 2.0, 4.0])),
    "a range": (range(3), [0, 1, 2]),
    "orders of a dict": ({"a": 1, "b": [2]}, {"b": [2], "a": 1}),
    "kinds of dict": (OrderedDict(a=1), {"a": 1}),
    "orders of a set": (set("abcdefgh"), set("hgfedcba")),
    "kinds of set": ({1, 2}, frozenset([2, 1])),
    "formats": (sparse.csr_array(DIFFERENCES), sparse.coo_matrix(DIFFERENCES)),
    "two functions that agree": (lambda t: 1 / t, inverse),
    "remembering": (remembered(inverse), inverse),
    "matrices of operators": (
        aslinearoperator(DIFFERENCES),
        aslinearoperator(np.asfortranarray(DIFFERENCES)),
    ),
}


@pytest.mark.parametrize("label", SAME)
def test_spellings_of_one_thing_are_one(label: str) -> None:
    one, other = SAME[label]
    assert fingerprint(one) == fingerprint(other)


def test_how_often_an_operator_was_called_is_no_parameter() -> None:
    fresh, used = Holding(1), Holding(1)
    used.prox(np.ones(2), 1.0)
    assert fingerprint(fresh) == fingerprint(used)


def test_a_fingerprint_is_short_whatever_it_is_of() -> None:
    for value in (
        np.zeros(10**5),
        ["word"] * 10**4,
        {str(k): k for k in range(1000)},
        range(10**4),
    ):
        assert len(fingerprint(value)) < 100


def test_a_fingerprint_does_not_depend_on_the_process() -> None:
    """Nothing of an address or of a hash seed is in it."""
    for makes in OTHER.values():
        for make in makes:
            assert "0x" not in fingerprint(make())


def test_a_set_of_observations_in_a_list_is_told_apart(tmp_path: Any) -> None:
    """From the fingerprint to the refusal, for types that only it tells apart."""
    given = {"gradient": zoo.paper.Smoothed(1), "max_iterations": 2, "rng": 0}
    pairs = [
        ([{1, 2}, {3}], [{1}, {2, 3}]),
        ([{"a": 1}, {"b": 2}], [{"a": 2}, {"b": 1}]),
        ([Slots(1.0)], [Slots(2.0)]),
        (["ab", "c"], ["a", "bc"]),
    ]
    for k, (one, other) in enumerate(pairs):
        path = tmp_path / f"{k}.npz"
        zoo.Optimizer(np.zeros(2), observations=one, **given).save(path)
        zoo.Optimizer(np.zeros(2), observations=one, **given).load(path)
        with pytest.raises(ValueError, match="written with another observations"):
            zoo.Optimizer(np.zeros(2), observations=other, **given).load(path)
