"""Tapes, reverse and forward mode, Jacobians, custom gradients."""
