"""Real predictions to blend: 237 recommenders, trained on ratings and asked about others."""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from zooadmm.datasets.folder import cache_folder
from zooadmm.datasets.ratings import Ratings, load_ratings
from zooadmm.datasets.synthetic import Predictions
from zooadmm_reproduction.recommenders import Recommender, Training, catalog
from zooadmm_reproduction.recommenders.recommender import Indices

if TYPE_CHECKING:
    from rich.progress import Progress

VERSION = 1
"""To be raised whenever a recommender changes what it predicts: older files no longer count."""

SPLIT_SEED = 237

HELD_OUT = 131_072
"""How many ratings are predicted by default."""

MOST_CELLS = 200_000_000
"""The largest table of users and items: several of them are in memory at a time."""


def recommender_predictions(
    ratings: Ratings | None = None,
    num_models: int = 237,
    held_out: int | None = None,
    cache: bool = True,
    progress: bool = True,
) -> Predictions:
    """What up to 237 recommenders predict for ratings that were held out from them.

    The ratings (default: `load_ratings()`) are split once and for all: `held_out` of them, in a
    fixed random order, are predicted, and the recommenders learn from the others. They are
    baselines, factorizations, neighborhoods, low-rank imputations, autoencoders, slope one and
    co-clusterings with varied settings; fewer than 237 are spread evenly over that list.
    Predictions are cut to the range of the ratings learned from and rounded to single precision.

    ratings: of two users and two items or more, and at most 200 million pairs of them, as some
    recommenders fill tables of all pairs.
    held_out: at most half of the ratings; by default 131,072, or a third where that is more than
    half.
    cache: keep each model's predictions in the user's cache (needs pooch: pip install
    zooadmm[data]) and take them from there; an interrupted call goes on where it was.
    progress: show a bar on a terminal.

    With Jester this takes two minutes at first and 0.1 GB of the disk; with MovieLens, which has 90
    times as many items, some five minutes.

    >>> from zooadmm.datasets import load_movielens
    >>> recommender_predictions(load_movielens(), num_models=2, held_out=10, cache=False)
    Predictions(10 ratings, 2 models)
    """
    known = load_ratings() if ratings is None else ratings
    folder = cache_folder() / "recommenders" if cache else None
    return predicted(known, spread(catalog(), num_models), held_out, folder, progress)


def spread(models: Sequence[Recommender], count: int) -> tuple[Recommender, ...]:
    """`count` of the models, evenly spread."""
    if not 1 <= count <= len(models):
        raise ValueError(f"num_models is {count}; there are {len(models)}: ask for 1 to all.")
    return tuple(models[i] for i in np.linspace(0, len(models) - 1, count).round().astype(int))


def split(num_ratings: int, held_out: int | None) -> tuple[Indices, Indices]:
    """Which ratings to learn from and, in random order, which to predict."""
    if num_ratings < 3:
        raise ValueError(f"there are {num_ratings} ratings; 3 or more are needed.")
    default = HELD_OUT if num_ratings >= 2 * HELD_OUT else num_ratings // 3
    count = default if held_out is None else held_out
    if not 1 <= count <= num_ratings // 2:
        raise ValueError(
            f"held_out is {count} of {num_ratings} ratings; hold out 1 to {num_ratings // 2}."
        )
    order = np.random.default_rng(SPLIT_SEED).permutation(num_ratings)
    return np.sort(order[count:]), order[:count]


def predicted(
    ratings: Ratings,
    models: Sequence[Recommender],
    held_out: int | None,
    folder: Path | None,
    progress: bool,
) -> Predictions:
    """The predictions of these models, with files in that folder if there is one."""
    refuse_sizes(ratings.num_users, ratings.num_items)
    learned, asked = split(len(ratings.rating), held_out)
    training = Training(
        ratings.user[learned],
        ratings.item[learned],
        ratings.rating[learned],
        ratings.num_users,
        ratings.num_items,
    )
    if np.ptp(training.rating) == 0.0:
        raise ValueError(
            f"the {len(learned)} ratings that are not held out are all equal; there is nothing to "
            "learn from."
        )
    users, items = ratings.user[asked], ratings.item[asked]
    place = None if folder is None else folder / _fingerprint(training, users, items)
    table = np.empty((len(asked), len(models)))
    with _bar(progress) as bar:
        task = bar.add_task("recommenders", total=len(models), model="")
        for j, model in enumerate(models):
            bar.update(task, completed=j, model=model.name)
            table[:, j] = _remembered(model, training, users, items, place)
    return Predictions(table, ratings.rating[asked], tuple(model.name for model in models))


def refuse_sizes(num_users: int, num_items: int) -> None:
    """Raise if the table of users and items is too thin or too large to learn from."""
    if min(num_users, num_items) < 2:
        raise ValueError(
            f"ratings has {num_users} user(s) and {num_items} item(s); there is nothing to learn "
            "from fewer than two of each."
        )
    if num_users * num_items > MOST_CELLS:
        raise ValueError(
            f"ratings has {num_users} users and {num_items} items, and some recommenders fill a "
            f"table of all {num_users * num_items} pairs, of {MOST_CELLS} at most; leave out those "
            "with few ratings."
        )


def _remembered(
    model: Recommender, training: Training, users: Indices, items: Indices, place: Path | None
) -> NDArray[np.float32]:
    """The model's predictions, from its file if there is one that fits; afterwards there is."""
    path = None if place is None else place / f"{model.name.replace(' ', '_')}.npy"
    if path is not None and path.is_file():
        stored: NDArray[np.float32] = np.load(path, allow_pickle=False)
        if stored.shape == users.shape:
            return stored
    lowest, highest = training.rating.min(), training.rating.max()
    fresh = model.predict(training, users, items).clip(lowest, highest).astype(np.float32)
    if path is not None:
        _write(path, fresh)
    return fresh


def _write(path: Path, array: NDArray[np.float32]) -> None:
    """All of the file or nothing."""
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor, temporary = tempfile.mkstemp(suffix=".tmp", dir=path.parent)
    try:
        with open(descriptor, "wb") as file:
            np.save(file, array)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    finally:
        Path(temporary).unlink(missing_ok=True)


def _fingerprint(training: Training, users: Indices, items: Indices) -> str:
    """Short, and another one for other ratings, another split or another version."""
    digest = hashlib.sha256(str((VERSION, training.num_users, training.num_items)).encode())
    for array in (training.user, training.item, training.rating, users, items):
        digest.update(np.ascontiguousarray(array).data)
    return digest.hexdigest()[:16]


def _bar(shown: bool) -> Progress:
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.fields[model]}"),
        console=Console(stderr=True),
        transient=True,
        disable=not shown,
    )
