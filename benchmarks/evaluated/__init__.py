"""Constraints that are evaluated: bbob-constrained, and a simulator with a limit."""
