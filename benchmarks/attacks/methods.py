"""What is compared: ours, its peers by norm, and the least distortion that there is."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import cast

import numpy as np

from benchmarks.attacks import peers
from benchmarks.attacks.bounds import least
from benchmarks.attacks.networks import NETWORKS, Dense, images
from benchmarks.attacks.rows import MARKS, Row
from benchmarks.attacks.witness import Witness
from zooadmm.applications import BlackBoxAttack
from zooadmm.applications.attack.black_box_attack import Norm

OURS, BOUND = "cuts", "least possible"

PEERS: dict[str, dict[str, peers.Peer]] = {
    "L2": {
        "CMA-ES": peers.cma_es,
        "ART HopSkipJump": peers.hop_skip_jump,
        "ART Zoo": peers.zoo,
    },
    "L1": {"CMA-ES": peers.cma_es},
    "Linf": {
        "CMA-ES": peers.cma_es,
        "ART HopSkipJump": peers.hop_skip_jump,
        "ART Square": peers.square,
    },
}
"""Attacks with this distortion as their objective."""


def names(network: str, norm: str) -> list[str]:
    """Methods of a table, in its order."""
    proved = [BOUND] if network == "dense" else []
    return [OURS, *PEERS[norm], *proved]


def attacked(
    network: str, norm: str, method: str, image: int, seed: int, known: float
) -> Row | None:
    """The row of one method on one image; None where it needs one that is not there.

    known: the least distortion of this image in the rows that there are.
    """
    began = time.process_time()
    if method == BOUND:
        if not np.isfinite(known):
            return None
        model = cast("Dense", NETWORKS[network]())
        at, label = images(network).images[image], int(images(network).labels[image])
        bound = least(model, at, label, norm, known).bound
        sizes, queries = [bound] * len(MARKS), 0
    else:
        run = _ours if method == OURS else _peer(PEERS[norm][method])
        sizes, queries = run(network, norm, image, seed)
    seconds = time.process_time() - began
    first, second, last = sizes
    return Row(network, norm, method, image, seed, first, second, last, queries, seconds)


def _ours(network: str, norm: str, image: int, seed: int) -> tuple[list[float], int]:
    attack = BlackBoxAttack(
        NETWORKS[network]().predict_proba,
        distortion=cast("Norm", norm),
        max_queries=MARKS[-1],
        random_state=seed + image,
    )
    chosen = slice(image, image + 1)
    found = attack.attack(images(network).images[chosen], images(network).labels[chosen])
    return [float(found.distortion_after(mark)[0]) for mark in MARKS], int(found.queries[0])


def _peer(peer: peers.Peer) -> Callable[[str, str, int, int], tuple[list[float], int]]:
    def run(network: str, norm: str, image: int, seed: int) -> tuple[list[float], int]:
        of = images(network)
        witness = Witness(
            NETWORKS[network]().predict_proba,
            of.images[image],
            int(of.labels[image]),
            norm,
            MARKS[-1],
        )
        peer(witness, seed + image)
        return [witness.after(mark) for mark in MARKS], witness.queries

    return run
