"""People as losses: the example with the real dashboard, in a real browser, over two days."""

from __future__ import annotations

import json
import re
import runpy
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPException
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import zooadmm as zoo
from zooadmm.integrations.optuna import result

pytestmark = [pytest.mark.optuna]
EXAMPLE = Path(__file__).parents[3] / "examples" / "human_answers.py"
FAVORITE = {"arabica": 0.6, "robusta": 0.3, "liberica": 0.1}
BY_HAND = 2
"""Cards that are answered in the browser each day, as many as the first query has."""


def grade(shares: dict[str, float]) -> float:
    """What a careful person says of a blend: by how much it misses, in tenths."""
    return round(30 * sum((share - FAVORITE[name]) ** 2 for name, share in shares.items()), 1)


@contextmanager
def a_day(database: Path) -> Iterator[tuple[Any, str]]:
    """The program with its dashboard; killed in the evening, if it has not ended."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, str(EXAMPLE), str(database), str(port)]
    with database.with_suffix(".said").open("w") as said:
        program = subprocess.Popen(command, stdout=said, stderr=subprocess.DEVNULL)
    site = f"http://127.0.0.1:{port}"
    try:
        while not _up(site):
            assert program.poll() is None
            time.sleep(0.2)
        yield program, site
    finally:
        program.kill()
        program.wait()


def _up(site: str) -> bool:
    try:
        waiting(site)
    except OSError:
        return False
    return True


def waiting(site: str) -> list[dict[str, Any]]:
    """The cards that nobody has answered and that have their shares.

    A program that ends, or that has just begun, may cut its answer off: an OSError too.
    """
    try:
        with urllib.request.urlopen(f"{site}/api/studies/1?after=0", timeout=60) as answer:
            trials = json.load(answer)["trials"]
    except (HTTPException, ValueError) as cut_off:
        raise OSError(f"{site} gave no study") from cut_off
    return [t for t in trials if t["state"] == "Running" and len(t["params"]) == len(FAVORITE)]


def answer_in_browser(page: Any, site: str, number: int) -> None:
    """Open a card, read the shares, type a grade, submit it, and see that it counts."""
    page.goto(f"{site}/dashboard/studies/1/trials?numbers={number}")
    submit = page.get_by_role("button", name="Submit")
    submit.wait_for()
    while len(shares := shares_on(page)) < len(FAVORITE):  # not yet drawn
        page.wait_for_timeout(100)
    page.locator("input[type=text]").fill(str(grade(shares)))
    submit.click()
    submit.wait_for(state="detached")


def cards_of(program: Any, site: str) -> list[dict[str, Any]]:
    """The same, once there are enough to answer by hand."""
    while True:
        assert program.poll() is None
        try:
            if len(cards := waiting(site)) >= BY_HAND:
                return cards
        except OSError:
            pass
        time.sleep(0.2)


def shares_on(page: Any) -> dict[str, float]:
    """The shares that a card shows."""
    text = page.inner_text("body").partition("\nParameter\n")[2]
    shown = re.findall(r"(\w+) ([\d.e-]+)\n", text)
    return {name: float(share) for name, share in shown if name in FAVORITE}


def answer_as_the_form_does(site: str, trial: dict[str, Any]) -> None:
    shares = {param["name"]: float(param["param_external_value"]) for param in trial["params"]}
    told = json.dumps({"state": "Complete", "values": [grade(shares)]}).encode()
    url = f"{site}/api/trials/{trial['trial_id']}/tell"
    request = urllib.request.Request(url, told, {"Content-Type": "application/json"})
    urllib.request.urlopen(request, timeout=60).close()


def unbroken(cups: int) -> zoo.Optimizer:
    """The run of the same person without Optuna, dashboard or nights."""
    optimizer = zoo.Optimizer(
        np.full(3, 1 / 3), domain=zoo.Simplex(), max_evaluations=cups, max_trace_rows=200, rng=0
    )
    while (query := optimizer.ask()) is not None:
        blends = {e.cell: dict(zip(FAVORITE, e.point.tolist(), strict=True)) for e in query}
        optimizer.tell(query.id, {cell: grade(blend) for cell, blend in blends.items()})
    return optimizer


@pytest.mark.skipif(shutil.which("chromium") is None, reason="there is no Chromium here")
def test_people_answer_in_the_dashboard_over_two_days(folder: Path) -> None:
    from playwright.sync_api import sync_playwright

    database = folder / "study.db"
    with sync_playwright() as play:
        browser = play.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"], timeout=120_000
        )
        page = browser.new_page()
        page.set_default_timeout(120_000)
        with a_day(database) as (program, site):
            for card in cards_of(program, site)[:BY_HAND]:
                answer_in_browser(page, site, card["number"])
        with a_day(database) as (program, site):
            for card in cards_of(program, site)[-BY_HAND:]:
                answer_in_browser(page, site, card["number"])
            while program.poll() is None:
                try:
                    for card in reversed(waiting(site)):
                        answer_as_the_form_does(site, card)
                except OSError:  # it has ended, or SQLite was busy for too long
                    pass
                time.sleep(0.2)
            assert program.returncode == 0
        browser.close()
    said = database.with_suffix(".said").read_text()
    assert said.splitlines()[-1] == "arabica 60 %, robusta 30 %, liberica 10 %"
    example = runpy.run_path(str(EXAMPLE))
    study = example["open_study"](f"sqlite:///{database}")
    found, expected = result(study), unbroken(example["CUPS"]).result()
    assert found.nfev == expected.nfev
    assert found.x.tobytes() == expected.x.tobytes()
