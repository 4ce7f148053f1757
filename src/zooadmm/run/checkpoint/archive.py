"""Arrays in an npz, read without trust: nothing is unpacked, executed, or larger than the file.

The comment of the archive is the SHA-256 of all bytes before it, so that no bit can change unseen,
those of the archive's own directory included.
"""

from __future__ import annotations

import hashlib
import io
import math
import os
import zipfile
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

Arrays = dict[str, NDArray[Any]]

_SUFFIX = ".npy"
_SIZE = 32
"""Bytes of a SHA-256."""
_BEFORE_HEADER = 10
"""Bytes of an array's magic, version and length of its header."""


def arrays_in(data: bytes) -> Arrays:
    """The arrays of an npz as `numpy.savez` writes it; a ValueError says what is wrong with it.

    Entries are stored, not compressed, so all of them together are no larger than the file.
    """
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        entries = archive.infolist()
        if any(entry.compress_type != zipfile.ZIP_STORED for entry in entries):
            raise ValueError("an entry is compressed")
        if sum(entry.file_size for entry in entries) > len(data):
            raise ValueError("its entries are larger than the file")
        names = [entry.filename.removesuffix(_SUFFIX) for entry in entries]
        if len(set(names)) < len(names):
            raise ValueError("two entries have one name")
        pairs = zip(names, entries, strict=True)
        return {name: _array(archive.read(entry)) for name, entry in pairs}


def _array(data: bytes) -> NDArray[Any]:
    size = _BEFORE_HEADER + int.from_bytes(data[_BEFORE_HEADER - 2 : _BEFORE_HEADER], "little")
    shape, fortran_order, dtype = _header(data[:size])
    content = data[size:]
    if dtype.hasobject or math.prod(shape) * dtype.itemsize != len(content):
        raise ValueError("an array does not have the size that it states")
    flat = np.frombuffer(bytearray(content), dtype=dtype)
    return flat.reshape(shape, order="F" if fortran_order else "C")


@lru_cache
def _header(data: bytes) -> tuple[tuple[int, ...], bool, np.dtype[Any]]:
    """Shape, order and type; kept, since the files of a run have few and each takes a parser."""
    stream = io.BytesIO(data)
    if np.lib.format.read_magic(stream) != (1, 0):
        raise ValueError("an array has an unknown version")
    return np.lib.format.read_array_header_1_0(stream)


def put(arrays: Arrays, file: io.BytesIO | io.BufferedRandom) -> None:
    """Write the npz to an empty file that can be read too."""
    np.savez(file, **arrays)  # type: ignore[arg-type]
    file.seek(-2, os.SEEK_END)
    file.write(_SIZE.to_bytes(2, "little"))  # of the comment
    file.seek(0)
    digest = hashlib.file_digest(file, "sha256").digest()
    file.seek(0, os.SEEK_END)
    file.write(digest)


def is_whole(data: bytes) -> bool:
    """Whether every byte of a file is as `put` wrote it."""
    return hashlib.sha256(memoryview(data)[:-_SIZE]).digest() == data[-_SIZE:]
