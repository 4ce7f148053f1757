"""The code of the experiments, for a report from which every verdict can be followed to it."""

from __future__ import annotations

import pkgutil
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

from zooadmm_reproduction.experiment import Experiment


def modules_of(experiment: Experiment) -> list[str]:
    """The modules of the package that an experiment is in, its own first."""
    own = type(experiment).__module__
    package = own.rpartition(".")[0]
    path = getattr(import_module(package), "__path__", None)
    others = [f"{package}.{found.name}" for found in pkgutil.iter_modules(path)] if path else []
    return [own, *(name for name in others if name != own)]


def source_of(module: str) -> str:
    """The text of a module."""
    found = find_spec(module)
    if found is None or found.origin is None:
        raise ValueError(f"there is no module {module}.")
    return Path(found.origin).read_text(encoding="utf-8")
