"""Who can reach the cluster that we start: this machine only."""

from __future__ import annotations

import ipaddress
from contextlib import nullcontext, suppress

import psutil
import pytest

import zooadmm as zoo
from twins.bowl import bowl
from zooadmm.evaluation import ray_engine


def outside() -> set[str]:
    """Addresses that are not loopback on which this process or one below it listens."""
    here, found = psutil.Process(), set()
    for process in (here, *here.children(recursive=True)):
        with suppress(psutil.Error):
            connections = process.net_connections(kind="inet")
            found |= {c.laddr.ip for c in connections if c.status == psutil.CONN_LISTEN}
    plain = {address.removeprefix("::ffff:") for address in found}
    return {address for address in plain if not ipaddress.ip_address(address).is_loopback}


@pytest.mark.clusters
@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_dask_and_its_dashboard_listen_on_this_machine_only() -> None:
    before = outside()
    with zoo.evaluation.Dask(workers=1).evaluator(bowl):
        assert outside() <= before


@pytest.mark.clusters
@pytest.mark.filterwarnings("ignore::ResourceWarning")
@pytest.mark.parametrize("named", [None, "local"])
def test_ray_listens_on_this_machine_only(
    named: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    ray = pytest.importorskip("ray")
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    if named is not None:
        monkeypatch.setenv("RAY_ADDRESS", named)
    ray.shutdown()
    before = outside()
    with zoo.evaluation.Ray(workers=1).evaluator(bowl):
        assert ray.is_initialized()
        assert outside() <= before
    assert not ray.is_initialized()


@pytest.mark.clusters
@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_a_ray_that_listens_elsewhere_is_shut_down(monkeypatch: pytest.MonkeyPatch) -> None:
    """As a later version would that no longer reads what keeps it on loopback."""
    ray = pytest.importorskip("ray")
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    monkeypatch.setattr(ray_engine, "_on_loopback", nullcontext)
    ray.shutdown()
    if ipaddress.ip_address(ray.util.get_node_ip_address()).is_loopback:
        pytest.skip("this machine has no other address")
    with pytest.raises(RuntimeError, match="beyond this machine, and was shut down"):
        zoo.minimize(bowl, [0.0], evaluator=zoo.evaluation.Ray(workers=1), max_evaluations=9)
    assert not ray.is_initialized()
