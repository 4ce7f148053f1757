"""The site has the layout of the repository, so that links between documents work in both.

Pages are where they are: README.md is the first, docs/tutorial.md is docs/tutorial.html. A file of
another kind that some page links to becomes a page with numbered lines, and `code.py#L10` leads to
its line; a folder that some page links to becomes a list of its files. Nothing is copied into the
repository, and no address of a repository is needed.
"""

from __future__ import annotations

import html
import posixpath
import re
from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files, InclusionLevel
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import get_lexer_for_filename
from pygments.lexers.special import TextLexer
from pygments.util import ClassNotFound

ROOT = Path(__file__).parents[2]
PAGES = ["*.md", "docs/**/*.md", "benchmarks/**/*.md"]
PICTURES = {".png", ".svg", ".jpg"}
NOT_SHOWN = {".md", ".py", ".pyc"}
"""What the folder docs has beside files that are part of the site as they are."""

WIDE = {
    "docs/errata.md",
    "benchmarks/results/SUMMARY.md",
    "benchmarks/results/applications/README.md",
    "benchmarks/results/auto/README.md",
}
"""Pages whose tables take the place of the list of their sections."""

AS_THEY_ARE = PICTURES | {".css", ".html", ".js"}
LINK = re.compile(r'(\]\()(?P<target>[^()\s#]+)(?P<rest>(?:#[^()\s]*)?(?:\s+"[^"]*")?\))')
CODE = re.compile(r"^( *)```.*?^\1```$|`[^`\n]+`", re.M | re.S)


def on_files(files: Files, config: Any, **_: Any) -> Files:
    """The pages of the repository in place of those of the folder docs, and what they link to."""
    site = [file for file in files if file.src_dir != config.docs_dir]
    pages = sorted({page for pattern in PAGES for page in ROOT.glob(pattern)})
    kept = [page for page in pages if not _hidden(page)]
    linked = {target for page in kept for target in _targets(page)}
    statics = {path for path in (ROOT / "docs").rglob("*.*") if path.suffix not in NOT_SHOWN}
    statics |= {path for path in linked if path.suffix in AS_THEY_ARE}
    statics |= {path for page in linked if page.suffix == ".html" for path in _beside(page)}
    sources = {path for path in linked if _is_source(path)}
    sources |= {path for folder in sources if folder.is_dir() for path in _listed(folder)}
    for path in sorted({*kept, *statics}):
        site.append(File.generated(config, _uri(path), abs_src_path=str(path)))
    for path in sorted(sources):
        content = _folder(path) if path.is_dir() else _source(path)
        file = File.generated(config, _page_of(path), content=content)
        file.inclusion = InclusionLevel.NOT_IN_NAV
        site.append(file)
    return Files(site)


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Links to files that have become pages lead to these; pages of wide tables have the room."""
    if page.file.src_uri in WIDE:
        page.meta["hide"] = ["toc"]
    return relinked(markdown, ROOT / page.file.src_uri)


def relinked(markdown: str, page: Path) -> str:
    """The text of a page with its links to code led to the pages of the code."""

    def led(link: re.Match[str]) -> str:
        path = _resolved(page, link["target"])
        if path is None or not _is_source(path):
            return link[0]
        target = posixpath.relpath(_page_of(path), posixpath.dirname(_uri(page)) or ".")
        return f"{link[1]}{target}{link['rest']}"

    return _outside_code(markdown, partial(LINK.sub, led))


def _outside_code(markdown: str, change: Any) -> str:
    parts, end = [], 0
    for code in CODE.finditer(markdown):
        parts += [change(markdown[end : code.start()]), code[0]]
        end = code.end()
    return "".join([*parts, change(markdown[end:])])


def _targets(page: Path) -> Iterable[Path]:
    text = CODE.sub("", page.read_text(encoding="utf-8"))
    found = (_resolved(page, link["target"]) for link in LINK.finditer(text))
    return [path for path in found if path is not None]


def _resolved(page: Path, target: str) -> Path | None:
    """What a link leads to in the repository, if it is there."""
    if re.match(r"[a-z]+:", target):
        return None
    path = (page.parent / target).resolve()
    return path if path.exists() and path.is_relative_to(ROOT) else None


def _is_source(path: Path) -> bool:
    return path.is_dir() or path.suffix not in AS_THEY_ARE | {".md"}


def _beside(page: Path) -> Iterable[Path]:
    """The files that a page of HTML links to, its tables for instance."""
    names = re.findall(r'href="([^":#]+)"', page.read_text(encoding="utf-8"))
    return [path for path in (_resolved(page, name) for name in names) if path and path.is_file()]


def _hidden(path: Path) -> bool:
    return any(part.startswith(".") for part in path.relative_to(ROOT).parts)


def _uri(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def _page_of(path: Path) -> str:
    return f"{_uri(path)}/index.md" if path.is_dir() else f"{_uri(path)}.md"


def _listed(folder: Path) -> list[Path]:
    return sorted(path for path in folder.iterdir() if path.suffix == ".py")


def _folder(folder: Path) -> str:
    names = [f"- [{path.name}]({path.name}.md)" for path in _listed(folder)]
    return "\n".join([_head(_uri(folder)), *names, ""])


def _source(path: Path) -> str:
    """A page that shows a file, an anchor L1, L2, ... at each line."""
    try:
        lexer = get_lexer_for_filename(path.name)
    except ClassNotFound:
        lexer = TextLexer()
    text = path.read_text(encoding="utf-8")
    lines = highlight(text, lexer, HtmlFormatter(nowrap=True)).rstrip("\n").split("\n")
    numbered = (
        f'<span id="L{number}"><a href="#L{number}" data-line="{number}"></a>{line}</span>'
        for number, line in enumerate(lines, start=1)
    )
    shown = "\n".join(numbered)
    return f'{_head(_uri(path))}<pre class="highlight source no-copy"><code>{shown}</code></pre>\n'


def _head(name: str) -> str:
    meta = "---\nhide: [navigation, toc]\nsearch:\n  exclude: true\n---\n\n"
    return f"{meta}# {html.escape(name)}\n\n"
