"""What a configuration looks like from outside, so that a checkpoint can be held against it."""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import scipy.sparse
from scipy.sparse.linalg import LinearOperator

SCHEDULE_SAMPLES = (1, 2, 3, 10, 100, 1000)
COUNTERS = frozenset({"count"})
"""What PyProximal's operators call the number of their calls, which is no parameter."""


def fingerprint(value: Any) -> str:
    """A short text that two equal values share and two different ones, all but surely, do not.

    Arrays go by their contents, operators by what they do to a fixed vector, schedules given as
    functions by their values at a few t, other objects by their type and their plain attributes.

    >>> fingerprint(np.zeros(3)) == fingerprint(np.zeros(3)) != fingerprint(np.ones(3))
    True
    """
    if value is None or isinstance(value, (bool, int, float, complex, str)):
        return repr(value)
    if isinstance(value, np.generic):
        return repr(value.item())
    if isinstance(value, np.ndarray):
        if value.dtype.kind == "O":
            return _sequence(value.tolist())
        contents = np.ascontiguousarray(value)
        digest = hashlib.sha256(contents.view(np.uint8).data if contents.size else b"").hexdigest()
        return f"array {value.shape} {value.dtype} {digest[:16]}"
    if scipy.sparse.issparse(value):
        entries = value.tocoo()
        parts = (entries.row, entries.col, entries.data)
        return f"sparse {value.shape} {' '.join(fingerprint(part) for part in parts)}"
    if isinstance(value, LinearOperator):
        probe = np.cos(np.arange(value.shape[1]))
        return f"operator {value.shape} {fingerprint(np.asarray(value @ probe))}"
    if isinstance(value, Sequence):
        return _sequence(value)
    if isinstance(value, Mapping):
        return _sequence([*value.keys(), *value.values()])
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = {f.name: getattr(value, f.name) for f in dataclasses.fields(value) if f.init}
    elif _is_function(value):
        return f"function {[float(value(t)) for t in SCHEDULE_SAMPLES]}"
    else:
        plain = getattr(value, "__dict__", {}).items()
        fields = {k: v for k, v in plain if k not in COUNTERS and not callable(v)}
    described = ", ".join(f"{name}={fingerprint(v)}" for name, v in sorted(fields.items()))
    return f"{type(value).__qualname__}({described})"


def _is_function(value: Any) -> bool:
    return callable(value) and not hasattr(value, "prox") and not getattr(value, "__dict__", {})


def _sequence(values: Sequence[Any]) -> str:
    digest = hashlib.sha256()
    for value in values:
        digest.update(fingerprint(value).encode())
    return f"{len(values)} items {digest.hexdigest()[:16]}"
