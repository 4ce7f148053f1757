"""The documents link to what they say they link to.

A link to a line names in its title a piece of that line; `python docs/link_equations.py` puts the
numbers right.
"""

from __future__ import annotations

import re
import runpy
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
SCRIPT = runpy.run_path(str(DOCS / "link_equations.py"))
LINE_LINK, line_of, relinked = SCRIPT["LINE_LINK"], SCRIPT["line_of"], SCRIPT["relinked"]
PAGES = sorted(
    [*ROOT.glob("*.md"), *DOCS.rglob("*.md"), *(ROOT / "benchmarks").rglob("*.md")],
)
ANY_LINK = re.compile(r'\]\((?P<target>[^()\s]+)(?:\s+"(?P<title>[^"]*)")?\)')


def name(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def prose(page: Path) -> str:
    """The page with blanks for its code."""
    code = re.compile(r"^( *)```.*?^\1```$|`[^`\n]+`", flags=re.M | re.S)
    return code.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), page.read_text(encoding="utf-8"))


@cache
def anchors(page: Path) -> set[str]:
    """The ids of a page in HTML; else what GitHub calls its headings in links, and docstrings."""
    if page.suffix == ".html":
        return set(re.findall(r'\bid="([^"]+)"', page.read_text(encoding="utf-8")))
    headings = re.findall(r"^#+ (.+)$", prose(page), flags=re.M)
    found = {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}
    return found | set(re.findall(r"^::: ([\w.]+)$", prose(page), flags=re.M))


def test_there_are_pages() -> None:
    assert {"README.md", "docs/errata.md", "docs/mathematics.md", "docs/tutorial.md"} <= set(
        map(name, PAGES)
    )


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_links_to_lines(page: Path) -> None:
    text = prose(page)
    wrong = []
    for link in LINE_LINK.finditer(text):
        row = text.count("\n", 0, link.start()) + 1
        path, line, token = link["path"], int(link["line"]), link["token"]
        try:
            right = line_of(token, (page.parent / path).resolve())
        except ValueError as error:
            wrong.append(f"{name(page)}:{row}: {error}")
            continue
        if line != right:
            wrong.append(f"{name(page)}:{row}: {token!r} is on line {right} of {path}, not {line}")
    assert not wrong, "\n".join([*wrong, "run: python docs/link_equations.py"])


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_relative_links(page: Path) -> None:
    wrong = list(faults(page))
    assert not wrong, "\n".join(wrong)


def faults(page: Path) -> Iterator[str]:
    """What is wrong with the links of a page to files beside it."""
    for link in ANY_LINK.finditer(prose(page)):
        path, _, fragment = link["target"].partition("#")
        if re.match(r"[a-z]+:", path):
            continue
        target = (page.parent / path).resolve() if path else page
        if not target.exists():
            yield f"{page.name} links to {path}, which is not there"
        elif target.suffix == ".py":
            if bool(fragment or link["title"]) is not bool(re.fullmatch(r"L\d+", fragment)):
                yield f"{page.name}: {link['target']} has a title or a fragment, and no line"
        elif fragment and fragment not in anchors(target):
            yield f"{page.name} links to #{fragment} of {path}, which is not there"


def test_a_link_that_leads_nowhere_is_found(tmp_path: Path) -> None:
    (tmp_path / "code.py").write_text("first\n")
    (tmp_path / "shown.html").write_text('<h2 id="there">a</h2>')
    page = tmp_path / "page.md"
    sound = '[a](code.py) [a](code.py#L1 "first") [a](shown.html#there) [a](shown.html) [a](#here)'
    page.write_text(f"# Here\n\n{sound}\n")
    assert not list(faults(page))
    broken = ['code.py "first"', "code.py#first", "shown.html#nowhere", "#nowhere", "no.md"]
    page.write_text(" ".join(f"[a]({link})" for link in broken))
    assert len(list(faults(page))) == len(broken)


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_every_link_with_a_line_is_seen(page: Path) -> None:
    """A link that is spelled in another way would be looked at by nobody."""
    text = prose(page)
    assert len(LINE_LINK.findall(text)) == len(re.findall(r"\.py#", text))


def test_the_number_follows_the_title(tmp_path: Path) -> None:
    (tmp_path / "code.py").write_text("first\nsecond = 2\nsecond, again\n")
    page = '[code](code.py#L9 "second =") and [code](code.py#L3 "first")'
    assert relinked(page, tmp_path) == page.replace("L9", "L2").replace("L3", "L1")
    for token, said in (("second", r"lines \[2, 3\]"), ("third", "no line"), ("", "no title")):
        with pytest.raises(ValueError, match=said):
            relinked(f'[code](code.py#L1 "{token}")', tmp_path)
    with pytest.raises(ValueError, match="no file"):
        relinked('[code](other.py#L1 "first")', tmp_path)
