"""Studies of Optuna: what a trial costs, and what kills leave behind."""
