"""settings="auto" as a whole: it solves, it resumes exactly, and it does as it is told."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest

import zooadmm as zoo
from zooadmm.losses import Squares
from zooadmm.methods.auto import PARTS

GENERATOR = np.random.default_rng(11)
FEATURES = GENERATOR.standard_normal((300, 12))
TRUTH = np.where(np.arange(12) < 3, 2.0, 0.0)
TARGETS = FEATURES @ TRUTH + 0.5 * GENERATOR.standard_normal(300)
LOSS = Squares(FEATURES, TARGETS)
ROWS = LOSS.observations
STEPS = zoo.Auto(without=["ridges", "model"])
GRID = [[0, 1, 2, 3], [3, 4, 5, 6], [6, 7, 8, 9, 10, 11]]


def objective(x, strength=0.2):
    return float(np.square(FEATURES @ x - TARGETS).mean() + strength * np.abs(x).sum())


@pytest.fixture(scope="module")
def best():
    result = zoo.minimize(
        LOSS,
        np.zeros(12),
        regularizer=zoo.L1(0.2),
        settings="paper",
        gradient=zoo.paper.Exact(),
        step_size=0.1,
        complete="x",
        output="last",
        max_iterations=5_000,
    )
    return result.x


def lasso(**given):
    arguments = {
        "regularizer": zoo.L1(0.2),
        "observations": ROWS,
        "complete": "x",
        "max_evaluations": 20_000,
        "rng": 0,
    }
    return zoo.minimize(LOSS, np.zeros(12), **(arguments | given))


@cache
def plain_lasso():
    return lasso()


def relative(x, best):
    return (objective(x) - objective(best)) / (objective(np.zeros(12)) - objective(best))


def test_it_is_the_default_and_solves_a_stochastic_lasso(best):
    result = plain_lasso()
    assert relative(result.x, best) < 1e-6
    assert set(np.flatnonzero(best)) == set(np.flatnonzero(result.x))
    assert result.message.startswith("Settled")
    assert "Learned" in result.message


def test_it_comes_near_by_steps_alone(best):
    result = lasso(settings=STEPS)
    assert relative(result.x, best) < 0.01
    assert (result.x == 0).sum() >= 6
    assert set(np.flatnonzero(best)) <= set(np.flatnonzero(result.x))
    assert result.message.startswith("The budget")
    assert "Learned" in result.message


def test_the_same_seed_gives_the_same_bits_and_another_does_not():
    assert lasso().x.tobytes() == plain_lasso().x.tobytes()
    assert lasso(rng=1).x.tobytes() != plain_lasso().x.tobytes()


@pytest.mark.parametrize("value", [1e-3, 1e3])
def test_the_units_of_the_loss_do_not_matter(value):
    scaled = zoo.Loss(values=lambda points, w: value * LOSS.values(points, w))
    result = zoo.minimize(
        scaled,
        np.zeros(12),
        regularizer=zoo.L1(0.2 * value),
        observations=ROWS,
        complete="x",
        max_evaluations=20_000,
        rng=0,
    )
    np.testing.assert_allclose(result.x, plain_lasso().x, atol=0.05)


def test_the_units_of_each_variable_hardly_matter(best):
    units = 10.0 ** np.random.default_rng(0).uniform(-2, 2, 12)
    scaled = zoo.Loss(values=lambda points, w: LOSS.values(points / units, w))
    gaps = [
        relative(
            zoo.minimize(
                scaled,
                np.zeros(12),
                regularizer=zoo.L1(0.2, weights=1 / units),
                observations=ROWS,
                complete="x",
                max_evaluations=20_000,
                rng=0,
                settings=settings,
            ).x
            / units,
            best,
        )
        for settings in (STEPS, zoo.Auto(without=[*STEPS.without, "metric"]))
    ]
    assert gaps[0] < 0.03
    assert gaps[1] > 0.3  # so that the metric is what does it


@pytest.mark.parametrize("settings", ["auto", STEPS])
def test_it_works_without_knowing_its_budget(settings, best):
    optimizer = zoo.Optimizer(
        np.zeros(12),
        regularizer=zoo.L1(0.2),
        observations=ROWS,
        complete="x",
        settings=settings,
        rng=0,
    )
    while optimizer.evaluations < 20_000 and (query := optimizer.ask()) is not None:
        optimizer.tell(
            query.id,
            np.concatenate(
                [LOSS.values(t.points, t.observations).reshape(-1) for t in query.tables()]
            ),
        )
    assert relative(optimizer.recommended()[0], best) < 0.02


CASES = {
    "ridges": {"observations": ROWS, "regularizer": zoo.L1(0.2)},
    "all ridges": {"observations": ROWS[:40], "regularizer": zoo.L1(0.2)},
    "sampled": {"observations": ROWS, "regularizer": zoo.L1(0.2), "settings": STEPS},
    "stream": {"observations": zoo.Stream(range(300)), "regularizer": zoo.L1(0.2)},
    "deterministic": {"domain": zoo.Box(-1, 1)},
    "few directions": {"observations": ROWS, "gradient": zoo.paper.Smoothed(5)},
    "groups": dict(
        zip(("regularizer", "constraint"), zoo.overlapping_groups(12, GRID, 0.1), strict=True)
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_a_run_resumed_before_every_query_is_the_unbroken_run(case, tmp_path):
    def make():
        given = dict(CASES[case])
        return zoo.Optimizer(np.zeros(12), max_evaluations=2_000, rng=5, **given)

    def answers(query):
        return np.concatenate(
            [
                np.asarray(
                    LOSS.values(t.points)
                    if t.observations is None
                    else LOSS.values(t.points, np.asarray(t.observations))
                ).reshape(-1)
                for t in query.tables()
            ]
        )

    unbroken, broken, path = make(), make(), tmp_path / "run.zoo"
    while (query := unbroken.ask()) is not None:
        unbroken.tell(query.id, answers(query))
    steps = 0
    while (query := broken.ask()) is not None:
        values = answers(query)
        if steps % 2 and query.evaluations > 1:
            broken.tell(query.id, {0: values[0]})
        broken.save(path)
        broken = make()
        broken.load(path)
        query = broken.ask()
        broken.tell(query.id, values)
        steps += 1
    assert steps > (5 if "ridges" in case else 20)
    for one, other in zip(broken.recommended(), unbroken.recommended(), strict=True):
        assert one.tobytes() == other.tobytes()


def test_a_checkpoint_goes_on_with_a_larger_budget(tmp_path):
    path = tmp_path / "run.zoo"
    lasso(max_evaluations=3_000, checkpoint=path)
    longer = lasso(max_evaluations=4_000, checkpoint=path)
    assert longer.nfev > 3_000


@pytest.mark.parametrize("part", PARTS)
def test_every_part_can_be_left_out(part, best):
    result = lasso(settings=zoo.Auto(without=[*STEPS.without, part]))
    assert np.isfinite(result.x).all()
    assert relative(result.x, best) < 1.0


def test_what_is_given_by_name_wins():
    result = lasso(step_size=0.01, smoothing=1e-4, penalty=3.0)
    rows = result.trace["step_size"]
    assert set(rows[np.isfinite(rows)]) == {0.01}
    assert 1e-4 in result.trace["smoothing"]


def test_settings_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match="settings must be"):
        lasso(settings="fast")
    with pytest.raises(ValueError, match="metric belongs to Algorithm 1 as printed"):
        lasso(metric=zoo.paper.Linearized())
    with pytest.raises(ValueError, match="without names 'speed'"):
        zoo.Auto(without=["speed"])
    with pytest.raises(TypeError, match="collection of names"):
        zoo.Auto(without="metric")
    with pytest.raises(ValueError, match="horizon"):
        zoo.Auto(horizon=1)


def test_a_deterministic_loss_is_recognized_and_said_to_be():
    result = zoo.minimize(
        lambda x: float(np.square(x - 1).sum()), np.zeros(3), max_evaluations=500, rng=0
    )
    assert result.status is zoo.Status.SETTLED
    assert "quadratic model" in result.message


@cache
def drifting(t):
    """What time t shows: a direction, noise, and where the target is, on a circle of radius 3."""
    generator, target = np.random.default_rng(t), np.zeros(6)
    target[:2] = 3 * np.cos(t / 150), 3 * np.sin(t / 150)
    return generator.standard_normal(6), generator.standard_normal(), target


def drifting_regret(settings):
    """The mean of F_t(x_t) over the second half."""
    total, count = 0.0, 0
    optimizer = zoo.Optimizer(np.zeros(6), observations=zoo.Time(), settings=settings, rng=0)
    while optimizer.evaluations < 40_000:
        query = optimizer.ask()
        values = []
        for _, point, t in query:
            a, noise, target = drifting(t)
            values.append((float(a @ (point - target)) + noise) ** 2)
        if optimizer.evaluations > 20_000:
            now = np.max(np.asarray(query.observations))
            total += float(np.square(optimizer.state.x - drifting(int(now))[2]).sum())
            count += 1
        optimizer.tell(query.id, np.array(values))
    return total / count


def test_a_horizon_follows_a_loss_that_drifts():
    never, soon = drifting_regret("auto"), drifting_regret(zoo.Auto(horizon=500))
    assert soon < 0.7 * never
    assert soon < 0.1 * 9.0  # what standing still at the center costs


def test_checks_look_ahead_and_leave_epochs_balanced():
    optimizer = zoo.Optimizer(
        np.zeros(12), observations=ROWS[:40], settings=STEPS, max_evaluations=20_000, rng=0
    )
    seen, checks = [], 0
    while (query := optimizer.ask()) is not None:
        stage = getattr(optimizer.state.learned.state, "stage", "")
        seen += list(query.observations) if stage == "descend" else []
        checks += stage == "check"
        answer = [LOSS.values(t.points, t.observations).reshape(-1) for t in query.tables()]
        optimizer.tell(query.id, np.concatenate(answer))
    assert checks > 5
    for start in range(0, len(seen) - 80, 40):  # an epoch and the next, wherever they begin
        assert len(set(seen[start : start + 79])) == 40
    counts = np.bincount(seen, minlength=40)
    assert counts.max() - counts.min() <= 2


@pytest.mark.parametrize("without", [("ridges", "model"), ("ridges",), ()], ids=str)
@pytest.mark.parametrize("seed", range(3))
def test_an_inactive_box_leaves_the_zeros_alone(without, seed):
    generator = np.random.default_rng(seed)
    rows = generator.standard_normal((80, 12))
    outcome = rows[:, :3] @ [1.0, -2.0, 1.5] + 0.1 * generator.standard_normal(80)

    def run(domain):
        return zoo.minimize(
            lambda x, i: float((rows[i] @ x - outcome[i]) ** 2),
            np.zeros(12),
            observations=np.arange(80),
            regularizer=zoo.L1(0.3),
            domain=domain,
            settings=zoo.Auto(without=without),
            max_evaluations=4_000,
            rng=seed,
        )

    free, boxed = run(None), run(zoo.Box(-5.0, 5.0))
    assert np.count_nonzero(free.x == 0.0) >= 5
    np.testing.assert_array_equal(boxed.x == 0.0, free.x == 0.0)
    np.testing.assert_allclose(boxed.x, free.x, atol=1e-6)


@pytest.mark.parametrize("m", [10, 30, 100])
def test_the_evaluations_per_variable_that_the_readme_states(m):
    """They leave a millionth of the gap of a dense convex quadratic; four leave a lot."""
    readme = (Path(__file__).parents[3] / "README.md").read_text(encoding="utf-8")
    assert "about 20 evaluations per variable" in readme
    generator = np.random.default_rng(m)
    factor = generator.standard_normal((2 * m, m))
    center = generator.standard_normal(m)

    def loss(x):
        return float(np.square(factor @ (x - center)).sum())

    found = {
        count: loss(zoo.minimize(loss, np.zeros(m), max_evaluations=count * m, rng=0).x)
        for count in (4, 20)
    }
    assert found[20] <= 1e-6 * loss(np.zeros(m)) <= 1e-4 * found[4]
