"""Training: optimizers, rates of learning, losses, metrics."""
