"""A program that is started for each evaluation: values as arguments, the last number counts."""

from __future__ import annotations

import math
import re
import shlex
import subprocess
from typing import Any

PLACEHOLDER = re.compile(r"\{(\w+)\}")

SAID = 2_000
"""Characters of the program's error output that a message repeats."""

NUMBER = re.compile(
    r"(?<![\w.])[-+]?(?:\d+\.?\d*(?:[eE][-+]?\d+)?|\.\d+(?:[eE][-+]?\d+)?|nan|inf(?:inity)?)(?![\w])",
    re.IGNORECASE,
)


class PlainProgram:
    r"""`./simulator --depth {depth}`: placeholders are filled in, or values come last.

    line: the program and its arguments. {0}, {1}, ... stand for the variables, {rate} for a
        parameter of that name, {w} for the observation. Without any of them the values, and the
        observation where there is one, are appended; else all of the variables must be there.
    timeout: the seconds an evaluation may take.

    >>> PlainProgram("./simulator --depth={1} {0}").filled([0.5, 2.0], None)
    ['./simulator', '--depth=2.0', '0.5']
    >>> last_number("step 3\nloss = 1.25e-3 (ok)")
    0.00125
    """

    def __init__(self, line: str, timeout: float | None = None) -> None:
        self.arguments = shlex.split(line)
        if not self.arguments:
            raise ValueError("--program is a program and its arguments; it is empty.")
        if timeout is not None and not 0 < timeout < math.inf:
            raise ValueError(f"--timeout = {timeout} must be a positive number of seconds.")
        self.timeout = timeout

    def filled(self, x: Any, observation: Any) -> list[str]:
        """The command line for a point."""
        values = list(x.values()) if isinstance(x, dict) else [float(v) for v in x]
        names = list(x) if isinstance(x, dict) else [str(j) for j in range(len(values))]
        known = {str(j): repr(value) for j, value in enumerate(values)}
        known |= {name: repr(value) for name, value in zip(names, values, strict=True)}
        if observation is not None:
            known["w"] = str(observation)
        used = {name for part in self.arguments for name in PLACEHOLDER.findall(part)}
        if used & known.keys():
            _refuse_others(used, names, known)
            return [PLACEHOLDER.sub(lambda found: known[found[1]], part) for part in self.arguments]
        seen = [] if observation is None else [str(observation)]
        return [*self.arguments, *map(repr, values), *seen]

    def __call__(self, x: Any, observation: Any = None) -> float:
        line = self.filled(x, observation)
        try:
            done = subprocess.run(
                line, capture_output=True, text=True, timeout=self.timeout, check=False
            )
        except FileNotFoundError:
            raise RuntimeError(_not_found(line[0])) from None
        except subprocess.TimeoutExpired:
            raise RuntimeError(
                f"{shlex.join(line)} did not end within {self.timeout:g} seconds."
            ) from None
        if done.returncode != 0:
            said = done.stderr.strip()[-SAID:]
            raise RuntimeError(
                f"{shlex.join(line)} ended with exit code {done.returncode}"
                + (f". Its stderr:\n{said}" if said else ".")
            )
        value = last_number(done.stdout)
        if value is None:
            raise RuntimeError(f"{shlex.join(line)} printed no number: {done.stdout[-200:]!r}.")
        return value


def _not_found(program: str) -> str:
    if "/" in program:
        return f"--program: there is no file {program}."
    return (
        f"--program: {program} was not found. Give its path, ./{program} if it is in this folder."
    )


def _refuse_others(used: set[str], names: list[str], known: dict[str, str]) -> None:
    """Raise for a placeholder without a value, and for a variable without a placeholder."""
    there = ", ".join(f"{{{name}}}" for name in names)
    for name in sorted(used - known.keys()):
        raise ValueError(f"--program has {{{name}}}, which is no variable; there are {there}.")
    for j, name in enumerate(names):
        if not {name, str(j)} & used:
            raise ValueError(f"--program does not use {{{name}}}; it must have all of {there}.")


def last_number(text: str) -> float | None:
    """The last number in a text; nan and inf are numbers."""
    found = NUMBER.findall(text)
    return float(found[-1]) if found else None
