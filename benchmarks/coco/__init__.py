"""COCO's suites bbob, bbob-largescale, bbob-noisy and bbob-constrained."""
