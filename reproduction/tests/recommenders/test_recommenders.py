"""Baselines, neighborhoods, slope one and co-clustering beside slow twins."""

from __future__ import annotations

import gc
import weakref
from itertools import product

import numpy as np
import pytest
from recommenders.tiny_ratings import TALL, WIDE, Numbers, by_pair, everywhere, left_by, pairs, tiny

from zooadmm_reproduction.recommenders import Training, catalog, neighborhoods, slope_one
from zooadmm_reproduction.recommenders.biases import (
    Center,
    GlobalMean,
    ItemMeans,
    ItemsThenUsers,
    RidgeBiases,
    UserMeans,
    UsersThenItems,
)
from zooadmm_reproduction.recommenders.co_clustering import SWEEPS, CoClustering
from zooadmm_reproduction.recommenders.neighborhoods import ItemNeighbors, UserNeighbors
from zooadmm_reproduction.recommenders.slope_one import SlopeOne

CENTERS: tuple[Center, ...] = ("mean", "user", "item", "biases")


def shrunk_means(training: Training, before: Numbers, axis: int, shrinkage: float) -> Numbers:
    """before + the shrunk mean of each user's (axis 0) or item's (axis 1) residuals."""
    result = before.copy()
    for index in range(before.shape[axis]):
        residuals = [
            r - before[pair]
            for pair, r in by_pair(training, training.rating).items()
            if pair[axis] == index
        ]
        if residuals:
            line = (index, slice(None)) if axis == 0 else (slice(None), index)
            result[line] += sum(residuals) / (len(residuals) + shrinkage)
    return result


def test_means_and_what_is_left_of_them() -> None:
    mean = np.full((9, 7), TALL.rating.mean())
    users, items = shrunk_means(TALL, mean, 0, 2.0), shrunk_means(TALL, mean, 1, 3.0)
    for model, twin in (
        (GlobalMean(), mean),
        (UserMeans(2.0), users),
        (UserMeans(0.0), shrunk_means(TALL, mean, 0, 0.0)),
        (ItemMeans(3.0), items),
        (ItemsThenUsers(3.0, 2.0), shrunk_means(TALL, items, 0, 2.0)),
        (UsersThenItems(2.0, 3.0), shrunk_means(TALL, users, 1, 3.0)),
    ):
        np.testing.assert_allclose(everywhere(model, TALL), twin, err_msg=model.name)


def test_ridge_biases_are_a_ridge_regression() -> None:
    design = np.hstack((np.eye(9)[TALL.user], np.eye(7)[TALL.item]))
    mean, l2 = TALL.rating.mean(), 5.0
    b = np.linalg.solve(design.T @ design + l2 * np.eye(16), design.T @ (TALL.rating - mean))
    twin = mean + b[:9, None] + b[None, 9:]
    np.testing.assert_allclose(everywhere(RidgeBiases(l2), TALL), twin, atol=1e-4)


def neighbors_twin(
    training: Training, k: int, center: Center, shrinkage: float, axis: int
) -> Numbers:
    """Over the k nearest of user u (axis 0) or of item i (axis 1)."""
    offsets, left = left_by(training, center)
    count = (training.num_users, training.num_items)[axis]
    lines = [{p[1 - axis]: z for p, z in left.items() if p[axis] == a} for a in range(count)]

    def similarity(a: int, b: int) -> float:
        common = sorted(lines[a].keys() & lines[b].keys())
        x, y = (np.array([lines[c][j] for j in common]) for c in (a, b))
        lengths = np.linalg.norm(x) * np.linalg.norm(y)
        if a == b or lengths < 1e-12:
            return 0.0
        return max(0.0, float(x @ y / lengths)) * len(common) / (len(common) + shrinkage)

    result = offsets.copy()
    for pair in pairs(training):
        a, other = pair[axis], pair[1 - axis]
        nearest = sorted(((similarity(a, b), b) for b in range(count)), reverse=True)[:k]
        known = [(s, lines[b][other]) for s, b in nearest if other in lines[b]]
        total = sum(s for s, _ in known)
        if total > 0.0:
            result[pair] += sum(s * z for s, z in known) / total
    return result


@pytest.mark.parametrize(("center", "shrinkage", "k"), list(product(CENTERS, (0.0, 3.0), (2, 50))))
def test_neighbors(center: Center, shrinkage: float, k: int) -> None:
    training = tiny(12, 9, density=0.85)  # enough in common that no two neighbors are equally near
    for axis, kind in enumerate((UserNeighbors, ItemNeighbors)):
        found = everywhere(kind(k, center, shrinkage), training)
        twin = neighbors_twin(training, k, center, shrinkage, axis)
        assert np.abs(twin - left_by(training, center)[0]).max() > 0.1
        np.testing.assert_allclose(found, twin, atol=1e-12, err_msg=kind.title)


def test_neighbors_are_computed_once_for_all_k_and_forgotten_with_the_ratings(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    computed = []

    def watched(*question: object) -> tuple[Numbers, Numbers]:
        computed.append(question[1:])
        return all_nearest(*question)

    all_nearest = neighborhoods._all_nearest
    monkeypatch.setattr(neighborhoods, "_all_nearest", watched)
    training = tiny(9, 7)
    for k in (2, 3):
        everywhere(UserNeighbors(k, "user", 1.0), training)
    everywhere(ItemNeighbors(2, "user", 1.0), training)
    assert computed == [("users", "user", 1.0), ("items", "user", 1.0)]
    alive = weakref.ref(training)
    del training
    gc.collect()
    assert alive() is None


def test_similarities_of_lines_with_little_in_common() -> None:
    training = tiny(40, 30, density=0.09)
    table, known = training.dense(training.rating), training.known
    assert known.mean() < 0.1
    twin = np.zeros((40, 40))
    for a, b in product(range(40), repeat=2):
        both = (known[a] * known[b]) > 0.0
        if a != b and both.any():
            x, y = table[a, both], table[b, both]
            cosine = x @ y / np.linalg.norm(x) / np.linalg.norm(y)
            twin[a, b] = max(0.0, cosine) * both.sum() / (both.sum() + 2.0)
    assert np.count_nonzero(twin) > 100
    found = np.concatenate(list(neighborhoods.similarity_blocks(table, known, 2.0)))
    np.testing.assert_allclose(found, twin, atol=1e-12)


def slope_one_twin(training: Training, power: float) -> Numbers:
    rating = by_pair(training, training.rating)
    result = everywhere(UserMeans(0.0), training)
    for u, i in pairs(training):
        weighted, total = 0.0, 0.0
        for j in range(training.num_items):
            both = [v for v in range(training.num_users) if {(v, i), (v, j)} <= rating.keys()]
            if (u, j) in rating and both:
                difference = np.mean([rating[v, i] - rating[v, j] for v in both])
                weighted += len(both) ** power * (rating[u, j] + difference)
                total += len(both) ** power
        if total > 0.0:
            result[u, i] = weighted / total
    return result


@pytest.mark.parametrize("power", [0.0, 1.0])
def test_slope_one(power: float) -> None:
    for training in (TALL, WIDE):
        found = everywhere(SlopeOne(power), training)
        np.testing.assert_allclose(found, slope_one_twin(training, power))


def test_blocks_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    models = (SlopeOne(1.0), UserNeighbors(3, "user", 1.0), ItemNeighbors(3, "biases", 1.0))
    whole = [everywhere(model, tiny(9, 7)) for model in models]
    monkeypatch.setattr(slope_one, "_BLOCK", 2)
    monkeypatch.setattr(neighborhoods, "_BLOCK", 2)
    for model, expected in zip(models, whole, strict=True):
        np.testing.assert_allclose(everywhere(model, tiny(9, 7)), expected, atol=1e-12)


def co_clustering_twin(training: Training, num_g: int, num_h: int) -> Numbers:
    offsets, left = left_by(training, "biases")
    generator = np.random.default_rng(0)
    g = generator.integers(num_g, size=training.num_users)
    h = generator.integers(num_h, size=training.num_items)

    def means() -> Numbers:
        blocks = np.zeros((num_g, num_h))
        for a, b in product(range(num_g), range(num_h)):
            members = [z for (u, i), z in left.items() if (g[u], h[i]) == (a, b)]
            blocks[a, b] = np.mean(members) if members else 0.0
        return blocks

    for _ in range(SWEEPS):
        blocks = means()
        for u in range(training.num_users):
            mine = [(i, z) for (v, i), z in left.items() if v == u]
            g[u] = np.argmin(
                [sum((z - blocks[a, h[i]]) ** 2 for i, z in mine) for a in range(num_g)]
            )
        blocks = means()
        for i in range(training.num_items):
            mine = [(u, z) for (u, j), z in left.items() if j == i]
            h[i] = np.argmin(
                [sum((z - blocks[g[u], b]) ** 2 for u, z in mine) for b in range(num_h)]
            )
    return offsets + means()[g][:, h]


def test_co_clustering() -> None:
    for training in (TALL, WIDE):
        found = everywhere(CoClustering(3, 2), training)
        np.testing.assert_allclose(found, co_clustering_twin(training, 3, 2), atol=1e-12)


def test_the_catalog_has_237_different_names() -> None:
    names = [model.name for model in catalog()]
    assert len(names) == len(set(names)) == 237
    assert "item neighbors k=10 center=user shrinkage=2" in names
