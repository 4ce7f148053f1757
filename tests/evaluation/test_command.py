"""A loss that is another program: what is said, and what happens when it does not behave."""

from __future__ import annotations

import itertools
import json
import random
import shutil
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import zooadmm as zoo
from twins.bowl import M, bowl
from twins.workshop import TORTURE, alive, assert_kills_leave_no_trace

EXAMPLES = Path(__file__).parent.parent.parent / "examples"

HEAD = """
import json, math, os, signal, sys, time
asked = []
def told(value):
    print(json.dumps({"id": question["id"], "value": value}), flush=True)
for line in sys.stdin:
    question = json.loads(line)
    x, w = question["x"], question["observation"]
    asked.append(question)
"""


def program(body: str, *arguments: str) -> list[str]:
    """A program that does this with each question."""
    lines = "".join(f"    {line}\n" for line in body.splitlines())
    return [sys.executable, "-c", HEAD + lines, *arguments]


def test_numbers_arrive_with_all_their_digits_and_so_do_observations() -> None:
    x = np.array([0.1, 1 / 3, -1e-300, 5e-324, np.pi, 2.0**60])
    seen = {"row": [1, 2.5], "name": "ärger"}
    body = "told(float(x == json.loads(sys.argv[1]) and w == json.loads(sys.argv[2])))"
    with zoo.Command(program(body, json.dumps(x.tolist()), json.dumps(seen))) as command:
        assert command(x, seen) == 1.0
        assert command(x, {**seen, "row": np.array([1, 2.5])}) == 1.0
        assert command(x, None) == 0.0
        with pytest.raises(TypeError, match="observation of type object cannot be sent"):
            command(x, object())


def test_the_program_is_kept_running_and_ends_with_the_command() -> None:
    with zoo.Command(program("told(os.getpid() + (len(asked) - 1) / 8)")) as command:
        pid, *others = [command(np.zeros(2)) for _ in range(4)]
        assert others == [pid + 0.125, pid + 0.25, pid + 0.375]
        assert alive(int(pid))
    assert not alive(int(pid))


def test_long_questions_and_values_that_are_no_numbers() -> None:
    with zoo.Command(program("told([math.nan, math.inf, None, x[-1]][len(asked) - 1])")) as command:
        x = np.arange(100_000.0)
        assert np.isnan(command(x))
        assert command(x) == np.inf
        assert np.isnan(command(x))
        assert command(x) == 99_999.0


@pytest.mark.parametrize(
    ("body", "error", "said"),
    [
        ("print('hello', flush=True)", ValueError, "wrote 'hello'; it must write one line"),
        ("print('[1]', flush=True)", ValueError, "it must write one line"),
        ("question['id'] += 1; told(1.0)", ValueError, "with the id of that line"),
        ("print('{\"id\": 1}', flush=True)", ValueError, "it must write one line"),
        ("print('{\"id\": 1, \"error\": \"too hot\"}', flush=True)", RuntimeError, ": too hot"),
        ("print('oh dear', file=sys.stderr); sys.exit(3)", RuntimeError,
         r"(?s)ended with exit code 3, 3 times, at x = \[0. 0.\]. Its stderr:\noh dear"),
        ("os.kill(os.getpid(), signal.SIGKILL)", RuntimeError, "was killed by SIGKILL, 3 times"),
    ],
)  # fmt: skip
def test_a_program_that_misbehaves_is_told_of(body: str, error: type, said: str) -> None:
    with zoo.Command(program(body)) as command, pytest.raises(error, match=said):
        command(np.zeros(2))


def writing(path: Path, content: bytes) -> list[str]:
    """A program that answers every line with these bytes, whatever it was asked."""
    path.write_bytes(content)
    return ["sh", "-c", 'while read -r line; do cat "$0"; done', str(path)]


def test_random_answers_are_values_or_refused_with_a_sentence(tmp_path: Path) -> None:
    """Numbers of every type count, booleans, strings and other ids do not."""
    rng = random.Random(0)
    odd = ["true", "false", '"1.0"', "[1.0]", "{}", "1" + "0" * 400, "9" * 5000, "[" * 200_000]
    for _ in range(60):
        number = rng.choice(
            [rng.uniform(-9, 9), rng.randint(-9, 9), 1e-3 * 10.0 ** rng.randint(-300, 300)]
        )
        id = rng.choice(["1", "1", "1", "1.0", "true", '"1"', "2", "null", "[1]"])
        value = rng.choice([json.dumps(number), json.dumps(number), "null", rng.choice(odd)])
        line = f'{{"id": {id}, "value": {value}}}'
        if rng.random() < 0.3:
            line = line[: rng.randrange(len(line))] + rng.choice(["", "\0", "\x80"])
        good = line == f'{{"id": 1, "value": {json.dumps(number)}}}'
        empty = line == '{"id": 1, "value": null}'
        with zoo.Command(writing(tmp_path / "answer", line.encode("latin-1") + b"\n")) as command:
            if good or empty:
                assert np.array_equal(command(np.zeros(2)), np.nan if empty else number, True)
            else:
                command.timeout = 0.2 if not line.strip() else None
                with pytest.raises((ValueError, RuntimeError), match=r"one line|did not"):
                    command(np.zeros(2))


def test_lines_that_nobody_asked_for_are_refused() -> None:
    """Also where they have the number after the last one, and come late."""
    now = "told(1.0); question['id'] += %d; told(2.0)"
    late = "told(1.0); sys.stdout.flush(); time.sleep(0.05); question['id'] += %d; told(2.0)"
    for body, ahead in itertools.product((now, late), (1, 7)):
        with zoo.Command(program(body % ahead)) as command:
            values = []
            with pytest.raises(ValueError, match=r"beside its answer|with the id of that line"):
                values += [command(np.zeros(2)), time.sleep(0.2), command(np.zeros(2))]
            assert values == []


def test_empty_lines_do_not_count() -> None:
    with zoo.Command(program("print(); told(1.0); print(flush=True)")) as command:
        assert [command(np.zeros(2)) for _ in range(3)] == [1.0] * 3


def test_long_lines_are_refused_and_cost_no_more_than_their_length() -> None:
    body = "sys.stdout.write('x' * int(5e7)); sys.stdout.flush(); time.sleep(60)"
    with zoo.Command(program(body)) as command:
        began = time.process_time()
        with pytest.raises(ValueError, match="a line of more than 1048576 bytes"):
            command(np.zeros(2))
        assert time.process_time() - began < 1.0


def test_a_program_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError) as caught:
        zoo.Command([str(tmp_path / "nothing")])(np.zeros(2))
    assert "while starting" in caught.value.__notes__[0]
    for empty in ([], "", [3]):
        with pytest.raises(ValueError, match="a program and its arguments"):
            zoo.Command(empty)  # type: ignore[arg-type]


def test_a_program_that_dies_or_hangs_is_started_again(tmp_path: Path) -> None:
    body = (
        "once = [name for name in ('died', 'hung') if not os.path.exists(name)]\n"
        "if once: open(once[0], 'w').close()\n"
        "if once == ['died', 'hung']: sys.exit(1)\n"
        "if once == ['hung']: time.sleep(3600)\n"
        "told(sum(x))"
    )
    arguments = ["env", f"--chdir={tmp_path}", *program(body)]
    with zoo.Command(arguments, timeout=3.0) as command:
        assert command(np.array([1.0, 2.0])) == 3.0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["died", "hung"]


def test_a_program_that_always_hangs_is_given_up() -> None:
    with zoo.Command(program("time.sleep(3600)"), timeout=0.5) as command:
        began = time.monotonic()
        with pytest.raises(RuntimeError, match=r"did not answer within 0.5 seconds, 3 times"):
            command(np.zeros(2))
        assert time.monotonic() - began < 30


def test_several_copies_lead_to_the_same_bits_and_an_error_names_the_evaluation() -> None:
    """bowl, in another program, number by number."""
    given = {"max_iterations": 6, "settings": "paper", "rng": 0, "observations": range(9)}
    body = (
        "if len(sys.argv) > 1: sys.exit(1)\n"
        "from twins.bowl import bowl\n"
        "import numpy as np\n"
        "told(bowl(np.array(x), w))"
    )
    paths = "PYTHONPATH=" + ":".join(path for path in sys.path if path)
    here = zoo.minimize(bowl, np.zeros(M), **given)
    with zoo.Command(["env", paths, *program(body)]) as command:
        there = zoo.minimize(command, np.zeros(M), workers=2, **given)
    assert there.x.tobytes() == here.x.tobytes()
    with (
        zoo.Command(["env", paths, *program(body, "fail")]) as command,
        pytest.raises(RuntimeError, match="ended with exit code 1, 3 times") as caught,
    ):
        zoo.minimize(command, np.full(M, 0.5), **given)
    assert "at evaluation 0 of query 1" in caught.value.__notes__[0]


def test_copies_killed_at_random_moments_leave_no_trace(tmp_path: Path) -> None:
    body = (
        "import numpy as np\n"
        "from twins.bowl import bowl\n"
        "from pathlib import Path\n"
        "(Path(sys.argv[1]) / str(os.getpid())).touch()\n"
        "time.sleep(0.002)\n"
        "told(bowl(np.array(x), w))"
    )
    paths = "PYTHONPATH=" + ":".join(path for path in sys.path if path)
    with (
        zoo.Command(["env", paths, *program(body, str(tmp_path))]) as command,
        zoo.evaluation.Threads(2).evaluator(command) as evaluate,
    ):
        assert_kills_leave_no_trace(evaluate, tmp_path, 20 if TORTURE else 2)


@pytest.mark.skipif(shutil.which("cc") is None, reason="there is no C compiler here")
def test_a_simulator_in_c(tmp_path: Path) -> None:
    simulator = tmp_path / "simulator"
    source = EXAMPLES / "simulator.c"
    subprocess.run(["cc", "-O2", "-Wall", "-Werror", "-o", simulator, source], check=True)
    given = {"domain": zoo.Box(0.0, 1.0), "max_evaluations": 400, "rng": 0, "complete": "y"}
    with zoo.Command([str(simulator)]) as rod:
        cold = rod(np.zeros(20))
        alone = zoo.minimize(rod, np.full(20, 0.5), **given)
        shared = zoo.minimize(rod, np.full(20, 0.5), workers=3, **given)
    assert shared.x.tobytes() == alone.x.tobytes()
    assert alone.fun is not None
    assert alone.fun < 0.3 * cold
