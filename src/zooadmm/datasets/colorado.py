"""Monthly maximum temperature at stations in Colorado: the real sensor field that ships here."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.resources import as_file, files
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class StationRecord:
    """Monthly means of daily maximum temperature, in degrees Celsius.

    Source: the US station record for Colorado, as redistributed with the R package fields
    (Debian's r-cran-fields), 1950 to 1997.

    tmax: (months, stations), nan where missing.
    longitude, latitude: degrees; elevation: meters.
    station: names.
    """

    tmax: NDArray[np.float64]
    longitude: NDArray[np.float64]
    latitude: NDArray[np.float64]
    elevation: NDArray[np.float64]
    station: NDArray[np.str_]

    def anomalies(self) -> NDArray[np.float64]:
        """Departures from each station's mean for the calendar month; missing values as 0."""
        months = np.arange(len(self.tmax)) % 12
        departures = np.empty_like(self.tmax)
        for month in range(12):
            rows = self.tmax[months == month]
            departures[months == month] = rows - np.nanmean(rows, axis=0)
        return np.nan_to_num(departures)

    def spatial_modes(self, count: int) -> NDArray[np.float64]:
        """(stations, count): the leading principal patterns of the anomalies, of unit length.

        A field that is a combination of these patterns, observed with equal noise, is what a
        selection of stations has to recover: row i is the observation vector a_i of station i.
        """
        most = min(self.tmax.shape)
        if not 1 <= count <= most:
            raise ValueError(f"count is {count}; there are {most} patterns: ask for 1 to all.")
        _, _, patterns = np.linalg.svd(self.anomalies(), full_matrices=False)
        modes: NDArray[np.float64] = patterns[:count].T
        return modes

    def __repr__(self) -> str:
        months, stations = self.tmax.shape
        return f"StationRecord({months} months, {stations} stations)"


def load_colorado() -> StationRecord:
    """The Colorado record: 576 months at 104 stations, 2.9% of it missing.

    >>> load_colorado()
    StationRecord(576 months, 104 stations)
    """
    resource = files("zooadmm.datasets") / "files" / "colorado_tmax_1950_1997.npz"
    with as_file(resource) as path, np.load(path, allow_pickle=False) as file:
        content: dict[str, Any] = {name: file[name] for name in file.files}
    return StationRecord(
        tmax=content["tmax"].astype(np.float64),
        longitude=content["lonlat"][:, 0].astype(np.float64),
        latitude=content["lonlat"][:, 1].astype(np.float64),
        elevation=content["elev"].astype(np.float64),
        station=content["station_name"],
    )
