"""The paper's applications as scikit-learn estimators: pip install zooadmm[applications].

Each learns from values of its loss alone, with the default settings of `zooadmm.minimize`, and its
`formulation(...)` is the problem that it solves. `baselines` has what they are compared with, and
`selection` goes from weights to a choice of sensors. `BlackBoxAttack` is no estimator and has a
method of its own.
"""

try:
    import sklearn  # noqa: F401
except ImportError as error:
    raise ImportError(
        "zooadmm.applications needs scikit-learn: pip install zooadmm[applications]."
    ) from error

from zooadmm.applications import baselines, selection
from zooadmm.applications.attack import AttackResult, BlackBoxAttack
from zooadmm.applications.blend import blend
from zooadmm.applications.blender import Blender
from zooadmm.applications.blending_classifier import BlendingClassifier
from zooadmm.applications.cox_path import CoxPath, concordance
from zooadmm.applications.fields import reconstructed, spatial_modes
from zooadmm.applications.formulation import Formulation
from zooadmm.applications.overlapping_group_classifier import OverlappingGroupClassifier
from zooadmm.applications.sensor_selector import SensorSelector
from zooadmm.applications.sparse_cox import SparseCox

__all__ = [
    "AttackResult",
    "BlackBoxAttack",
    "Blender",
    "BlendingClassifier",
    "CoxPath",
    "Formulation",
    "OverlappingGroupClassifier",
    "SensorSelector",
    "SparseCox",
    "baselines",
    "blend",
    "concordance",
    "reconstructed",
    "selection",
    "spatial_modes",
]
