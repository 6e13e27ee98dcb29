"""Optimizers: their rules, their variables, their steps."""
