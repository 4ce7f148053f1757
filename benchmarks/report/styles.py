"""How each method is drawn: one color a family (Okabe and Ito's), one dash a member."""

from __future__ import annotations

from typing import Any

BLACK, ORANGE, SKY, GREEN = "#000000", "#E69F00", "#56B4E9", "#009E73"
BLUE, VERMILION, PURPLE, GRAY = "#0072B2", "#D55E00", "#CC79A7", "#7F7F7F"
SOLID, DASHED, DOTTED, DASH_DOT = "-", (0, (4, 1.5)), (0, (1, 1.2)), (0, (5, 1.2, 1, 1.2))

_STYLES: dict[str, tuple[str, Any]] = {
    "zoo-auto": (VERMILION, SOLID),
    "zoo-paper": (VERMILION, DOTTED),
    "zoo-paper-tuned": (VERMILION, DASHED),
    "o-admm-tuned": (BLACK, DOTTED),
    "zo-prox-sgd": (PURPLE, SOLID),
    "spsa": (PURPLE, DASHED),
    "fista-fd": (ORANGE, SOLID),
    "scipy-lbfgsb": (GREEN, SOLID),
    "scipy-slsqp": (GREEN, DASHED),
    "scipy-cobyqa": (GREEN, DOTTED),
    "nlopt-newuoa": (BLUE, SOLID),
    "nlopt-bobyqa": (BLUE, DASHED),
    "pycma": (GRAY, SOLID),
    "nevergrad-cma": (SKY, SOLID),
    "nevergrad-oneplusone": (SKY, DASHED),
    "nevergrad-tbpsa": (SKY, DOTTED),
    "nevergrad-ngopt": (SKY, DASH_DOT),
}
OURS_WIDTH, PEER_WIDTH = 2.6, 1.1


def style(method: str) -> dict[str, Any]:
    """Arguments for matplotlib's `plot`: ours thick and above the others."""
    color, dash = _STYLES.get(method, (GRAY, DASH_DOT))
    ours = color == VERMILION
    return {
        "color": color,
        "linestyle": dash,
        "linewidth": OURS_WIDTH if ours else PEER_WIDTH,
        "zorder": 3 if ours else 2,
        "label": method,
    }
