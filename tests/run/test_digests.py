"""Algorithm 1 as printed keeps its bits: short runs have the digests that are recorded.

`python -m tools.digests --compare` is the same for all runs, those of the automatic method too.
"""

from __future__ import annotations

import pytest

from tools.digests.__main__ import RUNS, difference, foreign, made, recorded

RECORDED = recorded()
OTHER_ENVIRONMENT = foreign(RECORDED)
SLOW = "/engine/", "/estimator/"
PAPER = [name for name in RUNS if name.startswith("paper/") and not any(s in name for s in SLOW)]


def test_every_run_is_recorded() -> None:
    assert sorted(RECORDED["runs"]) == sorted(RUNS)


@pytest.mark.skipif(
    bool(OTHER_ENVIRONMENT), reason=f"recorded elsewhere: {'; '.join(OTHER_ENVIRONMENT)}"
)
@pytest.mark.parametrize("name", PAPER)
def test_a_run_of_the_paper_keeps_its_bits(name: str) -> None:
    assert difference(RECORDED["runs"][name], made(name)) is None
