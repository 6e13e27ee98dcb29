"""Probability distributions of ``tf.compat.v1.distributions``."""
