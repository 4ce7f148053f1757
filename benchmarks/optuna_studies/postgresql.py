"""A PostgreSQL server of its own: loopback, a free port, a folder that it owns."""

from __future__ import annotations

import os
import random
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
START_SECONDS = 300.0
"""How long a start may take, with the recovery after a kill, on a machine that is busy"""
PORTS = (10_000, 32_000)
"""Where a port is looked for"""
STOPPED, ENDED = ("T",), ("Z", "X", "")
"""States of a process"""


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
        self._user = "postgres" if os.getuid() == 0 else None  # initdb refuses root
        self._process: subprocess.Popen[bytes] | None = None
        self._opened: list[RDBStorage] = []
        self._has_tables = False
        self.url = f"postgresql+psycopg://postgres:{PASSWORD}@127.0.0.1:{port}/postgres"

    def start(self) -> None:
        """Start it and wait until it accepts connections."""
        address = ["-p", str(self._port), "-c", "listen_addresses=127.0.0.1"]
        options = [*address, "-k", str(self._folder), "-c", "fsync=off"]
        self._process = self._begin("postgres", "-D", str(self._folder / "data"), *options)
        deadline = time.monotonic() + START_SECONDS
        while not self._is_ready():
            if self._process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError((self._folder / "log").read_text()[-2000:])
            time.sleep(0.02)

    def _is_ready(self) -> bool:
        """What it says of itself in its lock file, whose last word is its state."""
        try:
            words = (self._folder / "data" / "postmaster.pid").read_text().split()
        except FileNotFoundError:
            return False
        assert self._process is not None
        return [*words[:1], *words[-1:]] == [str(self._process.pid), "ready"]

    def create(self) -> None:
        secret = self._folder / "secret"
        secret.write_text(PASSWORD)
        shutil.chown(secret, self._user) if self._user else None
        access = ["-U", "postgres", "-A", "scram-sha-256", f"--pwfile={secret}"]
        process = self._begin("initdb", "--no-sync", "-D", str(self._folder / "data"), *access)
        if process.wait(START_SECONDS) != 0:
            raise RuntimeError((self._folder / "log").read_text())

    def kill(self) -> None:
        """As a loss of power would: the server and all that serve its clients.

        It is stopped first, so that it starts no others. Those it has are killed before it: their
        numbers stay theirs until it takes notice of their ends, which it cannot any more.
        """
        assert self._process is not None
        pid = self._process.pid
        os.kill(pid, signal.SIGSTOP)
        while _state(pid) not in (*STOPPED, *ENDED):
            time.sleep(0.001)
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        for each in (*map(int, children), pid):
            os.kill(each, signal.SIGKILL)
        self._process.wait()
        while not all(_state(int(child)) in ENDED for child in children):  # they share memory
            time.sleep(0.001)

    def stop(self) -> None:
        """End it at once, where it runs, without a last word to its clients."""
        if self._process is not None:
            self._process.send_signal(signal.SIGQUIT)
            self._process.wait(START_SECONDS)

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

    def _begin(self, program: str, *arguments: str) -> subprocess.Popen[bytes]:
        with (self._folder / "log").open("ab") as log:
            return subprocess.Popen(
                [str(self._programs / program), *arguments],
                user=self._user,
                group=self._user,
                extra_groups=[] if self._user else None,
                cwd=self._folder,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )


def _state(pid: int) -> str:
    """The letter that Linux gives the state of a process; none where there is no such process."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return ""


def free_port() -> int:
    """A port that no client gets by chance: below those that Linux gives to connections.

    Otherwise a client could take it while the server is down, or even connect to itself.
    """
    ports = random.SystemRandom().sample(range(*PORTS), 100)
    for port in ports:
        with socket.socket() as candidate:
            candidate.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                candidate.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
    raise RuntimeError(f"none of the ports {ports} is free")


@contextmanager
def serving(programs: Path) -> Iterator[Server]:
    folder = Path(tempfile.mkdtemp(prefix="zooadmm-postgresql-"))
    if os.getuid() == 0:
        shutil.chown(folder, "postgres", "postgres")
    server = Server(folder, free_port(), programs)
    try:
        server.create()
        server.start()
        yield server
    finally:
        server.disconnect()
        server.stop()
        shutil.rmtree(folder, ignore_errors=True)
