"""Who can reach the cluster that we start: this machine only."""

from __future__ import annotations

import ipaddress
from contextlib import suppress

import psutil
import pytest

import zooadmm as zoo
from twins.bowl import bowl


def outside() -> set[str]:
    """Addresses that are not loopback on which this process or one below it listens."""
    here, found = psutil.Process(), set()
    for process in (here, *here.children(recursive=True)):
        with suppress(psutil.Error):
            connections = process.net_connections(kind="inet")
            found |= {c.laddr.ip for c in connections if c.status == psutil.CONN_LISTEN}
    plain = {address.removeprefix("::ffff:") for address in found}
    return {address for address in plain if not ipaddress.ip_address(address).is_loopback}


@pytest.mark.xdist_group("clusters")
@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_dask_and_its_dashboard_listen_on_this_machine_only() -> None:
    before = outside()
    with zoo.evaluation.Dask(workers=1).evaluator(bowl):
        assert outside() <= before


@pytest.mark.xdist_group("clusters")
@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_ray_listens_on_this_machine_only(monkeypatch: pytest.MonkeyPatch) -> None:
    ray = pytest.importorskip("ray")
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    ray.shutdown()
    before = outside()
    with zoo.evaluation.Ray(workers=1).evaluator(bowl):
        assert ray.is_initialized()
        assert outside() <= before
    assert not ray.is_initialized()
