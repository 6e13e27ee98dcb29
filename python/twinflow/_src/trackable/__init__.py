"""Trackable objects: modules, lists, dictionaries and tuples that checkpoints traverse."""
