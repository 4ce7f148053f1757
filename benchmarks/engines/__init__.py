"""What each engine costs: per iteration, to start, and what two workers are worth."""
