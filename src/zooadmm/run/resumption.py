"""A run that goes on from a file: its method, its pending query, and all that was recorded."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from zooadmm.methods.method import Method, Output, State
from zooadmm.oracle.observations import Observations, Stream, StreamEnded
from zooadmm.oracle.randomness import Key
from zooadmm.run.checkpoint.file import NO_CHECKPOINT
from zooadmm.run.checkpoint.fingerprint import Configuration
from zooadmm.run.checkpoint.snapshot import Snapshot
from zooadmm.run.pending import Pending
from zooadmm.run.stepping import drawn, next_query, query_again


class Resumed(NamedTuple):
    """A run at the place where a file left it."""

    method: Method
    """The method, with the random numbers of the file where rng was not given"""
    pending: Pending | None
    snapshot: Snapshot


def resumed(
    path: Path,
    method: Method,
    configuration: Configuration,
    any_key: bool,
    first: State,
    observations: Observations | None,
    output: Output,
) -> Resumed:
    """What a file has of a run that was made with the same arguments, or a sentence.

    any_key: whether the run takes over the random numbers of the file.
    first: a state of the run, whose vectors are of the right sizes.
    """

    def check(written: dict[str, str], key: Key) -> None:
        configuration.check(path, written, key if any_key else method.key)

    snapshot = Snapshot.read(path, method.learned_type, check)
    state, shown, pending = snapshot.state, snapshot.shown, None
    method = method.with_key(snapshot.key if any_key else method.key)
    try:
        snapshot.check_vectors(first)
        seen = drawn(method, observations, state, snapshot.ledger, shown)
    except Exception as unfit:
        raise ValueError(f"{NO_CHECKPOINT.format(path)} ({unfit})") from unfit
    if isinstance(observations, Stream):
        observations.resume(seen)
    try:
        method.recommended(state, output)
        if shown is not None or snapshot.asked:
            if shown is None:
                query = next_query(method, observations, state, snapshot.ledger)
            else:
                query = query_again(method, observations, state, shown)
            pending = Pending(
                query, snapshot.answer, snapshot.told, snapshot.dropped, snapshot.copies
            )
    except StreamEnded:
        raise
    except Exception as unfit:  # whatever altered content makes a method raise
        raise ValueError(f"{NO_CHECKPOINT.format(path)} ({unfit})") from unfit
    return Resumed(method, pending, snapshot)
