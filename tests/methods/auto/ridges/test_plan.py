"""How many observations the looks are about."""

from __future__ import annotations

import pytest

from zooadmm.methods.auto.ridges import plan


@pytest.mark.parametrize("budget", [3_000, 10_000, 100_000, 10**6])
@pytest.mark.parametrize("m", [1, 20, 200])
@pytest.mark.parametrize("samples", [50, 10**6])
def test_the_looks_of_a_plan_reach_its_goal_within_the_budget(budget, m, samples):
    made = plan.planned(budget, m, samples)
    held, spent, looks = 0, 0, 0
    while held < made.goal:
        held += min(plan.more(made, held, m, spent), samples - held)
        spent += held * plan.LINE
        looks += 1
        if held < made.goal:
            spent += 10 * plan.narrow(made, held, m, 0, 10)
    spent += held * (m + plan.LINE)
    assert held <= 1.1 * made.goal
    assert looks <= 12
    if plan.affordable(budget, m, samples) >= 16:
        assert spent <= budget
        last = plan.narrow(made, held, m, spent, 10)
        assert spent + 10 * last <= budget


def test_what_is_left_beyond_the_goal_goes_into_further_observations():
    made = plan.planned(1_000, 10, 10**6)
    again = 2 * plan.LINE * made.goal
    assert plan.more(made, made.goal, 10, made.budget - again - 60) == 3
    assert plan.more(made, made.goal, 10, made.budget) == 3 * made.goal


def test_all_observations_are_held_where_the_budget_allows_for_it():
    assert plan.affordable(100_000, 50, 400) == 400
    assert plan.affordable(20_000, 50, 400) < 400


def test_without_a_budget_looks_grow_twofold():
    made = plan.planned(0, 10, 10**6)
    assert made.goal == 0
    assert [plan.more(made, held, 10, 0) for held in (0, 16, 128)] == [16, 16, 128]
    assert plan.narrow(made, 8, 10, 0, 10) == 0
    assert plan.narrow(made, 100, 10, 0, 10) == 13
