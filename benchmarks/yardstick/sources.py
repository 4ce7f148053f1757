"""Digests of what makes a row: our sources for our rows, versions for the peers'."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import zooadmm

ROOM = Path(__file__).parent
LENGTH = 10


def digest(paths: Iterable[Path], extra: str = "") -> str:
    """A short digest of files (by their content and their names) and of a text."""
    total = hashlib.sha256(extra.encode())
    for path in sorted(paths):
        total.update(path.name.encode())
        total.update(path.read_bytes())
    return total.hexdigest()[:LENGTH]


@cache
def library() -> str:
    """Of the library: every file of the package."""
    folder = Path(zooadmm.__file__).parent
    return digest(folder.rglob("*.py"))


PROTOCOL = ("task.py", "oracle.py", "session.py", "solver.py")
"""What a row of any solver depends on; profiles and tables are made from rows."""


WITHOUT_EFFECT = (
    "__main__.py",
    "plan.py",
    "selection.py",
    "feasible.py",
    "small_budgets.py",
    "unimodal.py",
)
"""Of a benchmark's files: they choose which rows are made, or are programs of their own. A row has
its budget and its effort beside the digest."""


def protocol(folder: Path) -> str:
    """Of the harness and of the files of one benchmark."""
    own = (path for path in folder.glob("*.py") if path.name not in WITHOUT_EFFECT)
    return digest([*(ROOM / name for name in PROTOCOL), *own])


def installed(package: str) -> str:
    """A version, empty where the package is missing."""
    try:
        return version(package)
    except PackageNotFoundError:
        return ""


def made_with(package: str, folder: Path, effort: str) -> str:
    """The digest of a row: the protocol, the effort, and our sources or the peer's version."""
    own = library() if package == "zooadmm" else f"{package} {installed(package)}"
    return digest([ROOM / "peers.py"], f"{protocol(folder)} {effort} {own}")
