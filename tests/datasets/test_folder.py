"""Files are found in the named folder, then in the cache, then at an address that is checked."""

from __future__ import annotations

import errno
import gzip
import hashlib
import io
import sys
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import numpy as np
import pooch
import pytest
import scipy.io

from zooadmm.datasets import kirc, overlapping_groups, sensors
from zooadmm.datasets.folder import VARIABLE, Remote, at_hand, cache_folder, located, released
from zooadmm.datasets.ratings import load_jester


class Silent(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        """Say nothing."""


@dataclass
class Server:
    """A real server of a folder, and how often it was asked."""

    http: ThreadingHTTPServer
    folder: Path

    def remote(self, name: str, content: bytes) -> Remote:
        (self.folder / name).write_bytes(content)
        address = f"http://127.0.0.1:{self.http.server_address[1]}/{name}"
        return Remote(name, address, hashlib.sha256(content).hexdigest())

    def stop(self) -> None:
        self.http.shutdown()
        self.http.server_close()


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    folder = tmp_path / "served"
    folder.mkdir()
    http = ThreadingHTTPServer(("127.0.0.1", 0), partial(Silent, directory=str(folder)))
    thread = Thread(target=http.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    running = Server(http, folder)
    yield running
    running.stop()
    thread.join()


@pytest.fixture(autouse=True)
def nothing_at_hand(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setattr(pooch, "os_cache", lambda _: tmp_path / "users cache")


def matlab(**variables: object) -> bytes:
    file = io.BytesIO()
    scipy.io.savemat(file, variables)
    return file.getvalue()


def archive(**changed: bytes) -> bytes:
    """An archive with the structure of the authors' one and other numbers in it."""
    generator = np.random.default_rng(0)
    event = generator.permutation(np.arange(532) < 160).astype(float)
    files = {
        part: matlab(
            **{
                f"data_rna_{part}": generator.standard_normal((160, count)),
                f"daysurv_{part}": generator.integers(0, 4000, size=(1, count)),
                f"delta_censoring_{part}": labels[None, :],
            }
        )
        for part, count, labels in (("train", 372, event[:372]), ("test", 160, event[372:]))
    }
    members = {
        "train_data_cox.mat": files["train"],
        "test_data_cox.mat": files["test"],
        "dataSample_overlapGroupLasso.mat": matlab(
            an_matrix=generator.standard_normal((100, 512)),
            cn_vec=generator.choice([-1, 1], size=(512, 1)).astype(np.int16),
        ),
        "dataSample_sensrSel.mat": matlab(
            A_allT=generator.standard_normal((5, 50, 1000)),
            Loc_target=generator.uniform(size=(5, 1)) + 1j * generator.uniform(size=(5, 1)),
            Locs_sensors=generator.uniform(size=(50, 2)),
        ),
    }
    members |= {name.replace("__", "."): content for name, content in changed.items()}
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as content:
        for name, data in members.items():
            content.writestr(f"__MACOSX/ZO-ADMM_package/data/._{name}", b"not a MATLAB file")
            content.writestr(f"ZO-ADMM_package/data/{name}", data)
    return file.getvalue()


def test_a_download_is_kept(server: Server, tmp_path: Path) -> None:
    remote = server.remote("some.bin", b"content")
    first = located(remote, tmp_path / "cache")
    server.stop()
    assert first == tmp_path / "cache" / "some.bin"
    assert located(remote, tmp_path / "cache").read_bytes() == b"content"


def test_a_wrong_checksum_is_refused_and_nothing_kept(server: Server, tmp_path: Path) -> None:
    remote = replace(server.remote("some.bin", b"content"), sha256="0" * 64)
    with pytest.raises(ValueError, match=rf"{remote.address} has not the sha256 0000.*{VARIABLE}"):
        located(remote, tmp_path / "cache")
    assert list((tmp_path / "cache").iterdir()) == []


def test_offline_the_message_says_what_to_do(server: Server, tmp_path: Path) -> None:
    remote = server.remote("some.bin", b"content")
    server.stop()
    with pytest.raises(FileNotFoundError) as caught:
        located(remote, tmp_path / "cache")
    for needed in ("some.bin", remote.address, str(tmp_path / "cache"), VARIABLE):
        assert needed in str(caught.value)


def test_an_address_without_the_file_is_an_error(server: Server, tmp_path: Path) -> None:
    remote = server.remote("some.bin", b"content")
    (server.folder / "some.bin").unlink()
    with pytest.raises(FileNotFoundError, match="404"):
        located(remote, tmp_path / "cache")


def test_the_named_folder_comes_first(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    remote = server.remote("some.bin", b"content")
    located(remote, tmp_path / "cache")
    (tmp_path / "named").mkdir()
    (tmp_path / "named" / "some.bin").write_bytes(b"content")
    monkeypatch.setenv(VARIABLE, str(tmp_path / "named"))
    assert located(remote, tmp_path / "cache") == tmp_path / "named" / "some.bin"
    (tmp_path / "named" / "some.bin").write_bytes(b"other")
    with pytest.raises(ValueError, match="is not the file of sha256"):
        located(remote, tmp_path / "cache")


def test_without_pooch_the_message_names_the_extra(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    remote = server.remote("some.bin", b"content")
    monkeypatch.setitem(sys.modules, "pooch", None)
    assert at_hand("some.bin") is None
    for call in (cache_folder, partial(located, remote, tmp_path / "cache")):
        with pytest.raises(ImportError, match=r"pip install zooadmm\[data\]"):
            call()


def test_the_cohort_from_an_archive(server: Server, tmp_path: Path) -> None:
    remote = server.remote("package.zip", archive())
    cohort = kirc.from_release(remote, tmp_path / "cache")
    server.stop()
    train = released("train_data_cox.mat", remote, tmp_path / "cache")
    test = released("test_data_cox.mat", remote, tmp_path / "cache")
    assert repr(cohort) == "KidneyCohort(532 patients, 160 genes, 160 deaths, 372 train)"
    np.testing.assert_array_equal(cohort.covariates[:372], train["data_rna_train"].T)
    np.testing.assert_array_equal(cohort.covariates[372:], test["data_rna_test"].T)
    np.testing.assert_array_equal(cohort.time[372:], test["daysurv_test"][0])
    np.testing.assert_array_equal(cohort.event[:372], train["delta_censoring_train"][0] == 1)
    np.testing.assert_array_equal(np.flatnonzero(cohort.train), np.arange(372))
    assert cohort.time_corrected is cohort.event_corrected is cohort.patients is None
    assert cohort.genes[0] == "gene 1"
    assert cohort.covariates.flags.c_contiguous


def test_the_other_samples_from_an_archive(server: Server, tmp_path: Path) -> None:
    remote = server.remote("package.zip", archive())
    grid = overlapping_groups.from_release(remote, tmp_path / "cache")
    field = sensors.from_release(remote, tmp_path / "cache")
    said = released(overlapping_groups.FILE, remote, tmp_path / "cache")
    np.testing.assert_array_equal(grid.features, said["an_matrix"].T)
    np.testing.assert_array_equal(grid.labels, said["cn_vec"][:, 0])
    said = released(sensors.FILE, remote, tmp_path / "cache")
    np.testing.assert_array_equal(field.vectors[7, 11], said["A_allT"][:, 11, 7])
    np.testing.assert_array_equal(field.locations[3, 1], said["Loc_target"][3, 0].imag)
    assert repr(field) == "SensorField(1000 times, 50 sensors, 5 locations)"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({"daysurv": np.zeros(372)}, "one variable data_rna"),
        ({"data_rna": np.zeros((372, 160))}, r"shape \(160, 372\); it has .*372, 160"),
        ({"data_rna": np.zeros((160, 372)), "data_rna_2": np.zeros(1)}, "one variable data_rna"),
        (
            {
                "data_rna": np.zeros((160, 372)),
                "daysurv": np.zeros(372),
                "delta_censoring": np.ones(372),
            },
            "160 are known",
        ),
        (
            {
                "data_rna": np.full((160, 372), np.nan),
                "daysurv": np.zeros(372),
                "delta_censoring": np.zeros(372),
            },
            "NaN or infinite",
        ),
        (
            {
                "data_rna": np.zeros((160, 372)),
                "daysurv": np.zeros(372),
                "delta_censoring": np.full(372, 2.0),
            },
            "events other than 0",
        ),
    ],
)
def test_an_archive_of_other_content_is_refused(
    server: Server, tmp_path: Path, content: dict[str, object], message: str
) -> None:
    remote = server.remote("package.zip", archive(train_data_cox__mat=matlab(**content)))
    with pytest.raises(ValueError, match=message):
        kirc.from_release(remote, tmp_path / "cache")


def test_a_missing_member_is_named(server: Server, tmp_path: Path) -> None:
    remote = server.remote("package.zip", archive())
    with pytest.raises(ValueError, match=r"has no nothing\.mat; it has .*test_data_cox\.mat"):
        released("nothing.mat", remote, tmp_path / "cache")


GOOD_TABLE = {"genes": 160, "train": 372, "deaths": 160, "event": "1", "time": "7", "gene": "0.5"}


def table(path: Path, **changed: object) -> Path:
    """A table with the structure of the real one; `event`, `time` and `gene` are its last row's."""
    how = GOOD_TABLE | changed
    names = [f"gene{i}" for i in range(how["genes"])]
    lines = [["patient", "split", "time", "event", "time_gdac", "event_gdac", *names]]
    for i in range(532):
        part = "train" if i < how["train"] else "test"
        event = "1" if 531 - i < how["deaths"] else "0"
        lines.append([f"P{i}", part, str(i), event, str(i), event, *(["0.25"] * how["genes"])])
    lines[-1][2:4], lines[-1][-1] = [how["time"], how["event"]], how["gene"]
    with gzip.open(path, "wt") as file:
        file.write("\n".join(",".join(line) for line in lines))
    return path


def test_the_cohort_from_a_table(tmp_path: Path) -> None:
    cohort = kirc.from_table(table(tmp_path / "table.csv.gz"))
    assert repr(cohort) == "KidneyCohort(532 patients, 160 genes, 160 deaths, 372 train)"
    assert cohort.patients is not None
    assert cohort.patients[::531] == ("P0", "P531")
    assert cohort.covariates[531, 158:].tolist() == [0.25, 0.5]


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"genes": 159}, r"covariates of shape \(532, 159\) where \(532, 160\) is known"),
        ({"train": 371}, "has 371 patients to train on where 372 are known"),
        ({"deaths": 161}, "has 161 deaths where 160 are known"),
        ({"event": "2"}, r"events other than 0 \(censored\) and 1"),
        ({"event": "nan"}, "events other than 0"),
        ({"time": "inf"}, "NaN or infinite"),
        ({"gene": "nan"}, "NaN or infinite"),
    ],
)
def test_a_table_of_other_content_is_refused(
    tmp_path: Path, changed: dict[str, object], message: str
) -> None:
    with pytest.raises(ValueError, match=rf"table\.csv\.gz .*{message}"):
        kirc.from_table(table(tmp_path / "table.csv.gz", **changed))


@pytest.mark.parametrize(
    "error", [PermissionError("no writing"), OSError(errno.ENOSPC, "disk full")], ids=str
)
def test_trouble_with_the_disk_is_not_taken_for_the_networks(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: OSError
) -> None:
    def failing(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr(pooch, "retrieve", failing)
    with pytest.raises(OSError, match=r"no writing|disk full") as caught:
        located(server.remote("some.bin", b"content"), tmp_path / "cache")
    assert caught.value is error


def test_a_named_folder_that_is_none_is_told(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    remote = server.remote("some.bin", b"content")
    server.stop()
    for call in (partial(located, remote, tmp_path / "cache"), load_jester):
        monkeypatch.setenv(VARIABLE, str(tmp_path / "typo"))
        with pytest.raises(FileNotFoundError, match=rf"{VARIABLE} names .*typo, and there is no"):
            call()
        monkeypatch.setenv(VARIABLE, str(tmp_path))
        with pytest.raises(FileNotFoundError) as caught:
            call()
        assert "no such folder" not in str(caught.value)


def test_a_cached_file_of_the_wrong_checksum_is_downloaded_again(
    server: Server, tmp_path: Path
) -> None:
    remote = server.remote("some.bin", b"content")
    (tmp_path / "cache").mkdir()
    (tmp_path / "cache" / "some.bin").write_bytes(b"other")
    assert located(remote, tmp_path / "cache").read_bytes() == b"content"
