"""Implementation of ``tf.experimental.numpy``: NumPy's functions on TensorFlow tensors.

Importing this package fills the public namespace; ``_src/api/lazy_modules.py`` imports it on first
access.
"""

from __future__ import annotations

from twinflow._src.wings.numpy_ops import (
    arrays,
    binary,
    classification,
    comparison,
    concat,
    creation,
    indexing,
    numpy_behavior,
    products,
    promotion,
    random_functions,
    reductions,
    reshape,
    unary,
)
from twinflow._src.wings.numpy_ops import concat as split
from twinflow._src.wings.numpy_ops import creation as diagonals
from twinflow._src.wings.numpy_ops import creation as linspace
from twinflow._src.wings.numpy_ops import reductions as averages
from twinflow._src.wings.numpy_ops import reductions as cumulative
from twinflow._src.wings.numpy_ops import reshape as rearrange
