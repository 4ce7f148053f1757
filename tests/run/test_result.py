"""A result as a mapping, as a page of a notebook, and as a file."""

from __future__ import annotations

import json
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.optimize import OptimizeResult

import zooadmm as zoo

ROWS = np.random.default_rng(7).normal(size=(50, 3))


def found(**given: Any) -> zoo.Result:
    return zoo.minimize(
        lambda x, w: float(np.square(x - w).sum()),
        given.pop("x0", np.zeros(3)),
        observations=ROWS,
        max_evaluations=2_000,
        rng=0,
        **given,
    )


def test_it_is_read_like_scipys() -> None:
    result = found()
    for name in ("x", "fun", "nfev", "nit", "message", "success", "status"):
        assert name in result
        assert result[name] is getattr(result, name)
    as_scipy_has_it = OptimizeResult(result)
    assert as_scipy_has_it.nfev == result.nfev
    assert dict(result).keys() == set(result)
    assert len(result) == len(result.items()) == len(result.values())
    assert (result.get("x") is result.x, result.get("jac", 3)) == (True, 3)
    with pytest.raises(KeyError, match="no field 'funn'; there are x, y"):
        result["funn"]


def test_what_was_learned_has_a_line_of_its_own() -> None:
    result = found()
    lines = repr(result).splitlines()
    assert result.learned.startswith("Learned: ")
    assert result.learned in result.message
    assert "earned" not in lines[0]
    assert lines[1].startswith("   learned: ")
    assert result.learned.removeprefix("Learned: ") in " ".join(repr(result).split())
    assert max(map(len, lines)) <= 88


def test_a_notebook_shows_a_table_that_is_well_formed() -> None:
    from xml.etree import ElementTree

    rows = ElementTree.fromstring(found()._repr_html_()).findall(".//tr")
    shown = {row[0].text: row[1].text for row in rows}
    assert shown["work"].startswith(f"{found().nit} iterations")
    assert "success" in shown
    escaped = zoo.Result(**{**dict(found()), "message": "<b>&"})._repr_html_()
    assert "&lt;b&gt;&amp;" in escaped


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("regret", [None, zoo.Regret(np.zeros(3))])
def test_a_file_brings_it_back_to_the_last_digit(dtype: type, regret: Any, tmp_path: Path) -> None:
    result = found(x0=np.zeros(3, dtype=dtype), regret=regret)
    result.save(tmp_path / "result.json")
    again = zoo.Result.load(tmp_path / "result.json")
    assert repr(again) == repr(result)
    for name in result:
        ours, theirs = result[name], again[name]
        if isinstance(ours, np.ndarray):
            assert (ours.tobytes(), ours.dtype) == (theirs.tobytes(), theirs.dtype)
        elif hasattr(ours, "rows"):
            assert (ours.columns, ours.rows().tobytes()) == (
                theirs.columns,
                theirs.rows().tobytes(),
            )
        else:
            assert (type(theirs), theirs) == (type(ours), ours)
    assert again.status is result.status
    json.dumps(result.to_dict(), allow_nan=False)


@pytest.mark.parametrize(
    "content", ["", "[]", "{}", '{"format": 1}', '{"format": 1, "dtype": "float64", "x": 3}']
)
def test_another_file_is_refused(content: str, tmp_path: Path) -> None:
    path = tmp_path / "other.json"
    path.write_text(content)
    with pytest.raises(ValueError, match="is not a result of zooadmm"):
        zoo.Result.load(path)
    path.write_bytes(pickle.dumps({"x": 1}))
    with pytest.raises(ValueError, match="is not a result of zooadmm"):
        zoo.Result.load(path)
    path.write_text('{"format": 99}')
    with pytest.raises(ValueError, match="has format 99; this version reads 1"):
        zoo.Result.load(path)


def test_the_error_of_a_noisy_fun_is_a_standard_error() -> None:
    """30 values at the answer: |fun - F(x)| within two standard errors in about 95 of 100 runs."""
    beyond = 0
    for seed in range(40):
        noise = np.random.default_rng(seed)
        sigma = 10.0 ** noise.uniform(-3, 1)
        result = zoo.minimize(
            lambda x, noise=noise, sigma=sigma: float(x @ x) + sigma * noise.standard_normal(),
            np.ones(2), settings="paper", max_iterations=10, smoothing=0.1, rng=seed,
        )  # fmt: skip
        assert (result.fun_status, result.nfev_report) == ("estimated", 30)
        assert result.fun_error == pytest.approx(sigma / np.sqrt(30), rel=0.6)
        beyond += abs(result.fun - float(result.x @ result.x)) > 2.0 * result.fun_error
    assert beyond <= 6
