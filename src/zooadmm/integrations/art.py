"""An evasion attack for the Adversarial Robustness Toolbox (ART)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import numpy as np
from art.attacks.attack import EvasionAttack
from art.config import ART_NUMPY_DTYPE
from art.estimators.classification.classifier import ClassifierMixin
from art.estimators.estimator import BaseEstimator
from art.utils import check_and_transform_label_format, is_probability_array
from numpy.typing import NDArray

from zooadmm.applications.attack import AttackResult, BlackBoxAttack

__all__ = ["ZooADMMAttack"]

NAMES = {1: "L1", 2: "L2", np.inf: "Linf", "inf": "Linf"}
"""ART's names of norms, and ours."""


class ZooADMMAttack(EvasionAttack):
    """`BlackBoxAttack` on a classifier of ART: the nearest image that it takes for another class.

    Only `estimator.predict` is called, so estimators without gradients will do. Its predictions are
    probabilities or logits. They must have slopes: trees and bare labels have none.

    estimator: with `clip_values`, the range of the pixels.
    norm: 1, 2, np.inf or "inf", as elsewhere in ART, or groups of pixels as in `BlackBoxAttack`.
    targeted: whether `y` of `generate` holds the classes that images are to be taken for.
    max_queries, enough, random_state: as in `BlackBoxAttack`.
    batch_size: of `estimator.predict`.

    `result` has the queries and distortions of the last `generate`, None before.

    >>> from art.estimators.classification import BlackBoxClassifier
    >>> W = np.array([[4.0, -4.0], [0.0, 3.0]])
    >>> model = BlackBoxClassifier(lambda X: X @ W, (2,), 2, clip_values=(0.0, 1.0))
    >>> attack = ZooADMMAttack(model, max_queries=50, random_state=0)
    >>> images = attack.generate(np.array([[0.5, 0.5]]))  # the boundary is 8 a = 3 b
    >>> model.predict(images).argmax(axis=1), attack.result.distortion.round(3)
    (array([1]), array([0.293]))
    """

    attack_params: ClassVar[list[str]] = [
        *EvasionAttack.attack_params,
        "norm",
        "targeted",
        "max_queries",
        "enough",
        "random_state",
        "batch_size",
    ]
    _estimator_requirements = (BaseEstimator, ClassifierMixin)

    def __init__(
        self,
        estimator: Any,
        *,
        norm: int | float | str | Sequence[Sequence[int]] = 2,
        targeted: bool = False,
        max_queries: int = 6_000,
        enough: float = 0.0,
        random_state: Any = None,
        batch_size: int = 128,
    ) -> None:
        super().__init__(estimator=estimator)
        self.norm, self.targeted = norm, targeted
        self.max_queries, self.enough = max_queries, enough
        self.random_state, self.batch_size = random_state, batch_size
        self.result: AttackResult | None = None
        self._check_params()

    def generate(
        self, x: NDArray[Any], y: NDArray[Any] | None = None, **kwargs: Any
    ) -> NDArray[Any]:
        """Adversarial images of the type of x; the image itself where none was found.

        x: images, or a list of them. Types narrower than ART's become ART's: rounded to them, an
        image may be taken for its own class again.

        y: classes as numbers or one-hot, the true ones, or the targets of a targeted attack.
        Without them an untargeted attack takes the estimator's own.
        """
        if kwargs:
            raise TypeError(f"generate has no argument {sorted(kwargs)[0]!r}; it takes x and y.")
        if y is None and self.targeted:
            raise ValueError("a targeted attack needs y, the classes to be taken for.")
        x = np.asarray(x)
        given = x.astype(ART_NUMPY_DTYPE)
        scores = np.asarray(self.estimator.predict(given, batch_size=self.batch_size))
        own = scores.argmax(axis=1)
        classes = own if y is None else _classes(y, self.estimator.nb_classes)
        lower, upper = (np.asarray(b, dtype=ART_NUMPY_DTYPE) for b in self.estimator.clip_values)
        attack = BlackBoxAttack(
            self._probabilities(bool(is_probability_array(scores))),
            distortion=self._distortion(),
            lower=lower,
            upper=upper,
            max_queries=self.max_queries,
            enough=self.enough,
            random_state=self.random_state,
        )
        targets = classes if self.targeted else None
        self.result = attack.attack(given, own if self.targeted else classes, targets)
        evaluated = self.result.images.astype(ART_NUMPY_DTYPE)
        floats = np.issubdtype(x.dtype, np.floating)
        kind = np.promote_types(x.dtype, ART_NUMPY_DTYPE) if floats else ART_NUMPY_DTYPE
        success = self.result.success.reshape(-1, *[1] * (x.ndim - 1))
        return np.where(success, evaluated, x).astype(kind)

    def _probabilities(self, normalized: bool) -> Callable[[NDArray[Any]], NDArray[Any]]:
        """Probabilities in ART's precision, which its estimators round images to."""

        def predict_proba(points: NDArray[Any]) -> NDArray[Any]:
            rounded = points.astype(ART_NUMPY_DTYPE)
            scores = np.asarray(self.estimator.predict(rounded, batch_size=self.batch_size))
            return (scores if normalized else _softmax(scores)).astype(ART_NUMPY_DTYPE)

        return predict_proba

    def _distortion(self) -> Any:
        return NAMES[self.norm] if isinstance(self.norm, str | int | float) else self.norm

    def _check_params(self) -> None:
        if isinstance(self.norm, str | int | float) and self.norm not in NAMES:
            raise ValueError(f'norm must be 1, 2, np.inf, "inf" or groups, not {self.norm!r}.')
        if not isinstance(self.targeted, bool):
            raise ValueError(f"targeted must be True or False, not {self.targeted!r}.")
        if self.max_queries < 1 or self.batch_size < 1:
            raise ValueError("max_queries and batch_size must be at least 1.")
        if self.estimator.clip_values is None:
            raise ValueError(
                "the estimator has no clip_values; give it the range of the pixels, as (0.0, 1.0)."
            )


def _classes(y: NDArray[Any], nb_classes: int) -> NDArray[np.int64]:
    classes = check_and_transform_label_format(np.asarray(y), nb_classes, return_one_hot=False)
    return np.asarray(classes).reshape(-1).astype(np.int64)


def _softmax(scores: NDArray[Any]) -> NDArray[Any]:
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=1, keepdims=True))
