"""Convolution, pooling and other sliding-window ops."""
