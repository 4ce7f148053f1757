"""A run in a real kernel of Jupyter: its progress, its result, its pictures, Ctrl-C."""

from __future__ import annotations

import os
import re
import signal
import threading
from typing import Any

import pytest

nbclient = pytest.importorskip("nbclient")
nbformat = pytest.importorskip("nbformat")
pytest.importorskip("ipykernel")

pytestmark = [
    pytest.mark.xdist_group("notebook"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),  # others' warnings of what is to come
    pytest.mark.filterwarnings("ignore::RuntimeWarning"),
]

BEGIN = """
import time
import numpy as np
import zooadmm as zoo

def slow(x):
    time.sleep(0.01)
    return float(np.square(x - 1).sum())

given = dict(settings="paper", gradient=zoo.paper.Smoothed(1), rng=0)
"""
LONG = "result = zoo.minimize(slow, np.zeros(3), max_evaluations=220, **given)"
UNLIMITED = "zoo.minimize(slow, np.zeros(3), max_seconds=1.8, **given);"
SILENT = "zoo.minimize(slow, np.zeros(3), max_evaluations=220, progress=False, **given);"
SHORT = "zoo.minimize(slow, np.zeros(3), max_evaluations=20, **given);"
SHOWN = "result"
DRAWN = """
%matplotlib inline
from zooadmm.analysis import plot
plot.convergence(result)
"""


class Watched(nbclient.NotebookClient):  # type: ignore[misc]
    """A client that keeps what the kernel sends, also what is replaced later."""

    def process_message(self, msg: Any, cell: Any, cell_index: int) -> Any:
        if msg["msg_type"] in ("display_data", "update_display_data"):
            html = msg["content"]["data"].get("text/html")
            if html is not None:
                cell.metadata.setdefault("sent", []).append(html)
        return super().process_message(msg, cell, cell_index)


@pytest.fixture(scope="module")
def cells() -> list[Any]:
    sources = [BEGIN, LONG, UNLIMITED, SILENT, SHORT, SHOWN, DRAWN]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(s) for s in sources])
    Watched(notebook, timeout=60, kernel_name="python3").execute()
    return list(notebook.cells)


def sent(cell: Any) -> list[str]:
    return list(cell.metadata.get("sent", []))


def test_a_long_run_has_a_bar_that_moves_and_goes(cells: list[Any]) -> None:
    bars = sent(cells[1])
    done = [int(n) for bar in bars for n in re.findall(r'value="(\d+)" max="220"', bar)]
    assert len(done) > 2
    assert done == sorted(done)
    assert "of 220 evaluations" in bars[-2]
    assert "loss" in bars[-2]
    assert bars[-1] == ""
    (kept,) = cells[1].outputs  # one place, and nothing is left in it
    assert kept["data"]["text/html"] == ""


def test_without_a_limit_it_counts(cells: list[Any]) -> None:
    assert any("<progress></progress>" in bar and "iterations" in bar for bar in sent(cells[2]))


def test_there_is_none_where_none_belongs(cells: list[Any]) -> None:
    assert [cells[3].outputs, cells[4].outputs] == [[], []]


def test_a_result_is_a_table_and_a_picture_appears_once(cells: list[Any]) -> None:
    (table,) = cells[5].outputs
    assert "<table>" in table["data"]["text/html"]
    pictures = [output for output in cells[6].outputs if "image/png" in output.get("data", {})]
    assert len(pictures) == 1


def test_the_stop_button_returns_what_there_is() -> None:
    sources = (
        BEGIN,
        "result = zoo.minimize(slow, np.zeros(3), max_evaluations=10**6, **given)",
        "print(result.status.name, result.fun)",
    )
    cells = [nbformat.v4.new_code_cell(source) for source in sources]
    client = nbclient.NotebookClient(nbformat.v4.new_notebook(cells=cells), timeout=60)
    with client.setup_kernel():
        client.execute_cell(cells[0], 0)
        stop = threading.Timer(3.0, os.kill, (client.km.provisioner.pid, signal.SIGINT))
        stop.start()
        client.execute_cell(cells[1], 1)
        client.execute_cell(cells[2], 2)
    said = cells[2].outputs[0]["text"]
    assert said.startswith("INTERRUPTED ")
    assert "None" not in said
