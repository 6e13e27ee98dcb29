"""What ``tf.experimental.numpy`` is made of: NumPy's functions over TensorFlow's.

Importing this package fills the public namespace; ``public_names/lazy.py`` does so when a name of it is
first used.
"""

from __future__ import annotations

from . import (
    accumulating,
    arrays,
    averaging,
    behaviour,
    classifying,
    comparing,
    diagonals,
    draws,
    elementwise,
    filling,
    joining,
    pairwise,
    products,
    promotion,
    reducing,
    selecting,
    shaping,
    spacing,
    splitting,
    turning,
)
