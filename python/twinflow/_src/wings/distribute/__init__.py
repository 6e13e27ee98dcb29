"""``tf.distribute``: strategies, distributed values and variables, and clusters.

The package is imported on first access to ``tf.distribute`` and related names.
"""
