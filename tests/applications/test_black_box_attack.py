"""The attack against a judge that enumerates the pieces of a small network."""

from __future__ import annotations

from itertools import product
from typing import Any

import cvxpy as cp
import numpy as np
import pytest

from zooadmm.applications import BlackBoxAttack
from zooadmm.applications.attack.distortions import L1, L2, Groups, LInf

PIXELS, HIDDEN, CLASSES = 6, 4, 3
ROWS = [[0, 1, 2], [3, 4, 5]]
"""Groups: the rows of an image of 2 x 3 pixels."""


class Network:
    """One hidden layer of ReLU, with random weights."""

    def __init__(self, seed: int, dtype: Any = np.float64) -> None:
        generator = np.random.default_rng(seed)
        self.W = 2.0 * generator.standard_normal((PIXELS, HIDDEN))
        self.b = 0.5 * generator.standard_normal(HIDDEN) - self.W.sum(axis=0) / 2
        self.V = 2.0 * generator.standard_normal((HIDDEN, CLASSES))
        self.image = generator.uniform(0.2, 0.8, PIXELS)
        self.dtype, self.queries, self.shapes = dtype, 0, set()
        self.label = int(self(self.image[None])[0].argmax())
        self.queries = 0

    def __call__(self, X: Any) -> Any:
        self.queries += len(X)
        self.shapes.add(np.shape(X)[1:])
        flat = np.reshape(X, (len(X), -1)).astype(self.dtype)
        scores = np.exp(np.maximum(flat @ self.W + self.b, 0.0) @ self.V).astype(self.dtype)
        return scores / scores.sum(axis=1, keepdims=True)

    def least(self, norm: Any, target: int | None = None) -> float:
        """The least distortion: a convex program for each pattern of active units and class."""
        others = [c for c in range(CLASSES) if c != self.label] if target is None else [target]
        values = []
        for pattern, other in product(product([0.0, 1.0], repeat=HIDDEN), others):
            d = cp.Variable(PIXELS)
            x, on = self.image + d, np.array(pattern)
            inputs = self.W.T @ x + self.b
            scores = self.V.T @ cp.multiply(on, inputs)
            beaten = [self.label] if target is None else [c for c in range(CLASSES) if c != other]
            rows = [x >= 0, x <= 1, cp.multiply(2 * on - 1, inputs) >= 0]
            rows += [scores[c] <= scores[other] for c in beaten]
            problem = cp.Problem(cp.Minimize(SIZES[norm](d)), rows)
            problem.solve(solver="CLARABEL")
            if problem.status == "optimal":
                values.append(float(problem.value))
        return min(values, default=np.inf)


SIZES: dict[str, Any] = {
    "L1": cp.norm1,
    "L2": cp.norm2,
    "Linf": cp.norm_inf,
    "groups": lambda d: sum(cp.norm2(d[group]) for group in ROWS),
}


def attacked(network: Network, norm: str = "L2", target: int | None = None, **given: Any) -> Any:
    attack = BlackBoxAttack(
        network, distortion=ROWS if norm == "groups" else norm, random_state=0, **given
    )
    targets = None if target is None else [target]
    return attack.attack(network.image[None], [network.label], targets)


@pytest.mark.parametrize(("norm", "seed"), [("L1", 2), ("L2", 0), ("Linf", 2), ("groups", 0)])
def test_it_finds_the_nearest_adversarial_image(norm: str, seed: int) -> None:
    network = Network(seed)
    found = attacked(network, norm, max_queries=1500)
    assert found.distortion[0] == pytest.approx(network.least(norm), rel=2e-3)
    x = found.images[0]
    assert (x >= 0).all()
    assert (x <= 1).all()
    assert int(network(x[None])[0].argmax()) == found.labels[0] != network.label


def test_a_target_passes_every_other_class() -> None:
    network = Network(2)
    reachable = {
        target: least
        for target in range(CLASSES)
        if target != network.label and np.isfinite(least := network.least("L2", target))
    }
    assert reachable
    for target, least in reachable.items():
        found = attacked(network, "L2", target, max_queries=1500)
        assert found.labels[0] == target
        assert found.distortion[0] == pytest.approx(least, rel=2e-3)


def test_queries_are_counted_and_limited() -> None:
    network = Network(0)
    found = attacked(network, max_queries=100)
    assert found.queries[0] == network.queries <= 100
    whole = attacked(Network(0), max_queries=400)
    course = whole.courses[0]
    assert (np.diff(course, axis=0) * [1, -1] > 0).all()
    assert whole.distortion_after(400) == whole.distortion
    assert whole.distortion_after(0) == np.inf
    assert whole.distortion_after(100) == found.distortion


def test_it_stops_when_the_distortion_is_small_enough() -> None:
    first = attacked(Network(0), enough=np.inf)
    assert first.success[0]
    assert len(first.courses[0]) == 1
    assert first.queries[0] < 50
    near = 1.01 * Network(0).least("L2")
    found = attacked(Network(0), enough=near)
    assert found.distortion[0] <= near
    assert found.queries[0] < 6000


def test_images_of_a_batch_keep_their_shape_and_do_not_depend_on_each_other() -> None:
    network = Network(0)
    others = np.random.default_rng(1).uniform(size=(2, 2, 3))
    images = np.concatenate([network.image.reshape(1, 2, 3), others])
    labels = network(images).argmax(axis=1)
    attack = BlackBoxAttack(network, max_queries=300, random_state=5)
    found = attack.attack(images, labels)
    assert network.shapes == {(6,), (2, 3)}  # (6,) from its own first query
    assert found.images.shape == images.shape
    alone = attack.attack(images[:1], labels[:1])
    np.testing.assert_array_equal(alone.images[0], found.images[0])
    np.testing.assert_array_equal(attack.attack(images, labels).images, found.images)


def test_an_image_that_is_misclassified_needs_no_change() -> None:
    network = Network(0)
    found = BlackBoxAttack(network).attack(network.image[None], [(network.label + 1) % CLASSES])
    assert (found.distortion[0], found.queries[0], found.labels[0]) == (0.0, 1, network.label)


def test_a_classifier_that_cannot_be_fooled() -> None:
    def constant(X: Any) -> Any:
        return np.tile([0.7, 0.2, 0.1], (len(X), 1))

    image = np.full((1, 4), 0.5)
    found = BlackBoxAttack(constant, max_queries=60).attack(image, [0])
    assert not found.success[0]
    assert (found.distortion[0], found.labels[0]) == (np.inf, -1)
    np.testing.assert_array_equal(found.images, image)


def test_probabilities_in_single_precision() -> None:
    found = attacked(Network(0, np.float32), max_queries=1500)
    assert found.distortion[0] == pytest.approx(Network(0).least("L2"), rel=0.02)


@pytest.mark.parametrize("norm", [L1(), L2(), LInf(), Groups(ROWS)], ids=repr)
def test_the_nearest_point_of_several_rows(norm: Any) -> None:
    generator = np.random.default_rng(3)
    G = generator.standard_normal((5, PIXELS)) - 0.5
    G /= np.linalg.norm(G, axis=1, keepdims=True)
    h, lower, upper = np.full(5, -0.3), np.full(PIXELS, -0.4), np.full(PIXELS, 0.6)
    d = norm.nearest(lower, upper, G, h)
    variable = cp.Variable(PIXELS)
    size = SIZES[{"L1": "L1", "L2": "L2", "LInf": "Linf"}.get(type(norm).__name__, "groups")]
    rows = [G @ variable <= h, variable >= lower, variable <= upper]
    least = cp.Problem(cp.Minimize(size(variable)), rows).solve(solver="CLARABEL")
    assert (G @ d - h).max() < 1e-8
    assert norm(d) == pytest.approx(least, rel=2e-3)
    assert norm.nearest(lower, upper, np.vstack([G, -G]), np.concatenate([h, h])) is None


@pytest.mark.parametrize(
    ("given", "labels", "said"),
    [
        ({"distortion": "L3"}, [0], "distortion must be"),
        ({"distortion": [[0, 1], [1, 2]]}, [0], "every pixel once"),
        ({"distortion": [[0, 1], [2]]}, [0], "the groups have 3 pixels and the images 6"),
        ({"max_queries": 0}, [0], "max_queries = 0"),
        ({"upper": 0.1}, [0], "outside lower and upper"),
        ({}, [0.5], "labels must be 1 class numbers"),
        ({}, [0, 1], "labels must be 1 class numbers"),
        ({}, [-1], "0 or more"),
        ({}, [3], "class 3 is not among the 3 columns"),
    ],
)
def test_bad_input(given: dict[str, Any], labels: Any, said: str) -> None:
    network = Network(0)
    with pytest.raises(ValueError, match=said):
        BlackBoxAttack(network, **given).attack(network.image[None], labels)


@pytest.mark.parametrize(
    ("answer", "said"), [(np.full((1, 3), np.nan), "NaN or inf"), (np.zeros(3), "one row of class")]
)
def test_bad_probabilities(answer: Any, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        BlackBoxAttack(lambda X: answer).attack(np.full((1, 6), 0.5), [0])
