"""The program `zooadmm`, as a shell runs it."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import zooadmm as zoo
from twins.bowl import bowl
from zooadmm.cli import app
from zooadmm.cli.named import DOMAINS, REGULARIZERS, named
from zooadmm.cli.start import numbers_of

EXAMPLES = Path(__file__).parents[2] / "examples"
RUNNER = CliRunner()


def test_whole_numbers_may_be_written_as_floats() -> None:
    common = "minimize --loss twins.bowl:bowl --dim 12 --observations 2 --seed 0 --max-evaluations "
    first, second = (RUNNER.invoke(app, (common + n).split()) for n in ("5e2", "500"))
    assert first.output == second.output
    assert first.exit_code == 0, first.output
    assert RUNNER.invoke(app, (common + "1.5").split()).exit_code == 2


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
    assert (written["nfev"], written["status"]) == (result.nfev, result.status.value)
    assert repr(zoo.Result.load(tmp_path / "result.json")) == repr(result)


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
        done = subprocess.run(
            [sys.executable, "-c", program, "minimize", *arguments.split(), "--seed", "0", *more],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
            check=False,
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr  # an answer, though not shown to be an optimum
        return done.stdout

    whole = run(1000, "--workers", "2")
    assert whole.startswith("no success: The budget of 1000 evaluations")
    run(600, "--checkpoint", "run.zoo")
    assert run(1000, "--checkpoint", "run.zoo") == whole


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("--dim 2", "give the loss by --command, by --program or by --loss"),
        ("--dim 2 --loss a:b --command c", "give the loss by --command, by --program or by --loss"),
        ("--dim 2 --loss twins.workshop", "a place such as package.module:function"),
        ("--dim 2 --loss twins.nowhere:f", "No module named 'twins.nowhere'"),
        ("--dim 2 --loss twins.workshop:nothing", "has no attribute 'nothing'"),
        ("--dim 2 --loss twins.bowl:bowl", "nothing would end this run: give --max-evaluations"),
        ("--dim 2 --loss twins.bowl:bowl --domain ball:1", "--domain knows box, nonneg"),
        ("--dim 2 --loss twins.bowl:bowl --domain box:1:0", "--domain box:1:0: "),
        ("--dim 2 --loss twins.bowl:bowl --regularizer l1", "--regularizer l1: "),
        ("--dim 2 --command ./nothing --max-iterations 1", "while starting ./nothing"),
        ("--dim 2 --program ./nothing --max-iterations 1", "there is no file ./nothing"),
        ("--dim 2 --program nothing-here --max-iterations 1", "Give its path, ./nothing-here"),
        ("--dim 2 --program 'echo {0}' --max-iterations 1", "does not use {1}; it must have all"),
        (
            "--dim 2 --program 'echo {0} {1} {w}' --max-iterations 1",
            "has {w}, which is no variable",
        ),
        ("--bounds 0:1,0:1 --x0 1,5 --program true", "variable 1 is 5, the nearest is 1"),
        ("--dim 2 --program false --max-iterations 1", "ended with exit code 1"),
        ("--dim 2 --program true --max-iterations 1", "printed no number"),
        ("--dim 2 --program 'sleep 9' --timeout 0.1 --max-iterations 1", "within 0.1 seconds"),
        ("--loss twins.bowl:bowl", "give the number of variables: --dim, --x0"),
        ("--loss twins.bowl:bowl --dim 3 --x0 1,2", "differ: --dim has 3, --x0 has 2"),
        ("--loss twins.bowl:bowl --x0 1,two", "give numbers such as 0,0.5,1"),
        ("--loss twins.bowl:bowl --bounds 0:1,0", "give low:high for each variable"),
        ("--loss twins.bowl:bowl --bounds 0:1,3:2", "variable 1 has low 3 above high 2"),
        ("--loss twins.bowl:bowl --bounds 0:1 --domain simplex", "give one of them"),
        ("--loss twins.bowl:bowl --parameters nowhere.json", "nowhere.json"),
        ("--dim 2 --loss twins.bowl:bowl --probes inside --settings paper", "--probes is for"),
    ],
)
def test_what_is_wrong_is_said_in_a_line(arguments: str, said: str) -> None:
    done = RUNNER.invoke(app, ["minimize", *shlex.split(arguments)])
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


def ran(arguments: str) -> str:
    done = RUNNER.invoke(app, shlex.split(arguments))
    assert done.exit_code == 0, done.output
    return done.output


def test_the_version() -> None:
    assert ran("--version") == f"zooadmm {zoo.__version__}\n"


def test_help_names_what_a_new_user_needs() -> None:
    shown = ran("minimize --help")
    for option in ("--program", "--bounds", "--x0", "--parameters", "--checkpoint", "--write"):
        assert option in shown
    assert "Exit codes" in shown


SUM_OF_SQUARES = (
    f'{sys.executable} -S -c "import sys; v = [float(a) for a in sys.argv[1:]]; '
    "print(7, 'loss', (v[0] - 0.25) ** 2 + (v[1] - 4) ** 2)\""
)


def test_a_plain_program_with_bounds_and_a_start(tmp_path: Path) -> None:
    """Its last number counts; nothing is evaluated outside; a result is a start too."""
    path = tmp_path / "result.json"
    line = shlex.quote(SUM_OF_SQUARES)
    ran(
        f"minimize --program {line} --bounds 0:1,0:10 --x0 0.5,1 --probes inside "
        f"--max-evaluations 40 --seed 0 --write {path}"
    )
    found = zoo.Result.load(path)
    np.testing.assert_allclose(found.x, [0.25, 4.0], atol=0.3)
    assert numbers_of(str(path)).tolist() == found.x.tolist()


def test_parameters_by_name(tmp_path: Path) -> None:
    (tmp_path / "p.json").write_text('{"rate": [1e-4, 1, "log"], "depth": [0, 5]}')
    code = "import sys; r, d = map(float, sys.argv[1:]); print((d - 4) ** 2 + (r - .1) ** 2)"
    line = shlex.quote(f'{sys.executable} -S -c "{code}" {{rate}} {{depth}}')
    output = ran(
        f"minimize --program {line} --parameters {tmp_path / 'p.json'} --max-evaluations 200 "
        "--workers 2 --seed 0"
    )
    assert "named: rate = " in output


@pytest.mark.parametrize("saved", [True, False])
def test_ctrl_c_says_how_to_go_on(saved: bool, tmp_path: Path) -> None:
    (tmp_path / "slow.py").write_text(
        "import time\nfrom pathlib import Path\n\n\n"
        "def f(x):\n    Path('began').touch()\n    time.sleep(0.05)\n    return float(x @ x)\n"
    )
    more = ["--checkpoint", "run.zoo"] if saved else []
    command = ["minimize", "--loss", "slow:f", "--x0", "1,2,3", "--max-seconds", "60", *more]
    process = subprocess.Popen(
        [sys.executable, "-c", "from zooadmm.cli import app; app()", *command],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    while not (tmp_path / "began").exists() and process.poll() is None:
        time.sleep(0.05)
    time.sleep(0.2)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert "The run was interrupted" in out
    wanted = "The same command continues from run.zoo." if saved else "with --checkpoint run.zoo"
    assert wanted in err
    assert (tmp_path / "run.zoo").exists() is saved


def test_a_run_without_a_better_point_has_an_exit_code_of_its_own() -> None:
    done = RUNNER.invoke(
        app, ["minimize", "--loss", "builtins:len", "--dim", "1", "--max-evaluations", "40"]
    )
    assert done.exit_code == 1, done.output
    assert done.output.startswith("no success")


def test_values_that_are_known_come_from_a_table(tmp_path: Path) -> None:
    points = np.random.default_rng(0).standard_normal((6, 12))
    table = np.column_stack([[bowl(x) for x in points], points])
    path, names = tmp_path / "known.csv", ",".join(["value", *(f"x{j}" for j in range(12))])
    np.savetxt(path, table, delimiter=",", comments="", fmt="%.17g", header=names)
    common = "minimize --loss twins.bowl:bowl --dim 12 --seed 0 --max-evaluations 20"
    done = RUNNER.invoke(app, [*common.split(), "--start-values", str(path)])
    assert done.exit_code == 0, done.output
    result = zoo.minimize(
        bowl,
        np.zeros(12),
        start_values=(points, table[:, 0]),
        max_evaluations=20,
        rng=0,
    )
    assert done.output == f"{result!r}\n"
    path.write_text("value,x0\nmuch,1\n")
    done = RUNNER.invoke(app, [*common.split(), "--start-values", str(path)])
    assert done.exit_code == 2
    assert "give a CSV file of numbers" in done.output
