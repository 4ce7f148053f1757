"""Where data sets are searched, and how a missing one is fetched."""

from __future__ import annotations

import hashlib
import io
import os
import zipfile
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np
import scipy.io
from numpy.typing import NDArray

VARIABLE = "ZOOADMM_DATA"
"""The environment variable that names the folder that is searched first."""

_NO_POOCH = (
    "zooadmm's downloads and cached files need pooch: pip install zooadmm[data]. A data file you "
    f"already have can lie in a folder of yours that the environment variable {VARIABLE} names."
)


@dataclass(frozen=True)
class Remote:
    """A file that can be downloaded: its name, its address and the sha256 of its content."""

    name: str
    address: str
    sha256: str


def named_folder() -> Path | None:
    """The folder that ZOOADMM_DATA names, if it names one."""
    name = os.environ.get(VARIABLE)
    return Path(name).expanduser() if name else None


def cache_folder() -> Path:
    """The user's cache; it need not exist yet."""
    try:
        import pooch
    except ImportError as error:
        raise ImportError(_NO_POOCH) from error
    return Path(pooch.os_cache("zooadmm"))


def in_named_folder(name: str) -> Path | None:
    """The file of that name in the folder that ZOOADMM_DATA names, if it is there."""
    folder = named_folder()
    return folder / name if folder is not None and (folder / name).is_file() else None


def named_in_vain() -> str:
    """A sentence for the message of a missing file if ZOOADMM_DATA names no folder, else ""."""
    folder = named_folder()
    if folder is None or folder.is_dir():
        return ""
    return f" {VARIABLE} names {folder}, and there is no such folder."


def at_hand(name: str) -> Path | None:
    """The file of that name in the named folder, else in the user's cache, else None.

    It is not compared with any checksum: whoever reads it checks that it makes sense.
    """
    given = in_named_folder(name)
    if given is not None:
        return given
    try:
        cached = cache_folder() / name
    except ImportError:
        return None
    return cached if cached.is_file() else None


def located(remote: Remote, cache: Path | None = None) -> Path:
    """The file: from the named folder, else from the cache, into which it is downloaded if need be.

    cache: a folder in place of the user's cache. A file of the wrong checksum is refused in the
    named folder and as a download; in the cache it is downloaded again.
    """
    given = in_named_folder(remote.name)
    if given is None:
        return _downloaded(remote, cache_folder() if cache is None else cache)
    if hashlib.sha256(given.read_bytes()).hexdigest() != remote.sha256:
        raise ValueError(
            f"{given} is not the file of sha256 {remote.sha256}; replace it by {remote.address} "
            "or remove it."
        )
    return given


def _downloaded(remote: Remote, cache: Path) -> Path:
    try:
        import pooch
    except ImportError as error:
        raise ImportError(_NO_POOCH) from error
    try:
        path = pooch.retrieve(
            remote.address, f"sha256:{remote.sha256}", fname=remote.name, path=cache
        )
    except OSError as error:
        if isinstance(error, PermissionError) or error.errno is not None:
            raise  # the disk's fault, not the network's
        raise FileNotFoundError(
            f"{remote.name} could not be downloaded from {remote.address} ({error}). Fetch it by "
            f"other means and put it into {cache}, or into a folder that the environment variable "
            f"{VARIABLE} names.{named_in_vain()}"
        ) from error
    except ValueError as error:
        raise ValueError(
            f"{remote.address} has not the sha256 {remote.sha256} that {remote.name} should have; "
            f"nothing was kept. Fetch the right file by other means and put it into {cache}, or "
            f"into a folder that the environment variable {VARIABLE} names."
        ) from error
    return Path(path)


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
