"""The shared parts of the public benchmarks: tasks, solvers, rows, profiles, comparisons."""
