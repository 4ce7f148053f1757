"""What a worker of a cluster does: it loads the loss the first time, and keeps it."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any
from uuid import uuid4

import cloudpickle

from zooadmm.evaluation.calls import Calls, Part, attempted
from zooadmm.evaluation.faults import Failure, cannot_be_sent
from zooadmm.oracle.queries import Query


class _Kept(threading.local):
    """The loss that came last; a loss is not called by two threads at a time."""

    token = ""
    calls: Calls | None = None


_kept = _Kept()


def packed(calls: Calls) -> tuple[str, bytes]:
    """A name for the loss that no other has, and the loss."""
    try:
        return uuid4().hex, cloudpickle.dumps(calls)
    except Exception as error:
        raise cannot_be_sent(error) from error


def loaded(token: str, fetch: Callable[[], bytes]) -> Calls | Failure:
    """The loss by its name; fetch: where to get it if it is not here yet."""
    if _kept.token != token or _kept.calls is None:
        try:
            _kept.calls = cloudpickle.loads(fetch())
        except ImportError as error:
            error.add_note("while a worker loaded the loss: it must be installed there too.")
            return Failure.of(error)
        _kept.token = token
    return _kept.calls


def evaluated(calls: Calls | Failure, query: Query, start: int, stop: int) -> Part | Failure:
    """Some cells of a query, by a loss that was loaded."""
    return calls if isinstance(calls, Failure) else attempted(calls, query, start, stop)


def installed(name: str, extra: str) -> Any:
    """The library, or how to get it."""
    try:
        return __import__(name)
    except ImportError as error:
        raise ImportError(f"{name} is not installed: pip install 'zooadmm[{extra}]'.") from error
