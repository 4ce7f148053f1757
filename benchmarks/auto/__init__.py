"""Studies of the method without knobs, `settings="auto"`: `python -m benchmarks.auto STUDY`."""
