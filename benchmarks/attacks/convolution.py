"""A small convolutional network in numpy, trained in seconds.

    8 x 8 image -> 3 x 3 convolution, 8 filters, ReLU -> 3 x 3 convolution, 16 filters, ReLU
    -> largest of each 2 x 2 -> 10 scores

Trained by Adam (Kingma and Ba 2015) on the cross-entropy.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

Floats = NDArray[np.float64]

SIDE, KERNEL, FILTERS, CLASSES = 8, 3, (8, 16), 10
POOLED = (SIDE - 2 * (KERNEL - 1)) // 2
"""Side of an image after the pooling."""

EPOCHS, BATCH, RATE = 30, 32, 3e-3


@dataclass
class Convolutional:
    """Parameters: the kernels (patch, filters) of both convolutions, the scores, and their biases.

    >>> network = Convolutional.random(0)
    >>> network.predict_proba(np.zeros((2, 64))).shape
    (2, 10)
    """

    parameters: list[Floats]

    @classmethod
    def random(cls, seed: int) -> Convolutional:
        """Initial weights of He et al. (2015)."""
        generator = np.random.default_rng(seed)
        first, second = FILTERS
        shapes = [
            (KERNEL**2, first),
            (KERNEL**2 * first, second),
            (POOLED**2 * second, CLASSES),
        ]
        parameters = []
        for rows, columns in shapes:
            parameters.append(np.sqrt(2 / rows) * generator.standard_normal((rows, columns)))
            parameters.append(np.zeros(columns))
        return cls(parameters)

    def predict_proba(self, X: NDArray[Any]) -> Floats:
        """Class probabilities of images of 64 pixels, in any shape (n, ...)."""
        return _softmax(self._forward(X)[-1])

    def fit(self, X: Floats, y: NDArray[np.int64], seed: int) -> Convolutional:
        """Train it; the same seed gives the same network."""
        generator = np.random.default_rng(seed)
        means = [np.zeros_like(p) for p in self.parameters]
        squares = [np.zeros_like(p) for p in self.parameters]
        step = 0
        for _ in range(EPOCHS):
            for batch in np.array_split(generator.permutation(len(X)), len(X) // BATCH):
                step += 1
                for i, gradient in enumerate(self.gradients(X[batch], y[batch])):
                    means[i] += 0.1 * (gradient - means[i])
                    squares[i] += 0.001 * (gradient**2 - squares[i])
                    size = np.sqrt(squares[i] / (1 - 0.999**step)) + 1e-8
                    self.parameters[i] -= RATE * means[i] / (1 - 0.9**step) / size
        return self

    def gradients(self, X: Floats, y: NDArray[np.int64]) -> list[Floats]:
        """Of the mean cross-entropy, one for each parameter."""
        _, K, _, V, _ = self.parameters[1:]
        patches, first, deeper, second, pooled, scores = self._forward(X)
        errors = _softmax(scores)
        errors[np.arange(len(y)), y] -= 1.0
        errors /= len(y)
        flat = pooled.reshape(len(y), -1)
        by_pooled = (errors @ V.T).reshape(pooled.shape)
        by_second = _unpooled(by_pooled, second, pooled) * (second > 0)
        by_deeper = by_second @ K.T
        by_first = _folded(by_deeper, first.shape) * (first > 0)
        return [
            np.einsum("nabp,nabf->pf", patches, by_first),
            by_first.sum(axis=(0, 1, 2)),
            np.einsum("nabp,nabf->pf", deeper, by_second),
            by_second.sum(axis=(0, 1, 2)),
            flat.T @ errors,
            errors.sum(axis=0),
        ]

    def _forward(self, X: NDArray[Any]) -> tuple[Floats, ...]:
        """Patches, first layer, its patches, second layer, pooled, scores."""
        J, a, K, b, V, c = self.parameters
        images = np.asarray(X, dtype=np.float64).reshape(-1, SIDE, SIDE, 1)
        patches = _patches(images)
        first = np.maximum(patches @ J + a, 0.0)
        deeper = _patches(first)
        second = np.maximum(deeper @ K + b, 0.0)
        n, side, _, filters = second.shape
        pooled = second.reshape(n, side // 2, 2, side // 2, 2, filters).max(axis=(2, 4))
        return patches, first, deeper, second, pooled, pooled.reshape(n, -1) @ V + c


def _patches(images: Floats) -> Floats:
    """(n, a, b, channels) to (n, a - 2, b - 2, 9 channels): each pixel's neighborhood."""
    windows = sliding_window_view(images, (KERNEL, KERNEL), axis=(1, 2))
    n, a, b = windows.shape[:3]
    return np.ascontiguousarray(windows).reshape(n, a, b, -1)


def _folded(by_patches: Floats, shape: tuple[int, ...]) -> Floats:
    """The adjoint of `_patches`."""
    n, a, b, _ = by_patches.shape
    windows = by_patches.reshape(n, a, b, shape[-1], KERNEL, KERNEL)
    folded = np.zeros(shape)
    for i in range(KERNEL):
        for j in range(KERNEL):
            folded[:, i : i + a, j : j + b] += windows[..., i, j]
    return folded


def _unpooled(by_pooled: Floats, images: Floats, pooled: Floats) -> Floats:
    """Slopes of the largest of each 2 x 2, shared where several are largest."""
    largest = images == pooled.repeat(2, axis=1).repeat(2, axis=2)
    n, side, _, filters = images.shape
    counts = largest.reshape(n, side // 2, 2, side // 2, 2, filters).sum(axis=(2, 4))
    shares = by_pooled / counts
    return np.asarray(largest * shares.repeat(2, axis=1).repeat(2, axis=2))


def _softmax(scores: Floats) -> Floats:
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=1, keepdims=True))
