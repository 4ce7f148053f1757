"""Checkpoint files: numpy arrays and JSON in one npz, replaced atomically, never pickle."""

from __future__ import annotations

import json
import os
import re
import secrets
import socket
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from zooadmm.run.checkpoint.archive import Arrays, arrays_in, is_whole, put

FORMAT = 17
VERSION = version("zooadmm")
NO_CHECKPOINT = "{} is not a checkpoint of zooadmm, or only part of one."
DAMAGED = "{} is damaged: its content does not match its checksum. Start anew with another path."
_META = "meta"


def write(path: Path, arrays: dict[str, NDArray[Any]], meta: dict[str, Any]) -> None:
    """Replace the file at `path`; a crash at any moment leaves the old file or the new one.

    The new file is written under a temporary name and flushed to the disk, renamed over the old
    one, and the directory is flushed. The temporary name is of this call alone: threads and
    processes that write one path replace it in turn, each with a whole file.
    """
    text = json.dumps({"format": FORMAT, "zooadmm": VERSION, **meta}, allow_nan=False)
    content = {_META: np.frombuffer(text.encode(), dtype=np.uint8), **arrays}
    if not path.exists():
        remove_leftovers(path)
    alone = f"{_host()}.{os.getpid()}.{secrets.token_hex(8)}"
    temporary = path.with_name(f"{path.name}.{alone}.tmp")
    try:
        with open(temporary, "x+b") as file:
            put(content, file)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException as error:
        temporary.unlink(missing_ok=True)  # a full disk is not helped by half a file
        if isinstance(error, OSError):
            error.add_note(f"while writing the checkpoint {path}; its old content is kept")
        raise
    if os.name == "posix":
        directory = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(directory)
        finally:
            os.close(directory)


def remove_leftovers(path: Path) -> None:
    """Remove half-written files of processes of this machine that were killed."""
    ours = re.compile(re.escape(f"{path.name}.{_host()}.") + r"(\d+)(\.[0-9a-f]+)?\.tmp")
    for found in path.parent.glob("*.tmp") if os.name == "posix" else ():
        match = ours.fullmatch(found.name)
        if match is not None and not _running(int(match[1])):
            found.unlink(missing_ok=True)


def _running(process: int) -> bool:
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:  # somebody else's
        return True
    return True


def _host() -> str:
    return re.sub(r"\W", "-", socket.gethostname())


def read(
    path: Path, needed: tuple[str, ...], named: tuple[str, ...]
) -> tuple[Arrays, dict[str, Any]]:
    """The arrays and the metadata of a checkpoint file.

    needed: the names of the arrays that must be there; named: those of the metadata.
    """
    data = path.read_bytes()
    remove_leftovers(path)
    try:
        arrays = arrays_in(data)
        meta: dict[str, Any] = dict(json.loads(arrays[_META].tobytes().decode()))
    except Exception as error:  # whatever a damaged file makes a reader raise
        raise ValueError(f"{NO_CHECKPOINT.format(path)} ({error})") from error
    if meta.get("format", FORMAT) != FORMAT:
        raise ValueError(
            f"{path} was written by zooadmm {meta.get('zooadmm', '(older)')} in checkpoint format "
            f"{meta['format']}; this is zooadmm {VERSION}, which reads format {FORMAT}. "
            "Finish the run with the version that began it, or start anew with another path."
        )
    if not (set(needed) <= arrays.keys() and {"format", "zooadmm", *named} <= meta.keys()):
        raise ValueError(NO_CHECKPOINT.format(path))
    if not is_whole(data):
        raise ValueError(DAMAGED.format(path))
    del arrays[_META]
    return arrays, meta


def pack(value: Any, arrays: dict[str, NDArray[Any]], prefix: str) -> Any:
    """An observation as JSON, with its arrays put into `arrays` under names with that prefix."""
    if value is None or type(value) in (bool, int, str):
        return value
    if type(value) is float:
        return {"float": value.hex()}
    known = type(value) is np.ndarray or isinstance(value, np.generic)
    if known and value.dtype.kind in "biufcSUmM":
        name = f"{prefix}{sum(key.startswith(prefix) for key in arrays)}"
        arrays[name] = np.asarray(value)
        return {"array": name, "scalar": isinstance(value, np.generic)}
    if type(value) in (tuple, list):
        kind = "tuple" if isinstance(value, tuple) else "list"
        return {kind: [pack(item, arrays, prefix) for item in value]}
    if type(value) is dict and all(type(key) is str for key in value):
        return {"dict": {key: pack(item, arrays, prefix) for key, item in value.items()}}
    raise TypeError(
        f"observations of type {type(value).__name__} cannot be kept in a checkpoint; let the "
        "stream show numbers, arrays, strings, or lists, tuples and dicts of these."
    )


def unpack(packed: Any, arrays: dict[str, NDArray[Any]]) -> Any:
    """The value that `pack` packed."""
    if not isinstance(packed, dict):
        return packed
    (kind,) = packed.keys() - {"scalar"}
    content = packed[kind]
    if kind == "float":
        return float.fromhex(content)
    if kind == "array":
        return arrays[content][()] if packed["scalar"] else arrays[content]
    if kind == "dict":
        return {key: unpack(item, arrays) for key, item in content.items()}
    items = [unpack(item, arrays) for item in content]
    return tuple(items) if kind == "tuple" else items
