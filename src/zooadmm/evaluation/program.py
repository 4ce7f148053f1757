"""A program that is kept running, and answers a line with a line."""

from __future__ import annotations

import os
import selectors
import signal
import subprocess
import tempfile
import time
import weakref
from collections.abc import Sequence
from typing import IO

SAID = 2000
"""How many of the last characters on its stderr are told."""

FAREWELL = 1.0
"""The seconds that a program has to end at the end of its input."""

PIECE = 65_536


class Ended(Exception):  # noqa: N818 - says what happened
    """The program has ended, or was ended because its time was over."""


class Program:
    """One copy of a program; it should end at the end of its input."""

    def __init__(self, arguments: Sequence[str]) -> None:
        self._errors: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - `end` closes it
        try:
            self._process = subprocess.Popen(
                arguments,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._errors,
                bufsize=0,
                start_new_session=True,  # Ctrl-C is for the driver
            )
        except OSError as error:
            self._errors.close()
            error.add_note(f"while starting {arguments[0]}")
            raise
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._stdin, self._stdout = self._process.stdin, self._process.stdout
        os.set_blocking(self._stdin.fileno(), False)
        self._read = b""
        self.end = weakref.finalize(self, _end, self._process, self._errors)
        """let it end, and make it if it does not"""

    def answer(self, line: bytes, timeout: float | None) -> bytes:
        """The line with which it answers a line; `Ended` where it ends, or its time does."""
        deadline = None if timeout is None else time.monotonic() + timeout
        left = memoryview(line + b"\n")
        with selectors.DefaultSelector() as ready:
            ready.register(self._stdin, selectors.EVENT_WRITE)
            ready.register(self._stdout, selectors.EVENT_READ)
            while b"\n" not in self._read:
                patience = None if deadline is None else deadline - time.monotonic()
                if patience is not None and patience <= 0:
                    self._process.kill()
                    raise Ended(f"did not answer within {timeout:g} seconds")
                for key, _ in ready.select(patience):
                    if key.fileobj is self._stdout:
                        self._receive()
                    else:
                        left = self._send(left)
                        if not left:
                            ready.unregister(self._stdin)
        answer, _, self._read = self._read.partition(b"\n")
        return answer

    def _receive(self) -> None:
        piece = os.read(self._stdout.fileno(), PIECE)
        if not piece:
            raise Ended(self._how())
        self._read += piece

    def _send(self, left: memoryview) -> memoryview:
        try:
            return left[os.write(self._stdin.fileno(), left[:PIECE]) :]
        except BlockingIOError:
            return left
        except BrokenPipeError:
            raise Ended(self._how()) from None

    def _how(self) -> str:
        try:
            code = self._process.wait(FAREWELL)
        except subprocess.TimeoutExpired:
            return "closed its input or output"
        if code < 0:
            return f"was killed by {signal.Signals(-code).name}"
        return f"ended with exit code {code}"

    def said(self) -> str:
        """The last it has written to its stderr."""
        size = self._errors.seek(0, os.SEEK_END)
        self._errors.seek(max(0, size - SAID))
        return self._errors.read().decode(errors="replace").strip()


def _end(process: subprocess.Popen[bytes], errors: IO[bytes]) -> None:
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.close()
    try:
        process.wait(FAREWELL)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    process.stdout.close()
    errors.close()
