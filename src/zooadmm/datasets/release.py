"""The data that the authors of ZOO-ADMM released: a zip archive of MATLAB files."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np
import scipy.io
from numpy.typing import NDArray

from zooadmm.datasets.folder import Remote, at_hand, located

RELEASE = Remote(
    name="ZO-ADMM_package.zip",
    address=(
        "https://raw.githubusercontent.com/lsjxjtu/ZOO-ADMM/"
        "64ceded82e9878fc5838543ae639156177773c54/ZO-ADMM_package.zip"
    ),
    sha256="c77409db0a83838707220ab53d6f115e5765afc5fbf53e2bfde59fa51b11f960",
)
"""The package beside the paper, under the Apache License 2.0."""

Variables = dict[str, NDArray[Any]]
"""The variables of a MATLAB file by name."""


def released(name: str, release: Remote = RELEASE, cache: Path | None = None) -> Variables:
    """The variables of one MATLAB file: by itself where it is at hand, else from the archive."""
    given = at_hand(name)
    if given is not None:
        return scipy.io.loadmat(given)  # type: ignore[no-any-return]
    archive = located(release, cache)
    with zipfile.ZipFile(archive) as content:
        members = [m for m in content.namelist() if PurePosixPath(m).name == name]
        if not members:
            raise ValueError(f"{archive} has no {name}; it has {', '.join(content.namelist())}.")
        return scipy.io.loadmat(io.BytesIO(content.read(members[0])))  # type: ignore[no-any-return]


def variable(
    variables: Variables, beginning: str, shape: tuple[int, ...], file: str
) -> NDArray[Any]:
    """The one variable whose name begins so, of that shape once axes of length 1 are dropped."""
    known = {name: v.shape for name, v in variables.items() if not name.startswith("__")}
    found = [np.squeeze(variables[name]) for name in known if name.startswith(beginning)]
    if len(found) != 1 or found[0].shape != shape:
        raise ValueError(
            f"{file} should have one variable {beginning}... of shape {shape}; it has {known}."
        )
    return found[0]
