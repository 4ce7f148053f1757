"""Variables with names, bounds and scales, as simulators and models have them."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from zooadmm.problem.arrays import Matrix, Vector
from zooadmm.problem.sets import Box

SCALES = ("linear", "log")

ROUNDING = 1e-9
"""How far outside 0 to 1 a point may be."""


class Parameters:
    """Named variables: `minimize(loss, Parameters({"rate": (1e-4, 1, "log"), "depth": (0, 5)}))`.

    Each name has (low, high) or (low, high, "log"); a log scale needs low > 0. The loss is called
    with a dictionary of numbers by name, and never outside the bounds. `result.named` is the best
    such dictionary.

    The run itself moves x with 0 <= x_j <= 1, where v_j = low + x_j (high - low), or
    log v_j = log low + x_j (log high - log low). A regularizer or a constraint is about this x.

    start: values to start from, by name; by default, and for names that are missing, the middle of
        the scale.

    >>> parameters = Parameters({"rate": (1e-4, 1, "log"), "depth": (0, 5)}, start={"depth": 1})
    >>> parameters.x0
    array([0.5, 0.2])
    >>> {name: round(value, 6) for name, value in parameters.at(parameters.x0).items()}
    {'rate': 0.01, 'depth': 1.0}
    """

    def __init__(
        self, bounds: Mapping[str, Sequence[Any]], start: Mapping[str, float] | None = None
    ) -> None:
        if not isinstance(bounds, Mapping) or not bounds:
            raise TypeError('Parameters needs a dictionary such as {"rate": (1e-4, 1, "log")}.')
        self.names = tuple(bounds)
        checked = [_checked(name, given) for name, given in bounds.items()]
        self.lower = np.array([low for low, _, _ in checked])
        self.upper = np.array([high for _, high, _ in checked])
        self.log = np.array([scale == "log" for _, _, scale in checked])
        for array in (self.lower, self.upper, self.log):
            array.setflags(write=False)
        self.start = dict(start or {})
        self.x0 = self._first(self.start)

    @classmethod
    def from_file(cls, path: str | Path) -> Parameters:
        """From a JSON file: {"rate": [1e-4, 1, "log"], "depth": {"bounds": [0, 5], "start": 1}}."""
        try:
            content = json.loads(Path(path).read_text(encoding="utf-8"))
        except ValueError as error:
            raise ValueError(f"{path} is not JSON: {error}.") from error
        if not isinstance(content, dict):
            raise ValueError(f'{path} must have an object such as {{"rate": [1e-4, 1, "log"]}}.')
        bounds, start = {}, {}
        for name, given in content.items():
            if isinstance(given, dict):
                unknown = sorted(given.keys() - {"bounds", "start", "scale"})
                if unknown or "bounds" not in given:
                    raise ValueError(f'{path}: {name} needs "bounds", and knows "start", "scale".')
                bounds[name] = [*given["bounds"], *filter(None, [given.get("scale")])]
                if "start" in given:
                    start[name] = given["start"]
            else:
                bounds[name] = given
        return cls(bounds, start)

    @property
    def domain(self) -> Box:
        """The set of x: the unit box."""
        return Box(0.0, 1.0)

    def at(self, x: Vector) -> dict[str, float]:
        """The values at a point x of the run, 0 <= x <= 1, by name."""
        x = np.asarray(x, dtype=np.float64)
        if x.shape != self.lower.shape or not ((x >= -ROUNDING) & (x <= 1 + ROUNDING)).all():
            raise ValueError(
                f"at needs a point of the run, {len(self)} numbers from 0 to 1; to go from your "
                "values to such a point, use parameters.point(values)."
            )
        values = self.table(np.asarray(x)[None])[0].tolist()
        return dict(zip(self.names, values, strict=True))

    def table(self, points: Matrix) -> Matrix:
        """The values at many points, a row each, a column for each name."""
        x = np.clip(np.asarray(points, dtype=np.float64), 0.0, 1.0)
        low, high = self._scaled(self.lower), self._scaled(self.upper)
        v = low + x * (high - low)
        v[:, self.log] = np.exp(v[:, self.log])
        v = np.where(x == 0.0, self.lower, np.where(x == 1.0, self.upper, v))  # exp rounds
        return np.clip(v, self.lower, self.upper)

    def point(self, values: Mapping[str, float]) -> Vector:
        """The point x of the run where the parameters have these values."""
        v = np.array([float(values[name]) for name in self.names])
        outside = np.flatnonzero(~((v >= self.lower) & (v <= self.upper)))
        if len(outside) > 0:
            j = int(outside[0])
            raise ValueError(
                f"{self.names[j]} = {v[j]:g} lies outside its bounds, {self.lower[j]:g} to "
                f"{self.upper[j]:g}."
            )
        low, high = self._scaled(self.lower), self._scaled(self.upper)
        return np.asarray((self._scaled(v) - low) / (high - low))

    def starting_at(self, values: Vector) -> Parameters:
        """The same with another start, a value for each name, in order."""
        if values.shape != (len(self.names),):
            raise ValueError(f"the start has shape {values.shape} for {len(self)} parameters.")
        scales = np.where(self.log, "log", "linear").tolist()
        rows = zip(self.lower.tolist(), self.upper.tolist(), scales, strict=True)
        bounds = dict(zip(self.names, rows, strict=True))
        return Parameters(bounds, dict(zip(self.names, values.tolist(), strict=True)))

    def _scaled(self, v: Vector) -> Vector:
        scaled = np.array(v, dtype=np.float64)
        scaled[self.log] = np.log(scaled[self.log])
        return scaled

    def _first(self, start: dict[str, float]) -> Vector:
        unknown = sorted(start.keys() - set(self.names))
        if unknown:
            raise ValueError(f"start names {unknown[0]!r}; there are {', '.join(self.names)}.")
        middle = self.at(np.full(len(self.names), 0.5))
        x0 = self.point({**middle, **start})
        for j, name in enumerate(self.names):
            x0[j] = x0[j] if name in start else 0.5
        x0.setflags(write=False)
        return x0

    def __len__(self) -> int:
        return len(self.names)

    def __repr__(self) -> str:
        scales = ['"log"' if log else '"linear"' for log in self.log]
        parts = zip(self.names, self.lower, self.upper, scales, strict=True)
        shown = ", ".join(f'"{name}": ({low:g}, {high:g}, {s})' for name, low, high, s in parts)
        return f"Parameters({{{shown}}})"


def _checked(name: object, given: Any) -> tuple[float, float, str]:
    """(low, high, scale), or an error that names the parameter."""
    if not isinstance(name, str) or not name:
        raise TypeError(f"a parameter's name must be a string, not {name!r}.")
    if (
        isinstance(given, (str, bytes))
        or not isinstance(given, Sequence)
        or len(given) not in (2, 3)
    ):
        raise ValueError(f'{name} needs (low, high) or (low, high, "log"), not {given!r}.')
    scale = given[2] if len(given) == 3 else "linear"
    if scale not in SCALES:
        raise ValueError(f'{name}: the scale must be "linear" or "log", not {scale!r}.')
    try:
        low, high = float(given[0]), float(given[1])
    except (TypeError, ValueError):
        raise ValueError(f"{name}: bounds must be numbers, not {given[:2]!r}.") from None
    if not (math.isfinite(low) and math.isfinite(high) and low < high):
        raise ValueError(
            f"{name}: bounds must be finite with low < high, not {low:g} and {high:g}."
        )
    if scale == "log" and low <= 0:
        raise ValueError(f"{name}: a log scale needs bounds above 0, not {low:g}.")
    return low, high, scale
