"""Parsing of ``tf.train.Example`` and ``tf.train.SequenceExample``."""
