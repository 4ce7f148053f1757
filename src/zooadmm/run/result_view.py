"""A result in words: for a terminal, and for a notebook."""

from __future__ import annotations

import textwrap
from html import escape
from typing import TYPE_CHECKING

import numpy as np

from zooadmm.problem.arrays import Vector

if TYPE_CHECKING:
    from zooadmm.run.result import Result

WIDTH = 88
"""Longest line of the text, in characters; a vector has a line of its own."""

MOST_NAMED = 12
"""Variables that are listed by name."""

LABEL = 10
"""Width of the column of names."""


def text(result: Result) -> str:
    """The result, a line for each fact."""
    outcome = f"{'success' if result.success else 'no success'}: {ending(result)}"
    lines = [textwrap.fill(outcome, WIDTH, subsequent_indent=(LABEL + 2) * " ")]
    for name, value in facts(result):
        line = f"{name:>{LABEL}}: {value}"
        if name in ("learned", "named"):
            line = textwrap.fill(line, WIDTH, subsequent_indent=(LABEL + 2) * " ")
        lines.append(line)
    return "\n".join(lines)


def html(result: Result) -> str:
    """The result as a small table."""
    outcome = "success" if result.success else "no success"
    rows = "".join(
        f'<tr><th style="text-align:right">{escape(name)}</th>'
        f'<td style="text-align:left">{escape(value)}</td></tr>'
        for name, value in [(outcome, ending(result)), *facts(result)]
    )
    return f"<table><tbody>{rows}</tbody></table>"


def ending(result: Result) -> str:
    """The message without what was learned."""
    before, _, after = result.message.partition(result.learned or result.message + "\n")
    return f"{before.strip()} {after.strip()}".strip()


def facts(result: Result) -> list[tuple[str, str]]:
    """Names and values, in the order in which they are shown."""
    shown = []
    if result.learned:
        shown.append(("learned", result.learned.removeprefix("Learned: ")))
    scales = ", on scales from 0 to 1" if _is_scaled(result) else ""
    shown += [("fun", _fun(result)), ("x", _summary(result.x, scales))]
    if result.named is not None and len(result.named) <= MOST_NAMED:
        by_name = [f"{name} = {value:.6g}" for name, value in result.named.items()]
        shown.append(("named", ", ".join(by_name)))
    if result.y.shape != result.x.shape or not np.array_equal(result.x, result.y):
        shown.append(("y", _summary(result.y)))
    if result.constraints is not None:
        shown.append(("largest c", f"{result.constraints.max():.3g}"))
    if result.x_error is not None and result.preferred is not None:
        shown.append(("x_error", _summary(result.x_error)))
        shown.append(("preferred", f"to x0 with probability {result.preferred:.3g}"))
    work = f"{result.nit} iterations, {result.nfev} evaluations"
    work += f", {result.njev} gradients" if result.njev else ""
    work += f" (and {result.nfev_report} to report fun)" if result.nfev_report else ""
    shown += [("work", work), ("residual", f"|Ax + By - c| = {result.residual:.3g}")]
    return shown + _violations(result)


def _violations(result: Result) -> list[tuple[str, str]]:
    """Distances from X and Y that rounding does not explain."""
    rounding = max(1e-12, 100 * float(np.finfo(result.x.dtype).eps))
    return [
        ("violated", f"{name} is {violation:.3g} away from the {of}")
        for name, v, violation, of in (
            ("x", result.x, result.x_violation, "domain X"),
            ("y", result.y, result.y_violation, "set Y of the regularizer"),
        )
        if violation > rounding * max(1.0, float(np.abs(v).max()))
    ]


def _fun(result: Result) -> str:
    if result.fun is None:
        return "unknown"
    error = "" if result.fun_error is None else f" +- {result.fun_error:.2g}"
    return f"{result.fun:.8g}{error} ({result.fun_status})"


def _is_scaled(result: Result) -> bool:
    """Whether x has positions on the scales of `Parameters`, and `named` the values."""
    if not isinstance(result.named, dict):
        return False
    return not np.array_equal(list(result.named.values()), result.x)


def _summary(v: Vector, more: str = "") -> str:
    zeros = int((v == 0).sum())
    numbers = np.array2string(v, precision=4, threshold=8, edgeitems=3, max_line_width=10_000)
    return f"{numbers}  ({len(v)} entries{f', {zeros} zero' if zeros else ''}{more})"
