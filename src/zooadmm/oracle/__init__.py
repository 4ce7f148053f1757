"""What is asked of the loss: queries, observations, directions, and gradients from answers."""
