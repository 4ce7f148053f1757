"""Put the right line numbers into the links from the pages of docs/ to the code.

A link to a line has a piece of that line as its title, found on one line of the file only:

    [metrics.py](../src/zooadmm/structure/metrics.py#L145 "x + (eta / alpha) * d")

The title stays, the number follows it. After an edit run

    python docs/link_equations.py
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

DOCS = Path(__file__).parent
LINE_LINK = re.compile(r'\]\((?P<path>[^()\s#]+)#L(?P<line>\d+)(?:\s+"(?P<token>[^"]*)")?\)')


def line_of(token: str | None, file: Path) -> int:
    """The number of the one line of the file that contains the token."""
    if not token:
        raise ValueError(f"a link to a line of {file.name} has no title to find the line by")
    if not file.is_file():
        raise ValueError(f"there is no file {file}")
    lines = file.read_text(encoding="utf-8").splitlines()
    found = [number for number, line in enumerate(lines, start=1) if token in line]
    if len(found) != 1:
        where = f"lines {found}" if found else "no line"
        raise ValueError(f"{token!r} is on {where} of {file.name}; a title needs exactly one")
    return found[0]


def relinked(text: str, folder: Path) -> str:
    """The text of a page in that folder with the right line numbers."""

    def renumber(link: re.Match[str]) -> str:
        right = line_of(link["token"], (folder / link["path"]).resolve())
        return link[0].replace(f"#L{link['line']}", f"#L{right}", 1)

    return LINE_LINK.sub(renumber, text)


def main() -> int:
    failed = 0
    for page in sorted(DOCS.rglob("*.md")):
        before = page.read_text(encoding="utf-8")
        try:
            after = relinked(before, page.parent)
        except ValueError as error:
            print(f"{page.name}: {error}", file=sys.stderr)
            failed = 1
            continue
        if after != before:
            page.write_text(after, encoding="utf-8")
            print(f"{page.name}: line numbers changed")
    return failed


if __name__ == "__main__":
    sys.exit(main())
