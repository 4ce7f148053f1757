"""In which form regularizers and constraints reach each method."""

from __future__ import annotations

from collections import defaultdict

from benchmarks.problems import SUITE
from benchmarks.report.board import ORDER, Board, in_order
from benchmarks.report.text import listed, table

Forms = dict[str, dict[str, str]]
"""By problem and method: the form, or "unfit: ..."."""


def forms_of(board: Board) -> Forms:
    """As the rows say, for problems in their own units."""
    forms: Forms = defaultdict(dict)
    for row in board.rows:
        unfit = row.status.startswith("unfit")
        forms[row.problem][row.method] = row.status if unfit else row.form
    return {name: forms[name] for name in in_order(set(forms), SUITE) if "@" not in name}


def form_table(board: Board) -> str:
    """The forms, the problems that they are given to, and the methods that take them."""
    forms = forms_of(board)
    methods = {method for by_method in forms.values() for method in by_method}
    same: dict[tuple[str, tuple[str, ...]], list[str]] = defaultdict(list)
    for method in in_order(methods, ORDER):
        by_form: dict[str, list[str]] = defaultdict(list)
        for problem, by_method in forms.items():
            by_form[by_method.get(method, "not run")].append(problem)
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
