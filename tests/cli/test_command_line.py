"""The program `zooadmm`, as a shell runs it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import zooadmm as zoo
from twins.bowl import bowl
from zooadmm.cli import app
from zooadmm.cli.named import DOMAINS, REGULARIZERS, named

EXAMPLES = Path(__file__).parents[2] / "examples"
RUNNER = CliRunner()


def test_a_python_function_gives_what_the_library_gives(tmp_path: Path) -> None:
    arguments = (
        "minimize --loss twins.bowl:bowl --dim 12 --regularizer l1:0.1 --domain box:0:1 "
        f"--observations 9 --max-evaluations 900 --seed 3 --write {tmp_path / 'result.json'}"
    )
    done = RUNNER.invoke(app, arguments.split())
    assert done.exit_code == 0, done.output
    result = zoo.minimize(
        bowl,
        np.zeros(12),
        regularizer=zoo.L1(0.1),
        domain=zoo.Box(0.0, 1.0),
        observations=range(9),
        max_evaluations=900,
        rng=3,
    )
    assert done.output == f"{result!r}\n"
    written = json.loads((tmp_path / "result.json").read_text())
    assert written["x"] == result.x.tolist()
    assert (written["evaluations"], written["status"]) == (result.nfev, result.status.name.lower())


@pytest.mark.skipif(shutil.which("cc") is None, reason="there is no C compiler here")
def test_a_program_from_the_shell_stopped_and_gone_on_with(tmp_path: Path) -> None:
    """The command of the manual, by the real program."""
    subprocess.run(
        ["cc", "-O2", "-o", tmp_path / "simulator", EXAMPLES / "simulator.c"], check=True
    )

    def run(budget: int, *more: str) -> str:
        arguments = (
            "--command ./simulator --dim 20 --regularizer l1:0.1 --domain box:0:1 "
            f"--max-evaluations {budget} --settings paper"
        )
        program = "from zooadmm.cli import app; app()"
        return subprocess.run(
            [sys.executable, "-c", program, "minimize", *arguments.split(), "--seed", "0", *more],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
            check=True,
            capture_output=True,
            text=True,
        ).stdout

    whole = run(1000, "--workers", "2")
    assert whole.startswith("success: The budget of 1000 evaluations")
    run(600, "--checkpoint", "run.zoo")
    assert run(1000, "--checkpoint", "run.zoo") == whole


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("--dim 2", "give the loss by --command or by --loss"),
        ("--dim 2 --loss a:b --command c", "give the loss by --command or by --loss"),
        ("--dim 2 --loss twins.workshop", "a place such as package.module:function"),
        ("--dim 2 --loss twins.nowhere:f", "No module named 'twins.nowhere'"),
        ("--dim 2 --loss twins.workshop:nothing", "has no attribute 'nothing'"),
        ("--dim 2 --loss twins.bowl:bowl", "nothing would end this run"),
        ("--dim 2 --loss twins.bowl:bowl --domain ball:1", "--domain knows box, nonneg"),
        ("--dim 2 --loss twins.bowl:bowl --domain box:1:0", "--domain box:1:0: "),
        ("--dim 2 --loss twins.bowl:bowl --regularizer l1", "--regularizer l1: "),
        ("--dim 2 --command ./nothing --max-iterations 1", "while starting ./nothing"),
    ],
)
def test_what_is_wrong_is_said_in_a_line(arguments: str, said: str) -> None:
    done = RUNNER.invoke(app, ["minimize", *arguments.split()])
    assert done.exit_code == 2
    assert said in done.output
    assert "Traceback" not in done.output


@pytest.mark.parametrize("seed", range(6))
def test_random_faults_end_with_a_line_before_the_run_and_no_traceback(
    seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Faults of the loss, of the place for the result, and of numbers, one at a time."""
    (tmp_path / "clumsy.py").write_text(
        "from pathlib import Path\n"
        "text, flat = 'abc', 3.0\n"
        "def raising(x): raise LookupError(x.size)\n"
        "def loss(x):\n"
        "    Path('called').touch()\n"
        "    return float(x @ x)\n"
    )
    (tmp_path / "broken.py").write_text("1 / 0\n")
    (tmp_path / "file").touch()
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    rng = np.random.default_rng(seed)
    faults = [
        {"--loss": str(rng.choice([f"clumsy:{name}" for name in ("text", "flat", "absent")]))},
        {"--loss": str(rng.choice(["..clumsy:loss", ".:x", "broken:loss", "clumsy:loss.f"]))},
        {"--write": str(rng.choice(["nowhere/result.json", "file/result.json", "."]))},
        {"--dim": str(10 ** int(rng.integers(12, 40)))},
        {"--loss": "clumsy:raising"},
        {"--checkpoint": str(rng.choice(["nowhere/run.npz", "file", "file/run.npz", "."]))},
    ]
    for fault in faults:
        given = {"--loss": "clumsy:loss", "--dim": "3", "--max-evaluations": "40", **fault}
        done = RUNNER.invoke(app, ["minimize", *(word for pair in given.items() for word in pair)])
        assert done.exit_code == 2, (fault, done.output)
        assert done.output.startswith("zooadmm: "), (fault, done.output)
        assert "Traceback" not in done.output
        assert isinstance(done.exception, SystemExit)
        assert not (tmp_path / "called").exists(), fault
        if fault != {"--loss": "clumsy:raising"} and "--checkpoint" not in fault:
            assert next(iter(fault)) in done.output


def test_names() -> None:
    assert named("elastic-net:0.1:2", "--regularizer", REGULARIZERS) == zoo.ElasticNet(0.1, 2.0)
    assert named("simplex", "--domain", DOMAINS) == zoo.Simplex()
