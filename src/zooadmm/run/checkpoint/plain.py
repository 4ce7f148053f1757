"""States as JSON and arrays, and back, by the types of their fields.

A state is a NamedTuple. Its fields are numbers, strings, arrays, tuples of these, and further
states. `packed` writes down the name of each state beside its fields; `restored` reads them by the
annotations of the class, so a file whose content does not fit is refused and no code is run.
"""

from __future__ import annotations

import types
from functools import cache
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import numpy as np
from numpy.typing import NDArray

from zooadmm.problem.arguments import is_whole
from zooadmm.run.checkpoint import file

Arrays = dict[str, NDArray[Any]]


def packed(value: Any, arrays: Arrays, prefix: str) -> Any:
    """The value as JSON, with its arrays put into `arrays` under names with that prefix.

    >>> packed((1, 0.5), {}, "a")
    {'tuple': [1, {'float': '0x1.0000000000000p-1'}]}
    """
    if isinstance(value, tuple):
        items = [packed(item, arrays, prefix) for item in value]
        fields = getattr(value, "_fields", None)
        if fields is None:
            return {"tuple": items}
        return {"state": type(value).__name__, "fields": dict(zip(fields, items, strict=True))}
    return file.pack(value, arrays, prefix)


def restored(kind: Any, written: Any, arrays: Arrays, where: str = "state") -> Any:
    """The value of type `kind` that `packed` wrote down; a ValueError names the field that differs.

    >>> restored(tuple[int, float], packed((1, 0.5), {}, "a"), {})
    (1, 0.5)
    """
    if get_origin(kind) in (Union, types.UnionType):
        return _one_of(get_args(kind), written, arrays, where)
    if isinstance(kind, type) and hasattr(kind, "_fields"):
        return _state(kind, written, arrays, where)
    if get_origin(kind) is tuple:
        return _tuple(get_args(kind), written, arrays, where)
    value = file.unpack(written, arrays)
    if not _fits(kind, value):
        raise ValueError(f"{where} is {_described(value)}, which does not fit {kind}")
    return value


@cache
def _fields(kind: type) -> dict[str, Any]:
    return get_type_hints(kind)


def _state(kind: type, written: Any, arrays: Arrays, where: str) -> Any:
    hints = _fields(kind)
    named = isinstance(written, dict) and written.get("state") == kind.__name__
    if not named or set(written["fields"]) != set(hints):
        raise ValueError(f"{where} is no {kind.__name__}")
    given = written["fields"]
    return kind(**{name: restored(hint, given[name], arrays, name) for name, hint in hints.items()})


def _one_of(kinds: tuple[Any, ...], written: Any, arrays: Arrays, where: str) -> Any:
    """A value of the first of these types that fits; a state by its name."""
    name = written.get("state") if isinstance(written, dict) else None
    for kind in kinds:
        if name is not None and getattr(kind, "__name__", "") != name:
            continue
        try:
            return restored(kind, written, arrays, where)
        except ValueError:
            if name is not None:
                raise
    raise ValueError(f"{where} is none of {', '.join(map(str, kinds))}")


def _tuple(kinds: tuple[Any, ...], written: Any, arrays: Arrays, where: str) -> Any:
    items = written.get("tuple") if isinstance(written, dict) else None
    if not isinstance(items, list):
        raise ValueError(f"{where} is no tuple")
    if len(kinds) == 2 and kinds[1] is Ellipsis:
        kinds = kinds[:1] * len(items)
    if len(kinds) != len(items):
        raise ValueError(f"{where} has {len(items)} entries, not {len(kinds)}")
    pairs = zip(kinds, items, strict=True)
    return tuple(restored(kind, item, arrays, where) for kind, item in pairs)


def _fits(kind: Any, value: Any) -> bool:
    if kind is Any:
        return True
    if get_origin(kind) is Literal:
        return value in get_args(kind)
    if get_origin(kind) is np.ndarray:
        return isinstance(value, np.ndarray) and np.issubdtype(value.dtype, _scalar(kind))
    if kind is float:
        return isinstance(value, (float, int, np.floating)) and not isinstance(value, bool)
    if kind is int:
        return is_whole(value)
    if kind is bool:
        return isinstance(value, (bool, np.bool_))
    return kind in (None, type(None), str) and isinstance(value, kind or type(None))


def _scalar(array: Any) -> Any:
    """np.float64 of NDArray[np.float64], np.floating of NDArray[np.floating[Any]]."""
    (scalar,) = get_args(get_args(array)[1])
    return get_origin(scalar) or scalar


def _described(value: Any) -> str:
    return f"an array of {value.dtype}" if isinstance(value, np.ndarray) else repr(value)
