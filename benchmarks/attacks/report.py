"""The tables of the attacks, in Markdown, from the rows."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.attacks.methods import BOUND, OURS, PEERS, names
from benchmarks.attacks.networks import NETWORKS
from benchmarks.attacks.rows import MARKS, Row, read

PAGE = "README.md"
NAMES = {"L2": "L2", "L1": "L1", "Linf": "L-infinity"}

HEAD = f"""# Black-box attacks

Made from the rows beside this page by `python -m benchmarks.attacks`. scikit-learn's digits; one
query is one row of probabilities, {MARKS[-1]:,} queries an image. The distortions are medians over
the images that every method fooled at {MARKS[-1]:,} queries. The ratios are medians and largest
values over all images that a method fooled. The least possible distortion is a lower bound, proved
by branch and bound with the network's weights (`benchmarks/attacks/bounds.py`), to 0.1 %.
"""


def page(rows: Sequence[Row]) -> str:
    """A table for each network and norm that has rows."""
    parts = [HEAD]
    for network in NETWORKS:
        for norm in PEERS:
            own = [row for row in rows if (row.network, row.norm) == (network, norm)]
            if any(row.method == OURS for row in own):
                parts.append(_table(network, norm, own))
    return "\n".join(parts)


def _table(network: str, norm: str, rows: Sequence[Row]) -> str:
    """The methods that have rows for all images of ours; unfinished ones are left out."""
    found = {
        method: {row.image: row for row in rows if row.method == method}
        for method in names(network, norm)
    }
    images = sorted(found[OURS])
    found = {method: own for method, own in found.items() if own.keys() >= set(images)}
    sizes = {
        method: np.array([own[image].distortions for image in images]).reshape(-1, len(MARKS))
        for method, own in found.items()
    }
    fooled = np.logical_and.reduce([np.isfinite(table[:, -1]) for table in sizes.values()])
    marks = " | ".join(f"at {mark:,}" for mark in MARKS)
    bound = sizes.pop(BOUND, None)
    ratio = " / least possible, median (largest) |" if bound is not None else ""
    text = [
        f"## {network}, {NAMES[norm]}: {len(images)} images, {fooled.sum()} fooled by all\n",
        f"| | success | {marks} |{ratio}",
        "|---" * (2 + len(MARKS) + (bound is not None)) + "|",
    ]
    for method, table in sizes.items():
        success = np.isfinite(table[:, -1])
        cells = [method, f"{success.mean():.0%}", *map(_median, table[fooled].T)]
        if bound is not None:
            ratios = table[success, -1] / bound[success, -1]
            cells.append(f"{np.median(ratios):.3f} ({ratios.max():.3f})")
        text.append(f"| {' | '.join(cells)} |")
    if bound is not None:
        medians = " | ".join(map(_median, bound[fooled].T))
        text.append(f"| {BOUND} | | {medians} | 1 |")
    return "\n".join([*text, "", _verdict(sizes, bound, fooled), ""])


def _verdict(
    sizes: dict[str, NDArray[np.float64]],
    bound: NDArray[np.float64] | None,
    fooled: NDArray[np.bool_],
) -> str:
    """Ours beside the best peer."""
    peers = {method: table for method, table in sizes.items() if method != OURS}
    if OURS not in sizes or not peers or not fooled.any():
        return "There is nothing to compare yet."
    ours = sizes[OURS]
    best = np.min([np.median(table[fooled, -1]) for table in peers.values()])
    rate = float(np.isfinite(ours[:, -1]).mean())
    most = max(float(np.isfinite(table[:, -1]).mean()) for table in peers.values())
    said = (
        f"Success of ours: {rate:.0%}, of the peers at most {most:.0%}. Median distortion of ours "
        f"at {MARKS[-1]:,}: **{np.median(ours[fooled, -1]) / best:.3f}** of the best peer's."
    )
    if bound is not None:
        said += f" The least possible: {np.median(bound[fooled, -1]) / best:.3f} of it."
    return said


def _median(values: NDArray[np.float64]) -> str:
    middle = float(np.median(values)) if len(values) else np.inf
    return f"{middle:.3g}" if np.isfinite(middle) else "none"


def write(folder: Path) -> str:
    """The page, beside the rows."""
    text = page(read(folder))
    folder.mkdir(parents=True, exist_ok=True)
    (folder / PAGE).write_text(text, encoding="utf-8")
    return text
