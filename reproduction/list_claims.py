"""Every claim with its verdict on the page of the reproduction, from the report beside it.

    python reproduction/list_claims.py

A test holds the page to the report.
"""

from __future__ import annotations

import csv
import sys
from collections import Counter
from pathlib import Path

HERE = Path(__file__).parent
PAGE, CLAIMS = HERE.parent / "docs" / "reproduction.md", HERE / "report" / "data" / "claims.csv"
BEGIN = "<!-- claims: made by python reproduction/list_claims.py -->\n"
END = "<!-- end of claims -->\n"


def listed(claims: list[dict[str, str]]) -> str:
    """The table of the claims, and how many have each verdict."""
    counts = Counter(claim["verdict"] for claim in claims)
    said = ", ".join(f"{verdict} {count}" for verdict, count in counts.most_common())
    lines = [f"Of {len(claims)} claims: {said}.", "", "| the paper says | verdict |", "|---|---|"]
    for claim in claims:
        link = f"[{claim['verdict']}](../reproduction/report/index.html#{claim['exhibit']})"
        lines.append(f"| {claim['says']} ({claim['where']}) | {link} |")
    return "\n".join(lines) + "\n"


def with_claims(page: str, claims: list[dict[str, str]]) -> str:
    """The text of the page with the table in its place."""
    before, _, rest = page.partition(BEGIN)
    _, found, after = rest.partition(END)
    if not found:
        raise ValueError(f"{PAGE.name} has no place for the claims: {BEGIN.strip()}")
    return before + BEGIN + listed(claims) + END + after


def known() -> list[dict[str, str]]:
    """The claims of the report."""
    with CLAIMS.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def main() -> int:
    PAGE.write_text(with_claims(PAGE.read_text(encoding="utf-8"), known()), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
