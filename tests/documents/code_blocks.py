"""The code of a page, and what it is said to print.

A fence of `python` runs, all of a page in one namespace; with `title="name.py"` it is a file that
the page has the reader write. A fence of `console` has commands after `$`, and below each what it
prints, if anything is said of that. A fence of `text` is what was printed since the text before it,
or since the page began.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

FENCE = re.compile(
    r'^(?P<indent> *)```(?P<language>\w*)(?: title="(?P<title>[^"]+)")?\n'
    r"(?P<body>.*?)^(?P=indent)```$",
    re.M | re.S,
)


@dataclass(frozen=True)
class Block:
    """A fence of a page."""

    language: str
    title: str | None
    body: str
    line: int


def blocks(text: str) -> list[Block]:
    """All fences of a page, without their indentation."""
    found = []
    for fence in FENCE.finditer(text):
        body = re.sub(rf"^{fence['indent']}", "", fence["body"], flags=re.M)
        line = text.count("\n", 0, fence.start()) + 2
        found.append(Block(fence["language"], fence["title"], body, line))
    return found


def run(page: Path, folder: Path) -> list[tuple[str, str]]:
    """Run the code of a page in a folder: (what is printed, what the page says of it), in pairs."""
    names: dict[str, object] = {"__name__": "page"}
    compared: list[tuple[str, str]] = []
    printed = ""
    for block in blocks(page.read_text(encoding="utf-8")):
        if block.title is not None:
            (folder / block.title).write_text(block.body)
        elif block.language == "python":
            printed += _executed(block, page, names)
        elif block.language == "console":
            compared += _commanded(block, folder)
        elif block.language == "text":
            compared.append((printed, block.body))
            printed = ""
    return compared


def _executed(block: Block, page: Path, names: dict[str, object]) -> str:
    printed = io.StringIO()
    source = "\n" * (block.line - 1) + block.body  # so that a traceback has the lines of the page
    with contextlib.redirect_stdout(printed):
        exec(compile(source, str(page), "exec"), names)
    return printed.getvalue()


def _commanded(block: Block, folder: Path) -> list[tuple[str, str]]:
    compared = []
    for session in re.split(r"^\$ ", block.body, flags=re.M)[1:]:
        command, _, said = re.sub(r"\\\n *", "", session).partition("\n")
        path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
        done = subprocess.run(
            command,
            shell=True,
            cwd=folder,
            env={**os.environ, "PATH": path},
            capture_output=True,
            text=True,
            timeout=60,
        )
        assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
        if said:
            compared.append((done.stdout, said))
    return compared
