"""The report in a real browser: nothing is complained of, everything is seen, at any width."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from coins import Coins, Missing

from zooadmm_reproduction import Folder, Reproduction, Size, write_report
from zooadmm_reproduction.folder import Done

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
COMMITTED = Path(__file__).parents[1] / "report" / "index.html"
WIDTHS = {"desktop": (1280, 900), "phone": (390, 844)}

pytestmark = [
    pytest.mark.skipif(
        CHROMIUM is None, reason="there is no Chromium here: apt-get install chromium"
    ),
    pytest.mark.xdist_group("browser"),
]


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    playwright = pytest.importorskip("playwright.sync_api")
    with playwright.sync_playwright() as program:
        chromium = program.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield chromium
        chromium.close()


@pytest.fixture(scope="module")
def made_here(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out: Path = tmp_path_factory.mktemp("pages") / "report"
    folder = Folder(out, Size.QUICK, 0)
    folder.open()
    for piece in Coins().pieces(Size.QUICK, 0):
        folder.keep(piece, Done(piece.rows(), 1.0))
    write_report(Reproduction([Coins(), Missing()], folder), "zooadmm-reproduce coins")
    return out / "index.html"


def opened(browser: Any, page: Path, width: str) -> tuple[Any, list[str], list[str]]:
    across, down = WIDTHS[width]
    context = browser.new_context(viewport={"width": across, "height": down})
    tab = context.new_page()
    said: list[str] = []
    asked: list[str] = []
    tab.on("console", lambda message: said.append(message.text))
    tab.on("pageerror", lambda error: said.append(str(error)))
    tab.on("request", lambda request: asked.append(request.url))
    tab.goto(page.as_uri())
    return tab, said, [url for url in asked if not url.startswith(("file:", "data:"))]


MOST = {"desktop": 36_812 / 3, "phone": 58_410 / 3}
"""Pixels of the page: a third of what it once was."""

CLIPPED = """() => [...document.querySelectorAll("body *")].filter(each => {
    const box = each.getBoundingClientRect();
    return box.width > 0 && (box.right > innerWidth + 1 || box.left < -1)
        && !each.closest(".table") && !each.closest("svg");
}).map(each => each.outerHTML.slice(0, 80))"""
"""What lies beyond the edges of the window."""


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("which", ["made here", "committed"])
def test_everything_is_seen(browser: Any, made_here: Path, which: str, width: str) -> None:
    page = made_here if which == "made here" else COMMITTED
    tab, said, asked = opened(browser, page, width)
    assert said == []
    assert asked == []
    assert tab.evaluate("document.documentElement.scrollHeight") < MOST[width]
    assert tab.locator(".finding .verdict").first.bounding_box()["y"] < 800  # conclusions first
    tab.evaluate("document.querySelectorAll('details').forEach(fold => fold.open = true)")
    figures = tab.locator("figure")
    assert figures.count() >= 3
    for number in range(figures.count()):
        figure = figures.nth(number)
        shown = figure.locator("svg, table").first.bounding_box()
        assert shown is not None
        assert shown["width"] > 100, figure.get_attribute("id")
        assert shown["height"] > 30, figure.get_attribute("id")
    assert tab.evaluate("document.documentElement.scrollWidth") <= WIDTHS[width][0]
    assert tab.evaluate(CLIPPED) == []
    findings = tab.locator("#findings .finding")
    assert tab.locator("#findings .finding > summary .verdict").count() == findings.count() > 0


def test_tables_are_not_cut_on_a_phone(browser: Any, made_here: Path) -> None:
    tab, _, _ = opened(browser, made_here, "phone")
    tab.evaluate("document.querySelectorAll('details').forEach(fold => fold.open = true)")
    for table in tab.locator(".table").all():
        assert table.evaluate("each => each.scrollWidth <= each.clientWidth + 1")


def test_from_a_finding_to_its_figure_and_its_data(browser: Any, made_here: Path) -> None:
    tab, _, _ = opened(browser, made_here, "desktop")
    measured = tab.locator("#findings .measured").first
    assert not measured.is_visible()
    tab.locator("#findings .finding > summary").first.click()
    assert measured.is_visible()
    tab.locator("#findings .links a").first.click()
    assert tab.url.endswith("#coins")
    assert tab.locator("#coins").bounding_box()["y"] < 900
    data = tab.locator("#coins figcaption a").get_attribute("href")
    assert (made_here.parent / data).read_text().startswith("seed,heads,threads\n0,")


def test_a_link_unfolds_what_it_points_to(browser: Any, made_here: Path) -> None:
    tab, _, _ = opened(browser, made_here, "phone")
    table = tab.locator("#coins-table")
    assert not table.is_visible()
    tab.evaluate("location.hash = 'coins-table'")
    table.wait_for(state="visible", timeout=2000)
    tab.evaluate("location.hash = 'erratum-4'")
    tab.locator("#erratum-4").wait_for(state="visible", timeout=2000)
