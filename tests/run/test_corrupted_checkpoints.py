"""Files that were damaged or altered: a sentence, before an evaluation is made, and no other end.

Seeded: each case is a random kind of damage at a random place of a random run's file.
"""

from __future__ import annotations

import io
import json
import os
import random
import zipfile
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import zooadmm as zoo
from zooadmm.run.checkpoint.archive import put

M = 4
RUNS: dict[str, dict[str, Any]] = {
    "paper": {"settings": "paper", "regularizer": zoo.L1(0.1), "target": -1.0},
    "observations": {"settings": "paper", "observations": np.arange(9)},
    "auto": {"regularizer": zoo.L1(0.1)},
    "auto, noisy": {"observations": np.arange(9), "domain": zoo.Box(-1, 1)},
}


def loss(x: np.ndarray, w: int = 0) -> float:
    return float(np.square(x - 0.1 * w).sum())


def run_of(label: str, path: Path | None = None, iterations: int = 12) -> zoo.Result:
    given = {"max_iterations": iterations, "rng": 1, **RUNS[label]}
    return zoo.minimize(loss, np.full(M, 0.5), checkpoint=path, **given)


def damaged(whole: bytes, rng: random.Random) -> bytes:
    """Bytes flipped, cut, repeated, overwritten, or put in another order."""
    data, place = bytearray(whole), rng.randrange(len(whole))
    length = rng.choice([1, 1, 4, 64, 1000])
    kind = rng.randrange(5)
    if kind == 0:
        data[place] ^= 1 << rng.randrange(8)
    elif kind == 1:
        del data[place : place + length]
    elif kind == 2:
        data[place:place] = rng.randbytes(length)
    elif kind == 3:
        data[place : place + length] = rng.randbytes(len(data[place : place + length]))
    else:
        other = rng.randrange(len(whole))
        data[place : place + length] = data[other : other + length]
    return bytes(data)


@pytest.mark.parametrize("label", RUNS)
def test_random_damage_is_refused_wherever_it_is(label: str, tmp_path: Path) -> None:
    rng, path = random.Random(label), tmp_path / "run.npz"
    run_of(label, path, 6)
    whole = path.read_bytes()
    for _ in range(60):
        damage = damaged(whole, rng)
        if damage == whole:
            continue
        path.write_bytes(damage)
        with pytest.raises(ValueError, match=r"run\.npz"):
            run_of(label, path)
        assert path.read_bytes() == damage


def test_no_bit_can_change_unseen(tmp_path: Path) -> None:
    """Also those of the archive's headers, dates and directory, which no number depends on."""
    path = tmp_path / "run.npz"
    run_of("auto", path, 6)
    whole, rng = path.read_bytes(), random.Random(0)
    directory = range(whole.index(b"PK\x01\x02"), len(whole))
    for place in [*rng.sample(directory, 150), *rng.sample(range(len(whole)), 150)]:
        data = bytearray(whole)
        data[place] ^= 1 << rng.randrange(8)
        path.write_bytes(data)
        with pytest.raises(ValueError, match=r"run\.npz"):
            zoo.Optimizer(np.full(M, 0.5), max_iterations=12, rng=1, **RUNS["auto"]).load(path)


def rewritten(path: Path, content: dict[str, np.ndarray]) -> None:
    """A file with this content whose checksum is right."""
    with path.open("w+b") as file:
        put(content, file)


def altered(value: Any, rng: random.Random) -> Any:
    """Another value in some place of what JSON can hold."""
    if isinstance(value, dict) and value and rng.random() < 0.9:
        name = rng.choice(list(value))
        return {**value, name: altered(value[name], rng)}
    if isinstance(value, list) and value and rng.random() < 0.9:
        place = rng.randrange(len(value))
        return [*value[:place], altered(value[place], rng), *value[place + 1 :]]
    return rng.choice([None, True, -1, 2**70, 0.5, "", "x", [], {}, [[1]], {"array": "nothing"}])


def other_array(array: np.ndarray, rng: random.Random) -> np.ndarray:
    """An array of another size, type or with NaN."""
    others = [
        np.append(array, array),
        array[:-1],
        np.zeros(array.shape, dtype=np.int8),
        array.astype("U4"),
        np.full(array.shape, np.nan),
        array.reshape(-1, 1),
    ]
    return rng.choice(others)


@pytest.mark.filterwarnings("ignore:.*written under")
@pytest.mark.parametrize("label", RUNS)
def test_altered_content_with_a_right_checksum_is_refused_when_it_is_read(
    label: str, tmp_path: Path
) -> None:
    """Types, shapes and sizes are those of the problem; a load changes all or nothing."""
    rng, path = random.Random(label), tmp_path / "run.npz"
    run_of(label, path, 6)
    with np.load(path) as file:
        arrays = {name: file[name] for name in file.files}
    vectors, refused = ["x", "y", "dual", "x_sum", "y_sum", "trace"], 0
    for number in range(50):
        content = dict(arrays)
        if number % 2:
            name = rng.choice([*arrays, *vectors])
            content[name] = other_array(arrays[name], rng)
        else:
            meta = altered(json.loads(arrays["meta"].tobytes()), rng)
            content["meta"] = np.frombuffer(json.dumps(meta).encode(), dtype=np.uint8)
        rewritten(path, content)
        given = {"max_iterations": 12, "rng": 1, **RUNS[label]}
        fresh = zoo.Optimizer(np.full(M, 0.5), **given)
        try:
            fresh.load(path)
        except ValueError as error:
            assert "run.npz" in str(error)  # noqa: PT017 - or no error at all
            assert (fresh.state.t, fresh.evaluations) == (1, 0)
            refused += 1
        else:
            assert fresh.state.x.shape == fresh.state.x_sum.shape == (M,)
            assert np.isfinite(fresh.state.x).all()
    assert refused > 25


def test_files_that_would_unpack_to_more_than_they_are_do_not(tmp_path: Path) -> None:
    path = tmp_path / "run.npz"
    zeros = np.zeros(2**18)
    np.savez_compressed(path, meta=zeros, x=zeros)
    with pytest.raises(ValueError, match=r"not a checkpoint .* compressed"):
        run_of("paper", path)
    header = io.BytesIO()
    np.lib.format.write_array_header_1_0(
        header, {"descr": "<f8", "fortran_order": False, "shape": (10**12,)}
    )
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("meta.npy", header.getvalue() + b"12345678")
    with pytest.raises(ValueError, match=r"not a checkpoint .* the size that it states"):
        run_of("paper", path)


def test_a_changed_number_in_a_sound_archive_is_seen_by_the_checksum(tmp_path: Path) -> None:
    """The archive's own sums are right: a file that another program wrote anew."""
    path = tmp_path / "run.npz"
    run_of("paper", path, 6)
    with np.load(path) as file:
        content = {name: file[name] for name in file.files}
    content["x"] = content["x"] + 1e-9
    np.savez(path, **content)
    with pytest.raises(ValueError, match=r"run\.npz is damaged: .* checksum"):
        run_of("paper", path)


def test_a_directory_that_states_more_than_the_file_has_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "run.npz"
    run_of("paper", path, 6)
    data = bytearray(path.read_bytes())
    entry = data.index(b"PK\x01\x02")
    sizes = 2 * (1 << 30).to_bytes(4, "little")  # as stored, and as it would be unpacked
    data[entry + 20 : entry + 28] = sizes
    path.write_bytes(data)
    with pytest.raises(ValueError, match=r"not a checkpoint .* entries are larger than the file"):
        run_of("paper", path)


def test_a_folder_and_a_file_in_no_folder_are_named_before_an_evaluation(tmp_path: Path) -> None:
    calls: list[np.ndarray] = []
    for path, said in ((tmp_path, "is a folder"), (tmp_path / "no" / "run.npz", "does not exist")):
        with pytest.raises(ValueError, match=rf"^checkpoint = .* {said}"):
            zoo.minimize(calls.append, np.zeros(M), max_evaluations=50, checkpoint=path)
    assert not calls
    assert not list(tmp_path.iterdir())


def test_another_version_of_the_library_is_said(tmp_path: Path) -> None:
    path = tmp_path / "run.npz"
    run_of("paper", path, 6)
    with np.load(path) as file:
        content = {name: file[name] for name in file.files}
    meta = {**json.loads(content["meta"].tobytes()), "zooadmm": "0.0.1"}
    content["meta"] = np.frombuffer(json.dumps(meta).encode(), dtype=np.uint8)
    rewritten(path, content)
    with pytest.warns(RuntimeWarning, match=r"written under zooadmm 0\.0\.1, this is"):
        run_of("paper", path)


@pytest.mark.skipif(os.name != "posix", reason="asks the system for processes")
def test_half_written_files_of_killed_processes_are_removed(tmp_path: Path) -> None:
    """Those of processes that run, of other files and of other machines are not."""
    path = tmp_path / "run.npz"
    ended = os.spawnlp(os.P_NOWAIT, "true", "true")
    os.waitpid(ended, 0)
    host = "".join(c if c.isalnum() or c == "_" else "-" for c in os.uname().nodename)
    stale = [tmp_path / f"run.npz.{host}.{ended}{own}.tmp" for own in ("", ".0123456789abcdef")]
    others = [
        tmp_path / f"run.npz.{host}.{os.getppid()}.0123456789abcdef.tmp",
        tmp_path / f"run.npz.{host}.{os.getppid()}.tmp",
        tmp_path / f"run.npz.another-host.{ended}.tmp",
        tmp_path / f"run2.npz.{host}.{ended}.tmp",
    ]
    for iterations in (6, 12):  # at the start of a run, and when it goes on
        for file in (*stale, *others):
            file.write_bytes(b"half")
        run_of("paper", path, iterations)
        assert not any(file.exists() for file in stale)
        assert all(file.exists() for file in others)


def test_threads_that_write_one_path_leave_a_whole_file(tmp_path: Path) -> None:
    path, given = tmp_path / "run.npz", {"rng": 1, "max_iterations": 12, **RUNS["auto"]}
    unbroken = run_of("auto").x.tobytes()

    def runs(_: int) -> list[bytes]:
        go = partial(zoo.minimize, loss, np.full(M, 0.5), checkpoint_seconds=0, **given)
        return [go(checkpoint=path).x.tobytes() for _ in range(10)]

    with ThreadPoolExecutor(3) as threads:
        found = [x for each in threads.map(runs, range(3)) for x in each]
    assert found == 30 * [unbroken]
    assert run_of("auto", path).x.tobytes() == unbroken
    assert [file.name for file in tmp_path.iterdir()] == ["run.npz"]
