"""A figure as a small file."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
from PIL import Image


def save(figure: Any, path: Path) -> None:
    """On white, in few colors: small, and readable on any page. The figure is closed."""
    drawn = io.BytesIO()
    figure.savefig(drawn, dpi=110, facecolor="white")
    plt.close(figure)
    Image.open(drawn).convert("RGB").quantize(64).save(path, optimize=True)
