"""Variables and observations with names: Parameters, Series, DataFrames."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import zooadmm as zoo

PARAMETERS = zoo.Parameters({"rate": (1e-4, 1.0, "log"), "depth": (0, 5)})
SEEN: list[dict[str, float]] = []


def loss(values: dict[str, float]) -> float:
    """Least, 0, at rate = 0.02 and depth = 4."""
    SEEN.append(values)
    return (np.log10(values["rate"] / 0.02)) ** 2 + (values["depth"] - 4) ** 2


def test_the_loss_gets_names_within_their_bounds() -> None:
    SEEN.clear()
    result = zoo.minimize(loss, PARAMETERS, max_evaluations=300, rng=0)
    assert list(result.named) == ["rate", "depth"]
    assert result.named["rate"] == pytest.approx(0.02, rel=1e-3)
    assert result.named["depth"] == pytest.approx(4.0, abs=1e-3)
    assert len(SEEN) == result.nfev + result.nfev_report
    assert all(1e-4 <= v["rate"] <= 1.0 and 0.0 <= v["depth"] <= 5.0 for v in SEEN)
    assert SEEN[0] == pytest.approx({"rate": 0.01, "depth": 2.5})
    assert "named: rate = 0.0" in repr(result)


def test_a_point_and_its_values() -> None:
    ends = PARAMETERS.table(np.array([[0.0, 0.0], [1.0, 1.0], [2.0, -1.0]]))
    assert ends.tolist() == [[1e-4, 0.0], [1.0, 5.0], [1.0, 0.0]]
    values = {"rate": 0.3, "depth": 1.25}
    assert PARAMETERS.at(PARAMETERS.point(values)) == pytest.approx(values, rel=1e-12)


@pytest.mark.parametrize(
    ("bounds", "start", "said"),
    [
        ({}, None, "needs a dictionary"),
        ({"a": 3}, None, r"a needs \(low, high\)"),
        ({"a": (0, 1, "cubic")}, None, "a: the scale must be"),
        ({"a": (0, 1, "log")}, None, "a: a log scale needs bounds above 0"),
        ({"a": (1, 1)}, None, "a: bounds must be finite with low < high"),
        ({"a": (0, np.inf)}, None, "a: bounds must be finite"),
        ({"a": ("x", 1)}, None, "a: bounds must be numbers"),
        ({"a": (0, 1)}, {"b": 1}, "start names 'b'; there are a"),
        ({"a": (0, 1)}, {"a": 2}, "a = 2 lies outside its bounds, 0 to 1"),
    ],
)
def test_mistakes_are_named(bounds: Any, start: Any, said: str) -> None:
    with pytest.raises((TypeError, ValueError), match=said):
        zoo.Parameters(bounds, start)


def test_a_file_of_parameters(tmp_path: Path) -> None:
    path = tmp_path / "parameters.json"
    content = {"rate": [1e-4, 1, "log"], "depth": {"bounds": [0, 5], "start": 1}}
    path.write_text(json.dumps(content))
    read = zoo.Parameters.from_file(path)
    assert repr(read) == repr(PARAMETERS)
    assert read.at(read.x0) == pytest.approx({"rate": 0.01, "depth": 1.0})
    for wrong in ("[1]", "{", '{"a": {"start": 1}}'):
        path.write_text(wrong)
        with pytest.raises(ValueError, match=r"parameters\.json"):
            zoo.Parameters.from_file(path)


def test_ask_and_tell_with_parameters() -> None:
    optimizer = zoo.Optimizer(PARAMETERS, max_evaluations=300, rng=0)
    while (query := optimizer.ask()) is not None:
        optimizer.tell(query.id, {e.cell: loss(PARAMETERS.at(e.point)) for e in query})
    by_call = zoo.minimize(loss, PARAMETERS, max_evaluations=300, rng=0)
    assert optimizer.result().named == by_call.named


def test_many_at_once_and_another_program() -> None:
    def values(table: np.ndarray) -> np.ndarray:
        return np.log10(table[:, 0] / 0.02) ** 2 + (table[:, 1] - 4) ** 2

    batched = zoo.minimize(zoo.Loss(values=values), PARAMETERS, max_evaluations=300, rng=0)
    assert batched.named["depth"] == pytest.approx(4.0, abs=1e-3)
    program = (
        "import json, sys\n"
        "for line in sys.stdin:\n"
        "    asked = json.loads(line)\n"
        "    value = (asked['x']['depth'] - 4) ** 2 + asked['x']['rate']\n"
        "    print(json.dumps({'id': asked['id'], 'value': value}), flush=True)\n"
    )
    with zoo.Command([sys.executable, "-c", program]) as command:
        found = zoo.minimize(command, PARAMETERS, max_evaluations=60, rng=0, workers=2)
    assert abs(found.named["depth"] - 4) < 1


def test_a_domain_beside_parameters_is_refused_and_bounds_are_part_of_a_checkpoint(
    tmp_path: Path,
) -> None:
    with pytest.raises(ValueError, match="bounds of their own"):
        zoo.minimize(loss, PARAMETERS, domain=zoo.Box(0, 1), max_evaluations=9)
    given = {"max_evaluations": 60, "rng": 0, "checkpoint": tmp_path / "run.zoo"}
    zoo.minimize(loss, PARAMETERS, **given)
    other = zoo.Parameters({"rate": (1e-4, 1.0, "log"), "depth": (0, 6)})
    with pytest.raises(ValueError, match="another parameters"):
        zoo.minimize(loss, other, **given)


def test_a_series_gives_an_answer_with_its_index(tmp_path: Path) -> None:
    x0 = pd.Series([0.0, 0.0], index=["slope", "offset"])
    result = zoo.minimize(lambda x: (x[0] - 1) ** 2 + x[1] ** 2, x0, max_evaluations=80, rng=0)
    assert isinstance(result.x, np.ndarray)
    pd.testing.assert_series_equal(result.named, pd.Series(result.x, index=x0.index))
    result.save(tmp_path / "r.json")
    assert zoo.Result.load(tmp_path / "r.json").named == result.named.to_dict()
    assert zoo.minimize(lambda x: x @ x, [1.0], max_evaluations=9, rng=0).named is None


def test_the_rows_of_a_frame_keep_their_names(tmp_path: Path) -> None:
    generator = np.random.default_rng(0)
    frame = pd.DataFrame(generator.normal(size=(40, 2)), columns=["age", "dose"])
    frame["answer"] = 2 * frame["age"] - frame["dose"]
    frame["site"] = "north"

    def squares(x: np.ndarray, row: Any) -> float:
        assert row["site"] == row.site == "north"
        return float((row["age"] * x[0] + row["dose"] * x[1] - row["answer"]) ** 2)

    given = {"observations": frame, "max_evaluations": 3_000, "rng": 0}
    result = zoo.minimize(squares, np.zeros(2), **given)
    np.testing.assert_allclose(result.x, [2.0, -1.0], atol=1e-3)
    zoo.minimize(squares, np.zeros(2), **given, checkpoint=tmp_path / "run.zoo", max_iterations=2)
    again = zoo.minimize(squares, np.zeros(2), **given, checkpoint=tmp_path / "run.zoo")
    assert again.x.tobytes() == result.x.tobytes()
    frame.loc[3, "age"] += 1
    with pytest.raises(ValueError, match="another observations"):
        zoo.minimize(squares, np.zeros(2), **given, checkpoint=tmp_path / "run.zoo")
