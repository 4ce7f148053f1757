"""Before anything else: how noisy values are, and how far apart points must be."""
