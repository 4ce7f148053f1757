"""Count the constants of a folder: what a reader would have to take on trust.

    python tools/constants.py [src/zooadmm/methods/auto]

Counted are uppercase names that are given a number, a tuple of numbers or a text; numbers in the
code other than 0, 1, -1, 2 and 0.5; and numbers that are defaults of fields. A number within an
uppercase name is counted once, as that name.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

FOLDER = Path("src/zooadmm/methods/auto")
PLAIN = {0, 1, -1, 2, 0.5}


class Constant(NamedTuple):
    """A constant and where it stands."""

    kind: str
    """ "name", "literal" or "default" """
    text: str
    path: Path
    line: int


def constants(path: Path) -> Iterator[Constant]:
    """Those of a file.

    >>> [c.text for c in constants(Path(__file__)) if c.kind == "name"]
    ['PLAIN']
    """
    tree = ast.parse(path.read_text(encoding="utf-8"))
    named: set[int] = set()
    for node in tree.body:
        for name, value in _assigned(node):
            if name.isupper() and _has_constant(value):
                named |= {id(part) for part in ast.walk(value)}
                yield Constant("name", name, path, node.lineno)
    for part in ast.walk(tree):
        if isinstance(part, ast.ClassDef):
            for field in part.body:
                for name, value in _assigned(field):
                    if isinstance(field, ast.AnnAssign) and _number(value) not in (None, *PLAIN):
                        named |= {id(inner) for inner in ast.walk(value)}
                        yield Constant("default", name, path, field.lineno)
    for literal in (node for node in ast.walk(tree) if isinstance(node, ast.Constant)):
        free = id(literal) not in named
        if free and _number(literal) not in (None, *PLAIN):
            yield Constant("literal", repr(literal.value), path, literal.lineno)


def _assigned(node: ast.stmt) -> list[tuple[str, ast.expr]]:
    if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.value:
        return [(node.target.id, node.value)]
    if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
        return [(node.targets[0].id, node.value)]
    return []


def _has_constant(value: ast.expr) -> bool:
    """Whether it is a number, a text, or made of some; what is computed is not."""
    parts = [part for part in ast.walk(value) if isinstance(part, ast.Constant)]
    calls = any(isinstance(part, ast.Call) for part in ast.walk(value))
    return bool(parts) and not calls


def _number(node: ast.expr | ast.AST) -> float | None:
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        inner = _number(node.operand)
        return None if inner is None else -inner
    if isinstance(node, ast.Constant) and not isinstance(node.value, bool):
        return float(node.value) if isinstance(node.value, int | float) else None
    return None


def main(folder: Path) -> int:
    """Print them by file, and how many there are."""
    found = [c for path in sorted(folder.rglob("*.py")) for c in constants(path)]
    for path in sorted({c.path for c in found}):
        print(path)
        for c in (c for c in found if c.path == path):
            print(f"  {c.line:4d}  {c.kind:8s}{c.text}")
    print(f"{len(found)} constants in {folder}")
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER))
