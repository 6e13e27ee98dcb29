"""What ``tf.experimental.numpy`` is made of: NumPy's functions over TensorFlow's.

Importing this package fills the public namespace; ``_src/api/lazy_modules.py`` does so when a name of it is
first used.
"""

from __future__ import annotations

from twinflow._src.wings.numpy_ops import (
    arrays,
    averages,
    binary,
    classification,
    comparison,
    concat,
    creation,
    cumulative,
    diagonals,
    linspace,
    numpy_behavior,
    products,
    promotion,
    random_functions,
    rearrange,
    reductions,
    reshape,
    selection,
    split,
    unary,
)
