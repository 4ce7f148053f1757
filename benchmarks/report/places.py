"""Marked places of a page: a person writes the page, the report fills in its tables.

A place is two comments on lines of their own, with a table between them:

    <!-- table: costs -->
    <!-- end of table -->
"""

from __future__ import annotations

import re
from collections.abc import Mapping

_PLACE = re.compile(r"(?ms)^<!-- table: ([^\n]+) -->\n.*?^<!-- end of table -->$")


def places(page: str) -> list[str]:
    """The names of a page's places, in their order."""
    return _PLACE.findall(page)


def filled(page: str, tables: Mapping[str, str]) -> str:
    """The page with its tables; ValueError where a place has a name that no table has."""

    def put(place: re.Match[str]) -> str:
        name = place[1]
        if name not in tables:
            raise ValueError(f"there is no table {name!r}; there are {', '.join(sorted(tables))}")
        return f"<!-- table: {name} -->\n\n{tables[name]}\n\n<!-- end of table -->"

    return _PLACE.sub(put, page)


def prose(page: str) -> str:
    """The page without its tables: what a person wrote."""
    return _PLACE.sub("", page)
