"""A PostgreSQL server of its own: loopback, a free port, a folder that it owns."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import optuna
from optuna.storages import RDBStorage

PASSWORD = "correct-horse-battery"


def programs() -> Path | None:
    """The folder of PostgreSQL's programs; Debian keeps them out of the path."""
    found = shutil.which("initdb")
    if found is not None:
        return Path(found).resolve().parent
    folders = sorted(Path("/usr/lib/postgresql").glob("*/bin"))
    return folders[-1] if folders else None


class Server:
    """A server that can be killed and started again on the same port and data.

    It does not flush to the disk: a kill ends a process, not the machine.
    """

    def __init__(self, folder: Path, port: int, programs: Path) -> None:
        self._folder, self._port, self._programs = folder, port, programs
        self._opened: list[RDBStorage] = []
        self._has_tables = False
        self.url = f"postgresql+psycopg://postgres:{PASSWORD}@127.0.0.1:{port}/postgres"

    def start(self) -> None:
        options = f"-p {self._port} -c listen_addresses=127.0.0.1 -k {self._folder} -c fsync=off"
        command = ["-D", str(self._folder / "data"), "-w", "-t", "60", "-o", options]
        for attempt in range(5):  # the children of a killed server take a moment to end
            try:
                return self._run("pg_ctl", *command, "-l", str(self._folder / "log"), "start")
            except subprocess.CalledProcessError:
                if attempt == 4:
                    raise
                time.sleep(1.0)

    def create(self) -> None:
        secret = self._folder / "secret"
        secret.write_text(PASSWORD)
        shutil.chown(secret, "postgres") if os.getuid() == 0 else None
        data = str(self._folder / "data")
        self._run(
            "initdb", "-D", data, "-U", "postgres", "-A", "scram-sha-256", f"--pwfile={secret}"
        )

    def kill(self) -> None:
        """As a loss of power would: the server and all that serve its clients."""
        pid = int((self._folder / "data" / "postmaster.pid").read_text().split()[0])
        os.kill(pid, signal.SIGKILL)

    def stop(self) -> None:
        self._run("pg_ctl", "-D", str(self._folder / "data"), "-m", "immediate", "stop")

    def storage(self) -> optuna.storages.BaseStorage:
        checked = {"pool_pre_ping": True}  # a server may have been killed and be back
        storage = RDBStorage(
            self.url, checked, self._has_tables, skip_table_creation=self._has_tables
        )
        self._has_tables = True
        self._opened.append(storage)
        return storage

    def disconnect(self) -> None:
        """Close the connections of all storages of this process."""
        while self._opened:
            self._opened.pop().engine.dispose()

    def _run(self, program: str, *arguments: str) -> None:
        user = "postgres" if os.getuid() == 0 else None  # initdb refuses root
        subprocess.run(
            [str(self._programs / program), *arguments],
            user=user,
            group=user,
            extra_groups=[] if user else None,
            cwd=self._folder,
            check=True,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=120,
        )


@contextmanager
def serving(programs: Path) -> Iterator[Server]:
    folder = Path(tempfile.mkdtemp(prefix="zooadmm-postgresql-"))
    if os.getuid() == 0:
        shutil.chown(folder, "postgres", "postgres")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    server = Server(folder, port, programs)
    server.create()
    server.start()
    try:
        yield server
    finally:
        server.disconnect()
        server.stop()
        shutil.rmtree(folder, ignore_errors=True)
