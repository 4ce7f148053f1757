"""Black-box attacks: the smallest change of an image that changes a classifier's decision."""

from zooadmm.applications.attack.black_box_attack import AttackResult, BlackBoxAttack

__all__ = ["AttackResult", "BlackBoxAttack"]
