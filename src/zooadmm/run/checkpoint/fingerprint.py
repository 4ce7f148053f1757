"""A configuration as short texts, which a checkpoint is compared with."""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Mapping, Sequence, Set
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse
from scipy.sparse.linalg import LinearOperator

from zooadmm.oracle.randomness import Key

SCHEDULE_SAMPLES = (1, 2, 3, 10, 100, 1000)
COUNTERS = frozenset({"count"})
"""What PyProximal's operators call the number of their calls, which is no parameter."""


def fingerprint(value: Any, within: tuple[int, ...] = ()) -> str:
    """A short text that two equal values share and two different ones, all but surely, do not.

    Arrays count by their contents, operators by what they do to a fixed vector, schedules given as
    functions by their values at a few t, other functions by their names, other objects by their
    type and their attributes.

    within: the ids of the objects that it is part of.

    >>> fingerprint(np.zeros(3)) == fingerprint(np.zeros(3)) != fingerprint(np.ones(3))
    True
    """
    if isinstance(value, np.generic):  # first: a float64 is a float, but prints otherwise
        return repr(value.item())
    if value is None or isinstance(value, (bool, int, float, complex, str, bytes)):
        return repr(value)
    if isinstance(value, np.ndarray):
        if value.dtype.kind == "O":
            return _items(value.tolist(), within)
        contents = np.ascontiguousarray(value)
        digest = hashlib.sha256(contents.view(np.uint8).data if contents.size else b"").hexdigest()
        return f"array {value.shape} {value.dtype} {digest[:16]}"
    if scipy.sparse.issparse(value):
        entries = value.tocoo()
        return f"sparse {value.shape} {_items((entries.row, entries.col, entries.data), within)}"
    if isinstance(value, LinearOperator):
        probe = np.cos(np.arange(value.shape[1]))
        return f"operator {value.shape} {fingerprint(np.asarray(value @ probe))}"
    if isinstance(value, Sequence):
        return _items(value, within)
    if isinstance(value, Mapping):
        pairs = sorted(_items(pair, within) for pair in value.items())
        return f"mapping of {_items(pairs, within)}"
    if isinstance(value, Set):
        return _items(sorted(fingerprint(item, within) for item in value), within)
    if id(value) in within:
        return "itself"
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = {f.name: getattr(value, f.name) for f in dataclasses.fields(value) if f.init}
    else:
        if callable(value) and not hasattr(value, "prox"):
            return f"function {_samples(value)}"
        fields = _attributes(value)
    within = (*within, id(value))
    parts = ", ".join(f"{name}={fingerprint(v, within)}" for name, v in sorted(fields.items()))
    return f"{type(value).__qualname__}({parts})"


def _items(values: Sequence[Any] | tuple[Any, ...], within: tuple[int, ...]) -> str:
    digest = hashlib.sha256()
    for value in values:
        text = fingerprint(value, within).encode()
        digest.update(b"%d:%b" % (len(text), text))
    return f"{len(values)} items {digest.hexdigest()[:16]}"


def _samples(function: Any) -> str:
    """The values of a schedule at a few t, or the name of any other function."""
    try:
        return str([float(function(t)) for t in SCHEDULE_SAMPLES])
    except Exception:
        return f"{getattr(function, '__module__', '')}.{getattr(function, '__qualname__', '')}"


def _attributes(value: Any) -> dict[str, Any]:
    given = [getattr(kind, "__slots__", ()) for kind in type(value).__mro__]
    slots = [name for names in given for name in ((names,) if isinstance(names, str) else names)]
    fields = {name: getattr(value, name) for name in slots if hasattr(value, name)}
    fields |= getattr(value, "__dict__", {})
    return {name: v for name, v in fields.items() if name not in COUNTERS}


@dataclasses.dataclass(frozen=True)
class Configuration:
    """What a run was made with, each argument as a short text.

    x0, y0, dual0: of the state before the first iteration.
    decisive: the other arguments by name; they are described when a checkpoint needs them.
    """

    x0: str
    y0: str
    dual0: str
    decisive: dict[str, Any]

    def described(self, key: Key) -> dict[str, str]:
        """The texts by name, with the random numbers of a key."""
        return {**self._described, "rng": f"random numbers {key[0]:016x}{key[1]:016x}"}

    @cached_property
    def _described(self) -> dict[str, str]:
        """y0 comes last: where it was not given, the others decide it."""
        described = {name: fingerprint(value) for name, value in self.decisive.items()}
        return {"x0": self.x0, **described, "y0": self.y0, "dual0": self.dual0}

    def check(self, path: str | Path, written: dict[str, str], key: Key) -> None:
        """Refuse a checkpoint that was written with another argument, by its name.

        The settings come first: they decide which other arguments there are.
        """
        described = self.described(key)
        for name in ("settings", *described, *sorted(written)):
            there, here = written.get(name), described.get(name)
            if here != there:
                raise ValueError(
                    f"{path} was written with another {name}: {there} there, {here} here. Give the "
                    "same arguments to go on with it, or another path to start anew."
                )
