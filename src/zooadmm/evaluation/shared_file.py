"""Bytes that other processes see without being sent them: a file without a name.

Whoever inherits its descriptor can map it. It takes no place on a disk where the system can do
without, and it is gone with the last process that has it open, however that one ends.
"""

from __future__ import annotations

import mmap
import os
import pickle
import tempfile
from typing import Any, NamedTuple

import cloudpickle

ALIGNED = 64


class Layout(NamedTuple):
    """Where in the file an object lies: its pickle first, then the arrays it is made of."""

    head: int
    """the length of the pickle"""
    arrays: tuple[tuple[int, int], ...]
    """(offset, length) of each array"""


class SharedFile:
    """The writer's end."""

    def __init__(self) -> None:
        if hasattr(os, "memfd_create"):
            self.descriptor = os.memfd_create("zooadmm")
        else:
            with tempfile.TemporaryFile() as file:
                self.descriptor = os.dup(file.fileno())

    def put(self, value: Any) -> Layout:
        """Write an object over what was there, its arrays as they are, each once."""
        buffers: list[pickle.PickleBuffer] = []
        head = cloudpickle.dumps(value, protocol=5, buffer_callback=buffers.append)
        self._write(memoryview(head), 0)
        end, arrays = len(head), []
        for buffer in buffers:
            raw = buffer.raw()
            start = -(-end // ALIGNED) * ALIGNED
            self._write(raw, start)
            arrays.append((start, raw.nbytes))
            end = start + raw.nbytes
        return Layout(len(head), tuple(arrays))

    def _write(self, data: memoryview, offset: int) -> None:
        while data:
            written = os.pwrite(self.descriptor, data, offset)
            data, offset = data[written:], offset + written

    def close(self) -> None:
        os.close(self.descriptor)


class Reader:
    """A reader's end: objects whose arrays lie in the file.

    access: `mmap.ACCESS_READ` for arrays that cannot be written to; `mmap.ACCESS_COPY` for arrays
        that are private from the moment they are.
    """

    def __init__(self, descriptor: int, access: int) -> None:
        self._descriptor = descriptor
        self._access = access
        self._mapped: memoryview = memoryview(b"")

    def get(self, layout: Layout) -> Any:
        """The object; it holds until the next one is put."""
        head, arrays = layout
        end = max([head, *(start + length for start, length in arrays)])
        if end > len(self._mapped):
            size = os.fstat(self._descriptor).st_size
            self._mapped = memoryview(mmap.mmap(self._descriptor, size, access=self._access))
        views = [self._mapped[start : start + length] for start, length in arrays]
        return pickle.loads(self._mapped[:head], buffers=views)
