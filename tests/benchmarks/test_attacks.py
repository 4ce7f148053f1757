"""The attacks of the benchmark: networks, the proved least distortion, rows and tables."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import Any

import cvxpy as cp
import numpy as np
import pytest

from benchmarks.attacks.__main__ import IMAGES, keys, measure
from benchmarks.attacks.balls import BALLS
from benchmarks.attacks.bounds import GAP, least
from benchmarks.attacks.convolution import Convolutional
from benchmarks.attacks.methods import BOUND, OURS, attacked
from benchmarks.attacks.networks import (
    DEVELOPMENT,
    Dense,
    convolutional,
    dense,
    digits,
    images,
)
from benchmarks.attacks.report import PAGE, page
from benchmarks.attacks.rows import FOLDER, Row, append, read, write
from zooadmm.applications import BlackBoxAttack

NORMS: dict[str, Any] = {"L1": cp.norm1, "L2": cp.norm2, "Linf": cp.norm_inf}
FAR = {"L1": 5.0, "L2": np.sqrt(5.0), "Linf": 1.0}
"""The largest distortion of five pixels in [0, 1]."""


def small(seed: int) -> tuple[Dense, Any, int]:
    """A random network 5-4-3 with an image and its class."""
    generator = np.random.default_rng(seed)
    W = 2.0 * generator.standard_normal((5, 4))
    b = 0.5 * generator.standard_normal(4) - W.sum(axis=0) / 2
    network = Dense(W, b, 2.0 * generator.standard_normal((4, 3)), np.zeros(3))
    image = generator.uniform(0.2, 0.8, 5)
    return network, image, int(network.predict_proba(image[None])[0].argmax())


def enumerated(network: Dense, image: Any, label: int, norm: str) -> float:
    """A convex program for each pattern of active units and each other class."""
    values = []
    for pattern, other in product(product([0.0, 1.0], repeat=4), {0, 1, 2} - {label}):
        d, on = cp.Variable(5), np.array(pattern)
        inputs = network.W.T @ (image + d) + network.b
        scores = network.V.T @ cp.multiply(on, inputs)
        rows = [image + d >= 0, image + d <= 1, cp.multiply(2 * on - 1, inputs) >= 0]
        rows.append(scores[label] <= scores[other])
        problem = cp.Problem(cp.Minimize(NORMS[norm](d)), rows)
        problem.solve(solver="CLARABEL")
        if problem.status == "optimal":
            values.append(float(problem.value))
    return min(values, default=np.inf)


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_branch_and_bound_finds_what_enumeration_does(norm: str, seed: int) -> None:
    network, image, label = small(seed)
    expected = enumerated(network, image, label, norm)
    found = least(network, image, label, norm, FAR[norm])
    assert expected < FAR[norm]
    assert found.found == pytest.approx(expected, rel=2 * GAP)
    assert found.bound <= expected * (1 + 1e-6)
    assert found.bound >= found.found * (1 - 1.01 * GAP)


@pytest.mark.parametrize("norm", NORMS)
def test_units_do_not_reach_beyond_their_bounds(norm: str) -> None:
    generator = np.random.default_rng(0)
    W, lower, upper = generator.standard_normal((6, 3)), np.full(6, -0.2), np.full(6, 0.7)
    bounds = BALLS[norm].reach(W, 0.9, lower, upper)
    for column, bound in zip(W.T, bounds, strict=True):
        d = cp.Variable(6)
        rows = [d >= lower, d <= upper, NORMS[norm](d) <= 0.9]
        most = cp.Problem(cp.Maximize(column @ d), rows).solve(solver="CLARABEL")
        assert most <= bound + 1e-6
        assert bound <= 1.02 * most


@pytest.mark.parametrize("norm", NORMS)
def test_multipliers_prove_the_nearest_point(norm: str) -> None:
    generator = np.random.default_rng(1)
    G = generator.standard_normal((4, 6)) - 0.5
    G /= np.linalg.norm(G, axis=1, keepdims=True)
    h, lower, upper = np.full(4, -0.3), np.full(6, -0.4), np.full(6, 0.6)
    found = BALLS[norm].nearest(G, h, lower, upper)
    assert found.d is not None
    d = cp.Variable(6)
    rows = [G @ d <= h, d >= lower, d <= upper]
    expected = cp.Problem(cp.Minimize(NORMS[norm](d)), rows).solve(solver="CLARABEL")
    assert found.bound <= BALLS[norm].size(found.d) + 1e-9
    assert found.bound == pytest.approx(expected, rel=1e-5)
    none = BALLS[norm].nearest(np.vstack([G, -G]), np.concatenate([h, h]), lower, upper)
    assert none == (None, np.inf)


def test_slopes_of_the_convolutional_network() -> None:
    network = Convolutional.random(0)
    generator = np.random.default_rng(0)
    for parameter in network.parameters:  # away from the kinks of blank patches
        parameter += 0.01 * generator.standard_normal(parameter.shape)
    X, y = digits().X[:4], digits().y[:4]

    def loss() -> float:
        return float(-np.log(network.predict_proba(X)[np.arange(4), y]).mean())

    for parameter, slopes in zip(network.parameters, network.gradients(X, y), strict=True):
        at = tuple(int(generator.integers(side)) for side in parameter.shape)
        before = parameter[at]
        values = []
        for step in (1e-6, -1e-6):
            parameter[at] = before + step
            values.append(loss())
        parameter[at] = before
        assert slopes[at] == pytest.approx((values[0] - values[1]) / 2e-6, rel=1e-4, abs=1e-8)


def test_the_convolutional_network_is_fooled() -> None:
    network, of = convolutional(), images("convolutional")
    assert len(of.images) > 0.95 * len(digits().y_test)
    attack = BlackBoxAttack(network.predict_proba, max_queries=500, random_state=0)
    found = attack.attack(of.images[:6], of.labels[:6])
    assert found.success.all()
    assert (network.predict_proba(found.images).argmax(axis=1) != of.labels[:6]).all()
    assert (
        np.median(found.distortion) < 1.0
    )  # 0.54 when it was written; the images have norms of 3 to 4


def test_every_class_is_tried_near_its_own_best_image() -> None:
    """Images of development whose nearest adversarial image is not of the class found first."""
    network, of = dense(), images("dense")
    chosen = [6, 9, 29]
    attack = BlackBoxAttack(network.predict_proba, max_queries=6000, random_state=0)
    found = attack.attack(of.images[chosen], of.labels[chosen])
    for image, distortion in zip(chosen, found.distortion, strict=True):
        proved = least(network, of.images[image], int(of.labels[image]), "L2", distortion)
        assert distortion <= 1.01 * proved.bound


def test_rows_survive_a_stop(tmp_path: Path) -> None:
    first = attacked("dense", "L2", OURS, DEVELOPMENT, 101, np.inf)
    assert first is not None
    append(first, tmp_path)
    (stored,) = read(tmp_path)
    assert stored.key == first.key
    assert stored.distortions == pytest.approx(first.distortions, rel=1e-5)
    measure([first.key, ("dense", "L2", BOUND, DEVELOPMENT)], tmp_path)
    ours, bound = read(tmp_path)
    assert ours == stored
    assert bound.method == BOUND
    assert bound.at_6000 <= ours.at_6000
    write([bound], tmp_path)
    assert read(tmp_path) == [bound]
    assert len(keys(["dense"], ["L2"], [OURS], None)) == IMAGES["dense"] == 100


def test_medians_are_over_images_that_all_fooled() -> None:
    sizes = {OURS: [0.2, 0.3, 0.5], "CMA-ES": [0.4, np.inf, 0.5], BOUND: [0.2, 0.3, 0.4]}
    rows = [
        Row("dense", "L2", method, number, 101, size, size, size, 6000, 1.0)
        for method, values in sizes.items()
        for number, size in enumerate(values)
    ]
    text = page(rows)
    assert "3 images, 2 fooled by all" in text
    assert f"| {OURS} | 100% | 0.35 | 0.35 | 0.35 | 1.000 (1.250) |" in text
    assert "| CMA-ES | 67% | 0.45 | 0.45 | 0.45 | 1.625 (2.000) |" in text
    assert "**0.778** of the best peer's. The least possible: 0.667 of it." in text


def test_the_committed_tables_are_those_of_the_rows() -> None:
    rows = read(FOLDER)
    assert (FOLDER / PAGE).read_text(encoding="utf-8") == page(rows)
    assert len({row.key for row in rows}) == len(rows)
    assert min(row.image for row in rows) >= DEVELOPMENT
