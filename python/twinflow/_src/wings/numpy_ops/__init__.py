"""Implementation of ``tf.experimental.numpy``: NumPy's functions on TensorFlow tensors.

Importing this package fills the public namespace; ``_src/api/lazy_modules.py`` imports it on first
access.
"""

from __future__ import annotations

from twinflow._src.wings.numpy_ops import (
    arrays,
    elementwise,
    indexing,
    numpy_behavior,
    products,
    promotion,
    reductions,
    reshape,
)
