"""Sensors that observe a random field: the paper's experiment, and the authors' sample of it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from zooadmm.datasets.folder import RELEASE, Remote, released, variable

FILE = "dataSample_sensrSel.mat"


@dataclass(frozen=True, eq=False, repr=False)
class SensorField:
    """What m sensors in the unit square tell about a field at n locations, at T times.

    vectors: (T, m, n); vectors[t, i] is a_{i,t}: sensor i observes a_{i,t}' (field) + noise.
    sensors: (m, 2) and locations: (n, 2), their positions.
    """

    vectors: NDArray[np.float64]
    sensors: NDArray[np.float64]
    locations: NDArray[np.float64]

    def means(self) -> NDArray[np.floating[Any]]:
        """mu_i = 5 exp(mean_j |s_j - s_i|), the mean of each entry of a_{i,t}."""
        return mean_coefficients(self.sensors, self.locations)

    def __repr__(self) -> str:
        times, sensors, locations = self.vectors.shape
        return f"SensorField({times} times, {sensors} sensors, {locations} locations)"


def mean_coefficients(
    sensors: NDArray[np.float64], locations: NDArray[np.float64]
) -> NDArray[np.floating[Any]]:
    """mu_i = 5 exp(mean_j |s_j - s_i|) for the sensors at s_i and the locations s_j.

    It grows with the distance. That is as printed, and the authors' sample agrees with it.

    >>> mean_coefficients(np.zeros((1, 2)), np.zeros((3, 2)))
    array([5.])
    """
    distances = np.linalg.norm(locations[None, :, :] - sensors[:, None, :], axis=2)
    means: NDArray[np.floating[Any]] = 5.0 * np.exp(distances.mean(axis=1))
    return means


def sensor_field(
    num_sensors: int = 100,
    num_locations: int = 5,
    num_times: int = 1000,
    rng: int | np.random.Generator = 0,
) -> SensorField:
    """The random field of the paper's sensor selection, whose numbers are the defaults.

    Sensors and locations are uniform in the unit square, and a_{i,t} ~ N(mu_i 1, I), independent,
    with mu_i = 5 exp(mean_j |s_j - s_i|).

    >>> sensor_field(num_sensors=50, rng=1)
    SensorField(1000 times, 50 sensors, 5 locations)
    """
    for name, count in (
        ("num_sensors", num_sensors),
        ("num_locations", num_locations),
        ("num_times", num_times),
    ):
        if count < 1:
            raise ValueError(f"{name} is {count}; at least 1 is needed.")
    generator = np.random.default_rng(rng)
    sensors = generator.uniform(size=(num_sensors, 2))
    locations = generator.uniform(size=(num_locations, 2))
    noise = generator.standard_normal((num_times, num_sensors, num_locations))
    vectors = mean_coefficients(sensors, locations)[:, None] + noise
    return SensorField(vectors=vectors, sensors=sensors, locations=locations)


def load_sensor_sample() -> SensorField:
    """The authors' own sample, 50 sensors, from the folder or from their archive.

    >>> load_sensor_sample()  # doctest: +SKIP
    SensorField(1000 times, 50 sensors, 5 locations)
    """
    return from_release()


def from_release(release: Remote = RELEASE, cache: Path | None = None) -> SensorField:
    """The sample from its MATLAB file: (n, m, T), with locations as complex numbers."""
    content = released(FILE, release, cache)
    locations = variable(content, "Loc_target", (5,), FILE)
    return SensorField(
        vectors=np.ascontiguousarray(variable(content, "A_allT", (5, 50, 1000), FILE).T),
        sensors=variable(content, "Locs_sensors", (50, 2), FILE),
        locations=np.column_stack((locations.real, locations.imag)),
    )
