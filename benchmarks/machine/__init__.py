"""The machine itself: what an iteration costs in time and memory, whatever it is used for."""
