"""Real predictions to blend: 237 recommenders, trained on ratings and asked about others."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from zooadmm.datasets.folder import cache_folder
from zooadmm.datasets.predictions import Predictions
from zooadmm.datasets.ratings import Ratings, load_ratings
from zooadmm.datasets.recommenders import Recommender, Training, catalog
from zooadmm.datasets.recommenders.recommender import Indices

if TYPE_CHECKING:
    from rich.progress import Progress

VERSION = 1
"""To be raised whenever a recommender changes what it predicts: older files no longer count."""

SPLIT_SEED = 237


def recommender_predictions(
    ratings: Ratings | None = None,
    num_models: int = 237,
    held_out: int = 131_072,
    cache: bool = True,
    progress: bool = True,
) -> Predictions:
    """What up to 237 recommenders predict for ratings that were held out from them.

    The ratings (default: `load_ratings()`) are split once and for all: `held_out` of them, in a
    fixed random order, or a third where that many would be more than half, are predicted, and the
    recommenders learn from the others. They are baselines, factorizations, neighborhoods, low-rank
    imputations, autoencoders, slope one and co-clusterings with varied settings; fewer than 237 are
    spread evenly over that list. Predictions are cut to the range of the ratings learned from and
    rounded to single precision.

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


def split(num_ratings: int, held_out: int) -> tuple[Indices, Indices]:
    """Which ratings to learn from and, in random order, which to predict."""
    if held_out < 1 or num_ratings < 3:
        raise ValueError(
            f"held_out is {held_out} of {num_ratings} ratings; hold out 1 or more, of 3 or more."
        )
    count = held_out if 2 * held_out <= num_ratings else num_ratings // 3
    order = np.random.default_rng(SPLIT_SEED).permutation(num_ratings)
    return np.sort(order[count:]), order[:count]


def predicted(
    ratings: Ratings,
    models: Sequence[Recommender],
    held_out: int,
    folder: Path | None,
    progress: bool,
) -> Predictions:
    """The predictions of these models, with files in that folder if there is one."""
    learned, asked = split(len(ratings.rating), held_out)
    training = Training(
        ratings.user[learned],
        ratings.item[learned],
        ratings.rating[learned],
        ratings.num_users,
        ratings.num_items,
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


def _remembered(
    model: Recommender, training: Training, users: Indices, items: Indices, place: Path | None
) -> NDArray[np.float32]:
    """The model's predictions, from its file if there is one; otherwise there is one afterwards."""
    path = None if place is None else place / f"{model.name.replace(' ', '_')}.npy"
    if path is not None and path.is_file():
        stored: NDArray[np.float32] = np.load(path, allow_pickle=False)
        return stored
    lowest, highest = training.rating.min(), training.rating.max()
    fresh = model.predict(training, users, items).clip(lowest, highest).astype(np.float32)
    if path is not None:
        _write(path, fresh)
    return fresh


def _write(path: Path, array: NDArray[np.float32]) -> None:
    """All of the file or nothing."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f"{path.name}.{os.getpid()}.tmp")
    try:
        with open(temporary, "wb") as file:
            np.save(file, array)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


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
