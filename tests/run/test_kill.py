"""Runs that are killed, interrupted or out of disk space, and what becomes of them.

This file is also a program: run as a script, it is the process that gets killed, or a warm parent
that forks many such processes, so that each of them starts in a millisecond.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import random
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

import zooadmm as zoo

M = 6
DATA = np.random.default_rng(7).normal(size=(40, M))
TORTURE = bool(os.environ.get("TORTURE"))
KILLS = 100 if TORTURE else 50
KILLS_WHILE_SAVING = 400 if TORTURE else 100
INTERRUPTS = 12
LET_IN = 100

RUNS: dict[str, Callable[[], dict[str, Any]]] = {
    "epochs": lambda: {
        "observations": zoo.Samples(DATA, order="epochs"),
        "gradient": zoo.paper.Smoothed(2, 2),
        "max_iterations": 300,
        "max_trace_rows": 20,
    },
    "stream": lambda: {
        "observations": zoo.Stream([*DATA] * 20),
        "gradient": zoo.paper.Smoothed(2, 3, difference="central"),
        "max_iterations": 600,
    },
    "sparse": lambda: {
        "constraint": zoo.Linear(np.diff(np.eye(M), axis=0)),
        "gradient": zoo.paper.Smoothed(3, distribution=zoo.paper.Orthogonal()),
        "max_iterations": 300,
        "domain": zoo.Box(-1.0, 1.0),
    },
}


def bowl(x: np.ndarray, w: Any = 0.5) -> float:
    return float(np.square(x - w).sum() * (1 + 0.1 * x[0] ** 2))


def minimized(label: str, loss: Callable[..., float] = bowl, **changes: Any) -> zoo.Result:
    given = {"settings": "paper", "regularizer": zoo.L1(0.1), "rng": 5, **RUNS[label](), **changes}
    return zoo.minimize(loss, np.full(M, 0.25), **given)


# The program


def forked(job: Callable[[], int]) -> int:
    """The process that does the job and nothing else; its exit code is what the job returns."""
    process = os.fork()
    if process > 0:
        return process
    code = 1
    try:
        with contextlib.suppress(BaseException):
            code = job()
    finally:
        os._exit(code)


def meta_of(path: Path) -> dict[str, Any]:
    """What a checkpoint says beside its arrays; a run that has not begun if there is none."""
    if not path.exists():
        return {"t": 0, "ledger": {"evaluations": 0}}
    with np.load(path) as file:
        return dict(json.loads(file["meta"].tobytes()))


def t_of(path: Path) -> int:
    """The iteration about to run in a checkpoint, 0 if there is none."""
    return int(meta_of(path)["t"])


def kill_runs(directory: Path) -> Iterator[tuple[str, int]]:
    """Start a run, kill it, start it again, and so on; (run, its iteration) at each kill.

    A kill comes at a random moment within a span of time, which is lengthened where a run got
    nowhere and shortened where it got on, however fast the machine is at the moment.
    """
    rng = random.Random(0)
    span = 0.03
    for k in range(10**6):
        label = list(RUNS)[k % len(RUNS)]
        path = directory / f"{label}.npz"
        before = t_of(path)

        def job(label: str = label, path: Path = path) -> int:
            minimized(label, checkpoint=path, checkpoint_seconds=rng.choice([0.0, 0.0, 0.003]))
            return 0

        process = forked(job)
        time.sleep(rng.uniform(0.0, span))
        os.kill(process, signal.SIGKILL)
        _, status = os.waitpid(process, 0)
        if os.WIFSIGNALED(status):
            reached = t_of(path)
            span *= 1.3 if reached == before else 0.9
            yield label, reached
        else:  # it was through: put it aside, and start that run anew
            assert os.WEXITSTATUS(status) == 0
            span *= 0.5
            path.rename(directory / f"{label}-{k}.npz")


def killing_runs(directory: Path) -> Any:
    kills = kill_runs(directory)
    return [next(kills) for _ in range(KILLS)]


def large_optimizer() -> zoo.Optimizer:
    """A checkpoint of it is a megabyte, so that writing one takes a while."""
    return zoo.Optimizer(
        np.zeros(25_000), settings="paper", gradient=zoo.paper.Smoothed(1), smoothing=0.01, rng=2
    )


def advance(optimizer: zoo.Optimizer) -> None:
    query = optimizer.ask()
    assert query is not None
    optimizer.tell(query.id, [float(np.square(point - 0.5).sum()) for point in query.points])


def killing_savers(directory: Path) -> Any:
    """Processes that save all the time, killed; (iteration in the file, had begun to write)."""
    path = directory / "large.npz"
    states = [large_optimizer() for _ in range(4)]
    for k, optimizer in enumerate(states):
        for _ in range(k):
            advance(optimizer)
    expected = [optimizer.state for optimizer in states]
    rng = random.Random(0)
    read_end, write_end = os.pipe()

    def job() -> int:
        os.write(write_end, b"!")
        while True:
            rng.choice(states).save(path)

    began = time.perf_counter()
    for optimizer in states[:2]:
        optimizer.save(path)
    span = min(1.0, time.perf_counter() - began)
    seen = []
    for _ in range(KILLS_WHILE_SAVING):
        process = forked(job)
        os.read(read_end, 1)
        time.sleep(rng.uniform(0.0, span))
        os.kill(process, signal.SIGKILL)
        _, status = os.waitpid(process, 0)
        assert os.WIFSIGNALED(status)
        assert os.WTERMSIG(status) == signal.SIGKILL
        unfinished = [p for p in directory.iterdir() if p != path]
        loaded = large_optimizer()
        loaded.load(path)
        for value, wanted in zip(loaded.state, expected[loaded.state.t - 1], strict=True):
            assert np.asarray(value).tobytes() == np.asarray(wanted).tobytes()
        seen.append((loaded.state.t, len(unfinished) > 0))
        assert [p.name for p in directory.iterdir()] == [path.name]  # loading removes the rest
    return seen


def interrupting_runs(directory: Path) -> Any:
    """Ctrl-C at random moments; (how often, how the run ended, and at which iteration).

    A second Ctrl-C is let in anywhere, also in what follows the run: that ends with LET_IN. After
    the first, fun is evaluated, which is cheap here, or the message says why not.
    """
    path = directory / "stream.npz"
    signal.signal(signal.SIGINT, signal.default_int_handler)
    rng = random.Random(0)
    endings = []
    for _ in range(INTERRUPTS):
        read_end, write_end = os.pipe()
        wait, times = rng.uniform(0.0, 0.04), rng.choice([1, 1, 3])

        def job(write_end: int = write_end, times: int = times) -> int:
            begun = False

            def loss(x: np.ndarray, w: Any) -> float:
                nonlocal begun
                if not begun:
                    os.write(write_end, b"!")
                    begun = True
                time.sleep(5e-4)  # far from its end, even if the signal is late
                return bowl(x, w)

            try:
                result = minimized("stream", loss, checkpoint=path, checkpoint_seconds=0.005)
                restored = signal.signal(signal.SIGINT, signal.SIG_IGN)
            except KeyboardInterrupt:
                return 10 + LET_IN
            known = result.fun is not None and result.nfev_report > 0
            explained = result.fun is None and "fun was not evaluated: " in result.message
            if result.success or restored is not signal.default_int_handler:
                return 2
            if times == 1 and not (known or explained):
                return 3
            return 10 + list(zoo.Status).index(result.status)

        process = forked(job)
        os.read(read_end, 1)
        time.sleep(wait)
        for _ in range(times):
            os.kill(process, signal.SIGINT)
        _, status = os.waitpid(process, 0)
        os.close(read_end)
        os.close(write_end)
        endings.append((times, os.waitstatus_to_exitcode(status) - 10, t_of(path)))
    return endings


def filling_the_disk(directory: Path) -> Any:
    """A run that may not write files larger than its checkpoint is now; the error it ends with."""
    path = directory / "epochs.npz"
    minimized("epochs", max_iterations=5, checkpoint=path)
    room = path.stat().st_size + 100
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (room, room))
    calls = 0

    def loss(x: np.ndarray, w: Any) -> float:
        nonlocal calls
        calls += 1
        return bowl(x, w)

    try:
        minimized("epochs", loss, checkpoint=path, checkpoint_seconds=0.0)
    except OSError as error:
        said = " ".join([str(error), *error.__notes__])
        return {"errno": error.errno, "message": said, "t": t_of(path), "calls": calls}
    return None


JOBS: dict[str, Callable[[Path], Any]] = {
    job.__name__: job for job in (killing_runs, killing_savers, interrupting_runs, filling_the_disk)
}


# The tests


def in_a_process_of_its_own(job: Callable[[Path], Any], directory: Path) -> Any:
    command = [sys.executable, __file__, job.__name__, str(directory)]
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=300)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return json.loads(done.stdout)


def assert_goes_on_to_the_end(label: str, path: Path) -> None:
    """What is in the file leads to the result of a run that nobody disturbed."""
    spent = int(meta_of(path)["ledger"]["evaluations"])
    calls = 0

    def loss(x: np.ndarray, w: Any = 0.5) -> float:
        nonlocal calls
        calls += 1
        return bowl(x, w)

    unbroken = minimized(label)
    result = minimized(label, loss, checkpoint=path)
    for name in ("x", "y", "x_average", "y_average", "x_last", "y_last", "dual"):
        assert getattr(result, name).tobytes() == getattr(unbroken, name).tobytes(), name
    for name in ("fun", "fun_error", "nit", "nfev", "nfev_report", "status", "success"):
        assert getattr(result, name) == getattr(unbroken, name), name
    assert result.trace.rows().tobytes() == unbroken.trace.rows().tobytes()
    assert calls - result.nfev_report == unbroken.nfev - spent  # nothing is evaluated twice


def test_killed_fifty_times_a_run_is_the_same_run(tmp_path: Path) -> None:
    kills = in_a_process_of_its_own(killing_runs, tmp_path)
    assert len(kills) == KILLS
    assert len({(label, t) for label, t in kills if t > 1}) >= 15  # at many moments, and getting on
    for path in tmp_path.glob("*.npz"):
        assert_goes_on_to_the_end(path.stem.split("-")[0], path)


def test_killed_while_saving_there_is_the_old_file_or_the_new_one(tmp_path: Path) -> None:
    seen = in_a_process_of_its_own(killing_savers, tmp_path)
    assert len(seen) == KILLS_WHILE_SAVING
    assert len({t for t, _ in seen}) > 1
    assert sum(unfinished for _, unfinished in seen) >= KILLS_WHILE_SAVING / 4


def test_ctrl_c_returns_a_result_and_leaves_a_checkpoint(tmp_path: Path) -> None:
    endings = in_a_process_of_its_own(interrupting_runs, tmp_path)
    assert len(endings) == INTERRUPTS
    interrupted = list(zoo.Status).index(zoo.Status.INTERRUPTED)
    for times, ending, _ in endings:
        assert ending == interrupted or (times > 1 and ending == LET_IN)
    reached = [t for _, _, t in endings]
    assert reached == sorted(reached)
    assert 1 < reached[-1] < 600
    assert_goes_on_to_the_end("stream", tmp_path / "stream.npz")


def test_ctrl_c_in_a_fresh_process(tmp_path: Path) -> None:
    """With the message, and nothing printed by anybody."""
    program = (
        "import signal, sys, time, numpy as np, zooadmm as zoo\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "def loss(x):\n"
        "    print('begun', flush=True)\n"
        "    time.sleep(60)\n"
        "result = zoo.minimize(loss, np.zeros(2), settings='paper', max_iterations=9, rng=0)\n"
        "print(result.success, result.status.name, result.nit, result.fun, result.message)\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    with process:
        assert process.stdout is not None
        assert process.stdout.readline() == "begun\n"
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=30)
    assert out.startswith("False INTERRUPTED 0 None The run was interrupted")
    assert (err, process.returncode) == ("", 0)


def test_a_full_disk_is_an_error_and_the_old_checkpoint_stays(tmp_path: Path) -> None:
    failed = in_a_process_of_its_own(filling_the_disk, tmp_path)
    assert failed["errno"] == errno.EFBIG
    assert "File too large" in failed["message"]
    assert f"while writing the checkpoint {tmp_path / 'epochs.npz'}" in failed["message"]
    assert failed["t"] >= 6
    assert failed["calls"] > 0
    assert [p.name for p in tmp_path.iterdir()] == ["epochs.npz"]  # no half file left behind
    assert_goes_on_to_the_end("epochs", tmp_path / "epochs.npz")


if __name__ == "__main__":
    print(json.dumps(JOBS[sys.argv[1]](Path(sys.argv[2]))))
