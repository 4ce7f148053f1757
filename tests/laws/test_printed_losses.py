"""Losses whose values are printed with few digits: a success is true."""

from __future__ import annotations

import numpy as np
import pytest

import zooadmm as zoo

FORMS = ("plain", "far", "box", "rows", "float32")
PART = 1e-4
"""What a success may leave of |F*|, or of the first gap up to 1."""


def gap_of_success(form: str, number: int) -> float:
    """The part of |F*| or of the first gap that a success leaves; 0 where a run claims none."""
    generator = np.random.default_rng([FORMS.index(form), number])
    m, digits = int(generator.integers(1, 7)), int(generator.integers(3, 9))
    A = generator.standard_normal((2 * m, m)) * 10 ** generator.uniform(-1, 1, m)
    best, offset = generator.standard_normal(m), float(generator.choice([0, 1, 100, -100]))

    def gap(x: np.ndarray) -> float:
        far = np.asarray(x, dtype=float) - best
        return float(np.square(A @ far).sum() + 0.2 * (far**4).sum())

    def printed(x: np.ndarray) -> float:
        return float(f"%.{digits}g" % (gap(x) + offset))

    way = generator.standard_normal(m) * 10 ** generator.uniform(-1, 1)
    x0 = best + (1e6 if form == "far" else 1.0) * way
    given: dict[str, object] = {}
    if form == "box":
        given["domain"] = zoo.Box(np.minimum(x0, best) - 0.1, np.maximum(x0, best) + 0.1)
    if form == "rows":
        most = max(x0.sum(), best.sum()) + 0.1
        given["constraint"] = zoo.Inequality(np.ones((1, m)), -np.inf, most)
    if form == "float32":
        x0 = x0.astype(np.float32)
    found = zoo.minimize(printed, x0, max_evaluations=150 * m, rng=number, **given)
    return gap(found.x) / max(abs(offset), min(gap(x0), 1.0)) if found.success else 0.0


@pytest.mark.parametrize("form", FORMS)
def test_a_success_is_true(form):
    left = {number: gap_of_success(form, number) for number in range(10)}
    assert {number: part for number, part in left.items() if part > PART} == {}
