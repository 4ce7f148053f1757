"""Where a run from the shell starts, and what bounds it: `--x0`, `--bounds`, `--parameters`."""

from __future__ import annotations

import csv
import gzip
import json
import math
import os
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

import zooadmm as zoo
from zooadmm.cli.named import domain_of


class Start(NamedTuple):
    """The start point, or Parameters, and X."""

    x0: Any
    domain: Any


def start_of(
    dim: int | None,
    x0: str | None,
    bounds: str | None,
    parameters: Path | None,
    domain: str | None,
    start: float,
) -> Start:
    """The start from the options that say something about it, which must agree."""
    if parameters is not None:
        others = {"--x0": x0, "--bounds": bounds, "--domain": domain, "--dim": dim}
        _refuse("--parameters", others)
        return Start(zoo.Parameters.from_file(parameters), None)
    if bounds is not None:
        _refuse("--bounds", {"--domain": domain})
    box = None if bounds is None else bounds_of(bounds)
    X = domain_of(domain) if box is None else zoo.Box(*box)
    given = None if x0 is None else numbers_of(x0)
    sizes = {
        "--dim": dim,
        "--x0": None if given is None else len(given),
        "--bounds": None if box is None else len(box[0]),
    }
    known = {option: size for option, size in sizes.items() if size is not None}
    if not known:
        raise ValueError("give the number of variables: --dim, --x0, --bounds or --parameters.")
    if len(set(known.values())) > 1:
        said = ", ".join(f"{option} has {size}" for option, size in known.items())
        raise ValueError(f"the numbers of variables differ: {said}.")
    if given is not None:
        _refuse_outside(given, X, "--domain" if box is None else "--bounds")
        return Start(given, X)
    return Start(_first(next(iter(known.values())), box, X, start), X)


def _first(dim: int, box: Any, X: Any, start: float) -> NDArray[np.float64]:
    """Every variable at `start`, moved into X."""
    x = np.full(_fitting(dim), start)
    if box is not None:
        return np.asarray(np.clip(x, *box))
    return x if X is None else np.asarray(X.project(x))


def _refuse_outside(x: NDArray[np.float64], X: Any, option: str) -> None:
    """Raise for a start outside X, and name the variable that is furthest away."""
    moved = np.zeros_like(x) if X is None else np.asarray(X.project(x)) - x
    if np.abs(moved).max() > 1e-9 * max(1.0, np.abs(x).max()):
        j = int(np.argmax(np.abs(moved)))
        nearest = f"{x[j] + moved[j]:.6g}"
        raise ValueError(
            f"--x0 lies outside {option}: variable {j} is {x[j]:g}, the nearest is {nearest}."
        )


def _fitting(dim: int) -> int:
    """--dim, unless a vector takes more than a quarter of the memory."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") if os.name == "posix" else 0
    if memory and 8 * dim > memory / 4:
        raise ValueError(f"--dim {dim}: vectors of this length do not fit into the memory.")
    return dim


def numbers_of(text: str) -> NDArray[np.float64]:
    """`0,0.5,1`, or a file: numbers apart by commas or spaces, a JSON list, or x of a result.

    >>> numbers_of("0,0.5,1")
    array([0. , 0.5, 1. ])
    """
    path = Path(text)
    content = path.read_text(encoding="utf-8") if path.is_file() else text
    try:
        if content.lstrip().startswith(("[", "{")):
            found = json.loads(content)
            found = found["x"] if isinstance(found, dict) else found
            return np.array(found, dtype=np.float64).reshape(-1)
        return np.array([float(part) for part in content.replace(",", " ").split()])
    except (ValueError, TypeError, KeyError):
        raise ValueError(
            f"--x0 {text}: give numbers such as 0,0.5,1, or a file that has them."
        ) from None


def columns_of(path: Path) -> dict[str, list[float]]:
    """The columns of numbers of a CSV file, .gz too, by name; an empty field is NaN."""
    opened = gzip.open if path.suffix == ".gz" else open
    try:
        with opened(path, "rt", encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        columns = {name: [row[name] for row in rows] for name in (rows[0] if rows else ())}
        numbers = {name: [float(v or "nan") for v in of] for name, of in columns.items()}
    except (ValueError, TypeError):
        raise ValueError(
            f"--start-values {path}: give a CSV file of numbers, with the columns' names first."
        ) from None
    if not numbers:
        raise ValueError(f"--start-values {path}: there is no row.")
    return numbers


def bounds_of(text: str) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """`0:1,0:10`, `:5` for no lower bound, or JSON such as [[0, 1], [null, 10]].

    >>> bounds_of("0:1,:10")
    (array([  0., -inf]), array([ 1., 10.]))
    """
    try:
        if text.lstrip().startswith("["):
            pairs = [(low, high) for low, high in json.loads(text)]
        else:
            pairs = [_pair(part) for part in text.split(",")]
        lower = np.array([-math.inf if low is None else float(low) for low, _ in pairs])
        upper = np.array([math.inf if high is None else float(high) for _, high in pairs])
    except (ValueError, TypeError):
        raise ValueError(
            f"--bounds {text}: give low:high for each variable, such as 0:1,0:10, or JSON."
        ) from None
    wrong = np.flatnonzero(~(lower <= upper))
    if len(wrong) > 0:
        j = int(wrong[0])
        raise ValueError(f"--bounds: variable {j} has low {lower[j]:g} above high {upper[j]:g}.")
    return lower, upper


def _pair(part: str) -> tuple[str | None, str | None]:
    low, high = part.split(":")
    return low.strip() or None, high.strip() or None


def _refuse(option: str, others: dict[str, Any]) -> None:
    beside = [other for other, value in others.items() if value is not None]
    if beside:
        raise ValueError(f"{option} says what {beside[0]} says too; give one of them.")
