"""Data to try the library on."""

from zooadmm.datasets.colorado import StationRecord, load_colorado
from zooadmm.datasets.kirc import KidneyCohort, load_kirc
from zooadmm.datasets.overlapping_groups import GridClassification, load_overlapping_groups
from zooadmm.datasets.ratings import Ratings, load_jester, load_movielens, load_ratings
from zooadmm.datasets.sensors import SensorField, load_sensor_sample, sensor_field
from zooadmm.datasets.synthetic import Predictions, synthetic_predictions

__all__ = [
    "GridClassification",
    "KidneyCohort",
    "Predictions",
    "Ratings",
    "SensorField",
    "StationRecord",
    "load_colorado",
    "load_jester",
    "load_kirc",
    "load_movielens",
    "load_overlapping_groups",
    "load_ratings",
    "load_sensor_sample",
    "sensor_field",
    "synthetic_predictions",
]
