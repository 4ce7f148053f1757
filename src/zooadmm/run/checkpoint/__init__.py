"""Files that survive crashes, and a run at rest."""
