"""Whether a run is to use a model of its loss, and what that is to start from."""

from __future__ import annotations

from zooadmm.methods.auto.constants import FEW, MOST_MODELED, SMALL_PART
from zooadmm.methods.auto.few import SEARCHES, are_few, for_model
from zooadmm.methods.auto.given import Given
from zooadmm.methods.auto.known import Refusal
from zooadmm.methods.auto.strategy import Progress
from zooadmm.structure.canonical import canonical

FOR_STEPS = 500
"""Evaluations a variable from which steps are better at the end of a budget, where noise hides how
the loss changes: they need no curvature, which points on one side of a bound do not tell from a
slope. With fewer they do not begin to move. In sets that are not boxes the model is better."""


def refusal(given: Given, at: Progress, with_few: bool) -> Refusal | None:
    """None for exact losses, the mean over few samples among them (over many, fresh observations
    come first), and for noisy ones whose changes rise above the noise.

    with_few: whether the model would be of a working set.
    """
    known, m = at.known, given.problem.m
    if known.failed("model", "sampled"):
        return Refusal("")
    if not given.has("model"):
        return Refusal("left out")
    if given.sampled and not 0 < given.samples < FEW:
        return Refusal("" if given.has("sampled") else "observations are many")
    noisy = known.radius.noise > 0.0
    if noisy and (given.sampled or m > MOST_MODELED):
        return Refusal("values are noisy")
    if known.radius.uneven:
        return Refusal("noise depends on x, or hides all of the domain")
    hidden = noisy and SMALL_PART * known.radius.change <= known.radius.noise
    in_box = given.problem.domain.bounds() is not None
    if hidden and in_box and known.budget > FOR_STEPS * m:
        return Refusal("noise hides how the loss changes")
    other = given.named if _is_gridded(given, at) else given.demands_steps
    if other:
        return Refusal(other)
    if m > MOST_MODELED and not with_few:
        return Refusal(f"more than {MOST_MODELED} variables")
    if starts_from_values(given, at, with_few):
        return None
    needed = for_model(m) if given.sampled else 2 * m + known.spent + 1
    if with_few:
        needed = min(needed, SEARCHES)
    short = 0 < known.budget < needed
    reason = f"the budget is too small: it needs {needed} evaluations"
    return Refusal(reason, until=known.budget) if short else None


def _is_gridded(given: Given, at: Progress) -> bool:
    """Whether a model may be of points of the type of x0: see `grid`.

    Rounding must leave points inside: bounds and terms of single variables, but no rows.
    """
    found = canonical(given.problem)
    exact = at.known.radius.noise == 0.0 and not given.sampled
    return exact and found is not None and found.form.num_rows == 0


def starts_from_values(given: Given, at: Progress, with_few: bool) -> bool:
    """Whether values at some points take the place of two for each variable.

    They do where those would leave less than one evaluation a variable, or have noise, and where a
    probe met a kink: slopes and curvatures of its straight pieces say little.
    """
    known, m = at.known, given.problem.m
    short = known.budget - known.spent - 2 * m < m or known.radius.noise > 0.0
    few = short and are_few(given, known)
    unplanned = (known.budget == 0 or known.radius.kinked) and not with_few
    return len(known.values.values) > 0 and (few or unplanned)
