"""What a run did, judged: regret, the bounds of the theory, offline optima, pictures."""
