"""A program that is kept running, and answers a line with a line."""

from __future__ import annotations

import errno
import os
import selectors
import shutil
import signal
import subprocess
import tempfile
import time
import weakref
from collections.abc import Sequence
from typing import IO

SAID = 2000
"""How many of the last characters on its stderr are shown."""

FAREWELL = 1.0
"""The seconds that a program has to end at the end of its input."""

PIECE = 65_536

LONGEST = 2**20
"""The bytes that a line of its output may have."""

SHELL = "/bin/sh"

WATCHED = '(read -r _; kill -KILL 0) </dev/fd/{0} >/dev/null 2>&1 & exec "$@"'
"""The program, and beside it in its process group a reader of descriptor 0: at the end of that
pipe, which comes with the driver's end whatever ends it, the reader kills the group."""


class Ended(Exception):  # noqa: N818 - says what happened
    """The program has ended, or was ended because its time was over."""


class Garbled(ValueError):  # noqa: N818 - says what the output is
    """The program wrote what no answer can be."""


class Program:
    """One copy of a program; it should end at the end of its input.

    It and all it has started end with the driver, even if that is killed.
    """

    def __init__(self, arguments: Sequence[str]) -> None:
        self._errors: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - `end` closes it
        watch, self._alive = os.pipe()
        try:
            self._process = _started(arguments, self._errors, watch)
        except OSError as error:
            self._errors.close()
            os.close(self._alive)
            error.add_note(f"while starting {arguments[0]}")
            raise
        finally:
            os.close(watch)
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._stdin, self._stdout = self._process.stdin, self._process.stdout
        os.set_blocking(self._stdin.fileno(), False)
        os.set_blocking(self._stdout.fileno(), False)
        self._read = bytearray()
        self._searched = 0
        """how many bytes of those hold no end of a line"""
        self.end = weakref.finalize(self, _end, self._process, self._errors, self._alive)
        """let it end, and make it if it does not"""

    def answer(self, line: bytes, timeout: float | None) -> bytes:
        """The line with which it answers a line; `Ended` where it ends, or its time does.

        Empty lines do not count. `Garbled` where the line is too long, or not the only one.
        """
        self._receive()
        self._refuse_more()
        deadline = None if timeout is None else time.monotonic() + timeout
        left = memoryview(line + b"\n")
        with selectors.DefaultSelector() as ready:
            ready.register(self._stdin, selectors.EVENT_WRITE)
            ready.register(self._stdout, selectors.EVENT_READ)
            while (answer := self._line()) is None:
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
        self._refuse_more()
        return answer

    def _line(self) -> bytes | None:
        """The first line that is not empty, taken from what was read; None where there is none."""
        while (end := self._read.find(b"\n", self._searched)) >= 0:
            line = bytes(self._read[:end]).strip()
            del self._read[: end + 1]
            self._searched = 0
            if line:
                return line
        self._searched = len(self._read)
        if self._searched > LONGEST:
            raise Garbled(f"a line of more than {LONGEST} bytes, {bytes(self._read[:200])!r}...")
        return None

    def _refuse_more(self) -> None:
        """An answer is one line: what follows it would pass for the next one's."""
        if self._read.strip():
            raise Garbled(f"{bytes(self._read[:200])!r} beside its answer")

    def _receive(self) -> None:
        """Take in what there is."""
        try:
            piece = os.read(self._stdout.fileno(), PIECE)
        except BlockingIOError:
            return
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


def _started(arguments: Sequence[str], errors: IO[bytes], watch: int) -> subprocess.Popen[bytes]:
    """The program, in a session of its own: Ctrl-C is for the driver."""
    command, inherited = list(arguments), tuple[int, ...]()
    if os.access(SHELL, os.X_OK) and os.path.isdir("/dev/fd"):
        found = shutil.which(arguments[0])
        if found is None:
            missing = errno.EACCES if os.path.exists(arguments[0]) else errno.ENOENT
            raise OSError(missing, os.strerror(missing), arguments[0])
        command = [SHELL, "-c", WATCHED.format(watch), SHELL, *arguments]
        inherited = (watch,)
    return subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=errors,
        bufsize=0,
        pass_fds=inherited,
        start_new_session=True,
    )


def _end(process: subprocess.Popen[bytes], errors: IO[bytes], alive: int) -> None:
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.close()
    try:
        process.wait(FAREWELL)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    os.close(alive)
    process.stdout.close()
    errors.close()
