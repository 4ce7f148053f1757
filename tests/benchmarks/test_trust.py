"""Random problems that once went wrong."""

from __future__ import annotations

from benchmarks.trust.trials import tried


def test_a_model_beyond_the_range_of_floats_does_not_end_the_run() -> None:
    """A rate of exp(x) at an x that an equation fixes: the first model has an infinite entry."""
    row = tried(1722)
    assert row.raised == ""
    assert row.gap <= 1e-6
