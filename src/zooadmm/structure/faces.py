"""The minimizer of a dense quadratic plus a function of coordinates, face by face.

    argmin_u  <g, u> + u'Hu/2 + phi(u)       phi: bounds, a kink and a curvature a coordinate

A face fixes which coordinates stand at a bound or at their kink and on which side of the kink the
others are. There the objective is a quadratic. Guesses of the face come first: each is read off the
minimizer on the one before, with all changes that it shows (semismooth Newton), and nearly always
they come to rest after a few. Else the iteration takes Newton steps to the minimizer along the path
projected on the face (the model has to fall by 1 % of the linear prediction), and only there
releases coordinates whose slope points into the interior: those with the largest
|r_i| / sqrt(H_ii), at most `limit` at once; the limit doubles after a success and falls to a
quarter after a failure. One released coordinate and a step to the first bound always succeed, and
the model falls at every minimizer of a face, so no face is met twice: the method is finite.
A warm start is a point: its face is read off its entries.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from zooadmm.problem.coordinates import FREE, Coordinates, Floats
from zooadmm.structure import diagonal
from zooadmm.structure.factor import Factor, Hessian
from zooadmm.structure.solution import Solution, Status

Mask = NDArray[np.bool_]

EPS = float(np.finfo(np.float64).eps)

ROUNDING = 16.0
"""Slopes up to this many roundings of their terms count as zero."""

DECREASE = 1e-2
"""Share of the linear prediction by which the model has to fall."""

SHORTER = 0.25
"""Factor between two steps of the line search."""

TRIALS = 4
"""Steps of the line search before the step to the first bound."""

CONTRACTION = 0.25
"""A repeated Newton step on one face has to reduce the residual by this factor."""

FLAT_SHARE = 1e-3
"""d'Hd of a Newton step d is -r'd; below this share of it the ridge alone bounds the step."""

REFRESH = 16
"""Steps after which slopes are computed from u again, against drift."""

GUESSES, PATIENCE = 20, 3
"""Guesses of a face at most, and those in a row that are not nearer to rest than the best."""

ACCURATE = 1e-8
"""Residual up to which a solution counts as solved."""

NEARLY = 1e-12
"""Slope of a minimizer among many, relative to g, that is left to rounding."""

TINY = 1e-300

NO_ROWS: Floats = np.zeros(0)


def minimizer(
    H: Hessian, g: Floats, phi: Coordinates, start: Floats | None = None, limit: int | None = None
) -> Solution:
    """The argmin above from a start, or from 0; `limit` bounds the iterations (20 m + 200).

    >>> from zooadmm.problem.coordinates import coordinates
    >>> phi = coordinates(2, below=-1.0, above=1.0)  # L1
    >>> minimizer(Hessian(np.eye(2)), np.array([-3.0, 0.5]), phi).u.tolist()
    [2.0, 0.0]
    """
    H = H.curved(phi.curvature)
    d = H.units
    scaled = phi.scaled(d)._replace(curvature=np.zeros_like(d))
    v = scaled.clip(np.zeros_like(d) if start is None else start / d)
    flat = _flat_coordinates(H, g, phi)
    if flat is None:
        return Solution(d * v, phi.face(d * v), NO_ROWS, np.inf, Status.UNBOUNDED, 0)
    v = np.where(H.flat, flat, v)
    search = _Search(H, g * d, scaled, v)
    most = 20 * len(d) + 200 if limit is None else limit
    guesses = search.guess(min(GUESSES, most))
    status, steps, residual = search.run(max(1, most - guesses))
    u = phi.clip(d * search.v)
    return Solution(u, phi.face(u), NO_ROWS, residual, status, guesses + steps)


def minimizers(H: Hessian, G: Floats, phi: Coordinates, start: Floats) -> Floats:
    """The argmin for each row g of G, all from one start or each from its own.

    Faces are guessed for all rows together; where guesses do not come to rest the iteration follows
    for that row alone, and nan if it fails.

    >>> from zooadmm.problem.coordinates import coordinates
    >>> phi = coordinates(2, below=-1.0, above=1.0)  # L1
    >>> G = np.array([[-3.0, 0.5], [0.0, 4.0]])
    >>> minimizers(Hessian(np.eye(2)), G, phi, np.zeros(2)).tolist()
    [[2.0, 0.0], [0.0, -3.0]]
    """
    H = H.curved(phi.curvature)
    d, found = H.units, np.full_like(G, np.nan)
    scaled = phi.scaled(d)._replace(curvature=np.zeros_like(d))
    first = np.broadcast_to(scaled.clip(start / d), G.shape)
    near = first
    held, left = scaled.face(near) != FREE, np.arange(len(G))
    factor = None if H.flat.any() or len(G) == 0 else H.select(~held[0])
    if factor is None or factor.ridge > 0.0:
        return found
    G = G * d
    sizes = np.abs(G).max(axis=1) + np.abs(np.stack([scaled.below, scaled.above])).max()
    fewest, worse = np.full(len(G), len(d) + 1), np.zeros(len(G), dtype=np.intp)
    for _ in range(GUESSES):
        side, v = scaled.right(near), np.where(held, near, 0.0)
        v = v + factor.solve_each(~held, np.where(held, 0.0, -(G[left] + v @ H.scaled + side)))
        slope = G[left] + v @ H.scaled
        near = diagonal.prox(v - slope, 1.0, scaled)
        at, before, held = np.where(held, v, side), held, scaled.face(near) != FREE
        differs = (held != before) | (np.where(held, near, scaled.right(near)) != at)
        changed = differs.sum(axis=1)
        off = np.abs(np.where(held, 0.0, slope + side)).max(axis=1)
        rests = (changed == 0) & (off <= NEARLY * sizes[left])
        found[left[rests]] = phi.clip(d * v[rests])
        worse[left] = np.where(changed < fewest[left], 0, worse[left] + 1)
        fewest[left] = np.minimum(fewest[left], changed)
        goes_on = (changed > 0) & (worse[left] < PATIENCE) & np.isfinite(v).all(axis=1)
        near, held, left = near[goes_on], held[goes_on], left[goes_on]
        if len(left) == 0:
            break
    for i in np.flatnonzero(np.isnan(found[:, 0])):
        search = _Search(H, G[i], scaled, first[i])
        if search.run(20 * len(d) + 200)[0] is Status.SOLVED:
            found[i] = phi.clip(d * search.v)
    return found


def _flat_coordinates(H: Hessian, g: Floats, phi: Coordinates) -> Floats | None:
    """Minimizers of the coordinates without curvature: a bound or the kink; None if none."""
    if not H.flat.any():
        return np.zeros_like(g)
    inside = phi.clip(phi.kink)
    falling, rising = g + phi.right(inside) < 0.0, g + phi.left(inside) > 0.0
    to = np.where(falling, phi.upper, np.where(rising, phi.lower, inside))
    if not np.isfinite(to[H.flat]).all():
        return None
    return np.where(H.flat, to, 0.0)


def _within(v: Floats, low: Floats, high: Floats) -> Floats:
    return np.minimum(np.maximum(v, low), high)


class _Search:
    """The iteration, in the units of the Hessian."""

    def __init__(self, H: Hessian, g: Floats, phi: Coordinates, v: Floats) -> None:
        self.hessian, self.H, self.g, self.phi, self.v = H, H.scaled, g, phi, v
        self.kinked: Mask = phi.above > phi.below
        self.slope: Floats = g + self.H @ v
        self.limit = len(v)
        self.terms: Floats = np.abs(g) + np.maximum(np.abs(phi.below), np.abs(phi.above))
        self._since = 0

    def guess(self, most: int) -> int:
        """Newton steps between faces, of which many coordinates may change at once; their number.

        v is the minimizer if and only if v = prox(v - slope), so a step leads to the minimizer on
        the face of the right side. Where faces do not come to rest v stays where it was: then only
        steps that lower the model are safe.
        """
        first, phi, flat = (self.v, self.slope), self.phi, self.hessian.flat
        near, held = self.v, ~self._inner()
        fewest, worse, n = len(near) + 1, 0, 0
        while n < most and worse < PATIENCE:
            side, factor = phi.right(near), self.hessian.select(~held)
            if factor is None:
                break
            n += 1
            v = np.where(held, near, 0.0)
            v = v + factor.solve(np.where(held, 0.0, -(self.g + self.H @ v + side)))
            self.v, self.slope = v, self.g + self.H @ v
            near = np.where(flat, first[0], diagonal.prox(v - self.slope, 1.0, phi))
            at, before = np.where(held, v, side), held
            held = (near == phi.lower) | (near == phi.upper) | flat
            held |= (near == phi.kink) & self.kinked
            now = np.where(held, near, phi.right(near))
            changed = int(((held != before) | (now != at)).sum())
            if changed == 0:
                self.v = phi.clip(v)
                self._refresh()
                return n
            worse = 0 if changed < fewest else worse + 1
            fewest = min(fewest, changed)
        self.v, self.slope = first
        return n

    def run(self, most: int) -> tuple[Status, int, float]:
        """Iterate to the minimizer; the status, the number of steps and the residual."""
        before, stalled = np.inf, False
        for n in range(most):
            inner, rounding = self._inner(), self._rounding()
            r = np.where(inner, self.slope + self.phi.right(self.v), 0.0)
            excess = float((np.abs(r) / rounding).max(initial=0.0))
            stalled = stalled and excess > CONTRACTION * before
            before = excess
            released: Mask | None = None
            if excess <= 1.0 or stalled:
                distances = self.phi.distances(self.v, self.slope)
                released, r = self._released(inner, r, rounding, distances)
                if not released.any():
                    if self._since > 0:
                        self._refresh()
                        stalled = False
                        continue
                    residual = self._residual(distances)
                    status = Status.SOLVED if residual <= ACCURATE else Status.INEXACT
                    return status, n, residual
            factor = self.hessian.select(inner if released is None else inner | released)
            outcome = Status.INEXACT if factor is None else self._advance(factor, r, released)
            if outcome in (Status.INEXACT, Status.UNBOUNDED):
                break
            stalled = outcome is Status.SOLVED
            if stalled and released is not None:
                before = np.inf
        else:
            n, outcome = most, Status.LIMIT
        return outcome, n, self._residual(self.phi.distances(self.v, self.slope))

    def _residual(self, distances: Floats) -> float:
        """Largest distance to stationarity, relative to the largest of g and the slopes of phi."""
        distance = np.abs(distances).max(initial=0.0)
        return float(distance) / max(float(self.terms.max(initial=0.0)), TINY)

    def _inner(self) -> Mask:
        v, phi = self.v, self.phi
        inner: Mask = (v > phi.lower) & (v < phi.upper) & ((v != phi.kink) | ~self.kinked)
        return inner & ~self.hessian.flat

    def _rounding(self) -> Floats:
        """Of a slope, by the size of the terms that add up to it."""
        magnitude = self.terms + self.hessian.row_norms * float(np.linalg.norm(self.v))
        return np.asarray(np.maximum(ROUNDING * EPS * magnitude, TINY))

    def _refresh(self) -> None:
        self.slope = self.g + self.H @ self.v
        self._since = 0

    def _released(
        self, inner: Mask, r: Floats, rounding: Floats, distances: Floats
    ) -> tuple[Mask, Floats]:
        """Coordinates to release, the most violated first, and the slopes with theirs."""
        distance = np.where(inner | self.hessian.flat, 0.0, distances)
        violated = np.abs(distance) > rounding
        if int(violated.sum()) > self.limit:
            order = np.argsort(-np.abs(np.where(violated, distance, 0.0)), kind="stable")
            violated = np.zeros_like(inner)
            violated[order[: self.limit]] = True
        return violated, np.where(violated, distance, r)

    def _advance(self, factor: Factor, r: Floats, released: Mask | None) -> Status:
        """One step; SOLVED if it was a whole Newton step, LIMIT otherwise, or UNBOUNDED."""
        v, phi = self.v, self.phi
        above = np.where(v != phi.kink, v > phi.kink, r < 0.0)
        low = np.where(self.kinked & above, np.maximum(phi.lower, phi.kink), phi.lower)
        high = np.where(self.kinked & ~above, np.minimum(phi.upper, phi.kink), phi.upper)
        d = factor.solve(-r)
        inside = np.array_equal(_within(v + d, low, high), v + d)
        if factor.ridge > 0.0 and inside and self._is_flat(d, r):
            return self._to_first_bound(d, low, high, np.inf)
        t = 1.0
        for _ in range(TRIALS):
            to = _within(v + t * d, low, high)
            if self._accept(to, r):
                whole = t == 1.0 and bool(np.array_equal(to, v + d))
                if released is not None:
                    self.limit = min(len(v), 2 * self.limit)
                return Status.SOLVED if whole else Status.LIMIT
            t *= SHORTER
        count = 0 if released is None else int(released.sum())
        if count > 1:
            self.limit = max(1, count // 4)
            return Status.SOLVED
        return self._to_first_bound(d, low, high, 1.0)

    def _accept(self, to: Floats, r: Floats) -> bool:
        """Move there if the model falls enough."""
        p = to - self.v
        linear = float(r @ p)
        if not linear < 0.0:
            return False
        Hp = self.H @ p
        if not linear + 0.5 * float(p @ Hp) <= DECREASE * linear:
            return False
        self._move(to, Hp)
        return True

    def _is_flat(self, d: Floats, r: Floats) -> bool:
        """Whether the model has no curvature along a Newton step, whose length the ridge set."""
        significant = np.abs(r).max(initial=0.0) > ACCURATE * self.terms.max(initial=0.0)
        return bool(significant) and float(d @ (self.H @ d)) <= -FLAT_SHARE * float(r @ d)

    def _to_first_bound(self, d: Floats, low: Floats, high: Floats, longest: float) -> Status:
        """A step of at most `longest` d, cut at the first bound or kink."""
        with np.errstate(divide="ignore", invalid="ignore"):
            reach = np.where(
                d > 0, (high - self.v) / d, np.where(d < 0, (low - self.v) / d, np.inf)
            )
        j = int(reach.argmin())
        t = min(longest, float(reach[j]))
        if t == np.inf:
            return Status.UNBOUNDED
        to = _within(self.v + t * d, low, high)
        if t < longest:
            to[j] = high[j] if d[j] > 0 else low[j]
        self._move(to, self.H @ (to - self.v))
        return Status.SOLVED if t == longest else Status.LIMIT

    def _move(self, to: Floats, Hp: Floats) -> None:
        self.v = to
        self._since += 1
        if self._since >= REFRESH:
            self._refresh()
        else:
            self.slope = self.slope + Hp
