"""Measurements as rows: what pieces return, and what pictures and tables are made from."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence

Value = str | int | float
Row = dict[str, Value]


def as_csv(rows: Sequence[Row]) -> str:
    r"""The rows as CSV; the columns are those of all rows, in the order in which they appear.

    >>> as_csv([{"m": 10, "gap": 0.5}, {"m": 20, "gap": 0.25}])
    'm,gap\n10,0.5\n20,0.25\n'
    """
    text = io.StringIO()
    writer = csv.DictWriter(text, columns(rows), restval="", lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def columns(rows: Iterable[Row]) -> list[str]:
    """The names of the columns, in the order in which they appear."""
    return list(dict.fromkeys(name for row in rows for name in row))


def short(number: float) -> float:
    """Six digits, as many as a measurement deserves.

    >>> short(1 / 3)
    0.333333
    """
    return float(f"{number:.6g}")


def where(rows: Iterable[Row], **wanted: Value) -> list[Row]:
    """The rows with these entries.

    >>> where([{"m": 10, "q": 1}, {"m": 20, "q": 1}], m=20)
    [{'m': 20, 'q': 1}]
    """
    return [row for row in rows if all(row.get(name) == value for name, value in wanted.items())]


def column(rows: Iterable[Row], name: str) -> list[float]:
    """A column of numbers.

    >>> column([{"gap": 1}, {"gap": 0.5}], "gap")
    [1.0, 0.5]
    """
    return [float(row[name]) for row in rows]


def distinct(rows: Iterable[Row], name: str) -> list[Value]:
    """The values of a column, each once, in the order in which they appear.

    >>> distinct([{"m": 10}, {"m": 20}, {"m": 10}, {}], "m")
    [10, 20]
    """
    return list(dict.fromkeys(row[name] for row in rows if name in row))
