"""Files that survive crashes, and what a run looks like at rest."""
