"""Training: optimizers, learning rate schedules, losses, metrics."""
