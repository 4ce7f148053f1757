"""The smallest change of an image that changes a classifier's decision, from probabilities only."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from zooadmm.applications.attack.black_box import BlackBox
from zooadmm.applications.attack.distortions import L1, L2, Distortion, Floats, Groups, LInf
from zooadmm.applications.attack.search import search
from zooadmm.applications.formulation import seed_from

Labels = NDArray[np.int64]
Norm = Literal["L1", "L2", "Linf"]
NORMS: dict[str, Distortion] = {"L1": L1(), "L2": L2(), "Linf": LInf()}


@dataclass(frozen=True, eq=False)
class AttackResult:
    """What an attack found, for each of n images."""

    images: Floats
    """adversarial images, shaped as given; the image itself where none was found"""
    success: NDArray[np.bool_]
    """whether one was found; an image that is misclassified as given has distortion 0"""
    distortion: Floats
    """the norm of the change, inf where none was found"""
    labels: Labels
    """what the adversarial images are taken for; -1 where none was found"""
    queries: Labels
    """points evaluated"""
    courses: tuple[Floats, ...]
    """for each image rows (queries, distortion), one for each improvement"""

    def distortion_after(self, queries: int) -> Floats:
        """Distortion of the best adversarial images after so many queries an image, inf for none.

        >>> course = np.array([[10.0, 2.0], [90.0, 1.5]])
        >>> none = np.zeros(1)
        >>> AttackResult(none, none, none, none, none, (course,)).distortion_after(50)
        array([2.])
        """
        found = [course[course[:, 0] <= queries, 1] for course in self.courses]
        return np.array([sizes[-1] if len(sizes) else np.inf for sizes in found])


class BlackBoxAttack:
    """The nearest image to x0 that a classifier takes for something else (Sec. 1 and 5.1):

        minimize  |x - x0|   subject to  margin(x) < 0,  lower <= x <= upper

    from values of `predict_proba` alone. The margin is log p_label - max log p_other, and with a
    target max log p_other - log p_target. Measured tangents of it are linear constraints, and the
    next point is the nearest that satisfies them; see the page on attacks.

    predict_proba: from images (k, ...) to class probabilities (k, classes). Its values must have
        slopes, as those of a network have; those of a forest and bare labels have none.
    distortion: "L2", "L1", "Linf", or groups of pixels, for the sum of the norms of the groups;
        groups are lists of indices into the flattened image, each pixel in one of them.
    lower, upper: bounds of the pixels, numbers or arrays shaped like an image.
    max_queries: points evaluated at most for each image. A slope takes as many as there are pixels.
    enough: distortion at which the attack on an image stops; inf stops at the first success.
    random_state: a seed, for the same result again.

    >>> W = np.array([[4.0, -4.0], [0.0, 3.0]])
    >>> def predict_proba(X):
    ...     scores = np.exp(X @ W)
    ...     return scores / scores.sum(axis=1, keepdims=True)
    >>> attack = BlackBoxAttack(predict_proba, max_queries=50, random_state=0)
    >>> found = attack.attack(np.array([[0.5, 0.5]]), [0])  # the boundary is 8 a = 3 b
    >>> found.success, found.distortion.round(3)
    (array([ True]), array([0.293]))
    """

    def __init__(
        self,
        predict_proba: Callable[[Any], Any],
        *,
        distortion: Norm | Sequence[Sequence[int]] = "L2",
        lower: ArrayLike = 0.0,
        upper: ArrayLike = 1.0,
        max_queries: int = 6_000,
        enough: float = 0.0,
        random_state: Any = None,
    ) -> None:
        if not callable(predict_proba):
            raise TypeError(f"predict_proba must be a function of images, not {predict_proba!r}.")
        if max_queries < 1:
            raise ValueError(f"max_queries = {max_queries} must be at least 1.")
        self.predict_proba = predict_proba
        self.distortion = _distortion(distortion)
        self.lower, self.upper = lower, upper
        self.max_queries, self.enough = max_queries, enough
        self.random_state = random_state

    def attack(
        self, images: ArrayLike, labels: ArrayLike, targets: ArrayLike | None = None
    ) -> AttackResult:
        """Attack each of the images (n, ...) by itself.

        labels: their classes, as columns of predict_proba. targets: classes that the images are to
        be taken for; without them any other class will do.
        """
        given = np.asarray(images, dtype=np.float64)
        classes = _classes("labels", labels, len(given))
        wanted = None if targets is None else _classes("targets", targets, len(given))
        seeds = np.random.default_rng(seed_from(self.random_state)).spawn(len(given))
        boxes = []
        for i, seed in enumerate(seeds):
            target = None if wanted is None else int(wanted[i])
            boxes.append(self._attacked(given[i], int(classes[i]), target, seed))
        found = [given[i] if b.nearest is None else b.nearest for i, b in enumerate(boxes)]
        return AttackResult(
            images=np.reshape(found, given.shape),
            success=np.array([box.nearest is not None for box in boxes]),
            distortion=np.array([box.best for box in boxes]),
            labels=np.array([box.taken_for for box in boxes], dtype=np.int64),
            queries=np.array([box.queries for box in boxes], dtype=np.int64),
            courses=tuple(np.array(box.course).reshape(-1, 2) for box in boxes),
        )

    def _attacked(
        self, image: Floats, label: int, target: int | None, generator: np.random.Generator
    ) -> BlackBox:
        lower, upper = (
            np.broadcast_to(np.asarray(bound, dtype=np.float64), image.shape).reshape(-1)
            for bound in (self.lower, self.upper)
        )
        x0 = image.reshape(-1)
        if not ((lower <= x0) & (x0 <= upper) & np.isfinite(upper - lower)).all():
            raise ValueError(
                "an image lies outside lower and upper, or these are not finite; give the range of "
                "its pixels."
            )
        if isinstance(self.distortion, Groups) and self.distortion.num_pixels != len(x0):
            raise ValueError(
                f"the groups have {self.distortion.num_pixels} pixels and the images {len(x0)}."
            )
        box = BlackBox(
            self.predict_proba,
            x0,
            image.shape,
            label,
            target,
            lower,
            upper,
            self.distortion,
            self.max_queries,
            self.enough,
        )
        search(box, generator)
        return box


def _distortion(given: Norm | Sequence[Sequence[int]]) -> Distortion:
    if not isinstance(given, str):
        return Groups(given)
    if given not in NORMS:
        raise ValueError(f'distortion must be "L1", "L2", "Linf" or groups, not {given!r}.')
    return NORMS[given]


def _classes(name: str, given: ArrayLike, n: int) -> Labels:
    classes = np.asarray(given)
    if classes.shape != (n,) or not np.issubdtype(classes.dtype, np.integer):
        raise ValueError(f"{name} must be {n} class numbers, one for each image, not {given!r}.")
    if (classes < 0).any():
        raise ValueError(f"{name} must be columns of predict_proba, 0 or more.")
    return classes.astype(np.int64)
