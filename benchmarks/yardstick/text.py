"""Tables in Markdown, and counts."""

from __future__ import annotations

import math
from collections.abc import Sequence


def table(head: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    """Aligned columns, so that it reads on a terminal as well."""
    widths = [max(len(line[i]) for line in (head, *lines)) for i in range(len(head))]

    def row(cells: Sequence[str]) -> str:
        padded = (cell.ljust(width) for cell, width in zip(cells, widths, strict=True))
        return f"| {' | '.join(padded)} |"

    rule = "|" + "|".join("-" * (width + 2) for width in widths) + "|"
    return "\n".join([row(head), rule, *map(row, lines)])


def count(value: float) -> str:
    """Evaluations, or "never".

    >>> count(1234.0), count(math.inf)
    ('1,234', 'never')
    """
    return f"{value:,.0f}" if math.isfinite(value) else "never"
