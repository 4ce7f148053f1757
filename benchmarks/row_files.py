"""Rows in files: a dataclass of texts and numbers each, a line of a csv with a head."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from dataclasses import astuple, fields
from pathlib import Path
from typing import Any, TypeVar

R = TypeVar("R")
KINDS = {"str": str, "int": int, "float": float}


def read(path: Path, kind: type[R]) -> list[R]:
    """The rows there are."""
    if not path.exists():
        return []
    kinds = {field.name: KINDS[str(field.type)] for field in fields(kind)}  # type: ignore[arg-type]
    with path.open(newline="") as file:
        return [
            kind(**{name: kinds[name](cell) for name, cell in line.items()})
            for line in csv.DictReader(file)
        ]


def append(path: Path, row: Any) -> None:
    """Add one row, so that a run that is stopped loses no more than one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    new = not path.exists()
    with path.open("a", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        if new:
            writer.writerow(_head(type(row)))
        writer.writerow(_cells(row))


def write(path: Path, kind: type[R], rows: Iterable[R]) -> None:
    """All rows, in place of what was there."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f"{path.name}.draft")
    with draft.open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(_head(kind))
        writer.writerows(map(_cells, rows))
    draft.replace(path)


def _head(kind: Any) -> list[str]:
    return [field.name for field in fields(kind)]


def _cells(row: Any) -> list[object]:
    return [f"{cell:.6g}" if isinstance(cell, float) else cell for cell in astuple(row)]
