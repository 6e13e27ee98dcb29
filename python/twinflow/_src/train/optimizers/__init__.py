"""Keras optimizers: update rules, slot variables, training steps."""
