"""What the site makes of pages, formulas and docstrings; `make docs` builds all of it."""

from __future__ import annotations

import re
import runpy
import shutil
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("mkdocs")

ROOT = Path(__file__).parents[2]
BUILDING = ROOT / "docs" / "building"


def hook(name: str) -> dict[str, Any]:
    return runpy.run_path(str(BUILDING / f"{name}.py"))


repository, formulas, docstrings = map(hook, ["repository", "formulas", "docstrings"])


@pytest.mark.parametrize(
    ("page", "link", "led"),
    [
        (
            "docs/errata.md",
            "../src/zooadmm/oracle/loss.py#L3",
            "../src/zooadmm/oracle/loss.py.md#L3",
        ),
        ("docs/auto/README.md", "../../benchmarks/auto", "../../benchmarks/auto/index.md"),
        ("README.md", "examples/simulator.c", "examples/simulator.c.md"),
        ("docs/tutorial.md", "tutorial.png", "tutorial.png"),
        ("docs/tutorial.md", "scale.md#when-things-go-wrong", "scale.md#when-things-go-wrong"),
        ("docs/tutorial.md", "https://example.org/a.py", "https://example.org/a.py"),
        ("docs/tutorial.md", "nowhere.py", "nowhere.py"),
    ],
)
def test_links_to_code_lead_to_its_page(page: str, link: str, led: str) -> None:
    text = 'see [this]({} "a title") and `[code]({})`'
    relinked = repository["relinked"](text.format(link, link), ROOT / page)
    assert relinked == text.format(led, link)


def test_a_page_of_code_has_an_anchor_at_each_line() -> None:
    path = ROOT / "src" / "zooadmm" / "oracle" / "loss.py"
    shown = repository["_source"](path)
    count = len(path.read_text().splitlines())
    assert f'id="L{count}"' in shown
    assert f'id="L{count + 1}"' not in shown
    marked = ET.fromstring(shown[shown.index("<pre") :])
    assert "".join(marked.itertext()) == path.read_text().rstrip("\n")


def drawn(tex: str, display: str = "inline") -> ET.Element:
    return ET.fromstring(formulas["mathml"](tex, display))


def test_formulas() -> None:
    assert "".join(drawn(r"\mathbb E z z^\top = I").itertext()) == "𝔼zz⊤=I"
    below = drawn(r"\arg\min_{x \in X} f(x) \tag{6}", "block")
    assert below.find(".//munder/mi").text == "arg min"
    assert below.find("span").text == "(6)"
    assert (
        len(drawn(r"\begin{aligned}a &= b\\ c &= d\end{aligned}", "block").findall(".//mtr")) == 2
    )
    spaced = drawn(r"\log x + \max(a, b)")
    assert len(spaced.findall(".//mspace")) == 1  # after log, not before a parenthesis
    signs = [sign.get("form") for sign in drawn("x = -1 - y").iter("mo") if sign.text == "−"]
    assert signs == ["prefix", None]


def test_a_formula_that_is_not_understood_is_refused() -> None:
    with pytest.raises(ValueError, match=r"\\unheardof in the formula"):
        formulas["mathml"](r"\unheardof{x}", "inline")


def test_docstrings_become_lists_and_code() -> None:
    written = docstrings["as_markdown"](
        """A function: of its own.

        x, y: two vectors,
            of one length.
        z: a number
        >>> f(1)
        2

        Where: not an entry
        that is explained.
        """
    )
    assert written.split("\n") == [
        "A function: of its own.",
        "",
        "- `x`, `y`: two vectors, of one length.",
        "- `z`: a number",
        "",
        "```pycon",
        ">>> f(1)",
        "2",
        "```",
        "",
        "Where: not an entry",
        "that is explained.",
    ]


CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
PAGE = """<!doctype html><body><script src="iframe-worker.js"></script><script>
const worker = new Worker("worker.js");
worker.addEventListener("message", event => document.title = event.data.join());
worker.postMessage([1, 2]);
</script></body>"""
WORKER = """addEventListener("message", async event => {
  await importScripts(document.querySelector("script[src]").src.replace("worker", "more"));
  postMessage([...event.data, more, "IFrameWorker" in parent]);
});"""


@pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium here: apt-get install chromium")
@pytest.mark.xdist_group("browser")
def test_search_runs_from_the_file_system(tmp_path: Path) -> None:
    """What the search does: a worker on a page without a server, and no network."""
    playwright = pytest.importorskip("playwright.sync_api")
    shutil.copy(BUILDING / "iframe-worker.js", tmp_path)
    (tmp_path / "page.html").write_text(PAGE)
    (tmp_path / "worker.js").write_text(WORKER)
    (tmp_path / "more.js").write_text("var more = 3;")
    with playwright.sync_playwright() as program:
        browser = program.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        tab = browser.new_page()
        asked: list[str] = []
        tab.on("request", lambda request: asked.append(request.url))
        tab.goto((tmp_path / "page.html").as_uri())
        tab.wait_for_function("document.title == '1,2,3,true'", timeout=20_000)
        browser.close()
    assert all(url.startswith(("file:", "about:")) for url in asked)


def test_the_site_asks_for_nothing_elsewhere() -> None:
    settings = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    assert "polyfills: [docs/building/iframe-worker.js]" in settings  # else the theme's is loaded
    assert "http" not in (BUILDING / "site.css").read_text(encoding="utf-8")


def test_a_page_has_one_name() -> None:
    """Pages are listed without titles, so that their headings name them everywhere."""
    listed = (ROOT / "mkdocs.yml").read_text(encoding="utf-8").partition("\nnav:\n")[2]
    titled = re.findall(r"^ *- ([^:\n]+): (\S+\.md)$", listed, re.M)
    assert titled == [("Home", "README.md")]
    pages = re.findall(r"^ *- (\S+\.md)$", listed, re.M)
    names = [re.findall(r"^# (.+)$", (ROOT / page).read_text(), re.M)[0] for page in pages]
    assert sorted(names) == sorted(set(names))


def test_formulas_of_docstrings_are_no_emphasis_and_no_tags() -> None:
    text = "f(x*), x*_t and <g, d>, *in short*, `x*_t <b>`.\n\n    f(x*) <b>\n\nx: x*, a point."
    assert docstrings["as_markdown"](text) == (
        "f(x\\*), x\\*\\_t and &lt;g, d>, *in short*, `x*_t <b>`.\n\n    f(x*) <b>\n\n"
        "- `x`: x\\*, a point."
    )


def test_tables_that_the_report_links_to_are_part_of_the_site() -> None:
    page = ROOT / "reproduction" / "report" / "index.html"
    names = {path.name for path in repository["_beside"](page)}
    assert len(names) > 30
    assert "fig1a.csv" in names
