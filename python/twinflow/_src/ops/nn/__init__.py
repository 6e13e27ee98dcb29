"""Neural network ops, except those with windows (convolution, pooling)."""
