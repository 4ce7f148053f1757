"""README.md as a package index shows it: no link leads nowhere.

A hook of the build (`tool.hatch.metadata.hooks.custom`). Links of README.md are relative, for
readers of a checkout. With a `Repository` under `[project.urls]` the build makes them absolute, at
the tag of the version. Without one it keeps the text of a link and leaves out pictures.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

_LINK = re.compile(r"(!?)\[([^\]]*)\]\((?!https?:|#)([^)\s]+)\)")


class IndexReadme(MetadataHookInterface):
    """Sets `readme`, which pyproject.toml declares as dynamic."""

    def update(self, metadata: dict[str, Any]) -> None:
        """README.md with links for an index."""
        text = (Path(self.root) / "README.md").read_text(encoding="utf-8")
        repository = metadata.get("urls", {}).get("Repository", "")
        shown = for_index(text, repository, f"v{metadata['version']}")
        metadata["readme"] = {"content-type": "text/markdown", "text": shown}


def for_index(text: str, repository: str, tag: str) -> str:
    """The text with absolute links to a tag of a repository, or without relative links."""

    def put(link: re.Match[str]) -> str:
        picture, name, path = link.groups()
        if not repository:
            return "" if picture else name
        kind = "raw" if picture else "blob"
        return f"{picture}[{name}]({repository.rstrip('/')}/{kind}/{tag}/{path})"

    return _LINK.sub(put, text)
