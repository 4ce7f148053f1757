"""Which slopes matter, from far fewer values than there are variables.

The variables at zero stand in a random order, each with a random sign s_i. A group of them is moved
together, by s_i / w_i each, and one value shows

    T = sum_{i in group} s_i g_i / w_i,

to which a variable that is to stay at zero adds 1 at the most. Groups are halved, first those that
may hide most: the slope of one half is measured, that of the other half is the rest. A group of G
variables may hide a slope of

    |T| + c sigma sqrt(G),

where sigma is the usual size of a slope, the median over the variables, and c the caution.
So large groups are halved one and all, down to the size at which slopes that matter rise above the
sum of the others; from there on only groups in which one does. A search that must come down to
every variable takes as many values as there are variables.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import scipy.special
from numpy.typing import NDArray

from zooadmm.methods.auto.constants import AT_ONCE, LATEST
from zooadmm.methods.auto.model.state import NO_INDICES, NOTHING
from zooadmm.methods.auto.working_set.entries import Entries, Indices
from zooadmm.problem.arrays import Vector

FIRST_GROUPS = 64
"""Groups of variables at first, one value each."""

NORMAL_MEDIAN = math.sqrt(2.0) * float(scipy.special.erfinv(0.5))
"""The median of |z| for a standard normal z, 0.6745"""


class Search(NamedTuple):
    """Groups, which are pieces of an order of the variables, and the slopes along them."""

    order: Indices
    signs: Vector
    """s_i, in that order"""
    along: NDArray[np.bool_]
    """Whether variable i may leave zero to the side of s_i"""
    against: NDArray[np.bool_]
    """Whether variable i may leave zero to the other side"""
    starts: Indices
    stops: Indices
    caution: float
    """c"""
    slopes: Vector
    """T of each group, nan while unknown"""
    spreads: Vector = NOTHING
    """|T - T'| / sqrt(G) of the halves of each group of G that was halved"""
    weights: Vector = NOTHING
    """G"""
    targets: Indices = NO_INDICES
    """The groups to measure next: whole where T is unknown, else their first half"""
    used: tuple[int, ...] = ()
    """Values used after each batch"""
    gains: tuple[float, ...] = ()
    """Gain after each batch: the sum of (|T| - 1)^2 over the variables that matter"""


def init(
    order: Indices,
    signs: Vector,
    along: NDArray[np.bool_],
    against: NDArray[np.bool_],
    caution: float,
) -> Search:
    """Before any slope is known."""
    edges = np.linspace(0, len(order), min(FIRST_GROUPS, len(order)) + 1).astype(np.intp)
    slopes = np.full(len(edges) - 1, math.nan)
    found = Search(order, signs, along, against, edges[:-1], edges[1:], caution, slopes)
    return found._replace(targets=np.arange(len(slopes)))


def points(search: Search, lengths: Vector) -> Entries:
    """One for each group that is measured; lengths: how far each variable goes by itself."""
    starts, stops = _pieces(search)
    sizes = stops - starts
    ends = np.concatenate([[0], np.cumsum(sizes)])
    places = np.arange(ends[-1]) + np.repeat(starts - ends[:-1], sizes)
    columns = search.order[places]
    shorter = np.repeat(np.sqrt(sizes), sizes)
    return Entries(ends, columns, search.signs[places] * lengths[columns] / shorter)


def read(search: Search, changes: Vector) -> Search:
    """From the change of the loss at these points, divided by the length of 1 / w_i."""
    starts, stops = _pieces(search)
    measured = np.where(np.isfinite(changes), changes, math.nan) * np.sqrt(stops - starts)
    halved = ~np.isnan(search.slopes[search.targets])
    whole, middles = search.targets[halved], stops[halved]
    ends, slopes = search.stops.copy(), search.slopes.copy()
    ends[whole], slopes[search.targets] = middles, measured
    rest = search.slopes[whole] - measured[halved]
    sizes = (search.stops[whole] - search.starts[whole]).astype(np.float64)
    seen = np.isfinite(rest)
    spreads = np.abs(measured[halved] - rest) / np.sqrt(sizes)
    search = search._replace(
        starts=np.concatenate([search.starts, middles]),
        stops=np.concatenate([ends, search.stops[whole]]),
        slopes=np.concatenate([slopes, rest]),
        spreads=np.concatenate([search.spreads, spreads[seen]]),
        weights=np.concatenate([search.weights, sizes[seen]]),
    )
    blind = search.targets[~np.isfinite(measured)]
    search = _apart(search, blind) if len(blind) > 0 else search
    gain = float(np.square(np.abs(search.slopes[_found(search)]) - 1.0).sum())
    used = (search.used[-1] if search.used else 0) + len(measured)
    search = search._replace(used=(*search.used, used), gains=(*search.gains, gain))
    return search._replace(targets=_next(search))


def is_over(search: Search) -> bool:
    """Whether nothing is left to halve, or the latest values brought less than their share."""
    if len(search.targets) == 0:
        return True
    used, gain = search.used[-1], search.gains[-1]
    before = np.searchsorted(search.used, (1.0 - LATEST) * used, side="right")
    earlier = search.gains[before - 1] if before > 0 else 0.0
    return gain > 0.0 and gain - earlier < LATEST * gain


def is_dense(search: Search) -> bool:
    """Whether measuring each variable costs no more than searching on: many of them matter.

    To measure each takes two values a variable. To search on takes one for each that has none yet,
    FIRST_GROUPS for the next search, and two for each that matters. A group of G is steep with a
    chance of 1 - (1 - p)^G, if p is the part that matters; groups of one size show it.
    """
    sizes, number = search.stops - search.starts, len(search.order)
    if not np.isfinite(search.slopes).all() or sizes.max() > 2 * sizes.min():
        return False
    groups = len(sizes)
    level = int((np.abs(search.slopes) <= 1.0).sum() + 1) / (groups + 1)
    ahead = number - search.used[-1] + min(FIRST_GROUPS, number)
    return bool(2 * number * level ** (groups / number) <= ahead)


def found(search: Search) -> Indices:
    """The variables that matter now, the steepest first."""
    groups = _found(search)
    slopes = np.abs(search.slopes[groups])
    first = np.argsort(-slopes, kind="stable")
    return np.asarray(search.order[search.starts[groups[first]]], dtype=np.intp)


def _found(search: Search) -> Indices:
    single = np.flatnonzero(search.stops - search.starts == 1)
    slopes, place = search.slopes[single], search.starts[single]
    matters = ((slopes < -1.0) & search.along[place]) | ((slopes > 1.0) & search.against[place])
    return np.compress(matters, single)


def _pieces(search: Search) -> tuple[Indices, Indices]:
    """The pieces that are moved: each group that is measured, or its first half."""
    starts, stops = search.starts[search.targets], search.stops[search.targets]
    halves = (starts + stops) // 2
    return starts, np.where(np.isnan(search.slopes[search.targets]), stops, halves)


def _apart(search: Search, blind: Indices) -> Search:
    """Groups whose value was not finite in halves that are not known; of one variable, no slope."""
    starts, stops, slopes = search.starts.copy(), search.stops.copy(), search.slopes.copy()
    single = stops[blind] - starts[blind] == 1
    slopes[blind[single]] = 0.0
    larger = blind[~single]
    halves, ends = (starts[larger] + stops[larger]) // 2, stops[larger]
    stops[larger], slopes[larger] = halves, math.nan
    return search._replace(
        starts=np.concatenate([starts, halves]),
        stops=np.concatenate([stops, ends]),
        slopes=np.concatenate([slopes, np.full(len(larger), math.nan)]),
    )


def _next(search: Search) -> Indices:
    """The groups to measure: those that are not known, or those that may hide most.

    A group that may hide half of what the first may hide is split with it.
    """
    unknown = np.flatnonzero(np.isnan(search.slopes))
    if len(unknown) > 0:
        return unknown[:AT_ONCE]
    large = np.flatnonzero(search.stops - search.starts > 1)
    hidden = _hidden(search)[large]
    least = max(1.0, 0.5 * float(hidden.max(initial=0.0)))
    worth = np.flatnonzero(hidden >= least)
    first = np.argsort(-hidden[worth], kind="stable")[:AT_ONCE]
    return large[worth[first]]


def _hidden(search: Search) -> Vector:
    """|T| + c sigma sqrt(G), T without what all variables have in common, to the open sides."""
    sizes = (search.stops - search.starts).astype(np.float64)
    apart = search.slopes - sizes * (search.slopes.sum() / sizes.sum())
    sigma = _weighted_median(search.spreads, search.weights) / NORMAL_MEDIAN
    along, against = (_any(side, search) for side in (search.along, search.against))
    steep = np.maximum(np.where(along, -apart, 0.0), np.where(against, apart, 0.0))
    return np.asarray(np.maximum(steep, 0.0) + search.caution * sigma * np.sqrt(sizes))


def _any(side: NDArray[np.bool_], search: Search) -> NDArray[np.bool_]:
    """Whether any variable of a group is open to a side."""
    count = np.concatenate([[0], np.cumsum(side)])
    return np.asarray(count[search.stops] > count[search.starts])


def _weighted_median(values: Vector, weights: Vector) -> float:
    """The median; infinite where there is nothing."""
    if len(values) == 0:
        return math.inf
    order = np.argsort(values, kind="stable")
    reached = np.cumsum(weights[order])
    return float(values[order[np.searchsorted(reached, 0.5 * reached[-1])]])
