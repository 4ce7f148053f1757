"""Attacks on images that have no rows in `results/attacks` yet are measured.

`python -m benchmarks.attacks --network dense --norm L2 --method cuts CMA-ES` measures these;
without names, all. It goes on where it stopped, image by image; `--again` drops the rows that were
named first. The table is written in any case. The attacks of ART need `pip install ".[test-art]"`.
"""

from __future__ import annotations

import argparse
import os
import time
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")  # before numpy is loaded
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from benchmarks.attacks import report
from benchmarks.attacks.methods import PEERS, attacked, names
from benchmarks.attacks.networks import DEVELOPMENT, NETWORKS
from benchmarks.attacks.rows import FOLDER, append, read, write

SEED = 101
IMAGES = {"dense": 100, "convolutional": 30}

Key = tuple[str, str, str, int]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.attacks", description=__doc__)
    parser.add_argument("--network", nargs="*", default=list(NETWORKS), choices=NETWORKS)
    parser.add_argument("--norm", nargs="*", default=list(PEERS), choices=PEERS)
    parser.add_argument("--method", nargs="*", help="by default all")
    parser.add_argument("--images", type=int, help="of each network, at most")
    parser.add_argument("--again", action="store_true", help="measure also what has rows")
    parser.add_argument("--results", type=Path, default=FOLDER, help="a folder")
    given = parser.parse_args()
    asked = keys(given.network, given.norm, given.method, given.images)
    if given.again:
        write([row for row in read(given.results) if row.key not in set(asked)], given.results)
    measure(asked, given.results)
    print(report.write(given.results))


def keys(
    networks: list[str], norms: list[str], methods: list[str] | None, most: int | None
) -> list[Key]:
    """What is to be measured, one method after the other."""
    return [
        (network, norm, method, image)
        for network in networks
        for norm in norms
        for method in names(network, norm)
        if methods is None or method in methods
        for image in range(DEVELOPMENT, DEVELOPMENT + IMAGES[network])[:most]
    ]


def measure(asked: list[Key], folder: Path) -> None:
    """File the row of each image when it is there."""
    rows = read(folder)
    done = {row.key for row in rows}
    known = dict.fromkeys(((row.network, row.norm, row.image) for row in rows), float("inf"))
    for row in rows:
        of = row.network, row.norm, row.image
        known[of] = min(known[of], row.at_6000)
    missing = [key for key in asked if key not in done]
    began = time.monotonic()
    for number, (network, norm, method, image) in enumerate(missing, start=1):
        of = network, norm, image
        try:
            new = attacked(network, norm, method, image, SEED, known.get(of, float("inf")))
        except ImportError as absent:
            print(f"{network}, {norm}, {method} has no rows: {absent}")
            continue
        if new is None:
            continue
        append(new, folder)
        known[of] = min(known.get(of, float("inf")), new.at_6000)
        minutes = (time.monotonic() - began) / 60
        said = f"{network} {norm} {method} {image}: {new.at_6000:.4g}"
        print(f"{number}/{len(missing)}  {minutes:.1f} min  {said}", flush=True)


if __name__ == "__main__":
    main()
