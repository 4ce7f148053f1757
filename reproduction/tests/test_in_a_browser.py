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
    write_report(Reproduction([Coins(), Missing()], folder), "zooadmm reproduce coins")
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


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("which", ["made here", "committed"])
def test_everything_is_seen(browser: Any, made_here: Path, which: str, width: str) -> None:
    page = made_here if which == "made here" else COMMITTED
    tab, said, asked = opened(browser, page, width)
    assert said == []
    assert asked == []
    figures = tab.locator("figure")
    assert figures.count() >= 3
    for number in range(figures.count()):
        figure = figures.nth(number)
        figure.scroll_into_view_if_needed()
        shown = figure.locator("svg, table").first.bounding_box()
        assert shown is not None
        assert shown["width"] > 100, figure.get_attribute("id")
        assert shown["height"] > 30, figure.get_attribute("id")
    assert tab.evaluate("document.documentElement.scrollWidth") <= WIDTHS[width][0]
    assert tab.locator("#claims .verdict").count() == tab.locator("#claims tbody tr").count() > 0


def test_from_a_claim_to_its_figure_and_its_data(browser: Any, made_here: Path) -> None:
    tab, _, _ = opened(browser, made_here, "desktop")
    tab.locator("#claims .links a").first.click()
    assert tab.url.endswith("#coins")
    assert tab.locator("#coins").bounding_box()["y"] < 900
    with tab.expect_download() as waiting:
        tab.locator("#coins figcaption a").click()
    assert Path(waiting.value.path()).read_text().startswith("seed,heads,threads\n0,")
    tab.locator("#claims .links a").nth(1).click()
    assert tab.url.endswith("#erratum-4")


def test_from_a_section_to_its_code(browser: Any, made_here: Path) -> None:
    tab, _, _ = opened(browser, made_here, "phone")
    code = tab.locator("pre").first
    assert not code.is_visible()
    tab.locator("#coins-section a[href^='#code-']").first.click()
    assert code.is_visible()
    assert "def tossed(" in code.inner_text()
