"""How a run comes to its next query: from its method, on its observations."""

from __future__ import annotations

from zooadmm.methods.method import Method, State
from zooadmm.oracle.observations import Observations, Window
from zooadmm.oracle.once import Once
from zooadmm.oracle.queries import OnceQuery, Query
from zooadmm.run.arithmetic import in_range
from zooadmm.run.ledger import Ledger


def next_query(
    method: Method, observations: Observations | None, state: State, ledger: Ledger
) -> Query:
    """What the method wants to know. Items that are shown once are dealt out, one a cell."""
    if not isinstance(observations, Once):
        batch = method.draw(state, observations)
        with in_range():
            return method.query(state, batch)
    with in_range():
        asked = method.query(state, None)
    return OnceQuery(asked, observations.next(ledger.evaluations, asked.evaluations, method.key))


def query_again(
    method: Method, observations: Observations | None, state: State, shown: Window
) -> Query:
    """The query that was pending, on the observations that a stream had shown for it."""
    if isinstance(observations, Once):
        return OnceQuery(method.query(state, None), shown)
    return method.query(state, shown)


def drawn(
    method: Method,
    observations: Observations | None,
    state: State,
    ledger: Ledger,
    shown: Window | None,
) -> int:
    """How many observations a stream has shown, with those of the pending query, if any."""
    if isinstance(observations, Once):
        return ledger.evaluations + len(shown or ())
    return method.drawn(state, shown)
