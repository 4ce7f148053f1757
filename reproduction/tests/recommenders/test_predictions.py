"""Predictions to blend: the synthetic ones, and those of real recommenders."""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest

from zooadmm.datasets import Predictions, Ratings, synthetic_predictions
from zooadmm_reproduction.predictions import predicted, recommender_predictions, split, spread
from zooadmm_reproduction.recommenders import Recommender, Training, catalog
from zooadmm_reproduction.recommenders.biases import ItemMeans, UserMeans
from zooadmm_reproduction.recommenders.recommender import Indices, Numbers


def blend_error(data: Predictions) -> float:
    """The test error of the least-squares blend of the first half."""
    half = len(data.targets) // 2
    weights = np.linalg.lstsq(data.predictions[:half], data.targets[:half], rcond=None)[0]
    errors = data.predictions[half:] @ weights - data.targets[half:]
    return float(np.sqrt(np.mean(errors**2)))


def test_the_synthetic_models_are_like_real_ones() -> None:
    data = synthetic_predictions()
    assert data.predictions.shape == (131_072, 237)
    assert data.predictions.dtype == np.float64
    assert len(set(data.models)) == 237
    for numbers in (data.predictions, data.targets):
        assert numbers.min() == 0.0
        assert numbers.max() == 100.0
    np.testing.assert_array_equal(data.targets, np.round(data.targets))
    errors = data.rmse()
    assert errors.min() == pytest.approx(16.5, abs=0.1)
    assert errors.max() == pytest.approx(20.6, abs=0.1)
    correlations = np.corrcoef(data.predictions[:10_000].T)
    assert 0.88 < np.median(correlations[np.triu_indices(237, 1)]) < 0.92
    assert np.median(correlations[0, 8::8]) > 0.95
    assert blend_error(data) == pytest.approx(15.8, abs=0.1)


def test_the_synthetic_models_depend_on_the_seed_alone() -> None:
    first, again, other = (synthetic_predictions(500, 9, rng=seed) for seed in (3, 3, 4))
    np.testing.assert_array_equal(first.predictions, again.predictions)
    np.testing.assert_array_equal(first.targets, again.targets)
    assert not np.array_equal(first.targets, other.targets)


@pytest.mark.parametrize("name", ["num_ratings", "num_models"])
def test_nothing_synthetic_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match=f"{name} is 0"):
        synthetic_predictions(**{name: 0})


def some_ratings() -> Ratings:
    """50 users, 30 items, 600 ratings of 1 to 5; some items are left without any to learn from."""
    generator = np.random.default_rng(5)
    pairs = generator.choice(49 * 29, size=597, replace=False)
    user = np.concatenate((pairs // 29, [49, 49, 48]))
    item = np.concatenate((pairs % 29, [29, 3, 29]))
    p, q = generator.standard_normal((50, 2)), generator.standard_normal((30, 2))
    rating = np.clip(np.round(3.0 + np.sum(p[user] * q[item], axis=1)), 1.0, 5.0)
    return Ratings(user, item, rating, 50, 30, "some")


def test_no_recommender_sees_what_it_predicts() -> None:
    ratings, held_out = some_ratings(), 200
    learned, asked = split(600, held_out)
    changed = ratings.rating.copy()
    changed[asked] = 77.0
    before = recommender_predictions(ratings, held_out=held_out, cache=False, progress=False)
    after = recommender_predictions(
        replace(ratings, rating=changed), held_out=held_out, cache=False, progress=False
    )
    np.testing.assert_array_equal(before.predictions, after.predictions)
    np.testing.assert_array_equal(before.targets, ratings.rating[asked])
    np.testing.assert_array_equal(after.targets, 77.0)
    assert np.all(np.isfinite(before.predictions))
    assert before.predictions.min() >= 1.0
    assert before.predictions.max() <= 5.0
    assert before.models == tuple(model.name for model in catalog())
    shifted = ratings.rating.copy()
    shifted[learned] = 6.0 - shifted[learned]
    other = recommender_predictions(
        replace(ratings, rating=shifted), held_out=held_out, cache=False, progress=False
    )
    assert np.all(np.any(other.predictions != before.predictions, axis=0))


def test_the_split_is_fixed_and_takes_a_third_of_a_few_ratings() -> None:
    for held_out, count in ((1, 1), (150, 150), (None, 100)):
        learned, asked = split(300, held_out)
        assert len(asked) == count
        np.testing.assert_array_equal(np.sort(np.concatenate((learned, asked))), np.arange(300))
        np.testing.assert_array_equal(asked, split(300, held_out)[1])
    for num_ratings, count in ((3, 1), (262_143, 87_381), (262_144, 131_072), (400_000, 131_072)):
        assert len(split(num_ratings, None)[1]) == count
    for wrong in (0, 151, 10**6):
        with pytest.raises(ValueError, match=f"held_out is {wrong} of 300 .* hold out 1 to 150"):
            split(300, wrong)
    with pytest.raises(ValueError, match="there are 2 ratings"):
        split(2, None)


def test_ratings_with_nothing_to_learn_from_are_refused() -> None:
    user, item = (places.ravel() for places in np.indices((4, 5)))
    rating = np.arange(20.0)
    equal = rating.copy()
    equal[split(20, 5)[0]] = 0.1
    nobody = np.zeros(20, dtype=int)
    for ratings, message in (
        (Ratings(user, item, equal, 4, 5, "same"), "15 ratings that are not held out are all equ"),
        (Ratings(nobody, np.arange(20), rating, 1, 20, "one"), r"1 user\(s\) and 20 item\(s\)"),
        (Ratings(np.arange(20), nobody, rating, 20, 1, "one"), r"20 user\(s\) and 1 item\(s\)"),
        (Ratings(user, item, rating, 50_000, 4001, "many"), "all 200050000 pairs, of 200000000 at"),
    ):
        with pytest.raises(ValueError, match=message):
            recommender_predictions(ratings, held_out=5, cache=False, progress=False)


def test_fewer_models_are_spread_evenly() -> None:
    assert spread(catalog(), 237) == catalog()
    few = [catalog().index(model) for model in spread(catalog(), 5)]
    assert few == [0, 59, 118, 177, 236]
    for count in (0, 238):
        with pytest.raises(ValueError, match=f"num_models is {count}; there are 237"):
            spread(catalog(), count)


CALLS: Counter[str] = Counter()
"""How often each counted recommender had to work."""


@dataclass(frozen=True)
class Counted(Recommender):
    """The mean of the item's ratings, counted; or an interruption."""

    label: str
    interrupted: bool = False
    title: ClassVar[str] = "counted"

    @property
    def name(self) -> str:
        return f"counted {self.label}"

    def predict(self, training: Training, users: Indices, items: Indices) -> Numbers:
        CALLS[self.label] += 1
        if self.interrupted:
            raise KeyboardInterrupt
        return ItemMeans(1.0).predict(training, users, items)


def test_an_interrupted_build_goes_on_where_it_was(tmp_path: Path) -> None:
    CALLS.clear()
    ratings = some_ratings()
    with pytest.raises(KeyboardInterrupt):
        predicted(ratings, (Counted("a"), Counted("b", True)), 200, tmp_path, progress=False)
    models = (Counted("a"), Counted("b"))
    first = predicted(ratings, models, 200, tmp_path, progress=False)
    again = predicted(ratings, models, 200, tmp_path, progress=False)
    assert CALLS == {"a": 1, "b": 2}
    fresh = predicted(ratings, models, 200, None, progress=False)
    for other in (again, fresh):
        np.testing.assert_array_equal(first.predictions, other.predictions)
    np.testing.assert_array_equal(first.predictions, first.predictions.astype(np.float32))
    (folder,) = tmp_path.iterdir()
    assert sorted(path.name for path in folder.iterdir()) == ["counted_a.npy", "counted_b.npy"]


def test_other_ratings_and_another_split_have_other_files(tmp_path: Path) -> None:
    ratings, models = some_ratings(), (UserMeans(1.0),)
    learned, asked = split(600, 200)
    changed, elsewhere = ratings.rating.copy(), ratings.rating.copy()
    changed[learned[0]] += 1.0
    elsewhere[asked[0]] += 1.0
    for varied, held_out, files in (
        (ratings, 200, 1),
        (replace(ratings, rating=elsewhere), 200, 1),
        (replace(ratings, rating=changed), 200, 2),
        (ratings, 201, 3),
    ):
        found = predicted(varied, models, held_out, tmp_path, progress=False)
        fresh = predicted(varied, models, held_out, None, progress=False)
        np.testing.assert_array_equal(found.predictions, fresh.predictions)
        assert len(list(tmp_path.glob("*/*"))) == files


def test_a_file_is_whole_or_not_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(*_: object) -> None:
        raise OSError("the disk is full")

    monkeypatch.setattr(os, "replace", failing)
    with pytest.raises(OSError, match="the disk is full"):
        predicted(some_ratings(), (UserMeans(1.0),), 200, tmp_path, progress=False)
    assert list(tmp_path.glob("*/*")) == []


def test_two_writers_of_one_file_do_not_meet(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def another_writer_first(source: str, target: Path) -> None:
        monkeypatch.setattr(os, "replace", replace_file)
        predicted(some_ratings(), (UserMeans(1.0),), 200, tmp_path, progress=False)
        replace_file(source, target)

    replace_file = os.replace
    monkeypatch.setattr(os, "replace", another_writer_first)
    found = predicted(some_ratings(), (UserMeans(1.0),), 200, tmp_path, progress=False)
    (path,) = tmp_path.glob("*/*")
    np.testing.assert_array_equal(np.load(path), found.predictions[:, 0])


def test_a_file_of_another_shape_is_made_anew(tmp_path: Path) -> None:
    found = predicted(some_ratings(), (UserMeans(1.0),), 200, tmp_path, progress=False)
    (path,) = tmp_path.glob("*/*")
    np.save(path, np.zeros((1,), dtype=np.float32))  # which would fit by broadcasting
    again = predicted(some_ratings(), (UserMeans(1.0),), 200, tmp_path, progress=False)
    np.testing.assert_array_equal(again.predictions, found.predictions)
    assert np.load(path).shape == (200,)


def test_the_bar_is_shown_on_standard_error_only(capsys: pytest.CaptureFixture[str]) -> None:
    recommender_predictions(some_ratings(), num_models=3, held_out=100, cache=False)
    assert capsys.readouterr().out == ""
