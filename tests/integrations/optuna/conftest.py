"""The durable storages, each as every process makes it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import optuna
import pytest
from optuna.storages import BaseStorage

from benchmarks.optuna_studies import postgresql
from integrations.optuna import studies

Make = Callable[[], BaseStorage]


@pytest.fixture(scope="module")
def server() -> Iterator[postgresql.Server]:
    programs = postgresql.programs()
    if programs is None:
        if os.environ.get("CI"):
            pytest.fail("PostgreSQL is not installed: .ci/run installs it")
        pytest.skip("PostgreSQL is not installed (Debian: apt-get install postgresql)")
    with postgresql.serving(programs) as serving:
        yield serving


@pytest.fixture(params=["sqlite", "journal", "postgresql"])
def make(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Make]:
    """Makes a storage, as each process does; empty before each test."""
    if request.param == "postgresql":
        served: postgresql.Server = request.getfixturevalue("server")
        yield served.storage
        storage = served.storage()
        for name in optuna.get_all_study_names(storage):
            optuna.delete_study(study_name=name, storage=storage)
        served.disconnect()
    else:
        yield lambda: getattr(studies, request.param)(tmp_path)
