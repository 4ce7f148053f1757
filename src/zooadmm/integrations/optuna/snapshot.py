"""A checkpoint of the run as text, for an attribute of a study."""

from __future__ import annotations

import base64
import tempfile
import zlib
from pathlib import Path

from zooadmm.run.optimizer import Optimizer


def written(optimizer: Optimizer) -> str:
    """The checkpoint that `Optimizer.save` writes, compressed, in base 64."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "snapshot"
        optimizer.save(path)
        return base64.b64encode(zlib.compress(path.read_bytes(), 1)).decode()


def load(optimizer: Optimizer, text: str) -> None:
    """Go on from a text that `written` made; other arguments are refused by name."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "snapshot"
        path.write_bytes(zlib.decompress(base64.b64decode(text)))
        try:
            optimizer.load(path)
        except ValueError as error:
            said = str(error).replace(str(path), "The study").replace("another path", "a new study")
            raise ValueError(said) from None
