"""Every finding with its verdict on the page of the reproduction, from the report beside it.

    python reproduction/list_claims.py

A test compares the page with the report.
"""

from __future__ import annotations

import csv
import sys
from pathlib import Path

from zooadmm_reproduction import Claim, Verdict
from zooadmm_reproduction.report.findings import counted, found

HERE = Path(__file__).parent
PAGE, DATA = HERE.parent / "docs" / "reproduction.md", HERE / "report" / "data"
REPORT = "../reproduction/report/index.html"
BEGIN = "<!-- claims: made by python reproduction/list_claims.py -->\n"
END = "<!-- end of claims -->\n"


def listed(claims: list[Claim], remarks: list[dict[str, str]]) -> str:
    """The table of the findings, how many have each verdict, and what else was found."""
    counts = ", ".join(f"{verdict.value} {count}" for verdict, count in counted(claims))
    lines = [f"{len(claims)} claims, {len(found(claims))} findings: {counts}.", ""]
    lines += ["| finding | in the paper | verdict |", "|---|---|---|"]
    for finding in found(claims):
        places = "; ".join(dict.fromkeys(claim.where for claim in finding.claims))
        link = f"[{finding.verdict.value}]({REPORT}#{finding.claims[0].exhibit})"
        lines.append(f"| {_cell(finding.sentence)} | {_cell(places)} | {link} |")
    if remarks:
        lines += ["", "Also found, and not claimed by the paper:", ""]
        lines += [
            f"- {remark['says']} ([{remark['exhibit']}]({REPORT}#{remark['exhibit']}))"
            for remark in remarks
        ]
    return "\n".join(lines) + "\n"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def with_claims(page: str, claims: list[Claim], remarks: list[dict[str, str]]) -> str:
    """The text of the page with the table in its place."""
    before, _, rest = page.partition(BEGIN)
    _, place, after = rest.partition(END)
    if not place:
        raise ValueError(f"{PAGE.name} has no place for the claims: {BEGIN.strip()}")
    return before + BEGIN + listed(claims, remarks) + END + after


def known() -> tuple[list[Claim], list[dict[str, str]]]:
    """The claims and the remarks of the report."""
    claims = [
        Claim(
            row["says"],
            row["where"],
            row["measured"],
            Verdict(row["verdict"]),
            row["exhibit"],
            tuple(map(int, row["errata"].split())),
            row["finding"],
            row["conclusion"],
        )
        for row in _rows("claims")
    ]
    return claims, _rows("remarks")


def _rows(name: str) -> list[dict[str, str]]:
    with (DATA / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def main() -> int:
    PAGE.write_text(with_claims(PAGE.read_text(encoding="utf-8"), *known()), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
