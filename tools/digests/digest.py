"""The digest of what a run came to, and the environment that its bits depend on."""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy
import scipy.linalg  # loads the BLAS of scipy, which `environment` names
import threadpoolctl

VECTORS = ("x", "y", "dual")
ITERATES = ("x_average", "y_average", "x_last", "y_last")
NUMBERS = (
    "fun",
    "fun_status",
    "fun_error",
    "nit",
    "nfev",
    "njev",
    "nfev_report",
    "nfev_regret",
    "residual",
    "x_violation",
    "y_violation",
    "success",
    "status",
)
TIMES = ("seconds", "time", "wall_time", "elapsed")
"""Columns of a trace that are left out: no two runs have the same."""


def _plain(value: Any) -> str:
    """A number to its last bit; a status by its name."""
    if isinstance(value, float):
        return value.hex()
    return str(getattr(value, "name", value))


def _array(value: Any) -> bytes:
    array = np.ascontiguousarray(value)
    return f"{array.dtype.str}{array.shape}".encode() + array.tobytes()


def _record(record: Any) -> bytes:
    kept = [name for name in record.columns if name not in TIMES]
    return b"".join(name.encode() + _array(record[name]) for name in kept)


def _parts(outcome: Any) -> Iterator[tuple[str, bytes]]:
    """What a result, or an array, is made of, by name."""
    if isinstance(outcome, np.ndarray):
        yield "array", _array(outcome)
        return
    for name in VECTORS:
        if getattr(outcome, name, None) is not None:
            yield name, _array(getattr(outcome, name))
    if all(getattr(outcome, name, None) is not None for name in ITERATES):
        yield "iterates", b"".join(_array(getattr(outcome, name)) for name in ITERATES)
    numbers = [f"{name}={_plain(getattr(outcome, name, None))}" for name in NUMBERS]
    yield "numbers", "\n".join(numbers).encode()
    yield "message", str(outcome.message).encode()
    for name in ("trace", "regret"):
        if getattr(outcome, name, None) is not None:
            yield name, _record(getattr(outcome, name))


def digested(outcome: Any) -> dict[str, Any]:
    """The digest, the beginnings of those of the parts, and a few fields to read."""
    outcomes = outcome if isinstance(outcome, list) else [outcome]
    whole, parts = hashlib.sha256(), {}
    for number, one in enumerate(outcomes):
        for name, content in _parts(one):
            label = name if number == 0 else f"{name} {number + 1}"
            whole.update(f"{label} {len(content)}\n".encode() + content)
            parts[label] = hashlib.sha256(content).hexdigest()[:6]
    first = outcomes[0]
    return {
        "digest": whole.hexdigest(),
        "fun": None if first.fun is None else float(first.fun),
        "nit": int(first.nit),
        "nfev": int(first.nfev),
        "status": _plain(first.status),
        "message": str(first.message)[:60],
        "parts": parts,
    }


def environment() -> dict[str, str]:
    """Versions, and the kernels that BLAS and numpy choose on this processor."""
    blas = {
        f"{info['prefix']} {info['version']} {info.get('architecture', '')}".strip()
        for info in threadpoolctl.threadpool_info()
        if info["user_api"] == "blas" and info["prefix"].startswith("libscipy_openblas")
    } or {f"{info['prefix']} {info['version']}" for info in threadpoolctl.threadpool_info()}
    simd = np.show_config(mode="dicts")["SIMD Extensions"]
    return {
        "python": ".".join(platform.python_version_tuple()[:2]),
        "machine": platform.machine(),
        "numpy": np.__version__,
        "scipy": scipy.__version__,
        "blas": ", ".join(sorted(blas)),
        "simd": " ".join(simd.get("found", [])),
    }
