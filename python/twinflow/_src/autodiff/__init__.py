"""Automatic differentiation: tapes, reverse and forward mode, Jacobians, custom gradients."""
