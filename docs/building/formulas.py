r"""Formulas as MathML: browsers draw it themselves, without scripts and without a network.

Pages have $...$ and fences of ```math; `pymdownx.arithmatex` finds them and `latex2mathml` reads
them. What it writes for our formulas and browsers do not draw well is put right here. A command
that it does not know is a warning, and with --strict an error. The font, STIX Two Math (under the
Open Font License), comes with the package `ziamath`.
"""

from __future__ import annotations

import html
import importlib.util
import logging
import re
import xml.etree.ElementTree as ET
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal

from latex2mathml.converter import convert
from mkdocs.structure.files import File, Files

log = logging.getLogger("mkdocs.hooks.formulas")

Display = Literal["inline", "block"]

FOUND = re.compile(
    r'<(?P<tag>span|div) class="arithmatex">\\[\[(](?P<tex>.*?)\\[\])]</(?P=tag)>', re.S
)
FONT = "STIXTwoMath-Regular.ttf"
BEFORE = [
    (r"\\mathop\{\\arg\\min\}|\\arg\\min", r"\\operatorname{argmin}"),
    (r"\\mathbf 1", "𝟏"),
    (r"\\math(bb|bf|cal) +(\w)", r"\\math\1{\2}"),  # written as characters of their own
    (r"\\mathrm\b", r"\\operatorname"),
    (r"\{aligned\}", r"{align*}"),
    (r"\\!", ""),
    (r"\\\n", r"\\ "),
]
TIGHT = {"/", "‖", "|", "⌈", "⌉", "⌊", "⌋"}
RELATIONS = {"⪰": "⪰", "~": "∼"}
BEFORE_A_SIGN = {"=", "(", "[", "{", ",", "<", ">", "≤", "≥", "≈", "∈"}
BELOW = {"min", "max", "arg min"}
"""Names that have their condition below them in a display."""


def mathml(tex: str, display: Display) -> str:
    r"""The formula, with its \tag at the right margin."""
    tags = re.findall(r"\\tag\{(.*?)\}", tex)
    tex = re.sub(r"\\tag\{.*?\}", "", tex).strip()
    for pattern, other in BEFORE:
        tex = re.sub(pattern, other, tex)
    written = re.sub(r' xmlns="[^"]*"', "", convert(tex, display=display))
    root = ET.fromstring(written)
    _tidy(root, display)
    drawn = ET.tostring(root, encoding="unicode")
    wrong = re.search(r"\\[a-zA-Z]+|mathvariant", drawn)
    if wrong:
        raise ValueError(f"{wrong[0]} in the formula {tex!r} cannot be drawn")
    if display == "inline":
        return drawn
    number = f'<span class="equation-number">({tags[0]})</span>' if tags else ""
    return f'<div class="equation">{drawn}{number}</div>'


def _tidy(parent: ET.Element, display: Display) -> None:
    for child in parent:
        _tidy(child, display)
    _put_right(parent)
    if parent.tag == "msub" and display == "block" and parent[0].text in BELOW:
        parent.tag = "munder"
    for before, child in pairwise(parent):
        if child.text in ("−", "+") and before.text in BEFORE_A_SIGN:
            child.set("form", "prefix")
    for index in reversed(range(len(parent) - 1)):
        if parent.tag in ("mrow", "mtd", "math") and _is_name(parent[index]):
            after = parent[index + 1]
            if after.tag not in ("mo", "mspace", "mrow") or after.text == "‖":
                parent.insert(index + 1, ET.Element("mspace", width="0.17em"))


def _put_right(element: ET.Element) -> None:
    text = element.text or ""
    if "columnalign" in element.attrib:
        element.set("style", f"text-align: {element.attrib.pop('columnalign')}")
    if element.tag == "mo" and len(text) > 1 and text.isalpha():
        element.tag = "mi"
        element.text = "arg min" if text == "argmin" else text
        element.attrib.clear()
    if text in RELATIONS:
        element.tag, element.text = "mo", RELATIONS[text]
    if text == "∞":
        element.tag = "mi"
    if text in TIGHT:
        element.tag = "mo"
        element.attrib.update(stretchy="false", lspace="0", rspace="0")


def _is_name(element: ET.Element) -> bool:
    """Whether this is log, max and the like, with or without something above or below."""
    base = element[0] if element.tag in ("msub", "msup", "munder", "msubsup") else element
    return base.tag == "mi" and len(base.text or "") > 1


def on_files(files: Files, config: Any, **_: Any) -> Files:
    """The font beside the style sheet."""
    package = importlib.util.find_spec("ziamath")
    assert package is not None
    assert package.origin is not None
    font = Path(package.origin).parent / "fonts" / FONT
    files.append(File.generated(config, f"docs/building/{FONT}", abs_src_path=str(font)))
    return files


def on_page_content(content: str, page: Any, **_: Any) -> str:
    """Every formula of a page."""

    def drawn(found: re.Match[str]) -> str:
        display: Display = "block" if found["tag"] == "div" else "inline"
        try:
            return mathml(html.unescape(found["tex"]), display)
        except (ValueError, ET.ParseError) as error:
            log.warning("%s: %s: %s", page.file.src_uri, found["tex"], error)
            return found[0]

    return FOUND.sub(drawn, content)
