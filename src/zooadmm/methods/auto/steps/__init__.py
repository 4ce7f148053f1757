"""First-order steps for sampled, streamed and noisy losses."""
