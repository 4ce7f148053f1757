"""Where the weights of a blend may lie, by name."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

import zooadmm as zoo
from zooadmm.applications.formulation import Array

Weights = Literal["simplex", "nonnegative", "box", "free"]


def parts(
    weights: Weights, bounds: tuple[float, float], strength: float, start: Array
) -> dict[str, Any]:
    """The domain or regularizer, the side to complete and a start inside, for `Formulation`.

    A set alone is the domain of x. With strength > 0 the L1 norm decides which weights are zero:
    it is y's side then, together with the bounds, and x is completed from it.

    >>> sorted(parts("simplex", (0, 1), 0.0, np.ones(2)))
    ['domain', 'x0']
    >>> parts("nonnegative", (0, 1), 0.5, np.ones(2))["regularizer"]
    Within(regularizer=L1(strength=0.5), box=Nonnegative())
    """
    if not strength >= 0:
        raise ValueError(f"strength = {strength} must be zero or more.")
    chosen = _set(weights, bounds)
    start = start if chosen is None else np.asarray(chosen.project(start))
    if strength == 0:
        return {"x0": start} if chosen is None else {"x0": start, "domain": chosen}
    if isinstance(chosen, zoo.Simplex):
        raise ValueError(
            f'strength = {strength} has no effect on weights="simplex", where the L1 norm is '
            'always 1; leave it at 0, or take weights="nonnegative".'
        )
    norm = zoo.L1(strength)
    phi = norm if chosen is None else zoo.regularizers.Within(norm, chosen)
    return {"x0": start, "regularizer": phi, "complete": "x"}


def _set(weights: Weights, bounds: tuple[float, float]) -> Any:
    if weights == "box":
        return zoo.Box(*bounds)
    known: dict[str, Any] = {"simplex": zoo.Simplex(), "nonnegative": zoo.Nonnegative()}
    if weights not in known and weights != "free":
        raise ValueError(
            'weights must be "simplex", "nonnegative", "box" or "free" '
            f"(and strength > 0 for few of them), not {weights!r}."
        )
    return known.get(weights)
