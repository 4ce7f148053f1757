"""docs/errata.md has every row once, in the table it belongs to; other documents cite by number."""

from __future__ import annotations

import re
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "errata.md"
TABLES = {
    "Errors that change what one computes": (1, 2, 3, 4, 5),
    "Gaps in the theory": (6, 13, 14, 15, 16, 17, 22),
    "The experiments": (19, 20, 21),
    "Remarks": (7, 8, 9, 10, 11, 12, 18, 23),
}


def test_every_row_is_in_its_table() -> None:
    sections = re.split(r"^## (.+)$", PAGE.read_text(encoding="utf-8"), flags=re.M)
    found = {
        title: tuple(int(n) for n in re.findall(r"^\| (\d+) \| [^|]*[A-Za-z]", text, flags=re.M))
        for title, text in zip(sections[1::2], sections[2::2], strict=True)
    }
    assert found == TABLES
    assert sorted(n for rows in TABLES.values() for n in rows) == list(range(1, 24))
