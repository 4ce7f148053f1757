"""The folder of a reproduction: pieces that have been run are kept there, and found again."""

from __future__ import annotations

import json
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from zooadmm_reproduction.experiment import Piece, Size
from zooadmm_reproduction.rows import Row


@dataclass(frozen=True)
class Done:
    """A piece that has been run: its rows, and the seconds it took."""

    rows: list[Row]
    seconds: float


@dataclass(frozen=True)
class Folder:
    """Where the pieces, the data, the figures and the report of one reproduction lie."""

    path: Path
    size: Size
    seed: int

    def open(self) -> None:
        """Make the folder; one that holds another reproduction is refused."""
        wanted = {"size": self.size.value, "seed": self.seed, "zooadmm": version("zooadmm")}
        file = self.path / "run.json"
        if file.is_file():
            found = json.loads(file.read_text(encoding="utf-8"))
            for name, value in wanted.items():
                if found.get(name) != value:
                    raise ValueError(
                        f"{self.path} holds a reproduction with {name} {found.get(name)}, and this "
                        f"is one with {value}; choose another --out, or remove that folder."
                    )
        elif self.path.is_dir() and any(self.path.iterdir()):
            raise ValueError(f"{self.path} holds other things; choose an empty or new --out.")
        write(file, json.dumps(wanted, indent=1) + "\n")

    def done(self, piece: Piece) -> Done | None:
        """What was kept of a piece that is run in the same way, or None."""
        file = self._file(piece)
        if not file.is_file():
            return None
        content: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
        if content["run"] != piece.run:
            return None
        return Done(content["rows"], content["seconds"])

    def keep(self, piece: Piece, done: Done) -> None:
        """Keep what a piece came to."""
        content = {"run": piece.run, "seconds": done.seconds, "rows": done.rows}
        write(self._file(piece), json.dumps(content))

    def _file(self, piece: Piece) -> Path:
        return self.path / "pieces" / f"{piece.name}.json"


def write(path: Path, text: str) -> None:
    """Write all of the file or none of it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(path.name + ".part")
    draft.write_text(text, encoding="utf-8")
    draft.replace(path)
