"""The two halves of the suite, as `split.txt` names them."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Literal

Half = Literal["building", "held-out"]
PATH = Path(__file__).parent / "split.txt"


@cache
def halves() -> dict[str, Half]:
    """The half of every problem, by its name without a regime."""
    found: dict[str, Half] = {}
    for line in PATH.read_text().splitlines():
        if line and not line.startswith("#"):
            half, name = line.split()
            if half not in ("building", "held-out") or name in found:
                raise ValueError(f"split.txt has a line that does not fit: {line!r}")
            found[name] = "building" if half == "building" else "held-out"
    return found


def names(half: Half) -> list[str]:
    return [name for name, of in halves().items() if of == half]


def base(problem: str) -> str:
    """A problem's name without its regime: `lasso-20@sampled` is `lasso-20`."""
    return problem.partition("@")[0]


def refuse_held_out(problems: list[str]) -> None:
    """For studies of constants: an error if one of the problems is held out.

    >>> refuse_held_out(["squares-l1-60@noisy"])
    """
    for problem in problems:
        if halves().get(base(problem)) == "held-out":
            raise ValueError(
                f"{problem} is held out: it is measured at the end and no constant may be chosen "
                "by it. Take problems of the building half (benchmarks/structured/split.txt)."
            )
