"""Things by name, as they are written on a command line: `l1:0.1`, `box:0:1`, `module:function`."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

import zooadmm as zoo

REGULARIZERS: dict[str, Callable[..., Any]] = {
    "l1": zoo.L1,
    "squared-l2": zoo.regularizers.SquaredL2,
    "elastic-net": zoo.ElasticNet,
}

DOMAINS: dict[str, Callable[..., Any]] = {
    "box": zoo.Box,
    "nonnegative": zoo.Nonnegative,
    "simplex": zoo.Simplex,
    "budget": zoo.Budget,
    "box-budget": zoo.BoxBudget,
}


def named(text: str, option: str, table: Mapping[str, Callable[..., Any]]) -> Any:
    """What a name and the numbers after it stand for.

    >>> named("box:0:1", "--domain", DOMAINS)
    Box(lower=0.0, upper=1.0)
    """
    name, *numbers = text.split(":")
    if name not in table:
        raise ValueError(f"{option} knows {', '.join(table)}, not {name!r}.")
    try:
        return table[name](*map(float, numbers))
    except (TypeError, ValueError) as error:
        raise ValueError(f"{option} {text}: {error}") from error


def domain_of(text: str | None) -> Any:
    """The set X."""
    return None if text is None else named(text, "--domain", DOMAINS)


def regularizer_of(text: str | None) -> Any:
    """phi; a set stands for its indicator."""
    return None if text is None else named(text, "--regularizer", {**REGULARIZERS, **DOMAINS})


def function_at(place: str) -> Any:
    """The function at `package.module:function`, also of a module in the current directory."""
    module, _, name = place.partition(":")
    if not module or not name or module.startswith("."):
        raise ValueError(f"--loss is a place such as package.module:function, not {place!r}.")
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.insert(0, here)
    try:
        found: Any = import_module(module)
        for part in name.split("."):
            found = getattr(found, part)
    except Exception as error:  # whatever importing a module may raise
        raise ValueError(f"--loss {place}: {type(error).__name__}: {error}") from error
    if not (callable(found) or hasattr(found, "values")):
        raise ValueError(f"--loss {place} is a {type(found).__name__}, which cannot be called.")
    return found
