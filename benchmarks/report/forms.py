"""In which form regularizers and constraints reach each method, in `results/forms.json`."""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.report.board import ORDER, in_order
from benchmarks.report.text import listed, table

if TYPE_CHECKING:
    from benchmarks.methods import Method
    from benchmarks.problem import Problem

Forms = dict[str, dict[str, str]]
"""By problem and method: the form, or "unfit: ..."."""


def read(path: Path) -> Forms:
    return dict(json.loads(path.read_text())) if path.exists() else {}


def record(path: Path) -> None:
    """Build every problem, ask every method, and write down the forms.

    A problem whose data is not there keeps what the file said of it.
    """
    from benchmarks.methods import METHODS
    from benchmarks.problems import SUITE, unsolved

    forms = read(path)
    for name in SUITE:
        try:
            problem, _ = unsolved(name)
        except (ImportError, LookupError, OSError) as missing:
            print(f"{name} skipped: {missing}")
            continue
        forms[name] = {method.name: _form(method, problem) for method in METHODS.values()}
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(
        json.dumps({name: forms[name] for name in SUITE if name in forms}, indent=1) + "\n"
    )


def _form(method: Method, problem: Problem) -> str:
    reason = method.unfit(problem)
    return f"unfit: {reason}" if reason else method.form(problem)


def form_table(forms: Forms) -> str:
    """The forms, the problems that they are given to, and the methods that take them."""
    methods = {method for by_method in forms.values() for method in by_method}
    same: dict[tuple[str, tuple[str, ...]], list[str]] = defaultdict(list)
    for method in in_order(methods, ORDER):
        by_form: dict[str, list[str]] = defaultdict(list)
        for problem, by_method in forms.items():
            by_form[by_method.get(method, "not asked")].append(problem)
        for form, problems in by_form.items():
            same[form, tuple(problems)].append(f"`{method}`")
    lines = [
        [", ".join(takers), form, _which(list(problems), forms)]
        for (form, problems), takers in same.items()
    ]
    return table(["methods", "form", "problems"], lines).replace("--:", "---")


def _which(problems: list[str], forms: Forms) -> str:
    """The problems, without stochastic versions that have the form of their original."""
    if len(problems) == len(forms):
        return "all"
    sampled = {f"{name}-stochastic" for name in problems}
    return listed(name for name in problems if name not in sampled)
