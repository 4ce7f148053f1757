"""A follower: its experts against sums written out, runs that drift, bounds, bits, refusals."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import zooadmm as zoo
from zooadmm.methods.follow import follower
from zooadmm.methods.follow.experts import LocalModel, along, first, memories, two_curvatures

M = 3
CENTER = np.array([0.5, -1.0, 2.0])


def circling(x: np.ndarray, t: int) -> float:
    return float(np.square(x - target(t)).sum())


def target(t: int) -> np.ndarray:
    return np.array([math.cos(t / 100), math.sin(t / 100), 0.5])


def optimizer(**given: Any) -> zoo.Optimizer:
    keywords = {"observations": zoo.Time(), "settings": "follow", "rng": 3, "max_iterations": 80}
    return zoo.Optimizer(np.zeros(M), **{**keywords, **given})


def tell(run: zoo.Optimizer, loss: Any = circling) -> bool:
    query = run.ask()
    if query is not None:
        run.tell(query.id, [[loss(cell.point, cell.observation)] for cell in query])
    return query is not None


def models(count: int) -> Iterator[LocalModel]:
    generator = np.random.default_rng(0)
    for _ in range(count):
        x, g = generator.standard_normal((2, M))
        yield LocalModel(x, g, two_curvatures(g, 2.0 + generator.random(), generator.random()))


def test_experts_minimize_the_sums_of_models_written_out() -> None:
    experts, seen = first(np.zeros(M)), list(models(40))
    for model in seen:
        experts = experts.after(model)
    for k, rounds in enumerate(memories(M)):
        kept = 1 - 1 / rounds
        ages = [kept ** (len(seen) - 1 - i) for i in range(len(seen))]
        A = sum(a * model.hessian for a, model in zip(ages, seen, strict=True))
        b = sum(
            a * (model.hessian @ model.x - model.gradient)
            for a, model in zip(ages, seen, strict=True)
        )
        np.testing.assert_allclose(experts.hessians[k], A, rtol=1e-10)
        np.testing.assert_allclose(experts.targets[k], b, rtol=1e-8, atol=1e-10)


def test_a_model_is_the_quadratic_that_it_says() -> None:
    (model,) = models(1)
    points = np.random.default_rng(1).standard_normal((5, M))
    expected = [
        model.gradient @ (p - model.x) + 0.5 * (p - model.x) @ model.hessian @ (p - model.x)
        for p in points
    ]
    np.testing.assert_allclose(model.losses(points), expected)

    kappa = along(model.hessian, model.gradient)
    assert model.excess == pytest.approx(model.gradient @ model.gradient / (2.0 * kappa))


def test_a_refuted_memory_takes_over_the_leader() -> None:
    experts = first(np.zeros(M))
    places = [np.zeros(M)] * 200 + [np.full(M, 5.0)] * 40
    x = np.zeros(M)
    for place in places:
        way = x - place
        gradient = way if np.any(way) else np.full(M, 1e-9)
        experts = experts.after(LocalModel(x, gradient, np.eye(M)))
        x = experts.weights @ experts.candidates
    assert np.abs(x - 5.0).max() < 0.05
    assert np.abs(experts.points - 5.0).max() < 1.0  # the longest memory too


@pytest.mark.parametrize("unit", [1e-4, 1.0, 1e4])
def test_a_circle_is_followed_in_any_unit(unit: float) -> None:
    errors = []

    def loss(x: np.ndarray, t: int) -> float:
        return 7.0 * circling(x / unit, t)

    result = zoo.minimize(
        loss,
        np.full(M, 0.1 * unit),
        observations=zoo.Stream(range(400)),
        settings="follow",
        rng=0,
        callback=lambda info: errors.append(np.abs(info.x / unit - target(info.t // 2)).max()),
    )
    assert max(errors[400:]) < 0.05
    assert np.abs(result.x / unit - target(400)).max() < 0.05
    assert "rounds" in result.learned


def test_a_still_target_is_found_exactly() -> None:
    rows = np.random.default_rng(0).standard_normal((400, M))
    result = zoo.minimize(
        lambda x, w: (rows[w] @ (x - CENTER)) ** 2,
        np.zeros(M),
        observations=zoo.Stream(range(400)),
        settings="follow",
        rng=0,
    )
    assert np.abs(result.x - CENTER).max() < 1e-3


def test_noise_is_seen_and_averaged_out() -> None:
    generator = np.random.default_rng(0)
    result = zoo.minimize(
        lambda x, w: np.square(x - CENTER).sum() + 0.1 * generator.standard_normal(),
        np.zeros(M),
        observations=zoo.Stream(range(600)),
        settings="follow",
        rng=0,
    )
    assert np.abs(result.x - CENTER).max() < 0.1
    assert "noise 0." in result.learned


def test_values_that_differ_by_rounding_are_no_noise() -> None:
    """As those of a matrix product do, by where an array lies."""
    calls = 0

    def loss(x: np.ndarray, t: int) -> float:
        nonlocal calls
        calls += 1
        return float(np.square(x - CENTER).sum()) * (1.0 + 2.0**-52 * (calls % 3))

    run = optimizer(max_iterations=None, observations=zoo.Stream(range(40)))
    while tell(run, loss):
        pass
    assert "no noise" in run.result().learned
    assert np.abs(run.result().x - CENTER).max() < 1e-4


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_noise_that_starts_small_is_not_taken_for_curvature(sign: float) -> None:
    """The first values agree by chance to a tenth of the noise; the next ones do not.

    The second difference of the first round has 4 units of noise, whose sign is given.
    """
    generator, calls = np.random.default_rng(5), 0

    def loss(x: np.ndarray, t: int) -> float:
        nonlocal calls
        calls += 1
        noise = 0.1 * generator.standard_normal()
        if calls <= 3 + 2 * M + 2:  # the repeated values, and the first half of a round
            noise *= 0.1
        elif calls <= 3 + 2 * M + 4:  # along the gradient
            noise = sign * 0.2
        return float(np.square(x - CENTER).sum()) + noise

    run = optimizer(max_iterations=None, observations=zoo.Stream(range(300)))
    while tell(run, loss):
        pass
    assert 0.5 < run.state.learned.sizes.along / 2.0 < 2.0
    assert np.abs(run.result().x - CENTER).max() < 0.1


def test_points_of_pure_noise_stay_within_a_multiple_of_the_first_guess() -> None:
    generator = np.random.default_rng(0)
    lengths: list[float] = []

    def loss(x: np.ndarray, t: int) -> float:
        lengths.append(float(np.abs(x).max()))
        return float(generator.standard_normal())

    zoo.minimize(loss, np.zeros(M), observations=zoo.Stream(range(60)), settings="follow", rng=0)
    assert max(lengths) <= 4.0**12 * 1e-3


@pytest.mark.parametrize("seed", range(3))
def test_a_noisy_pit_that_jumps_away_is_found_again(seed: int) -> None:
    """After the jump f bends downwards where x is, and all of H with it."""
    noise = np.random.default_rng(seed)

    def loss(x: np.ndarray, t: int) -> float:
        away = float(np.square(x - 2.5 * (t >= 100)).sum())
        return 1e-3 * noise.standard_normal() - math.exp(-0.5 * away)

    stream = zoo.Stream(range(400))
    result = zoo.minimize(loss, np.full(2, 0.5), observations=stream, settings="follow", rng=seed)
    assert np.abs(result.x - 2.5).max() < 0.05


def test_a_slope_that_bounds_balance_leaves_x_where_it_is() -> None:
    result = zoo.minimize(
        lambda x, t: float(x.sum()),
        np.zeros(2),
        domain=zoo.Box(0, 1),
        observations=zoo.Stream(range(60)),
        settings="follow",
        rng=0,
    )
    assert (result.x == 0.0).all()


def test_a_fixed_variable_does_not_hold_the_others() -> None:
    result = zoo.minimize(
        lambda x, t: float(np.square(x - 0.3).sum()),
        np.array([0.8, 0.5]),
        domain=zoo.Box([0.0, 0.5], [1.0, 0.5]),
        observations=zoo.Stream(range(60)),
        settings="follow",
        rng=0,
    )
    np.testing.assert_allclose(result.x, [0.3, 0.5], atol=1e-4)


def test_curvature_recovers_from_zero() -> None:
    """A first round that bends downwards says nothing of those that follow."""

    def loss(x: np.ndarray, t: int) -> float:
        bowl = float(np.square(x - CENTER).sum())
        return -bowl if t <= 2 else bowl

    run = optimizer(max_iterations=80)
    while tell(run, loss):
        pass
    assert run.state.learned.sizes.along == pytest.approx(2.0, rel=0.2)
    assert np.abs(run.result().x - CENTER).max() < 1e-3


@pytest.mark.parametrize("noise", [0.0, 0.01])
def test_no_point_leaves_the_bounds(noise: float) -> None:
    seen, generator = [], np.random.default_rng(0)

    def loss(x: np.ndarray, t: int) -> float:
        seen.append(x.copy())
        return circling(x, t) + noise * generator.standard_normal()

    result = zoo.minimize(
        loss,
        np.zeros(M),
        domain=zoo.Box(-0.5, 0.5),
        observations=zoo.Stream(range(300)),
        settings="follow",
        rng=0,
    )
    assert np.abs(seen).max() <= 0.5
    expected = np.clip(target(300), -0.5, 0.5)
    assert np.abs(result.x - expected).max() < (0.05 if noise == 0.0 else 0.2)


@pytest.mark.parametrize("seed", range(12))
def test_bounds_hold_to_the_last_bit(seed: int) -> None:
    generator = np.random.default_rng(seed)
    center, unit = generator.standard_normal(2), 10.0 ** generator.choice([-8, 0, 8])
    lower, upper = unit * (center - generator.random(2)), unit * (center + generator.random(2))
    outside: list[bool] = []

    def loss(x: np.ndarray, t: int) -> float:
        outside.append(bool((x < lower).any() or (x > upper).any()))
        return float(np.abs(x / unit - center - 2.0).sum()) + 1e-3 * generator.standard_normal()

    zoo.minimize(
        loss,
        unit * center,
        domain=zoo.Box(lower, upper),
        observations=zoo.Stream(range(60)),
        settings="follow",
        rng=0,
    )
    assert not any(outside)


def test_rounds_cost_what_the_page_says() -> None:
    run = optimizer(max_iterations=5)
    costs = []
    while (query := run.ask()) is not None:
        costs.append(query.evaluations)
        run.tell(query.id, [[circling(cell.point, cell.observation)] for cell in query])
    assert costs == [3, M + 1, 2, M + 1, 2]


@pytest.mark.parametrize("kind", ["time", "stream", "none"])
def test_a_resumed_run_is_the_unbroken_one(kind: str, tmp_path: Path) -> None:
    def made() -> zoo.Optimizer:
        sources: dict[str, Any] = {
            "time": zoo.Time(),
            "stream": zoo.Stream(range(99)),
            "none": None,
        }
        return optimizer(observations=sources[kind], max_iterations=20)

    def loss(x: np.ndarray, t: Any) -> float:
        return circling(x, 0 if t is None else t)

    whole = made()
    while tell(whole, loss):
        pass
    for split in (1, 2, 3, 8, 9):
        begun, resumed = made(), made()
        for _ in range(split):
            tell(begun, loss)
        begun.save(tmp_path / "run")
        resumed.load(tmp_path / "run")
        while tell(resumed, loss):
            pass
        assert resumed.state.x.tobytes() == whole.state.x.tobytes()


def test_a_round_with_a_value_that_is_not_finite_is_skipped() -> None:
    def loss(x: np.ndarray, t: int) -> float:
        return math.nan if t % 7 == 3 else circling(x, t)

    result = zoo.minimize(
        loss,
        np.zeros(M),
        observations=zoo.Stream(range(300)),
        settings="follow",
        rng=0,
    )
    assert np.abs(result.x - target(299)).max() < 0.1


def test_kinks_without_noise_do_not_make_x_diverge() -> None:
    """Near x the loss is a plane: its first rounds measure no curvature, and go further away."""
    generator = np.random.default_rng(0)
    rows, places = generator.standard_normal((40, 5)), generator.standard_normal((4, 5))
    worst = 0.0

    def loss(x: np.ndarray, t: int) -> float:
        return float(np.abs(rows @ (x - places[t // 50])).mean())

    def note(info: Any) -> None:
        nonlocal worst
        worst = max(worst, float(np.abs(info.x).max()))

    stream = zoo.Stream(range(200))
    result = zoo.minimize(
        loss, np.zeros(5), observations=stream, settings="follow", rng=0, callback=note
    )
    assert worst < 2.0 * np.abs(places).max()
    assert loss(result.x, 199) < 0.1 * loss(np.zeros(5), 199)


@pytest.mark.parametrize("noise", [0.0, 1e-3])
def test_a_point_without_a_finite_value_is_left_again(noise: float) -> None:
    """The loss is infinite beyond a wall that comes nearer, once over the x that is played."""
    generator = np.random.default_rng(0)

    def loss(x: np.ndarray, t: int) -> float:
        if x[0] > (0.8 if t == 100 else 1.2):
            return math.inf
        return float(np.square(x - [1.0, 0.5]).sum()) + noise * generator.standard_normal()

    stream = zoo.Stream(range(200))
    result = zoo.minimize(loss, np.zeros(2), observations=stream, settings="follow", rng=0)
    assert np.abs(result.x - [1.0, 0.5]).max() < (1e-3 if noise == 0.0 else 0.15)


@pytest.mark.parametrize("unit", [1e-150, 1e140])
def test_a_loss_in_any_unit_is_followed(unit: float) -> None:
    stream = zoo.Stream(range(100))
    result = zoo.minimize(
        lambda x, t: unit * circling(x, t), np.zeros(M), observations=stream, settings="follow"
    )
    assert np.abs(result.x - target(100)).max() < 0.02


@pytest.mark.parametrize("unit", [1e-160, 1e-310, 5e-324, 0.0])
def test_changes_whose_squares_underflow_are_none(unit: float) -> None:
    stream = zoo.Stream(range(20))
    result = zoo.minimize(
        lambda x, t: unit * circling(x, t), np.zeros(M), observations=stream, settings="follow"
    )
    assert (result.x == 0.0).all()


def test_curvatures_of_H_are_at_least_its_error() -> None:
    """A convex loss bends nowhere downwards: an eigenvalue of -2 is an error of 2."""
    turned = np.linalg.qr(np.random.default_rng(0).standard_normal((M, M)))[0]
    H = (turned * [-2.0, 0.1, 5.0]) @ turned.T
    found = np.linalg.eigvalsh(follower._at_least(H, turned[:, 2], 1.0))
    np.testing.assert_allclose(found, [2.0, 2.0, 5.0])


def test_a_model_that_is_flat_along_a_slope_has_an_excess() -> None:
    flat = two_curvatures(np.array([0.0, 1.0]), 4.0, 0.0)
    assert LocalModel(np.zeros(2), np.array([2.0, 0.0]), flat).excess == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        (
            {"regularizer": zoo.L1(0.1), "constraint": zoo.Linear(np.eye(M), np.ones((M, 1)))},
            "whose B has an inverse",
        ),
        ({"step_size": 0.1}, "has no step_size"),
        ({"gradient": zoo.paper.Smoothed()}, "has no gradient"),
    ],
)
def test_what_does_not_fit_is_refused(given: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        zoo.Optimizer(np.full(M, 1 / M), settings="follow", max_iterations=5, **given)


@pytest.mark.parametrize("every", [3, 5])
def test_missing_values_do_not_send_a_follower_back(every: int) -> None:
    """One that is not finite may be missing by chance; only two gradients in a row end a path."""
    target = lambda t: math.cos(t / 30)  # noqa: E731
    gaps, now = [], [0]

    def loss(x: np.ndarray, t: int) -> float:
        now[0] = t
        return math.nan if t % every == 0 else float(np.square(x - target(t)).sum())

    def note(info: Any) -> None:
        if now[0] > 150:
            gaps.append(float(np.square(info.x - target(now[0])).sum()))

    zoo.minimize(
        loss,
        np.zeros(3),
        observations=zoo.Stream(range(300)),
        settings="follow",
        callback=note,
        rng=0,
    )
    assert np.mean(gaps) < 2e-3


@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize("m", [1, 2, 5])
def test_a_wall_is_approached_and_not_run_into_again_and_again(m: int, seed: int) -> None:
    generator = np.random.default_rng([m, seed])
    center, normal = generator.standard_normal((2, m))
    normal *= (1.0 if normal @ center > 0.0 else -1.0) / np.linalg.norm(normal)
    beyond = 0.5 * float(normal @ center)
    seen = []

    def loss(x: np.ndarray) -> float:
        seen.append(float(np.square(x - center).sum()) if normal @ x <= beyond else math.inf)
        return seen[-1]

    budget = 200 * (m + 1)
    result = zoo.minimize(loss, -normal, settings="follow", max_evaluations=budget, rng=0)
    least, start = beyond**2, float(np.square(normal + center).sum())
    assert loss(result.x) - least <= 0.25 * (start - least)  # all of it was left
    assert np.isinf(seen).mean() < 0.4
