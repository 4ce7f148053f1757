"""Other attacks on one image; each queries the witness until that has no queries left.

CMA-ES minimizes c max(margin, -0.05) + distortion (the square for L2), with c chosen on images of
development. The attacks of the Adversarial Robustness Toolbox (ART) have their own defaults, except
for the sizes named here, and start again until the queries are used up.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import cma
import numpy as np

from benchmarks.attacks.witness import SIZES, UsedUpError, Witness

Peer = Callable[[Witness, int], None]

WEIGHT = {"L2": 0.15, "L1": 0.5, "Linf": 0.3}
"""c of the penalty: the best of three to four on ten images of development."""

ORDER = {"L2": 2, "Linf": np.inf}
"""Norms as ART names them."""

RADIUS = 0.3
"""First radius of the Square attack."""

FLAT, SQUARE = (64,), (1, 8, 8)
"""Shapes of an image."""


def cma_es(witness: Witness, seed: int) -> None:
    """Hansen's pycma within the bounds, initial deviation 0.1."""
    label, norm = witness.label, witness.norm

    def penalized(points: list[Any]) -> list[float]:
        X = np.clip(np.array(points), 0.0, 1.0)
        logs = np.log(np.maximum(witness(X), 1e-300))
        margins = logs[:, label] - np.delete(logs, label, axis=1).max(axis=1)
        sizes = SIZES[norm](X - witness.image) ** (2 if norm == "L2" else 1)
        values: list[float] = (WEIGHT[norm] * np.maximum(margins, -0.05) + sizes).tolist()
        return values

    never = {"tolfun": 0, "tolx": 0, "tolfunhist": 0, "tolstagnation": 10**9}
    options = {"bounds": [0, 1], "verbose": -9, "seed": seed, **never}
    with suppress(UsedUpError), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        strategy = cma.CMAEvolutionStrategy(witness.image, 0.1, options)
        while True:
            points = strategy.ask()
            strategy.tell(points, penalized(points))


def hop_skip_jump(witness: Witness, seed: int) -> None:
    """HopSkipJump (Chen et al. 2020), which uses labels alone, 64 iterations."""
    from art.attacks.evasion import HopSkipJump

    def attack(model: Any) -> Any:
        order = ORDER[witness.norm]
        return HopSkipJump(model, norm=order, max_iter=64, max_eval=1000, verbose=False)

    _repeated(witness, seed, attack)


def zoo(witness: Witness, seed: int) -> None:
    """ZOO (Chen et al. 2017), differences along coordinates.

    Its first c and its iterations are the best of 18 settings on images of development.
    """
    from art.attacks.evasion import ZooAttack

    def attack(model: Any) -> Any:
        return ZooAttack(
            model,
            max_iter=200,
            initial_const=0.1,
            binary_search_steps=5,
            nb_parallel=16,
            use_resize=False,
            use_importance=False,
            verbose=False,
        )

    _repeated(witness, seed, attack)


def square(witness: Witness, seed: int) -> None:
    """Square attack (Andriushchenko et al. 2020) with its radius found by bisection.

    For L-infinity: ART 1.20 does nothing for L1, and for L2 its first tiles, a fifth of a side,
    have one pixel on images of 8 x 8 and give NaN.
    """
    from art.attacks.evasion import SquareAttack

    low, high = 0.0, RADIUS
    radius = high
    with suppress(UsedUpError):
        for number in range(40):
            before = len(witness.course)
            model = _model(witness, SQUARE)
            np.random.seed(seed + number)  # noqa: NPY002, ART draws from it
            attack = SquareAttack(model, norm=np.inf, eps=radius, max_iter=1000, verbose=False)
            attack.generate(_image(witness, SQUARE), np.array([witness.label]))
            found = len(witness.course) > before
            low, high = (low, radius) if found else (radius, high)
            radius = (low + high) / 2


def _repeated(witness: Witness, seed: int, attack: Callable[[Any], Any]) -> None:
    with suppress(UsedUpError):
        for number in range(20):
            np.random.seed(seed + number)  # noqa: NPY002, ART draws from it
            attack(_model(witness, FLAT)).generate(_image(witness, FLAT))


def _image(witness: Witness, shape: tuple[int, ...]) -> Any:
    return witness.image.reshape(1, *shape).astype(np.float32)


def _model(witness: Witness, shape: tuple[int, ...]) -> Any:
    from art.estimators.classification import BlackBoxClassifierNeuralNetwork

    def predict(images: Any) -> Any:
        return witness(np.asarray(images).reshape(len(images), -1))

    return BlackBoxClassifierNeuralNetwork(predict, shape, 10, clip_values=(0.0, 1.0))
