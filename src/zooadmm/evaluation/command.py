"""A loss that is another program, in whatever language."""

from __future__ import annotations

import json
import shlex
from collections.abc import Sequence
from contextlib import suppress
from itertools import count
from typing import Any, NamedTuple

import numpy as np

from zooadmm.evaluation.engine import seconds
from zooadmm.evaluation.faults import TRIES
from zooadmm.evaluation.program import Ended, Garbled, Program
from zooadmm.problem.arrays import Vector

STEP = 7
"""Between the ids of two questions, so that no line numbered on from the last answer fits."""


class Command:
    r"""A program that evaluates the loss, kept running: lines of JSON in, lines of JSON out.

    For each evaluation it reads a line and writes one, at once (it flushes its output):

        {"id": 7, "x": [0.5, 1.0], "observation": null}
        {"id": 7, "value": 1.25}

    or {"id": 7, "error": "..."}, which is raised. With `Parameters` x is {"rate": 0.5, ...}. With
    `evaluated=2` the value is a list of three numbers.
    Ids increase, not by one. Numbers are written with full precision; an answer has at most a
    mebibyte. A program that ends, or exceeds `timeout`, is restarted and tried again, three times
    in all. `minimize(Command(...), ...,
    workers=4)` keeps four copies busy. The program should end at the end of its input; with the
    driver it is killed.

    arguments: the program and its arguments; a string is split as a shell would.
    timeout: the seconds an evaluation may take; by default no limit.

    >>> import sys
    >>> program = (
    ...     "import json, sys\n"
    ...     "for line in sys.stdin:\n"
    ...     "    asked = json.loads(line)\n"
    ...     "    reply = {'id': asked['id'], 'value': sum(asked['x'])}\n"
    ...     "    print(json.dumps(reply), flush=True)\n"
    ... )
    >>> with Command([sys.executable, "-c", program]) as total:
    ...     total(np.array([0.5, 1.0]))
    1.5
    """

    def __init__(self, arguments: Sequence[str] | str, timeout: float | None = None) -> None:
        split = arguments
        if isinstance(arguments, str):
            try:
                split = shlex.split(arguments)
            except ValueError as error:
                raise ValueError(f"arguments = {arguments!r}: {error}.") from None
        several = isinstance(split, Sequence) and len(split) > 0
        if not several or not all(isinstance(argument, str) for argument in split):
            raise ValueError(f"arguments must be a program and its arguments, not {arguments!r}.")
        self.arguments = tuple(split)
        self.timeout = seconds(timeout)
        self._idle: list[Program] = []
        self._ids = count(1, STEP)

    def __repr__(self) -> str:
        return f"Command({list(self.arguments)!r}, timeout={self.timeout})"

    def __reduce__(self) -> tuple[Any, ...]:
        return Command, (self.arguments, self.timeout)

    def __call__(
        self, x: Vector | dict[str, float], observation: Any = None
    ) -> float | list[float]:
        asked = {"x": x if isinstance(x, dict) else x.tolist(), "observation": observation}
        for _ in range(TRIES):
            program = self._free()
            try:
                value = self._asked(program, {"id": next(self._ids), **asked})
            except Ended as ended:
                how, said = ended, program.said()
                program.end()
                continue
            except BaseException:
                program.end()  # it may be about to write something
                raise
            self._idle.append(program)
            return value
        raise RuntimeError(
            f"{self.arguments[0]} {how}, {TRIES} times, at x = "
            f"{x if isinstance(x, dict) else np.array2string(x, threshold=20)}"
            + (f". Its stderr:\n{said}" if said else ".")
        )

    def _free(self) -> Program:
        """A copy that has nothing to do, or a new one."""
        with suppress(IndexError):  # other threads take from the list too
            return self._idle.pop()
        return Program(self.arguments)

    def _asked(self, program: Program, question: dict[str, Any]) -> float | list[float]:
        line = json.dumps(question, default=_plain).encode()
        try:
            answer = program.answer(line, self.timeout)
        except Garbled as garbled:
            raise self._not_understood(program, str(garbled)) from None
        value = _value(answer, question["id"])
        if isinstance(value, Refused):
            raise RuntimeError(f"{self.arguments[0]}: {value.why}")
        if value is None:
            said = repr(answer[:200].decode(errors="replace"))
            raise self._not_understood(program, said)
        return value

    def _not_understood(self, program: Program, wrote: str) -> ValueError:
        said = program.said()
        return ValueError(
            f"{self.arguments[0]} wrote {wrote}; it must write one line "
            '{"id": ..., "value": a number, null or a list} for each line it reads, with the id of '
            "that line." + (f" Its stderr:\n{said}" if said else "")
        )

    def close(self) -> None:
        """Let all copies end."""
        while self._idle:
            self._idle.pop().end()

    def __enter__(self) -> Command:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()


class Refused(NamedTuple):
    """An answer with an error."""

    why: str


def _value(answer: bytes, id: int) -> float | list[float] | Refused | None:
    """The value that an answer to the question of that id has, nan for null; None if it is none.

    >>> _value(b'{"id": 7, "value": 1}', 7), _value(b'{"id": 7, "value": true}', 7)
    (1.0, None)
    """
    try:
        reply = json.loads(answer)
    except (ValueError, RecursionError):  # RecursionError: thousands of brackets
        return None
    if not isinstance(reply, dict) or type(reply.get("id")) is not int or reply["id"] != id:
        return None
    if reply.get("error") is not None:
        return Refused(str(reply["error"]))
    found = reply.get("value", "")
    if isinstance(found, list):
        numbers = [_number(entry) for entry in found]
        return None if None in numbers else [v for v in numbers if v is not None]
    return _number(found)


def _number(found: Any) -> float | None:
    """A number of an answer, nan for null; None where it is none."""
    if type(found) not in (int, float, type(None)):
        return None
    try:
        return float("nan") if found is None else float(found)
    except OverflowError:
        return None


def _plain(value: Any) -> Any:
    """What JSON has no word for, of numpy."""
    if isinstance(value, (np.ndarray, np.generic)):
        return value.tolist()
    raise TypeError(
        f"an observation of type {type(value).__name__} cannot be sent to a program; let "
        "observations be numbers, strings, arrays, or lists and dicts of these."
    )
