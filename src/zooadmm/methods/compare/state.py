"""What a run by comparisons knows between two queries."""

from __future__ import annotations

from typing import NamedTuple

from zooadmm.methods.compare.belief import Comparisons, Floats, Scale


class CompareState(NamedTuple):
    """All that the future of the run depends on."""

    firsts: Floats
    """The first points of the next query, a row each"""
    seconds: Floats
    start: Floats
    """x0"""
    seen: Comparisons
    """The last comparisons"""
    weights: Floats
    """Of these in the belief: where its next fit starts"""
    scale: Scale
    answered: int
    """Comparisons answered so far"""
    due: int
    """Comparisons at which the scale is tuned next"""
    ties: int
    """Answers so far that preferred neither point"""
    contradictions: int
    """Preferences among the last ones that go against the belief"""
