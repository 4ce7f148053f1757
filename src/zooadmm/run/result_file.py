"""A result as plain data, and as a JSON file: text that nothing executes, with every digit."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from zooadmm.problem.arrays import Vector
from zooadmm.run.limits import Status
from zooadmm.run.trace import COLUMNS, Record, Trace

if TYPE_CHECKING:
    from zooadmm.run.result import Result

FORMAT = 1
NO_RESULT = "{} is not a result of zooadmm, or only part of one"


@dataclass(frozen=True, eq=False)
class LocalOptimum:
    """Where one of several starts led: of a run with `starts=`."""

    x0: Vector
    x: Vector
    """The answer of its run"""
    fun: float | None
    """F at its answer; None if unknown"""
    nfev: int
    """Evaluations that it got"""
    status: Status


def plain(result: Result) -> dict[str, Any]:
    """The fields as what JSON knows, after the format's number and the type of x."""
    found = {name: _plain(value) for name, value in result.items()}
    return {"format": FORMAT, "dtype": str(result.x.dtype), **found}


def write(path: Path, content: Mapping[str, Any]) -> None:
    """Write the file."""
    path.write_text(json.dumps(content, indent=1, allow_nan=False) + "\n", encoding="utf-8")


def read(path: Path, types: Mapping[str, str]) -> dict[str, Any]:
    """The fields of the result in a file; types: the annotation of each field."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        if content["format"] != FORMAT:
            raise ValueError(f"{path} has format {content['format']}; this version reads {FORMAT}.")
        dtype = np.dtype(content["dtype"])
        known = {name: content[name] for name in types if name in content}
        return {name: _restored(v, types[name], dtype) for name, v in known.items()}
    except (KeyError, TypeError, AttributeError, json.JSONDecodeError, UnicodeDecodeError) as error:
        raise ValueError(f"{NO_RESULT.format(path)} ({error!r}).") from error


def _plain(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return _plain(value.tolist())
    if isinstance(value, Record):
        rows = _plain(value.rows())
        return {
            "columns": list(value.columns),
            "stride": value.stride,
            "max_rows": value.max_rows,
            "rows": rows,
        }
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, Status):
        return value.value
    if isinstance(value, LocalOptimum):
        value = vars(value)
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if hasattr(value, "to_dict") and hasattr(value, "index"):  # a Series
        value = value.to_dict()
    if isinstance(value, Mapping):
        return {str(name): _plain(item) for name, item in value.items()}
    return value if isinstance(value, (bool, int, float, str)) else None


def _restored(value: Any, kind: str, dtype: np.dtype[Any]) -> Any:
    """The value of a field of this type."""
    if value is None:
        return None
    if kind.startswith("Vector"):
        return np.array([float(item) for item in value], dtype=dtype)
    if kind == "Status":
        return Status(value)
    if "Trace" in kind or "Record" in kind:
        return _record(value, Trace if "Trace" in kind else Record)
    if kind.startswith("float"):
        return float(value)
    if "LocalOptimum" in kind:
        return tuple(_optimum(item, dtype) for item in value)
    return value


def _optimum(value: dict[str, Any], dtype: np.dtype[Any]) -> LocalOptimum:
    types = {field.name: str(field.type) for field in fields(LocalOptimum)}
    return LocalOptimum(**{name: _restored(value[name], types[name], dtype) for name in types})


def _record(value: dict[str, Any], kind: type[Record]) -> Record:
    columns = tuple(value["columns"])
    if kind is Trace and columns != COLUMNS:
        raise KeyError(f"columns {columns}")
    record = kind(columns, value["max_rows"])
    rows = np.array([[float(item) for item in row] for row in value["rows"]], dtype=np.float64)
    record.restore(rows.reshape(-1, len(columns)), int(value["stride"]))
    return record
