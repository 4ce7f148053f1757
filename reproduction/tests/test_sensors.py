"""Fig. 2: its runs on tiny fields, its verdicts on made-up rows, its pictures."""

from __future__ import annotations

import json
import math
import sys

import numpy as np
import pytest

import zooadmm as zoo
from zooadmm.applications.baselines import second_order
from zooadmm.losses import LogDeterminant
from zooadmm_reproduction.claims import Verdict
from zooadmm_reproduction.exhibits import AUTO, FIRST_ORDER, ZOO, Picture, Table
from zooadmm_reproduction.experiment import Size
from zooadmm_reproduction.rows import Row, column, where
from zooadmm_reproduction.sensors import Fig2a, Fig2b, fig2a_claims, fig2b_claims
from zooadmm_reproduction.sensors.budgeting import course
from zooadmm_reproduction.sensors.conic import (
    CONIC,
    conic_trial,
    pooled_trial,
    pooled_weights,
)
from zooadmm_reproduction.sensors.conic import POOLED as POOLED_RIVAL
from zooadmm_reproduction.sensors.selecting import (
    colorado_trial,
    field,
    field_trial,
    run_rng,
    whole_trial,
    years,
)
from zooadmm_reproduction.sensors.speeds import speeds
from zooadmm_reproduction.sensors.task import JOSHI_BOYD, RANDOM, WHOLE, Task, online
from zooadmm_reproduction.sensors.timing import (
    HALF,
    HESSIAN,
    INVERSE,
    LONG_ENOUGH,
    SOLVE,
    Watch,
    seconds_of_one,
    timed_trial,
)

NEAR = {ZOO: 1.02, FIRST_ORDER: 1.01, JOSHI_BOYD: 1.0, AUTO: 1.0, RANDOM: 1.5}
"""MSEs, beside Joshi and Boyd's, for which all that the paper says of Fig. 2(a) is true."""


def chosen(
    part: str = "field",
    budgets: tuple[int, ...] = (10, 30),
    spread: float = 1e-4,
    pooled: float | None = None,
    **changed: float,
) -> list[Row]:
    """Rows in which each method has its MSE of NEAR; `changed` by the letters before a hyphen.

    pooled: ZOO-ADMM's in the other reading, if that differs.
    """
    near = NEAR | {method: changed[key] for key, method in KEYS.items() if key in changed}
    rows: list[Row] = []
    for trial in range(4):
        for budget in budgets:
            for method, ratio in near.items():
                mse = ratio * (1 + spread * (trial - 1.5)) if method == ZOO else ratio
                rows.append({"part": part, "trial": trial, "budget": budget, "method": method})
                rows[-1] |= {"mse": mse / budget, "gain": 0.5, "degrees": ratio}
                rows[-1]["pooled"] = (mse if pooled is None or method != ZOO else pooled) / budget
    return rows


KEYS = {"zoo": ZOO, "first": FIRST_ORDER, "newton": JOSHI_BOYD, "blind": RANDOM}


def same(rows: list[Row]) -> Verdict:
    return fig2a_claims.almost_the_same(rows, "here", "fig2a").verdict


def test_almost_the_same() -> None:
    assert same(chosen()) is Verdict.HOLDS
    assert same(chosen(zoo=1.2)) is Verdict.FAILS
    assert same(chosen(zoo=0.8)) is Verdict.FAILS
    assert same(chosen(zoo=1.055, spread=0.02)) is Verdict.UNDECIDED


def test_almost_the_same_at_every_budget() -> None:
    mixed = chosen(budgets=(10,), zoo=1.2) + chosen(budgets=(30,))
    claim = fig2a_claims.almost_the_same(mixed, "here", "fig2a")
    assert claim.verdict is Verdict.FAILS
    assert "apart for m0 = 10." in claim.measured


def test_both_readings_of_the_mse_are_judged() -> None:
    assert same(chosen(pooled=1.2)) is Verdict.RANGE
    assert better(chosen(pooled=1.3)) is Verdict.RANGE
    assert better(chosen(zoo=1.3, pooled=1.3)) is Verdict.FAILS
    claim = fig2a_claims.almost_the_same(chosen(pooled=1.2), "here", "fig2a")
    assert "one pooled inverse: 19% above O-ADMM's" in claim.measured
    assert ", as mean over samples, here." in claim.conclusion


def test_what_choosing_at_random_costs() -> None:
    remark = fig2a_claims.blind_choice(chosen(blind=1.011))
    assert "within 1.1% of the optimum" in remark.says
    assert "for m0 = 10, 30: 1.1%, 1.1% (mean over samples); 1.1%" in remark.measured
    assert "within 50% of" in fig2a_claims.blind_choice(chosen()).says


def test_errors_of_a_choice() -> None:
    vectors = np.random.default_rng(0).standard_normal((4, 8, 2))
    choice = np.arange(8) < 5
    errors = Task(vectors, LogDeterminant(vectors), 5).errors(choice)
    M = [a[:5].T @ a[:5] for a in vectors]
    assert errors["mse"] == pytest.approx(np.mean([np.trace(np.linalg.inv(one)) for one in M]))
    assert errors["pooled"] == pytest.approx(np.trace(np.linalg.inv(sum(M))))


def better(rows: list[Row]) -> Verdict:
    return fig2a_claims.second_order_better(rows, "here", "fig2a").verdict


def test_the_second_order_method_is_slightly_better() -> None:
    assert better(chosen()) is Verdict.HOLDS
    assert better(chosen(zoo=0.99)) is Verdict.FAILS
    assert better(chosen(zoo=1.3)) is Verdict.FAILS
    assert better(chosen(zoo=1.02, spread=0.1)) is Verdict.UNDECIDED
    mixed = chosen(budgets=(10,), zoo=0.99) + chosen(budgets=(30,), zoo=1.05)
    claim = fig2a_claims.second_order_better(mixed, "here", "fig2a")
    assert claim.verdict is Verdict.FAILS
    assert "other way round for m0 = 10)" in claim.measured


def whole(mse: float, budgets: tuple[int, ...] = (10, 30)) -> list[Row]:
    """Rows of values of all samples, with this MSE beside Joshi and Boyd's."""
    at: Row = {"part": "whole", "method": WHOLE, "evaluations": 9}
    return [
        at | {"trial": trial, "budget": budget, "mse": mse / budget}
        for trial in (0, 1)
        for budget in budgets
    ]


@pytest.mark.parametrize(
    ("mse", "verdict"), [(0.98, Verdict.FAILS), (1.0, Verdict.FAILS), (1.02, Verdict.HOLDS)]
)
def test_order_is_the_reason_unless_values_do_as_well(mse: float, verdict: Verdict) -> None:
    claim = fig2a_claims.because_second_order(chosen() + whole(mse))
    assert claim.verdict is verdict
    assert "nothing to explain" not in claim.measured
    assert ("does not take second derivatives" in claim.conclusion) == (verdict is Verdict.FAILS)


@pytest.mark.parametrize(
    ("zoo", "spread", "verdict"), [(0.9, 1e-4, Verdict.FAILS), (1.0, 0.1, Verdict.UNDECIDED)]
)
def test_no_advantage_no_reason(zoo: float, spread: float, verdict: Verdict) -> None:
    claim = fig2a_claims.because_second_order(chosen(zoo=zoo, spread=spread) + whole(1.02))
    assert claim.verdict is verdict
    assert "nothing to explain" in claim.measured


def along(over: float) -> list[Row]:
    return [
        {"part": "course", "trial": trial, "budget": 10, "method": method, "t": t}
        | {"over": over / t, "above": -over / t}
        for trial in (0, 1)
        for method in (ZOO, FIRST_ORDER)
        for t in (1, 10, 100)
    ]


def test_what_is_said_of_the_budget() -> None:
    missed, met = fig2a_claims.budget_remark(along(0.5)), fig2a_claims.budget_remark(along(0.0))
    assert "0.5 [0.5, 0.5] for ZOO-ADMM" in missed
    assert "at 12 of 12 recorded iterations; at 12 of these" in missed
    assert met.endswith("at 0 of 12 recorded iterations.")


def clocked(
    usual: float, half: float, inverting: float = 0.8, gives_up: int = 9999, pooled: float = 1.0
) -> list[Row]:
    """Second-order seconds grow by `usual` and `half` powers of m faster than ZOO-ADMM's.

    pooled: the same power of the released program's rival.
    """
    rows: list[Row] = []
    for m in (50, 100, 200, 400):
        for trial in range(3):
            at: Row = {"m": m, "trial": trial}
            zoo, wobble = 0.001 * m, 1 + 0.01 * trial
            newton = {"usual": zoo * (m / 50) ** usual, "half": zoo * (m / 50) ** half}
            for part, seconds in newton.items():
                run: Row = {"part": part, "left": 0.5}
                reached: Row = {"reached": int(m < gives_up)} if part == "half" else {}
                rows += [
                    at | run | {"method": JOSHI_BOYD, "seconds": seconds * wobble},
                    at | run | {"method": FIRST_ORDER, "seconds": inverting * zoo},
                    at | run | {"method": AUTO, "seconds": 1.0},
                    at | run | {"method": ZOO, "seconds": zoo} | reached,
                ]
            rows.append(at | {"part": "usual", "method": CONIC, "seconds": 1.0})
            rival = zoo * (m / 50) ** pooled * wobble
            rows.append(at | {"part": "usual", "method": POOLED_RIVAL, "seconds": rival})
            for name in (INVERSE, HESSIAN, SOLVE):
                rows.append(at | {"part": "parts", "method": name, "seconds": 1e-5})
    return rows


@pytest.mark.parametrize(
    ("printed", "released", "verdict", "said"),
    [
        (1.0, 1.0, Verdict.HOLDS, "faster than the second-order method as m grows."),
        (1.0, 0.2, Verdict.RANGE, "not than the pooled problem"),
        (0.2, 1.0, Verdict.RANGE, "but not than a second-order method on the printed one."),
        (0.2, 0.2, Verdict.FAILS, "is not shown to become much faster"),
    ],
)
def test_faster_as_m_grows(printed: float, released: float, verdict: Verdict, said: str) -> None:
    claim = fig2b_claims.faster_as_usual(clocked(printed, 0.0, pooled=released), 70)
    assert claim.verdict is verdict
    assert said in claim.conclusion


@pytest.mark.parametrize(("grows", "said"), [(1.0, "is faster than"), (-0.2, "is not faster than")])
def test_the_same_accuracy_is_a_remark(grows: float, said: str) -> None:
    rows = clocked(1.0, grows)
    assert said in fig2b_claims.until_half(rows).says
    assert Fig2b().remarks(rows) == [fig2b_claims.until_half(rows)]
    assert not any("half of the gap" in claim.says for claim in Fig2b().claims(rows))


def test_iterations_are_those_that_were_run() -> None:
    rows = clocked(1.0, 1.0)
    assert "mean of 70 log-determinants" in fig2b_claims.faster_as_usual(rows, 70).measured
    once, twice = (fig2b_claims.because_nothing_is_inverted(rows, T).measured for T in (70, 140))
    assert "0.2% of its iteration" in once  # 1e-5 s of 0.32 s / 70
    assert "0.4% of its iteration" in twice


def test_runs_that_gave_up_are_no_victory_and_no_exponent() -> None:
    rows = clocked(1.0, 1.0, gives_up=400)
    compared = speeds(where(rows, part="half"), JOSHI_BOYD, ZOO)
    for row in where(where(rows, part="half"), method=ZOO, m=400):
        row["seconds"] = 1e-9  # given up at once, which looks like a steep exponent
    assert speeds(where(rows, part="half"), JOSHI_BOYD, ZOO).exponent == compared.exponent
    remark = fig2b_claims.until_half(rows)
    assert "is not faster" in remark.says
    assert "at most" in remark.measured
    assert "in trials with m = 400;" in remark.measured


def test_one_trial_given_up_takes_its_size_out_of_the_table() -> None:
    rows = clocked(1.0, 1.0)
    where(rows, part="half", method=ZOO, m=400, trial=0)[0]["reached"] = 0
    table = next(some for some in Fig2b().exhibits(rows) if isinstance(some, Table))
    assert where(table.rows, run="half the gap", method=ZOO)[0]["m"] == "50 to 200"
    assert where(table.rows, run="as usually run", method=ZOO)[0]["m"] == "50 to 400"


def test_too_few_sizes_for_an_exponent() -> None:
    remark = fig2b_claims.until_half(clocked(1.0, 1.0, gives_up=200))
    assert "too few m" in remark.measured


def test_a_bound_below_the_line_fails() -> None:
    compared = speeds(where(clocked(1.0, 0.2, gives_up=400), part="half"), JOSHI_BOYD, ZOO)
    assert fig2b_claims.grows_to_much(compared) is Verdict.FAILS


@pytest.mark.parametrize(("inverting", "verdict"), [(0.8, Verdict.FAILS), (5.0, Verdict.HOLDS)])
def test_an_inverse_is_the_reason_only_if_it_costs(inverting: float, verdict: Verdict) -> None:
    rows = clocked(1.0, 1.0, inverting)
    assert fig2b_claims.because_nothing_is_inverted(rows, 70).verdict is verdict


def test_no_speed_no_reason() -> None:
    claim = fig2b_claims.because_nothing_is_inverted(clocked(0.2, 1.0, 5.0), 70)
    assert claim.verdict is Verdict.FAILS
    assert "nothing to explain" in claim.measured
    assert "explains nothing" in claim.conclusion


@pytest.mark.parametrize(
    ("inverting", "said"), [(0.8, "is no slower."), (2.0, "is not much slower.")]
)
def test_how_much_slower_inverting_is(inverting: float, said: str) -> None:
    claim = fig2b_claims.because_nothing_is_inverted(clocked(1.0, 1.0, inverting), 70)
    assert claim.conclusion.endswith(said)


def read(rows: list[Row]) -> list[Row]:
    """As they come back from the folder that keeps them."""
    kept: list[Row] = json.loads(json.dumps(rows))
    return kept


def test_exhibits_of_fig2a() -> None:
    rows = read(chosen() + chosen("colorado") + along(0.5) + whole(1.0))
    shown = Fig2a().exhibits(rows)
    assert shown[0].name == "fig2a"
    assert all("<svg" in some.svg() for some in shown if isinstance(some, Picture))
    tables = {some.name: some.rows for some in shown if isinstance(some, Table)}
    assert tables["fig2a-held-out"][0][RANDOM] == "1.5 [1.5, 1.5]"
    assert tables["fig2a-random"][0]["chosen at random, one pooled inverse"] == "1.5000"
    names = {some.name for some in shown}
    assert {claim.exhibit for claim in Fig2a().claims(rows)} <= names
    assert {remark.exhibit for remark in Fig2a().remarks(rows)} <= names


def test_what_is_found_on_other_data_is_no_claim_of_the_paper() -> None:
    rows = chosen() + chosen("colorado", zoo=1.2) + along(0.5) + whole(1.0)
    assert not any("Colorado" in claim.conclusion for claim in Fig2a().claims(rows))
    said = [remark.says for remark in Fig2a().remarks(rows)]
    assert "ZOO-ADMM's MSE differs from O-ADMM's, on Colorado's stations." in said


def test_exhibits_of_fig2b() -> None:
    rows = read(clocked(1.0, 1.0, gives_up=400))
    shown = Fig2b().exhibits(rows)
    assert shown[0].name == "fig2b"
    assert all("<svg" in some.svg() for some in shown if isinstance(some, Picture))
    table = next(some for some in shown if isinstance(some, Table))
    half = where(table.rows, run="half the gap")
    assert where(half, method=ZOO)[0]["m"] == "50 to 200"
    assert where(half, method=FIRST_ORDER)[0]["exponent"] == "1 [1, 1]"
    assert {claim.exhibit for claim in Fig2b().claims(rows)} <= {some.name for some in shown}


def test_a_tiny_field() -> None:
    rows = field_trial(0, 1, 20, 60, (6, 12))
    assert rows == field_trial(0, 1, 20, 60, (6, 12))
    for method in (ZOO, FIRST_ORDER, AUTO, RANDOM):
        assert all(mse > 0 for mse in column(where(rows, method=method), "mse"))
    assert column(where(rows, method=JOSHI_BOYD), "gain") == [1.0, 1.0]
    assert max(column(where(rows, method=AUTO), "gain")) <= 1.0
    all_samples = whole_trial(0, 1, 20, 60, (6,))
    newton = where(rows, method=JOSHI_BOYD, budget=6)[0]
    assert all_samples[0]["mse"] == newton["mse"]
    assert all(
        float(row["pooled"]) < float(row["mse"]) / 30 for row in rows
    )  # 60 samples pooled know more than one


def test_a_tiny_course() -> None:
    rows = course(0, 0, 20, 60, 6)
    assert where(rows, t=1)[0]["over"] == pytest.approx(0.0, abs=1e-12)
    assert max(abs(over) for over in column(rows, "over")) > 1e-3


def test_colorado_is_learned_from_other_years_than_it_is_tested_on() -> None:
    learned, tested = years(np.random.default_rng(0))
    assert learned.shape == (432, 104)
    assert tested.shape == (144, 104)
    usual = np.nanmean(learned.reshape(36, 12, 104), axis=0)
    np.testing.assert_allclose(usual, 0.0, atol=1e-12)


def test_colorado() -> None:
    rows = colorado_trial(0, 0, 100, (20,))
    of = {str(row["method"]): row for row in rows}
    assert float(of[JOSHI_BOYD]["mse"]) < float(of[RANDOM]["mse"])
    assert 0.2 < float(of[JOSHI_BOYD]["degrees"]) < 3.0


def test_fields_and_runs_have_numbers_of_their_own() -> None:
    assert not np.isin(field(0, 0, 20, 3), field(0, 0, 30, 3)).any()
    drawn = [run_rng(0, 0, m, budget).random() for m in (20, 30) for budget in (5, 6)]
    assert len(set(drawn)) == 4


def test_tiny_timings() -> None:
    rows = timed_trial(0, 0, 20, 50, 0.0) + conic_trial(0, 0, (20, 30), 0.0)
    assert all(seconds > 0 for seconds in column(rows, "seconds"))
    assert len(where(rows, method=CONIC)) == 1  # the first was too slow already
    for method in (ZOO, FIRST_ORDER):  # no seconds, no second look
        (run,) = where(rows, part="half", method=method)
        assert (run["reached"], run["iterations"]) == (0, 1)


def test_the_pooled_rival_solves_the_pooled_problem() -> None:
    vectors = field(0, 0, 30, 200)
    x = pooled_weights(vectors)
    assert x.sum() == pytest.approx(10.0, abs=1e-4)
    M = np.einsum("m,tmi,tmj->ij", x, vectors, vectors)
    slope = np.einsum("tmi,ij,tmj->m", vectors, np.linalg.inv(M), vectors)
    assert slope[x > 0.99].min() >= slope[x < 0.01].max() - 1e-4  # no exchange helps
    rows = pooled_trial(0, 0, (20, 30), 50)
    assert [row["m"] for row in where(rows, part="usual", method=POOLED_RIVAL)] == [20, 30]


def test_one_of_many_in_a_row() -> None:
    calls = 0

    def work() -> None:
        nonlocal calls
        calls += 1

    seconds = seconds_of_one(work)
    assert seconds * calls / 2 >= 0.999 * LONG_ENOUGH  # the last row is half of all calls
    assert calls > 100


def test_exact_gradients_take_half_of_the_gap() -> None:
    vectors = field(0, 0, 20, 50)
    task = Task(vectors, LogDeterminant(vectors), 10)
    first, best = task.value(task.start), task.value(second_order(vectors, 10, 1e-6))
    watch = Watch(task, best + HALF * (first - best), math.inf)
    online(task, zoo.paper.Exact(), 20_000, run_rng(0, 0, 20, 10), watch)
    assert watch.reached
    assert watch.iterations > 1


def test_without_a_conic_solver_nothing_is_begun(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cvxpy", None)
    with pytest.raises(ImportError, match="pip install"):
        Fig2b().pieces(Size.QUICK, 0)


class Seen:
    """What a watch sees of an iteration."""

    def __init__(self, t: int, x: np.ndarray) -> None:
        self.t, self.x = t, x


def test_a_watch_ends_at_the_target_and_not_before() -> None:
    vectors = np.random.default_rng(0).standard_normal((3, 8, 2))
    task = Task(vectors, LogDeterminant(vectors), 4)
    value = task.value(task.start)
    with pytest.raises(StopIteration):
        Watch(task, value + 1.0, 100.0)(Seen(1, task.start))  # type: ignore[arg-type]
    watch = Watch(task, value - 1.0, 100.0)
    for t in range(1, 30):
        watch(Seen(t, task.start))  # type: ignore[arg-type]
    assert not watch.reached
    with pytest.raises(StopIteration):
        Watch(task, value - 1.0, 0.0)(Seen(1, task.start))  # type: ignore[arg-type]


@pytest.mark.parametrize("experiment", [Fig2a(), Fig2b()])
@pytest.mark.parametrize("size", list(Size))
def test_pieces_have_names_of_their_own(experiment: Fig2a | Fig2b, size: Size) -> None:
    names = [piece.name for piece in experiment.pieces(size, 0)]
    assert len(set(names)) == len(names)
    assert all(name.startswith("sensors-") for name in names)
