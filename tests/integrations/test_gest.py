"""The generator of the gest-api standard, by itself and in libEnsemble and Optimas."""

from __future__ import annotations

import math
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import zooadmm as zoo

gest_api = pytest.importorskip("gest_api", reason="gest-api is absent: make test-gest")
from gest_api.vocs import VOCS, ContextualVariable, ContinuousVariable  # noqa: E402

from zooadmm.integrations.gest import FIRST_SPARE, Generator  # noqa: E402

Point = dict[str, Any]


def energy(point: Point) -> float:
    """The six-hump camel of libEnsemble's examples."""
    x, y = point["core"], point["edge"]
    return float((4 - 2.1 * x**2 + x**4 / 3) * x**2 + x * y + (-4 + 4 * y**2) * y**2)


def vocs(**changes: Any) -> VOCS:
    given: dict[str, Any] = {
        "variables": {"core": [-3.0, 3.0], "edge": [-2.0, 2.0]},
        "objectives": {"energy": "MINIMIZE"},
    }
    return VOCS(**{**given, **changes})


def generator(**changes: Any) -> Generator:
    given: dict[str, Any] = {"x0": {"core": 0.5, "edge": -0.3}, "seed": 0}
    return Generator(vocs(), **{**given, **changes})


def evaluated(points: list[Point]) -> list[Point]:
    return [{**p, "energy": energy(p)} for p in points]


def finished(run: Generator, batch: int | None = 1) -> Generator:
    while not run.ended:
        run.ingest(evaluated(run.suggest(batch)))
    return run


def twin() -> zoo.Optimizer:
    """The same run without the standard: each query is answered at once."""
    run = zoo.Optimizer(np.array([0.5, -0.3]), domain=zoo.Box([-3.0, -2.0], [3.0, 2.0]), rng=0)
    while (query := run.ask()) is not None:
        run.tell(query.id, [energy({"core": x, "edge": y}) for x, y in query.points])
    return run


def bits(run: Generator) -> bytes:
    return run.result().x.tobytes()


@pytest.mark.parametrize("batch", [None, 1, 2, 3, 7, 50])
def test_every_size_of_batch_has_the_bits_of_the_run_without_it(batch: int | None) -> None:
    run, reference = finished(generator(), batch), twin()
    assert run.result().status is zoo.Status.SETTLED
    assert run.result().nfev == reference.evaluations
    assert bits(run) == reference.result().x.tobytes()
    assert energy(run.answer) == pytest.approx(-1.0316284534898774, abs=1e-12)


@pytest.mark.parametrize("batch", [0, 1, 5, 40])
def test_exactly_so_many_points_within_the_bounds(batch: int) -> None:
    run = generator()
    for _ in range(10):
        points = run.suggest(batch)
        assert len(points) == batch
        for point in points:
            assert type(point["_id"]) is int
            assert -3.0 <= point["core"] <= 3.0
            assert -2.0 <= point["edge"] <= 2.0
        run.ingest(evaluated(points))
    with pytest.raises(ValueError, match="num_points = -1"):
        run.suggest(-1)


@pytest.mark.parametrize("seed", range(5))
def test_killed_at_any_time_it_goes_on_bit_for_bit(seed: int, tmp_path: Path) -> None:
    dice, path, live = random.Random(seed), tmp_path / "run.zoo", list[Point]()
    run = generator(checkpoint=path)
    for _ in range(5_000):
        if run.ended:
            break
        live += run.suggest(dice.randrange(4))
        dice.shuffle(live)
        count = dice.randrange(len(live) + 1)
        back, live = live[:count], live[count:]
        run.ingest(evaluated(back + back[:1]))  # one of them twice
        if dice.random() < 0.2:
            run = generator(checkpoint=path)
            live = [point for point in live if point["_id"] >= 0] if dice.random() < 0.5 else []
    assert run.ended
    assert bits(run) == twin().result().x.tobytes()


def test_lost_points_return_after_a_wait() -> None:
    run = generator(retry_after=6)
    lost = run.suggest(2)
    seen = []
    while not run.ended:
        points = run.suggest(3)
        seen += [point["_id"] for point in points]
        run.ingest(evaluated(points))
    assert {point["_id"] for point in lost} <= set(seen)
    assert bits(run) == twin().result().x.tobytes()
    run.ingest(evaluated(lost))  # they come after all
    assert bits(run) == twin().result().x.tobytes()


def test_spare_points_measure_the_answer() -> None:
    dice = np.random.default_rng(0)
    run = generator(max_evaluations=400)
    while not run.ended:
        points = run.suggest(8)
        noise = 0.1 * dice.standard_normal(8)
        values = [energy(p) + n for p, n in zip(points, noise, strict=True)]
        run.ingest([{**p, "energy": v} for p, v in zip(points, values, strict=True)])
    points = run.suggest(100)
    assert all(point["_id"] <= FIRST_SPARE for point in points)
    assert all({n: point[n] for n in run.answer} == run.answer for point in points)
    noise = 0.1 * dice.standard_normal(100)
    run.ingest([{**p, "energy": energy(p) + n} for p, n in zip(points, noise, strict=True)])
    found = run.result()
    assert found.fun_status == "estimated"
    assert found.fun == pytest.approx(energy(run.answer), abs=0.05)
    assert found.fun_error == pytest.approx(0.01, rel=0.3)


def test_maximize_is_the_mirror_image() -> None:
    run = Generator(
        vocs(objectives={"gain": "MAXIMIZE"}), x0={"core": 0.5, "edge": -0.3}, seed=0, target=1.0
    )
    while not run.ended:
        run.ingest([{**p, "gain": -energy(p)} for p in run.suggest(2)])
    assert run.result().status is zoo.Status.TARGET
    assert energy(run.answer) <= -1.0


def test_linear_constraints_hold_at_the_answer() -> None:
    given = vocs(constraints={"sum": ["LESS_THAN", -0.5], "gap": ["BOUNDS", 0.2, 0.6]})
    run = Generator(
        given,
        linear={"sum": {"core": 1.0, "edge": 1.0}, "gap": {"core": 1.0, "edge": -0.5}},
        seed=0,
        max_evaluations=2_000,
    )
    finished(run)
    core, edge = run.answer["core"], run.answer["edge"]
    assert core + edge <= -0.5 + 1e-9
    assert 0.2 - 1e-9 <= core - 0.5 * edge <= 0.6 + 1e-9
    grid = [
        (c, e)
        for c in np.linspace(-3, 3, 601)
        for e in np.linspace(-2, 2, 401)
        if c + e <= -0.5 and 0.2 <= c - 0.5 * e <= 0.6
    ]
    assert energy(run.answer) <= min(energy({"core": c, "edge": e}) for c, e in grid) + 1e-3


def test_constants_are_passed_on_and_defaults_are_the_start() -> None:
    variables = {"core": ContinuousVariable(domain=[-3.0, 3.0], default_value=0.25), "edge": [0, 2]}
    run = Generator(vocs(variables=variables, constants={"charge": 1.6}))
    (first,) = run.suggest(1)
    assert (first["core"], first["edge"], first["charge"]) == (0.25, 1.0, 1.6)


def test_failures_make_the_run_probe_elsewhere() -> None:
    run = generator(max_evaluations=300)
    while not run.ended:
        points = run.suggest(2)
        failed = [{**p, "energy": math.nan} if p["core"] > 0.6 else p for p in evaluated(points)]
        run.ingest(failed)
    assert run.answer["core"] <= 0.6
    assert energy(run.answer) < -1.03
    run.ingest([{"core": 0.0, "edge": 0.0, "xopt_error": True}])


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"variables": {"core": {1, 2, 3}, "edge": [0, 1]}}, "'core' is discrete"),
        ({"variables": {"core": ContextualVariable(), "edge": [0, 1]}}, "'core' is contextual"),
        (
            {"variables": {"core": ContinuousVariable(domain=[0, 9], dtype=int)}},
            "'core' has the dtype",
        ),
        ({"variables": {"core": [-math.inf, math.inf]}}, "variable 'core' starts at nan"),
        ({"variables": {}}, "no variables"),
        ({"objectives": {}}, "0 objectives"),
        ({"objectives": {"f": "MINIMIZE", "g": "MAXIMIZE"}}, "2 objectives"),
        ({"objectives": {"f": "EXPLORE"}}, "'f' is EXPLORE"),
        ({"constraints": {"c": ["LESS_THAN", 1.0]}}, "constraint 'c' is an output"),
    ],
)
def test_a_vocs_that_does_not_fit_is_refused_by_name(changes: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Generator(vocs(**changes))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"x0": {"kern": 1.0}}, "x0 names 'kern'"),
        ({"x0": {"core": 4.0}}, "variable 'core' starts at 4.0"),
        ({"linear": {"c": {"core": 1.0}}}, "linear has the constraint 'c'"),
    ],
)
def test_arguments_that_do_not_fit_are_refused_by_name(arguments: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Generator(vocs(), **arguments)


def test_a_coefficient_of_no_variable_is_refused_by_name() -> None:
    given = vocs(constraints={"c": ["GREATER_THAN", 1.0]})
    with pytest.raises(ValueError, match="'kern', which is no variable"):
        Generator(given, linear={"c": {"kern": 1.0}})


@pytest.mark.parametrize("id", [10**6, -1, FIRST_SPARE, "a", 0.5])
def test_an_unknown_id_is_refused_and_nothing_is_taken_in(id: Any) -> None:
    run = generator()
    points = evaluated(run.suggest(2))
    with pytest.raises(ValueError, match="was not suggested"):
        run.ingest([*points, {**points[0], "_id": id}])
    run.ingest(points)
    assert bits(finished(run)) == twin().result().x.tobytes()


def test_results_that_are_none_are_refused() -> None:
    run = generator()
    (point,) = run.suggest(1)
    with pytest.raises(ValueError, match="has no 'energy'; its names are"):
        run.ingest([{**point, "enrgy": 1.0}])
    with pytest.raises(TypeError, match="must be a number"):
        run.ingest([{**point, "energy": [1.0, 2.0]}])
    run.ingest([{"core": 0.1, "edge": 0.1, "energy": 5.0}])  # from elsewhere
    assert bits(finished(run)) == twin().result().x.tobytes()


def test_another_vocs_is_refused_by_the_checkpoint(tmp_path: Path) -> None:
    run = generator(checkpoint=tmp_path / "run.zoo")
    run.ingest(evaluated(run.suggest(3)))
    with pytest.raises(ValueError, match="another x0"):
        generator(checkpoint=tmp_path / "run.zoo", x0={"core": 0.0, "edge": 0.0})


ENSEMBLE = Path(__file__).with_name("gest_ensemble.py")


def ensemble(folder: Path, *arguments: str, pause: float = 0.0) -> subprocess.Popen[str]:
    environment = {**os.environ, "PAUSE": str(pause)}
    command = [sys.executable, str(ENSEMBLE), *arguments]
    return subprocess.Popen(
        command, cwd=folder, env=environment, text=True, stdout=-1, stderr=-2, process_group=0
    )


@pytest.mark.parametrize("returned", ["batch", "async"])
def test_libensemble_runs_its_example(returned: str, tmp_path: Path) -> None:
    pytest.importorskip("libensemble")
    running = ensemble(tmp_path, returned)
    said = running.communicate(timeout=120)[0]
    assert running.returncode == 0, said
    assert bits(generator(checkpoint=tmp_path / "run.zoo")) == twin().result().x.tobytes()


def test_libensemble_killed_goes_on_bit_for_bit(tmp_path: Path) -> None:
    pytest.importorskip("libensemble")
    path = tmp_path / "run.zoo"
    for pause in (0.1, 0.1, 0.0):
        before = path.stat().st_mtime_ns if path.exists() else 0
        running = ensemble(tmp_path, "async", pause=pause)
        if pause == 0.0:
            said = running.communicate(timeout=120)[0]
            assert running.returncode == 0, said
            break
        while not path.exists() or path.stat().st_mtime_ns == before:
            assert running.poll() is None, running.communicate()[0]
            time.sleep(0.02)
        time.sleep(0.5)
        os.killpg(running.pid, signal.SIGKILL)
        running.communicate()
    assert bits(generator(checkpoint=path)) == twin().result().x.tobytes()


def test_optimas_runs_it_as_an_external_generator(tmp_path: Path) -> None:
    pytest.importorskip("optimas")
    running = ensemble(tmp_path, "optimas")
    said = running.communicate(timeout=120)[0]
    assert running.returncode == 0, said
    assert bits(generator(checkpoint=tmp_path / "run.zoo")) == twin().result().x.tobytes()
