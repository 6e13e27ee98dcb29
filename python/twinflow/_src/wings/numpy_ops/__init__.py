"""What ``tf.experimental.numpy`` is made of: NumPy's functions over TensorFlow's.

Importing this package fills the public namespace; ``_src/api/lazy_modules.py`` does so when a name of it is
first used.
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
