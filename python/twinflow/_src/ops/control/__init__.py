"""Ops for control flow, and assertions."""
