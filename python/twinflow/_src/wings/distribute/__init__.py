"""Several devices and several machines: strategies, what they make of values and variables, and clusters.

Nothing of it is imported before a program asks for a name of ``tf.distribute`` or the like.
"""
