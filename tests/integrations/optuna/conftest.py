"""The durable storages, each as every process makes it."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import optuna
import pytest
from optuna.storages import BaseStorage

from benchmarks.optuna_studies import postgresql
from integrations.optuna import studies

Make = Callable[[], BaseStorage]
MEMORY = Path("/dev/shm")


@pytest.fixture(scope="module")
def server() -> Iterator[postgresql.Server]:
    programs = postgresql.programs()
    if programs is None:
        if os.environ.get("CI"):
            pytest.fail("PostgreSQL is not installed: .ci/run installs it")
        pytest.skip("PostgreSQL is not installed (Debian: apt-get install postgresql)")
    with postgresql.serving(programs) as serving:
        yield serving


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """A folder in memory where the system has one: a kill ends a process, not the machine.

    Journal flushes each line to the disk while it holds its lock, and 16 workers wait for that.
    """
    if not MEMORY.is_dir():
        yield tmp_path
        return
    with tempfile.TemporaryDirectory(dir=MEMORY) as name:
        yield Path(name)


@pytest.fixture(params=["sqlite", "journal", "postgresql"])
def make(request: pytest.FixtureRequest, folder: Path) -> Iterator[Make]:
    """Makes a storage, as each process does; empty before each test."""
    if request.param == "postgresql":
        served: postgresql.Server = request.getfixturevalue("server")
        yield served.storage
        storage = served.storage()
        for name in optuna.get_all_study_names(storage):
            optuna.delete_study(study_name=name, storage=storage)
        served.disconnect()
    else:
        yield lambda: getattr(studies, request.param)(folder)
