"""A newcomer who follows a call has few functions to read before the first query."""

from __future__ import annotations

import pytest

from tools.walk import RUNS, walked


@pytest.mark.parametrize("name", RUNS)
def test_at_most_forty_functions_run_before_the_first_query(name: str) -> None:
    entered = walked(name).entered
    assert len(entered) <= 40, sorted(function for _, function in entered)
