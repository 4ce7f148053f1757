"""Docstrings as Markdown: what a name means becomes a list, and examples become code.

Our docstrings explain parameters and fields as

    name: what it is, on as many lines as it takes,
        the further ones indented.

and have examples as doctests.
"""

from __future__ import annotations

import inspect
import re
from typing import Any

import griffe

ENTRY = re.compile(r"(?P<names>[a-z_]\w*(?:, [a-z_]\w*)*): (?P<text>.+)", re.I)
PROMPT = re.compile(r">>> ")
STAR = re.compile(r"\b([A-Za-z]|lambda)\*(?!\*)(_?)")
"""x* or x*_t, the letter of an optimum."""
TAG = re.compile(r"<(?=[A-Za-z/])")


def as_markdown(docstring: str) -> str:
    """The docstring with lists for entries and fences for examples."""
    lines = inspect.cleandoc(docstring).split("\n")
    written: list[str] = []
    index = 0
    while index < len(lines):
        entry = ENTRY.match(lines[index])
        if PROMPT.match(lines[index]):
            end = _end(lines, index, lambda line: line.strip() != "")
            written += ["", "```pycon", *lines[index:end], "```"]
        elif entry and _is_entry(lines, index):
            end = _end(lines, index + 1, lambda line: line.startswith("    "))
            names = ", ".join(f"`{name}`" for name in entry["names"].split(", "))
            text = " ".join([entry["text"], *(line.strip() for line in lines[index + 1 : end])])
            if written and written[-1] != "" and not written[-1].startswith("- "):
                written.append("")
            written.append(f"- {names}: {text}")
        else:
            end = index + 1
            written.append(lines[index])
        index = end
    return "\n".join(_plain(written))


def _plain(lines: list[str]) -> list[str]:
    """Text outside of code in which x* and <g, d> are what they are, not emphasis or tags."""
    shown, fenced = [], False
    for line in lines:
        fenced ^= line.startswith("```")
        if not fenced and not line.startswith("    "):
            parts = line.split("`")
            parts[::2] = [TAG.sub("&lt;", STAR.sub(_escaped, part)) for part in parts[::2]]
            line = "`".join(parts)
        shown.append(line)
    return shown


def _escaped(star: re.Match[str]) -> str:
    return f"{star[1]}\\*" + (r"\_" if star[2] else "")


def _is_entry(lines: list[str], index: int) -> bool:
    """Whether an entry stands here: between blank lines, entries and examples."""
    before = index - 1
    while before >= 0 and lines[before].startswith("    "):
        before -= 1
    after = _end(lines, index + 1, lambda line: line.startswith("    "))
    return before >= 0 and all(
        line == "" or ENTRY.match(line) or PROMPT.match(line)
        for line in (lines[before], *lines[after : after + 1])
    )


def _end(lines: list[str], start: int, goes_on: Any) -> int:
    end = start
    while end < len(lines) and goes_on(lines[end]):
        end += 1
    return end


class Docstrings(griffe.Extension):
    """Rewrites every docstring before it is shown."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        if obj.docstring is not None:
            obj.docstring.value = as_markdown(obj.docstring.value)
