"""The networks that are attacked, and the images of scikit-learn's digits that they get right.

Both are trained on the same 1,200 images. Of the others those that a network gets right are
numbered in a fixed order: the first 30 served to develop the method and to choose the constants of
the peers, and the images from there on to judge.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.attacks.convolution import Convolutional

TRAINING = 1200
DEVELOPMENT = 30
"""Images that no figure of a table comes from."""

Predict = Callable[[NDArray[Any]], NDArray[Any]]


class Dense(NamedTuple):
    """One hidden layer of ReLU: scores V' max(W' x + b, 0) + c."""

    W: NDArray[np.float64]
    b: NDArray[np.float64]
    V: NDArray[np.float64]
    c: NDArray[np.float64]

    def predict_proba(self, X: NDArray[Any]) -> NDArray[Any]:
        """As scikit-learn's, without its checks, which take longer."""
        scores = np.maximum(X @ self.W + self.b, 0.0) @ self.V + self.c
        powers = np.exp(scores - scores.max(axis=1, keepdims=True))
        return np.asarray(powers / powers.sum(axis=1, keepdims=True))


class Digits(NamedTuple):
    """Images to learn from, and others."""

    X: NDArray[np.float64]
    y: NDArray[np.int64]
    X_test: NDArray[np.float64]
    y_test: NDArray[np.int64]


@cache
def digits() -> Digits:
    """scikit-learn's digits in a fixed order, pixels from 0 to 1."""
    from sklearn.datasets import load_digits

    X, y = load_digits(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(X))
    X, y = X[order] / 16.0, y[order]
    return Digits(X[:TRAINING], y[:TRAINING], X[TRAINING:], y[TRAINING:])


@cache
def dense() -> Dense:
    """A network 64-64-10."""
    from sklearn.neural_network import MLPClassifier

    data = digits()
    model = MLPClassifier((64,), random_state=0, max_iter=400).fit(data.X, data.y)
    (W, V), (b, c) = model.coefs_, model.intercepts_
    return Dense(W, b, V, c)


@cache
def convolutional() -> Convolutional:
    """Two convolutions, a pooling, ten scores."""
    data = digits()
    return Convolutional.random(0).fit(data.X, data.y, 0)


NETWORKS: dict[str, Callable[[], Dense | Convolutional]] = {
    "dense": dense,
    "convolutional": convolutional,
}


class Images(NamedTuple):
    """Images that a network gets right."""

    images: NDArray[np.float64]
    labels: NDArray[np.int64]


@cache
def images(network: str) -> Images:
    """All images of the test half that the network gets right, in their order."""
    data = digits()
    right = NETWORKS[network]().predict_proba(data.X_test).argmax(axis=1) == data.y_test
    return Images(data.X_test[right], data.y_test[right])
