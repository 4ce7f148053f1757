"""A slice of the reproduction: a few small pieces, whose rows are what they once were.

A change of the library that alters the experiments is seen here in less than a minute. Where it is
meant, store the new rows and say so in the commit:

    python reproduction/tests/test_slice.py
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from zooadmm_reproduction.blending import runs as blending
from zooadmm_reproduction.blending.data import Data
from zooadmm_reproduction.blending.strategies import COROLLARY, FIFTY, ROWS, SINGLE, Setting
from zooadmm_reproduction.exhibits import FIRST_ORDER, ZOO
from zooadmm_reproduction.experiment import Piece, Size
from zooadmm_reproduction.rows import Row
from zooadmm_reproduction.sensors import budgeting, selecting
from zooadmm_reproduction.survival import runs as survival
from zooadmm_reproduction.theory import Theory

STORED = Path(__file__).with_name("slice.json")

TOLERANCE = 1e-9
"""Relative; of what cancels, relative to the largest entry of its column."""

TWIN = Data("synthetic", num_ratings=2_000, num_models=20)
NAMES = (SINGLE, FIFTY, ROWS, FIRST_ORDER)

PIECES = (
    Piece("blending", blending.strategies, (TWIN, (Setting(10.0), COROLLARY), NAMES, (7,), 100)),
    Piece("sensors", selecting.field_trial, (0, 0, 30, 100, (10,))),
    Piece("sensors-course", budgeting.course, (0, 0, 30, 100, 10)),
    Piece("survival-zoo", survival.printed, (ZOO, "one event", (0.05,), 100, 3)),
    Piece("survival-released", survival.released, ((0.05,), 50, 3)),
    Piece("survival-first-order", survival.printed, (FIRST_ORDER, "all events", (0.05,), 50, 3)),
)
"""Every experiment's own work, at a size that takes a second or two."""

THEORY = ("theory-kink-exact", "theory-moments-hybrid", "theory-lemma-sphere")
"""Quick pieces of the theory, as they are."""


def theory_pieces() -> list[Piece]:
    """Those of THEORY."""
    return [piece for piece in Theory().pieces(Size.QUICK, 0) if piece.name in THEORY]


def stored() -> dict[str, list[Row]]:
    rows: dict[str, list[Row]] = json.loads(STORED.read_text(encoding="utf-8"))
    return rows


def columns_of(rows: list[Row]) -> dict[str, list[object]]:
    """The entries of each column, in order."""
    found: dict[str, list[object]] = {}
    for row in rows:
        for name, value in row.items():
            found.setdefault(name, []).append(value)
    return found


def differences(before: list[Row], after: list[Row]) -> list[str]:
    """The columns in which two lists of rows differ by more than the tolerance.

    >>> differences([{"m": 1, "gap": 0.5}], [{"m": 1, "gap": 0.5000001}])
    ['gap']
    """
    old, new = columns_of(before), columns_of(after)
    if len(before) != len(after) or list(old) != list(new):
        return ["the rows have another shape"]
    different = []
    for name, values in old.items():
        numbers = [abs(value) for value in values if isinstance(value, float)]
        near = pytest.approx(values, rel=TOLERANCE, abs=TOLERANCE * max(numbers, default=0.0))
        words = any(isinstance(value, str) for value in values)
        if new[name] != (values if words else near):
            different.append(name)
    return different


@pytest.mark.parametrize("piece", [*PIECES, *theory_pieces()], ids=lambda piece: piece.name)
def test_rows_are_what_they_were(piece: Piece) -> None:
    if piece.work.__module__.endswith("survival.runs"):
        pytest.importorskip("sksurv")
    try:
        rows = piece.rows()
    except FileNotFoundError as missing:
        pytest.skip(f"the data of {piece.name} is not at hand: {missing}"[:200])
    assert differences(stored()[piece.name], json.loads(json.dumps(rows))) == []


def test_a_difference_is_seen() -> None:
    rows: list[Row] = [{"method": "a", "gap": 1.0}, {"method": "b", "gap": 1e-12}]
    assert differences(rows, [rows[0], rows[1] | {"gap": 2e-12}]) == []  # cancels beside 1
    assert differences(rows, [rows[0] | {"gap": 1.0 + 1e-8}, rows[1]]) == ["gap"]
    assert differences(rows, [rows[0] | {"method": "c"}, rows[1]]) == ["method"]
    assert differences(rows, rows[:1]) == ["the rows have another shape"]


def store() -> None:
    """Store the rows of today."""
    rows = {piece.name: piece.rows() for piece in (*PIECES, *theory_pieces())}
    STORED.write_text(json.dumps(rows, separators=(",", ":")) + "\n", encoding="utf-8")


if __name__ == "__main__":
    store()
