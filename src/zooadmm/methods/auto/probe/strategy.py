"""The probe: is there noise, and how far apart must points be?"""

from __future__ import annotations

import math

import numpy as np

from zooadmm.methods.auto import best_point, outliers
from zooadmm.methods.auto.constants import FEW, MOST_MODELED, NARROW
from zooadmm.methods.auto.convexity import is_violated
from zooadmm.methods.auto.few import are_few, for_model
from zooadmm.methods.auto.known import Refusal
from zooadmm.methods.auto.model.regression import Values
from zooadmm.methods.auto.probe import given_values, items, radius
from zooadmm.methods.auto.probe.ladder import Ladder
from zooadmm.methods.auto.probe.state import ProbeState, Radius
from zooadmm.methods.auto.strategy import Handover, Progress, Strategy, Update, missed
from zooadmm.methods.method import NotFiniteAtStart, Pair
from zooadmm.oracle.observations import Batch, Observations
from zooadmm.oracle.queries import Answer, Counted, LineQuery, PointsQuery, Query
from zooadmm.problem.arrays import Matrix, Vector, norm


class Probe(Strategy[ProbeState]):
    """A ladder of lengths along one direction; then repeated values, where the loss is noisy."""

    name = "probe"
    states = (ProbeState,)

    def init(self, at: Progress, handover: Handover) -> tuple[Progress, ProbeState] | Refusal:
        if not handover.probe_again:
            return Refusal("")
        exact = at.known.radius.noise == 0.0 and not (self.given.sampled or self._has_few(at))
        return at, ProbeState("again" if exact and len(at.known.lowest_x) > 0 else "ladder")

    def observations(self, state: ProbeState, at: Progress, source: Observations) -> Batch:
        if state.stage == "noise":  # on one observation, so that noise is all that differs
            return at.window[:1] or source.next(0, 1, self.given.key)
        return super().observations(state, at, source)

    def drawn(self, state: ProbeState, at: Progress, batch: Batch) -> int:
        return at.known.drawn + (len(batch) if state.stage == "ladder" else 0)

    def query(self, state: ProbeState, at: Progress, batch: Batch | None) -> Query:
        if self.given.once:
            return self._about_items(state, at)
        if state.stage == "given":
            return PointsQuery(at.t, self._candidates(at), batch)
        if state.stage == "again":
            return radius.repeat(at.t, at.known.lowest_x, batch, FEW)
        if self._is_short(state, at):
            return radius.repeat(at.t, at.x, batch, 2)
        if state.stage == "noise" and self._is_for_steps(at):
            return radius.repeat(at.t, at.x, batch)
        made = self._ladder(state, at)
        again = state.stage != "rungs" or len(made.steps) == 0  # X may leave no rung at all
        steps = np.concatenate([np.zeros(2 if again else 0), made.steps])
        return LineQuery(at.t, at.x, made.direction, steps, batch)

    def _ladder(self, state: ProbeState, at: Progress) -> Ladder:
        first = at.t - 1 if state.twice else at.t  # the direction does not depend on the budget
        made = radius.rungs(first, at.x, self.given.key, self.given.limits)
        few = state.stage == "rungs" and self._has_few(at)
        return radius.short(made) if few or state.stage == "noise" else made

    def _has_few(self, at: Progress) -> bool:
        """Whether a model must begin before each variable was measured: see `model.regression`."""
        return are_few(self.given, at.known) and not self._is_for_steps(at)

    def _is_short(self, state: ProbeState, at: Progress) -> bool:
        """Whether x_1 is evaluated twice before anything else: a ladder would be dear."""
        few = 0 < at.known.budget < radius.PROBE / NARROW and not self._is_for_steps(at)
        return state.stage == "ladder" and (few or self._has_few(at))

    def _is_for_steps(self, at: Progress) -> bool:
        """Whether a noisy loss would be served by steps, which need more of the probe."""
        given = self.given
        many = given.problem.m > MOST_MODELED
        other = given.sampled or bool(given.demands_steps) or not given.has("model")
        return many or other or at.known.failed("model")

    def update(
        self, state: ProbeState, at: Progress, query: Query, answer: Answer, counted: Counted | None
    ) -> Update:
        if self.given.once:
            return self._of_items(state, at, query, answer)
        if state.stage == "given":
            return self._compared(at, query, answer)
        if state.stage == "again":
            idle = self.idle_step(at, float(answer[0]))
            if outliers.are_seen(np.append(answer, at.known.lowest_loss)[None]):
                at = outliers.restarted(self.given.problem, at)
            return Update(at, ProbeState("ladder"), idle)
        if state.stage == "noise" and self._is_for_steps(at):
            return self._repeated(at, answer)
        if state.stage == "ladder" and not math.isfinite(answer[0]):
            if math.isfinite(at.known.loss) and np.isfinite(answer).any():  # by chance, then
                return Update(missed(at, answer), state, self.idle_step(at, math.nan))
            raise _not_finite(query, answer)
        known, idle = at.known, self.idle_step(at, float(answer[0]))
        if self.given.sampled and known.drawn < FEW and np.ptp(answer) == 0.0:
            return Update(at, state, idle)  # the next one may depend on x
        if self._is_short(state, at):
            exact = self.given.auto.noise == 0.0 or answer[0] == answer[1]
            return Update(at, ProbeState("rungs" if exact else "noise", tuple(answer)), idle)
        if state.stage != "rungs" or len(self._ladder(state, at).steps) > 0:
            answer = np.concatenate([state.twice, answer])
        found = self._found(at, state, answer)
        if state.stage == "noise" and math.isnan(found.noise):
            return Update(at, ProbeState("rungs", tuple(answer[[1, 2]])), idle)
        failures = known.failures
        if known.radius.noise == 0.0 and found.noise != 0.0:  # models did not allow for noise
            failures = tuple(f for f in failures if f.strategy not in ("model", "sampled"))
        loss = float(answer[0]) if found.noise == 0.0 else found.center
        known = known._replace(radius=found, loss=loss, anchor=at.x, failures=failures)
        unmeasured = math.isnan(found.noise)
        known = known if unmeasured else given_values.judged(known)
        if not self.given.sampled and not unmeasured and isinstance(query, LineQuery):
            at = self._with_ladder(state, at._replace(known=known), query, answer)
            known = at.known
        after = ProbeState("noise", tuple(answer[:2])) if unmeasured else Handover()
        return Update(at._replace(known=known), after, idle)

    def _with_ladder(
        self, state: ProbeState, at: Progress, query: LineQuery, answer: Answer
    ) -> Progress:
        """Convexity, and values for a model, from the values of the ladder."""
        known, exact = at.known, at.known.radius.noise == 0.0
        moved = np.isin(query.steps, radius.short(self._ladder(state, at)).steps)
        if exact:
            steps = np.concatenate([np.zeros(len(answer) - len(query.steps)), query.steps])
            cell = float(np.spacing(np.abs(at.x)).max()) / norm(query.direction)
            has_hill = is_violated(steps, answer, known.radius.rounding, cell)
            known = known._replace(not_convex=known.not_convex or has_hill)
            at = at._replace(known=known)
        if moved.any() and (self._has_few(at) or known.radius.kinked):
            points = np.vstack([at.x, at.x + np.outer(query.steps[moved], query.direction)])
            own = np.append(known.loss, answer[-len(query.steps) :][moved])
            at = at._replace(known=given_values.with_own(known, points, own))
            return self._from_best(at, Values(points, own)) if exact else at
        return at

    def _candidates(self, at: Progress) -> Matrix:
        """x_1, and the best of the given points where that is another."""
        best, _ = best_point.best(self.given.problem, at.known.values, at.x, math.inf)
        inside = self.given.problem.domain.project(best)  # without the rounding of given points
        return at.x[None] if np.array_equal(inside, at.x) else np.array([at.x, inside])

    def _compared(self, at: Progress, query: Query, answer: Answer) -> Update:
        """The run goes on from the better point; a value that repeats shows that there is no noise.

        Without a larger plan some such values are all that a model needs to begin.
        """
        assert isinstance(query, PointsQuery)
        idle = self.idle_step(at, float(answer[0, 0]))
        own = Values(query.candidates, answer[:, 0])
        repeats = given_values.repeats(at.known.values, own)
        known = given_values.compared(at.known, *own[:2])
        at = self._from_best(at._replace(known=known._replace(loss=math.inf)), own)
        known, loss = at.known, at.known.loss
        if not math.isfinite(loss):
            raise _not_finite(query, answer[:, 0])
        exact = repeats and known.values.off == 0.0
        if not exact or self.given.auto.noise or self._is_for_steps(at):
            return Update(at, ProbeState("ladder"), idle)
        if (known.budget > 0 and not self._has_few(at)) or len(known.values.values) < FEW:
            return Update(at, ProbeState("rungs", (loss, loss)), idle)
        typical = loss + float(np.median(np.abs(known.values.values - loss)))
        found = radius.read_short(at.x, np.array([loss, loss, typical]))
        return Update(at._replace(known=known._replace(radius=found)), Handover(), idle)

    def _from_best(self, at: Progress, own: Values) -> Progress:
        """From the best of the points that the run itself has evaluated."""
        problem, known = self.given.problem, at.known
        best, loss = best_point.best(problem, own, at.x, known.loss)
        if best is at.x or np.array_equal(best, at.x):
            return at._replace(known=known._replace(loss=loss))
        x, y, dual = problem.start(best, None, None)
        known = known._replace(anchor=x, loss=loss, best=(x, y))
        return at._replace(x=x, y=y, dual=dual, known=known)

    def _found(self, at: Progress, state: ProbeState, answer: Answer) -> Radius:
        """Noise and lengths by the ladder, or by what the user gave."""
        given, x, made = self.given, at.x, self._ladder(state, at)
        found = radius.untested(x, answer)
        if state.stage == "rungs" and self._has_few(at):
            found = radius.read_short(x, answer)
        elif given.has("radius"):
            found = radius.read(x, answer, made)
        if found.noise == 0.0 and given.limits is not None:
            found = found._replace(length=min(found.length, radius.within(x, given.limits)))
        if math.isnan(found.noise) and not self._is_for_steps(at):
            found = radius.read_noisy(x, made, *np.split(answer, [len(answer) - len(made.steps)]))
        if given.auto.noise is not None and given.auto.noise != found.noise:
            found = radius.from_user(given.auto.noise, x, answer, found.reach)
        return radius.fitted(found, x, given.limits) if found.noise > 0.0 else found

    def _about_items(self, state: ProbeState, at: Progress) -> Query:
        """x_1 on some items, then points at a distance from it."""
        known = at.known
        if state.stage == "ladder":
            return radius.repeat(at.t, at.x, None, items.number(known.budget))
        far = known.radius.trial
        return items.query(at.t, at.x, far, self.given.key, known.budget, self.given.limits)

    def _of_items(self, state: ProbeState, at: Progress, query: Query, answer: Answer) -> Update:
        """Noise at x_1 and at two distances, and whether it depends on x."""
        x, known = at.x, at.known.radius
        after: ProbeState | Handover
        if state.stage == "ladder":
            finite = answer[np.isfinite(answer)]
            if len(finite) == 0:
                raise _not_finite(query, answer)
            found = items.at_start(x, finite, self.given.problem.domain)
            after = ProbeState("beside")
            at = at._replace(known=at.known._replace(loss=found.center, anchor=x))
        else:
            assert isinstance(query, PointsQuery)
            seen = items.read(x, query, answer, known)
            again = None
            if state.stage == "beside":
                again = items.further(x, known, seen, self.given.problem.domain)
            if again is not None:
                found, after = again, ProbeState("further")
            else:
                found, after = self._judged(x, known, seen), Handover()
        at = missed(at._replace(known=at.known._replace(radius=found)), answer)
        return Update(at, after, self.idle_step(at, known.center))

    def _judged(self, x: Vector, known: Radius, seen: items.Beside) -> Radius:
        """Even or uneven, with the noise that the user gave."""
        given = self.given
        steps = bool(given.demands_steps) or not given.has("model")
        judged = items.even if items.is_even(known, seen) and not steps else items.uneven
        found = judged(x, known, seen, given.problem.domain)
        if given.auto.noise:
            found = found._replace(noise=given.auto.noise, freedom=math.inf)
        return radius.fitted(found, x, given.limits)

    def _repeated(self, at: Progress, answer: Answer) -> Update:
        """The size of the noise."""
        found = radius.read_repeated(at.known.radius, at.x, answer)
        loss = found.center
        if found.noise > 0.0:
            found = radius.fitted(found, at.x, self.given.limits)
        else:  # only the very first value was another
            loss = float(answer.flat[0])
        idle = self.idle_step(at, found.center)
        known = at.known._replace(radius=found, loss=loss)
        return Update(at._replace(known=known), Handover(), idle)

    def estimate(self, state: ProbeState, at: Progress) -> Pair:
        return at.known.best

    def has_moved(self, state: ProbeState, at: Progress) -> bool:
        return at.known.failed("model", "sampled")

    def remark(self, state: ProbeState, at: Progress) -> str:
        if self.given.once or self._is_for_steps(at) or at.known.spent == 0:
            return ""
        least = 2 + len(radius.short(self._ladder(state, at)).steps) + 1
        return (
            "The run ended before the descent began: an announced budget needs at least "
            f"{least} evaluations, and {for_model(len(at.x))} to measure each variable."
        )


def _not_finite(query: Query, answer: Answer) -> NotFiniteAtStart:
    return NotFiniteAtStart(
        f"evaluation 0 of query {query.id} is {answer[0]}, not finite: the loss is not "
        "finite at x0. Start where it is, inside its domain; an x0 that violates linear "
        "constraints is moved to the nearest point that satisfies them."
    )
