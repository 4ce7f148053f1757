"""Losses with structure: regularizers, sets and equations, by generators in two fixed halves."""
