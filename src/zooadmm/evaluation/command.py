"""A loss that is another program, in whatever language."""

from __future__ import annotations

import json
import shlex
from collections.abc import Sequence
from contextlib import suppress
from itertools import count
from typing import Any

import numpy as np

from zooadmm.evaluation.engine import seconds
from zooadmm.evaluation.faults import TRIES
from zooadmm.evaluation.program import Ended, Program
from zooadmm.problem.arrays import Vector


class Command:
    r"""A program that evaluates the loss, kept running: lines of JSON in, lines of JSON out.

    For each evaluation it reads a line and writes one, at once (it flushes its output):

        {"id": 7, "x": [0.5, 1.0], "observation": null}
        {"id": 7, "value": 1.25}

    or {"id": 7, "error": "..."}, which is raised. With `Parameters` x is {"rate": 0.5, ...}.
    Numbers are written with all their digits. A
    program that ends, or whose time is over, is started again and asked again, three times in all.
    `minimize(Command(...), ..., workers=4)` keeps four copies busy. The program should end at the
    end of its input.

    arguments: the program and its arguments; a string is split as a shell would.
    timeout: the seconds an evaluation may take; by default as long as it likes.

    >>> import sys
    >>> program = (
    ...     "import json, sys\n"
    ...     "for line in sys.stdin:\n"
    ...     "    asked = json.loads(line)\n"
    ...     "    told = {'id': asked['id'], 'value': sum(asked['x'])}\n"
    ...     "    print(json.dumps(told), flush=True)\n"
    ... )
    >>> with Command([sys.executable, "-c", program]) as total:
    ...     total(np.array([0.5, 1.0]))
    1.5
    """

    def __init__(self, arguments: Sequence[str] | str, timeout: float | None = None) -> None:
        split = shlex.split(arguments) if isinstance(arguments, str) else list(arguments)
        if not split or not all(isinstance(argument, str) for argument in split):
            raise ValueError(f"a Command is a program and its arguments, not {arguments!r}.")
        self.arguments = tuple(split)
        self.timeout = seconds(timeout)
        self._idle: list[Program] = []
        self._ids = count(1)

    def __repr__(self) -> str:
        return f"Command({list(self.arguments)!r}, timeout={self.timeout})"

    def __reduce__(self) -> tuple[Any, ...]:
        return Command, (self.arguments, self.timeout)

    def __call__(self, x: Vector | dict[str, float], observation: Any = None) -> float:
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
            f"{self.arguments[0]} {how}, {TRIES} times, asked for x = "
            f"{x if isinstance(x, dict) else np.array2string(x, threshold=20)}"
            + (f". Its stderr:\n{said}" if said else ".")
        )

    def _free(self) -> Program:
        """A copy that has nothing to do, or a new one."""
        with suppress(IndexError):  # other threads take from the list too
            return self._idle.pop()
        return Program(self.arguments)

    def _asked(self, program: Program, question: dict[str, Any]) -> float:
        line = json.dumps(question, default=_plain).encode()
        answer = program.answer(line, self.timeout)
        try:
            told = json.loads(answer)
            id, error, value = told["id"], told.get("error"), told.get("value")
        except (ValueError, TypeError, KeyError, AttributeError):
            raise self._not_understood(program, answer) from None
        if id != question["id"] or (error is None and "value" not in told):
            raise self._not_understood(program, answer)
        if error is not None:
            raise RuntimeError(f"{self.arguments[0]}: {error}")
        return float("nan") if value is None else value

    def _not_understood(self, program: Program, answer: bytes) -> ValueError:
        said = program.said()
        return ValueError(
            f"{self.arguments[0]} wrote {answer[:200].decode(errors='replace')!r}; it must write "
            'one line {"id": ..., "value": ...} for each line it reads, with the id of that line.'
            + (f" Its stderr:\n{said}" if said else "")
        )

    def close(self) -> None:
        """Let all copies end."""
        while self._idle:
            self._idle.pop().end()

    def __enter__(self) -> Command:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()


def _plain(value: Any) -> Any:
    """What JSON has no word for, of numpy."""
    if isinstance(value, (np.ndarray, np.generic)):
        return value.tolist()
    raise TypeError(
        f"an observation of type {type(value).__name__} cannot be sent to a program; let "
        "observations be numbers, strings, arrays, or lists and dicts of these."
    )
