"""How noisy the loss is, and how far apart points must be for a slope to be seen.

One direction, a ladder of lengths d, both sides: s(d) = (f(x + d u) - f(x - d u)) / (2 d). Rounding
makes s wander at small d, curvature at large d, and c(d) = |f(x + d u) + f(x - d u) - 2 f(x)|/(2 d)
is what a forward difference is wrong by. The length is the one with the least

    |s(d) - s(10 d)| + |s(d) - s(d/10)| + c(d).

Two values at the same point that differ are noise. The shortest rungs then repeat the value at x_1,
and sigma is that of all which do not stand out from the shorter ones. The longer rungs show from
where a second difference c(d) stands out; sqrt(SEEN sigma / c) d is where it would do so well. That
is all for a model. Steps measure sigma from PAIRS values and need a length: pairs along random
directions are tried further and further away until their mean second difference stands out from
the noise, which shows a curvature h; the length is sqrt(SURE sigma / h): far enough for slopes to
rise above the noise, near enough for the loss to be nearly straight between the points.
"""

from __future__ import annotations

import math

import numpy as np

from zooadmm.methods.auto.constants import (
    BEYOND_NOISE,
    DEFAULT_LENGTH,
    FEWEST,
    FIRST_LENGTH,
    HALF_DIGITS,
    MANY,
    NARROW,
    SEEN,
    SMALL_PART,
    SURE,
    TINY_PART,
    ULPS,
)
from zooadmm.methods.auto.probe.ladder import Ladder, ladder
from zooadmm.methods.auto.probe.state import Radius
from zooadmm.oracle.directions import Address, Rademacher
from zooadmm.oracle.observations import Batch
from zooadmm.oracle.queries import Answer, CentralQuery, LineQuery
from zooadmm.oracle.randomness import Key
from zooadmm.problem.arrays import Vector
from zooadmm.problem.sets import ConvexSet, ProbeSafe

RUNGS = (1e1, 1e0, 1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10)
"""The lengths that are tried, in units of max(1, |x_1|_inf): beyond the size of x_1 down to where
rounding hides a slope of size 1."""

LADDER = np.array(RUNGS)

PROBE = 2 + 2 * len(LADDER)
"""Evaluations of the first probe: x_1 twice, and both sides of it at every length."""

PAIRS = MANY
"""Second differences, and repeated values, from which curvature and noise are measured."""


def size(x: Vector) -> float:
    """The unit of length at x_1, before anything is known."""
    return max(1.0, float(np.abs(x).max()))


def shortest(x: Vector) -> float:
    """The length of differences that rounding of points near x leaves half of their digits.

    >>> round(shortest(np.full(2, 2.0, dtype=np.float32)), 5)
    0.00069
    """
    return math.sqrt(float(np.finfo(x.dtype).eps)) * float(np.abs(x).max())


def rungs(id: int, x: Vector, key: Key, domain: ConvexSet | None = None) -> Ladder:
    """Both sides of x_1 along a random direction, inside X where there is one.

    Each variable moves in proportion to max(1, |x_i|): in the unit of the largest one the others
    would leave the scale of the loss.
    """
    m = len(x)
    signs = Rademacher().rows(Address(key, id, 1), 0, 1, m, x.dtype)[0]
    direction = signs * (np.maximum(1.0, np.abs(x)) / size(x)) / math.sqrt(m)
    return ladder(x, direction.astype(x.dtype), size(x) * LADDER, domain)


def read(x: Vector, answer: Answer, made: Ladder | None = None) -> Radius:
    """What the ladder shows: noise, or none and the length.

    made: the ladder, where X has left some of its rungs out.
    """
    found = untested(x, answer)
    if math.isnan(found.noise) or len(answer) == 2:
        return found
    sides = answer[2:].reshape(2, -1) if made is None else made.sides(answer[0], answer[2:])
    rung = _best_rung(answer[0], sides)
    near = rung >= LADDER
    found = without_noise(x, max(abs(float(answer[0])), _largest(sides[:, near])))
    off = max(found.rounding, _rounding(answer[0], sides, rung))
    change = _largest(sides[:, LADDER <= SMALL_PART] - answer[0])
    kinked = _has_kink(float(answer[0]), sides, off)
    return found._replace(length=size(x) * rung, rounding=off, change=change, kinked=kinked)


def _has_kink(center: float, sides: Answer, off: float) -> bool:
    """Whether the loss is straight at a rung and curved at the next longer one.

    There second differences grow from what rounding hides by more than SEEN^3, from one power of
    ten to the next: those of x^p grow by 10^p.
    """
    with np.errstate(all="ignore"):
        slopes, bends = np.abs(sides[0] - sides[1]), np.abs(sides[0] + sides[1] - 2.0 * center)
    straight = (bends <= SEEN * off) & (slopes > SEEN * off)
    beyond = np.isfinite(bends) & (np.sqrt(bends / off) > SEEN**2)
    return bool((straight[1:] & beyond[:-1]).any())


def read_short(x: Vector, answer: Answer) -> Radius:
    """Noise and change of a loss that repeats its values, from a short ladder."""
    change = _largest(answer[2:] - answer[0])
    return without_noise(x, max(abs(float(answer[0])), change))._replace(change=change)


def _largest(values: Answer) -> float:
    """The largest |value| of those that are finite; 0 where there is none."""
    return float(np.max(np.abs(values), initial=0.0, where=np.isfinite(values)))


def _best_rung(center: float, sides: Answer) -> float:
    plus, minus = sides
    with np.errstate(all="ignore"):  # outside its domain the loss may be inf or nan
        slopes = (plus - minus) / (2 * LADDER)
        bends = np.abs(plus + minus - 2 * center) / (2 * LADDER)
        apart = np.abs(np.diff(slopes))
        errors = bends[1:-1] + apart[:-1] + apart[1:]
    blind = (plus == center) & (minus == center)
    usable = np.isfinite(errors) & ~blind[1:-1]
    if not usable.any():  # flat as far as it was seen, or finite nowhere near
        finite = np.isfinite(plus) & np.isfinite(minus)
        return float(LADDER[finite][0]) if finite.any() else float(LADDER[-1])
    return float(LADDER[1:-1][np.argmin(np.where(usable, errors, np.inf))])


def _rounding(center: float, sides: Answer, rung: float) -> float:
    """How far values are off: by what they miss a parabola through those of the best rung.

    x_1 may lie on a kink, where second differences are k |t| + q t^2 at a rung t. Where these two
    terms, as the best rung and the next have them, leave next to nothing it does. Where the best
    rung is the shortest but one, values still change by more than rounding: it has not shown.
    """
    if rung == LADDER[-2]:
        return 0.0
    plus, minus = sides
    with np.errstate(all="ignore"):
        shorter, best = LADDER / rung, rung == LADDER
        odd, even = plus - minus, plus + minus - 2 * center
        straight = np.abs(odd - odd[best] * shorter)
        curved = np.abs(even - even[best] * np.square(shorter))
        t = float(shorter[np.roll(best, 1)][0])
        q = (even[best] - even[np.roll(best, 1)] / t) / (1.0 - t)
        kinked = np.abs(even - (even[best] - q) * shorter - q * np.square(shorter))
        beyond = np.array([straight, curved, kinked])[:, rung > LADDER]
    straight, curved, kinked = np.max(beyond, axis=1, initial=0.0, where=np.isfinite(beyond))
    return 0.5 * float(max(straight, kinked if kinked < TINY_PART * curved else curved))


def untested(x: Vector, answer: Answer) -> Radius:
    """Noise by two values at x_1: some, or none with the default length."""
    if answer[0] != answer[1]:
        return Radius(trial=FIRST_LENGTH * size(x), change=_change(answer))
    return without_noise(x, float(answer[0]))


def without_noise(x: Vector, value: float) -> Radius:
    """Before anything but the size of values near x_1 is known of a loss that repeats them."""
    off = ULPS * float(np.spacing(abs(value) or 1.0))
    return Radius(noise=0.0, rounding=off, length=DEFAULT_LENGTH * size(x))


def from_user(noise: float, x: Vector, answer: Answer, reach: float) -> Radius:
    """The noise that the user gave, in place of what two values at x_1 show.

    reach: as measured; nan where values show no noise.
    """
    if noise == 0.0:
        apart = abs(float(answer[1] - answer[0]))
        known = without_noise(x, float(answer[0]))
        return known._replace(rounding=max(known.rounding, apart))
    center = float(answer[:2].mean())
    found = Radius(noise=noise, center=center, trial=FIRST_LENGTH * size(x), change=_change(answer))
    return found._replace(reach=reach if math.isfinite(reach) else size(x))


def read_noisy(x: Vector, made: Ladder, repeated: Answer, values: Answer) -> Radius:
    """Noise, and the distance at which second differences would stand out from it.

    repeated: values at x_1; values: those of the ladder. Where only the very first was another the
    noise is left open.
    """
    steps = np.concatenate([np.zeros(len(repeated)), made.steps])
    nearby = np.abs(steps) <= FIRST_LENGTH * size(x)
    near = _repeated(np.concatenate([repeated, values])[nearby], steps[nearby])
    center, noise = float(near.mean()), float(near.std(ddof=1))
    later = near[1:FEWEST]
    if abs(near[0] - later.mean()) > SMALL_PART * SEEN * later.std():
        return Radius()
    plus, minus = made.sides(center, values)
    with np.errstate(all="ignore"):
        bends = np.abs(plus + minus - 2.0 * center) / noise
    seen = np.flatnonzero(np.isfinite(bends))
    reach = size(x)
    if len(seen) > 0:
        visible = np.cumprod(bends[seen] > SMALL_PART * SEEN).sum()  # from the longest on
        rung = seen[max(visible - 1, 0)]
        reach *= float(LADDER[rung]) * math.sqrt(SEEN / max(float(bends[rung]), 1.0))
    return Radius(
        noise=noise,
        trial=FIRST_LENGTH * size(x),
        center=center,
        change=_largest(values - center),
        reach=reach,
        freedom=len(near) - 1.0,
    )


def _repeated(values: Answer, steps: Vector) -> Answer:
    """The values at x_1 and those nearby that do not stand out from them."""
    order = np.argsort(np.abs(steps), kind="stable")
    ordered = values[order][np.isfinite(values[order])]
    number = min(FEWEST, len(ordered))
    while number < len(ordered):
        near = ordered[:number]
        if abs(ordered[number] - near.mean()) > BEYOND_NOISE * near.std(ddof=1):
            break
        number += 1
    return ordered[:number]


def short(made: Ladder) -> Ladder:
    """The two longest rungs up to the size of x_1 only."""
    few = np.zeros_like(made.kept)
    few[np.flatnonzero(made.kept & (LADDER <= 1.0))[:2]] = True
    steps = made.steps.reshape(2, -1)[:, few[made.kept]].reshape(-1)
    return made._replace(steps=steps, kept=few)


def _change(answer: Answer) -> float:
    """The largest distance of noisy values on the ladder from those at x_1."""
    return _largest(answer[2:] - answer[:2].mean())


def repeat(id: int, x: Vector, batch: Batch | None, times: int = PAIRS) -> LineQuery:
    """x_1 again and again: whether there is noise, and its size."""
    return LineQuery(id, x, np.zeros_like(x), np.zeros(times), batch)


def read_repeated(radius: Radius, x: Vector, answer: Answer) -> Radius:
    """The size of the noise; none where only the very first value was another."""
    finite = answer[np.isfinite(answer)]
    noise = float(finite.std(ddof=1)) if len(finite) > 1 else 0.0
    if noise == 0.0:
        return without_noise(x, float(finite[0]) if len(finite) > 0 else 0.0)
    return radius._replace(noise=noise, center=float(finite.mean()))


def within(x: Vector, domain: ConvexSet) -> float:
    """The length for a noisy loss that must not be evaluated outside its domain."""
    room = domain.inradius(len(x)) if isinstance(domain, ProbeSafe) else math.inf
    return min(size(x), room / 2)


def fitted(radius: Radius, x: Vector, domain: ConvexSet | None) -> Radius:
    """With the length that the domain allows, where it has no room for the next trial."""
    if domain is None or has_room(x, radius.trial, domain):
        return radius
    return radius._replace(length=within(x, domain))


def pairs(
    id: int,
    x: Vector,
    radius: Radius,
    key: Key,
    batch: Batch | None,
    inside: ProbeSafe | None = None,
) -> CentralQuery:
    """Both sides of x_1 along random directions, at the trial length."""
    beta = radius.trial / math.sqrt(len(x))
    return CentralQuery(id, x, beta, Rademacher(), Address(key, id, PAIRS), batch, inside)


def has_room(x: Vector, length: float, domain: ConvexSet) -> bool:
    """Whether pairs of this length stay inside X."""
    if not isinstance(domain, ProbeSafe):
        return True
    reach = length / math.sqrt(len(x)) * domain.stretch
    if not reach < domain.inradius(len(x)):
        return False
    return domain.shrunk(reach).distance(x) <= HALF_DIGITS * reach


def farthest(x: Vector, domain: ConvexSet) -> Vector:
    """How far points of a noisy loss may be apart along each variable.

    Where no curvature has shown up to size(x) / FIRST_LENGTH there is none to be seen.
    """
    limits = np.full(len(x), size(x) / FIRST_LENGTH)
    bounds = domain.bounds()
    if bounds is not None:
        limits = np.minimum(limits, NARROW * (bounds[1] - bounds[0]))
    return np.where(limits > 0.0, limits, size(x))  # a variable that cannot move


def read_pairs(radius: Radius, x: Vector, answer: Answer, most: float) -> Radius:
    """The length, if curvature stands out from the noise; else twice the trial length.

    most: how far points may be apart.
    """
    values = answer.reshape(2 * PAIRS)
    bends = values[0::2] + values[1::2] - 2 * radius.center
    mean = abs(float(bends.mean()))
    error = radius.noise * math.sqrt(2 / PAIRS + 2**2 / PAIRS)
    if mean > BEYOND_NOISE * error:
        found = radius.trial * math.sqrt(SURE * radius.noise / mean)
        return radius._replace(length=min(found, most))
    if 2 * radius.trial > most:
        return radius._replace(length=min(size(x), most))
    return radius._replace(trial=2 * radius.trial)


def described(radius: Radius) -> str:
    """The noise in words."""
    return f"noise {radius.noise:.2g} in a value" if radius.noise > 0.0 else "no noise in values"
