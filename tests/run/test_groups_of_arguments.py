"""`Limits` and `Paper`: arguments of `minimize` as one value, and the same by keyword."""

import numpy as np
import pytest

import zooadmm as zoo

X0 = np.linspace(-1.0, 1.0, 5)


def bowl(x: np.ndarray) -> float:
    return float(np.square(x - 0.3).sum())


def minimized(**arguments: object) -> zoo.Result:
    return zoo.minimize(bowl, X0, regularizer=zoo.L1(0.1), rng=0, **arguments)


def same(one: zoo.Result, other: zoo.Result) -> bool:
    return np.array_equal(one.x, other.x) and one.message == other.message


@pytest.mark.parametrize("settings", ["paper", zoo.Paper()])
def test_the_group_and_its_keywords_are_one_run(settings):
    parts = {"penalty": 3.0, "step_size": 0.05, "metric": zoo.paper.Fixed(4.0)}
    grouped = minimized(settings=zoo.Paper(**parts), max_iterations=20)
    assert same(grouped, minimized(settings=settings, **parts, max_iterations=20))
    assert not same(grouped, minimized(settings=settings, max_iterations=20))


def test_limits_and_their_keywords_are_one_run():
    grouped = minimized(limits=zoo.Limits(max_evaluations=70, target=0.0))
    assert same(grouped, minimized(max_evaluations=70, target=0.0))
    assert same(grouped, minimized(limits=zoo.Limits(target=0.0), max_evaluations=70))
    assert grouped.nfev <= 70


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            {"settings": zoo.Paper(penalty=1.0), "penalty": 2.0, "max_iterations": 3},
            r"penalty is given by keyword and in Paper\(penalty=1.0\)",
        ),
        (
            {"limits": zoo.Limits(max_evaluations=10), "max_evaluations": 20},
            "max_evaluations is given by keyword and in Limits",
        ),
    ],
)
def test_nothing_is_given_twice(arguments, message):
    with pytest.raises(ValueError, match=message):
        minimized(**arguments)


def test_limits_must_be_limits():
    with pytest.raises(TypeError, match="limits must be a Limits, such as Limits"):
        minimized(limits=100)


@pytest.mark.parametrize(
    "given",
    [
        {"gradient": zoo.paper.Exact()},
        {"metric": zoo.paper.Linearized()},
        {"proximal_weight": "constant"},
    ],
)
@pytest.mark.parametrize("settings", [{}, {"settings": "auto"}, {"settings": zoo.Auto()}])
def test_nothing_switches_the_method(given, settings):
    with pytest.raises(ValueError, match='belongs to Algorithm 1 as printed: add settings="paper"'):
        minimized(**given, **settings, max_iterations=3)
