"""From what a user hands over to a problem, and a start that it allows."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

from numpy.typing import ArrayLike

from zooadmm.problem.arrays import Vector
from zooadmm.problem.assembly import Assembly, assembled
from zooadmm.problem.named_variables import Parameters
from zooadmm.problem.problem import Problem, as_start_point, make_problem
from zooadmm.run.names import names_of, start_of
from zooadmm.structure.allowed import Allowed


class Posed(NamedTuple):
    """A problem with its start."""

    problem: Problem
    x: Vector
    """x_1"""
    parts: Assembly
    allowed: Allowed
    names: Any
    """Of the variables; None for a plain vector"""


def posed(
    x0: ArrayLike | Parameters, regularizer: Any, domain: Any, constraint: Any, whole: bool
) -> Posed:
    """The problem, or a sentence on the part that does not fit.

    whole: whether bounds and rows of the regularizer count among those of x.
    """
    names = names_of(x0)
    if isinstance(x0, Parameters):
        x0, domain = start_of(x0, domain)
    x = as_start_point(x0)
    parts = assembled(regularizer, domain, constraint, len(x), x.dtype)
    problem = make_problem(x, parts.regularizer, parts.given, parts.constraint)
    x = problem.moved_inside(x)
    problem = replace(problem, domain=parts.domain)
    allowed = Allowed(problem, parts.rows, whole=whole)
    if parts.rows is None:
        allowed.check(x)
    else:
        x = allowed.start(x)
    return Posed(problem, x, parts, allowed, names)
