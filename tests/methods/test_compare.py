"""Comparisons: the belief against parameters written out, runs, structure, bits, bad answers."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import expit, log_expit

import zooadmm as zoo
from zooadmm.methods.compare.belief import MISFIT, SIGMA, Belief, Comparisons, Scale

M = 3
BEST = np.array([0.3, 0.8, 0.4])
MIDDLE = np.full(M, 0.5)


def loss(x: np.ndarray) -> float:
    return 20 * float(np.square(x - BEST).sum())


def better(x: np.ndarray, other: np.ndarray) -> bool:
    return loss(x) < loss(other)


def in_odds(seed: int) -> Any:
    random = np.random.default_rng(seed)
    return lambda x, other: random.random() < expit(loss(other) - loss(x))


def optimizer(**given: Any) -> zoo.Optimizer:
    keywords = {"domain": zoo.Box(0, 1), "settings": "compare", "rng": 1, "max_evaluations": 60}
    return zoo.Optimizer(MIDDLE, **{**keywords, **given})


def tell(run: zoo.Optimizer) -> bool:
    query: Any = run.ask()
    if query is not None:
        run.tell(query.id, [better(*pair) for pair in query.pairs])
    return query is not None


def some_belief(count: int = 12, votes: int = 2) -> Belief:
    random = np.random.default_rng(4)
    scale = Scale(random.random(M), 0.7, np.array([1.0, 2.0, 0.5]), 3.0, 0.5, 0.4)
    first, second = scale.center + 0.3 * random.standard_normal((2, count, M))
    seen = Comparisons(first, second, random.integers(0, 3, count) / 2, votes)
    return Belief(scale, seen, np.zeros(count))


def written_out(belief: Belief) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """(features, mean, covariance) of (g, H entry by entry), and the variance of the misfits."""
    scale, seen = belief.scale, belief.seen
    a = scale.amplitude
    u = [(p - scale.center) / scale.radius / scale.units for p in (seen.firsts, seen.seconds)]
    rows = [[*x, *(0.5 * np.outer(x, x)).reshape(-1)] for x in np.concatenate(u)]
    features = np.array(rows)[len(u[0]) :] - np.array(rows)[: len(u[0])]
    mean = np.concatenate([np.zeros(M), a * np.eye(M).reshape(-1)])
    covariance = np.zeros((len(mean), len(mean)))
    covariance[:M, :M] = (a * scale.steepness) ** 2 / M * np.eye(M)
    for i in range(M):
        for j in range(M):
            for k in range(M):
                for l in range(M):  # noqa: E741
                    same = 0.5 * ((i, j) == (k, l)) + 0.5 * ((i, j) == (l, k))
                    both = SIGMA**2 * (i == j) * (k == l) + scale.spread**2 / M * same
                    covariance[M + M * i + j, M + M * k + l] = a**2 * both
    cubes = sum(np.linalg.norm(x, axis=1) ** 3 for x in u)
    return features, mean, covariance, (MISFIT * a * np.asarray(cubes)) ** 2


def test_a_belief_is_the_posterior_of_slope_and_curvature_written_out() -> None:
    belief = some_belief()
    features, mean, covariance, misfit = written_out(belief)
    K = features @ covariance @ features.T + np.diag(misfit)
    shares, votes = belief.seen.shares, belief.seen.votes

    def minus_log_posterior(weights: np.ndarray) -> float:
        d = features @ mean + K @ weights
        fit = votes * (shares * log_expit(d) + (1 - shares) * log_expit(-d)).sum()
        return float(0.5 * weights @ K @ weights - fit)

    found = minimize(minus_log_posterior, np.zeros(len(shares)), options={"gtol": 1e-9})
    parameters = mean + covariance @ features.T @ found.x
    mode = np.concatenate([belief.mean.slope, belief.mean.curvature.reshape(-1)])
    np.testing.assert_allclose(mode, parameters, atol=0.02)  # Newton's method ends at 0.01 nats
    d = features @ mean + K @ belief.weights
    W = votes * expit(d) * expit(-d)
    inverse = np.linalg.inv(K + np.diag(1 / W))
    expected = covariance - covariance @ features.T @ inverse @ features @ covariance
    draws = [belief.draw(random) for random in [np.random.default_rng(0)] for _ in range(4_000)]
    drawn = np.array([[*draw.slope, *draw.curvature.reshape(-1)] for draw in draws])
    errors = np.sqrt(np.diagonal(expected) / len(drawn))
    assert (np.abs(drawn.mean(axis=0) - mode) <= 5 * errors + 0.02).all()
    np.testing.assert_allclose(np.cov(drawn.T), expected, atol=0.1 * expected.max())
    likelihood = -minus_log_posterior(belief.weights)
    evidence = likelihood - 0.5 * np.linalg.slogdet(np.eye(len(K)) + K * W)[1]
    assert belief.evidence == pytest.approx(evidence, abs=1e-6)


def test_a_sure_customer_is_understood() -> None:
    result = zoo.minimize(
        better, MIDDLE, domain=zoo.Box(0, 1), settings="compare", max_evaluations=150, rng=0
    )
    np.testing.assert_allclose(result.x, BEST, atol=2e-3)
    assert result.fun is None
    assert result.preferred is not None
    assert result.preferred > 0.99
    assert result.nfev <= 150
    assert 2 <= result.nfev_report <= 15
    assert "of 14 comparisons with x0" in result.message


def test_uncertain_answers_give_an_error_that_covers_the_optimum() -> None:
    missed, claimed = [], []
    for seed in range(3):
        result = zoo.minimize(
            in_odds(seed), np.zeros(M), settings="compare", max_evaluations=80, rng=seed
        )
        assert result.x_error is not None
        assert not result.success
        assert "x is not shown to be an optimum: comparisons leave it uncertain" in result.message
        missed.append(np.square(result.x - BEST).mean())
        claimed.append(np.square(result.x_error).mean())
    assert np.mean(missed) < 0.03
    assert np.mean(missed) < 2 * np.mean(claimed)


@pytest.mark.parametrize(
    "structure",
    [
        {"domain": zoo.Simplex()},
        {"constraint": zoo.Equality([[1.0, 1.0, 1.0]], [1.0]), "domain": zoo.Box(0, 1)},
        {"constraint": zoo.Inequality([[1.0, 1.0, 1.0]], [-np.inf], [1.0])},
        {"regularizer": zoo.sets.L2Ball(0.6)},
    ],
    ids=["simplex", "equality", "inequality", "ball"],
)
def test_structure_holds_at_every_pair_and_at_the_answer(structure: dict[str, Any]) -> None:
    x0 = np.full(M, 1 / 3)
    run = zoo.Optimizer(x0, settings="compare", max_evaluations=120, rng=0, **structure)
    while (query := run.ask()) is not None:
        pairs = query.pairs  # type: ignore[attr-defined]
        for x in pairs.reshape(-1, M):
            if "domain" in structure:
                assert structure["domain"].distance(x) <= 1e-9
            if "constraint" in structure:
                assert x.sum() <= 1 + 1e-8
            if isinstance(structure.get("constraint"), zoo.Equality):
                assert x.sum() >= 1 - 1e-8
            if "regularizer" in structure:
                assert np.linalg.norm(x) <= 0.6 + 1e-8
        run.tell(query.id, [better(*pair) for pair in pairs])
    exact = zoo.minimize(loss, x0, max_evaluations=2_000, rng=0, **structure)
    np.testing.assert_allclose(run.result().x, exact.x, atol=0.02)


def test_log_odds_are_weighed_against_a_regularizer() -> None:
    settings = zoo.Compare(answers="odds")
    given: dict[str, Any] = {"regularizer": zoo.L1(14.0), "rng": 0}
    result = zoo.minimize(in_odds(0), np.zeros(M), settings=settings, max_evaluations=250, **given)
    exact = zoo.minimize(loss, np.zeros(M), max_evaluations=2_000, **given)  # (0, 0.45, 0.05)
    assert result.x[0] == 0.0
    np.testing.assert_allclose(result.x, exact.x, atol=0.1)
    assert "unit of f" not in result.message
    given["regularizer"] = zoo.L1(0.1)
    for seed in range(3):
        given["rng"] = seed
        sure = zoo.minimize(better, MIDDLE, settings=settings, max_evaluations=60, **given)
        assert "the unit of f is not known" in sure.message


def test_shares_of_votes_count_more_than_one_vote() -> None:
    def share(x: np.ndarray, other: np.ndarray) -> float:
        return float(expit(loss(other) - loss(x)))

    settings = zoo.Compare(votes=50)
    result = zoo.minimize(share, np.zeros(M), settings=settings, max_evaluations=80, rng=0)
    np.testing.assert_allclose(result.x, BEST, atol=0.03)


def test_names_are_for_both_points() -> None:
    space = zoo.Parameters({"heat": (80, 100), "seconds": (10, 40)})

    def prefers(cup: dict[str, float], other: dict[str, float]) -> bool:
        return abs(cup["heat"] - 92) + abs(cup["seconds"] - 28) / 3 < (
            abs(other["heat"] - 92) + abs(other["seconds"] - 28) / 3
        )

    result = zoo.minimize(prefers, space, settings="compare", max_evaluations=80, rng=0)
    assert result.named["heat"] == pytest.approx(92, abs=1)
    assert result.named["seconds"] == pytest.approx(28, abs=2)


def test_pairs_come_in_random_order_and_are_two_points() -> None:
    run, first = optimizer(max_evaluations=120), []
    while (query := run.ask()) is not None:
        pairs = query.pairs  # type: ignore[attr-defined]
        assert pairs.shape == (len(query), 2, M)
        assert (pairs[:, 0] != pairs[:, 1]).any(axis=1).all()
        first += [better(*pair) for pair in pairs]
        run.tell(query.id, first[-len(pairs) :])
    assert 0.35 < np.mean(first) < 0.65


def test_a_run_goes_on_from_its_file_with_the_same_bits(tmp_path: Path) -> None:
    whole = optimizer(max_evaluations=30)
    while tell(whole):
        pass
    for steps in (0, 7, 20):
        half = optimizer(max_evaluations=30)
        for _ in range(steps):
            tell(half)
        half.ask()
        half.save(tmp_path / "run")
        rest = optimizer(max_evaluations=30, rng=None)
        rest.load(tmp_path / "run")
        while tell(rest):
            pass
        assert rest.result().x.tobytes() == whole.result().x.tobytes()
        assert rest.result().x_error.tobytes() == whole.result().x_error.tobytes()  # type: ignore[union-attr]
    with pytest.raises(ValueError, match="another settings"):
        optimizer(settings=zoo.Compare(votes=3)).load(tmp_path / "run")


def test_cells_and_engines_give_the_same_bits() -> None:
    settings = zoo.Compare(pairs=4)
    by_cells = optimizer(settings=settings)
    while (cells := by_cells.ask(4)) is not None:
        for cell in reversed(cells):
            by_cells.tell(cell.id, better(cell.point, cell.observation))
    given: dict[str, Any] = {"domain": zoo.Box(0, 1), "settings": settings, "rng": 1}
    here = zoo.minimize(better, MIDDLE, max_evaluations=60, **given)
    there = zoo.minimize(
        better, MIDDLE, max_evaluations=60, evaluator=zoo.evaluation.Threads(2), **given
    )
    assert by_cells.result().x.tobytes() == here.x.tobytes() == there.x.tobytes()


def test_a_masked_answer_and_a_late_one_are_left_out() -> None:
    run = optimizer(settings=zoo.Compare(pairs=4), max_evaluations=8)
    query: Any = run.ask()
    run.tell(query.id, np.ma.array([1.0, 0.0, 1.0, 0.0], mask=[0, 1, 0, 0]))
    assert run.state.learned.answered == 3
    hasty = optimizer(settings=zoo.Compare(pairs=4), max_evaluations=8, patience=0.5)
    query = hasty.ask()
    assert hasty.tell(query.id, {0: True}) is None
    assert hasty.tell(query.id, {2: False}) is not None
    assert hasty.state.learned.answered == 2


def test_pairs_that_nobody_answers_are_passed_over_from_the_first_on() -> None:
    asked = 0

    def hesitant(x: np.ndarray, other: np.ndarray) -> bool:
        nonlocal asked
        asked += 1
        if asked % 4 == 1:
            raise ValueError("I cannot say")
        return better(x, other)

    result = zoo.minimize(
        hesitant,
        MIDDLE,
        domain=zoo.Box(0, 1),
        settings="compare",
        max_evaluations=100,
        on_error="drop",
        rng=1,
    )
    assert loss(result.x) < 0.01 * loss(MIDDLE)
    assert "same answer" not in result.message
    with pytest.raises(ValueError, match="of query 20 were dropped"):
        zoo.minimize(
            lambda x, other: 1 / 0,
            MIDDLE,
            settings="compare",
            max_evaluations=100,
            on_error="drop",
        )


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (0.3, "answered by 0.3; .* give settings=Compare\\(votes=n\\)"),
        (float("nan"), "answered by nan; .* mask it"),
        (-1, "answered by -1; .* return \\(1 \\+ sign\\) / 2"),
        (2, "answered by 2; answer 1 where the first point is better"),
        ("first", "loss returned a string"),
        (None, "loss returned None"),
    ],
)
def test_an_answer_that_is_none_is_refused(answer: Any, said: str) -> None:
    with pytest.raises((TypeError, ValueError), match=said):
        zoo.minimize(lambda x, other: answer, MIDDLE, settings="compare", max_evaluations=9)
    run = optimizer()
    query: Any = run.ask()
    with pytest.raises((TypeError, ValueError)):
        run.tell(query.id, [answer])
    with pytest.raises((TypeError, ValueError)):
        run.tell(query.id, {0: answer})
    assert run.evaluations == 0
    assert run.tell(query.id, {0: True}) is not None


def test_a_function_of_one_point_is_told_how_it_is_called() -> None:
    with pytest.raises(TypeError) as caught:
        zoo.minimize(lambda x: True, MIDDLE, settings="compare", max_evaluations=9)
    assert any("loss(x, other), with two vectors" in note for note in caught.value.__notes__)


@pytest.mark.parametrize("answer", [0.5, True, False])
def test_answers_that_are_all_the_same_teach_nothing(answer: Any) -> None:
    result = zoo.minimize(
        lambda x, other: answer, MIDDLE, settings="compare", max_evaluations=25, rng=0
    )
    assert result.status is zoo.Status.UNCHANGED
    assert result.message.startswith("All comparisons had the same answer")
    assert not result.success
    assert (result.x == MIDDLE).all()


def test_few_uncertain_answers_do_not_overrule_a_run() -> None:
    """Two last comparisons with x0 are two more of 30, each wrong now and then."""
    best, kept = np.array([0.3, 0.8]), 0

    def f(x: np.ndarray) -> float:
        return 12.0 * float(np.square(x - best).sum())

    for seed in range(10):
        random = np.random.default_rng(100 + seed)

        def prefers(x: np.ndarray, other: np.ndarray, random: Any = random) -> bool:
            return bool(random.random() < 1.0 / (1.0 + np.exp(f(x) - f(other))))

        start = np.full(2, 0.5)
        given: dict[str, Any] = {"domain": zoo.Box(0, 1), "max_evaluations": 30, "rng": seed}
        result = zoo.minimize(prefers, start, settings="compare", **given)
        kept += bool((result.x == start).all())
    assert kept <= 1


def test_a_phi_of_a_y_that_x_does_not_fix_is_refused_before_any_comparison() -> None:
    rows = zoo.Linear(np.eye(2)[:1], np.ones((1, 2)))
    with (
        pytest.warns(RuntimeWarning, match="neither A nor B has an inverse"),
        pytest.raises(ValueError, match="B has no inverse"),
    ):
        zoo.minimize(
            lambda x, other: pytest.fail("a comparison"),
            np.zeros(2),
            regularizer=zoo.L1(0.1),
            constraint=rows,
            settings=zoo.Compare(answers="odds"),
            max_evaluations=40,
        )


def test_a_customer_who_likes_the_start_keeps_it() -> None:
    def likes_the_start(x: np.ndarray, other: np.ndarray) -> bool:
        return bool(np.abs(x - MIDDLE).max() < np.abs(other - MIDDLE).max())

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = zoo.minimize(
            likes_the_start, MIDDLE, settings="compare", max_evaluations=40, rng=0
        )
    assert (result.x == MIDDLE).all()
    assert "x0 is recommended" in result.message
    assert not result.success


def test_a_tolerance_is_about_the_error_of_x() -> None:
    settings = zoo.Compare(pairs=5)
    result = zoo.minimize(
        better, MIDDLE, settings=settings, tolerance=0.05, max_evaluations=400, rng=0
    )
    assert result.status is zoo.Status.TOLERANCE
    assert result.success
    assert np.linalg.norm(result.x_error) <= 0.05 < np.linalg.norm(MIDDLE - BEST)  # type: ignore[arg-type]
    np.testing.assert_allclose(result.x, BEST, atol=0.05)


def test_success_is_shown_by_comparisons_that_leave_nothing(tmp_path: Path) -> None:
    result = zoo.minimize(
        better, np.zeros(M), settings=zoo.Compare(pairs=3), max_evaluations=240, rng=0
    )
    assert result.success
    assert result.optimum == "stationary"
    assert loss(result.x) <= 1e-4 * loss(np.zeros(M))
    result.save(tmp_path / "result.json")
    again = zoo.Result.load(tmp_path / "result.json")
    assert again.preferred == result.preferred
    assert again.x_error.tobytes() == result.x_error.tobytes()  # type: ignore[union-attr]
    assert "x_error" in repr(result)


def test_where_there_is_one_point_there_is_nothing_to_compare() -> None:
    result = zoo.minimize(
        better, MIDDLE, domain=zoo.Box(0.5, 0.5), settings="compare", max_evaluations=20
    )
    assert result.nfev == 0
    assert result.status is zoo.Status.SETTLED
    assert not result.success


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"regularizer": zoo.L1(1.0)}, 'cannot be weighed against it.*answers="odds"'),
        ({"target": 0.0}, "target is about values"),
        ({"starts": 3}, "starts is about values"),
        ({"history": "points.csv"}, "history is about values"),
        ({"regret": zoo.Regret(BEST)}, "regret is about values"),
        ({"observations": [1, 2]}, "without observations"),
        ({"step_size": 0.1}, "has no step_size"),
        ({"settings": zoo.Compare(), "evaluated": 2}, "evaluated= has a method of its own"),
    ],
)
def test_what_does_not_fit_is_refused(given: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        zoo.minimize(better, MIDDLE, **{"settings": "compare", "max_evaluations": 9, **given})


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"answers": "odd"}, 'answers must be "signs" or "odds"'),
        ({"votes": 0}, "votes = 0 must be a whole number"),
        ({"pairs": 1.5}, "pairs = 1.5 must be a whole number"),
    ],
)
def test_settings_are_checked(given: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        zoo.Compare(**given)
    pytest.importorskip("optuna")
    from zooadmm.integrations.optuna import Sampler

    with pytest.raises(ValueError, match="a trial has a value"):
        Sampler(3, settings=zoo.Compare())
    with pytest.raises(ValueError, match="float64"):
        zoo.Optimizer(MIDDLE.astype(np.float32), settings="compare")
