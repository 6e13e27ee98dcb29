"""Exchange of tensors between Python and R in one process under rpy2, without copies.

    import rpy2.robjects as ro
    import twinflow as tf
    from twinflow._src.r_bridge.rpy2 import converter

    ro.r("library(twinflow)")
    with converter().context():
        ro.globalenv["x"] = tf.constant([1.0, 2.0])
        y = ro.r("x * 2")  # a twinflow tensor again

On R's side the objects are held by reticulate, like the results of R's own calls.
"""

from __future__ import annotations

import functools
import itertools
from typing import Any

from twinflow._src.core.dtypes import DType
from twinflow._src.core.shapes import TensorShape
from twinflow._src.core.tensor import Tensor
from twinflow._src.variables.variable import Variable

# Objects in transit between the two sides, by key.
waiting: dict[int, Any] = {}
_keys = itertools.count()

_TAKE = 'function(key) reticulate::import("twinflow._src.r_bridge.rpy2")$take(key)'
_PUT = 'function(x) reticulate::import("twinflow._src.r_bridge.rpy2")$store_object(x)'


def store_object(x: Any) -> int:
    """Stores an object for the other side and returns the key for ``take``."""
    key = next(_keys)
    waiting[key] = x
    return key


def take(key: int) -> Any:
    """Removes and returns a stored object."""
    return waiting.pop(int(key))


@functools.cache
def converter() -> Any:
    """Returns rpy2's default converter, which passes tensors, variables, shapes and dtypes unchanged."""
    import rpy2.rinterface as rinterface
    import rpy2.robjects as robjects

    rules = robjects.conversion.Converter("twinflow", template=robjects.default_converter)
    into_r, out_of_r = robjects.r(_TAKE), robjects.r(_PUT)
    ordinary = robjects.default_converter.rpy2py

    def to_r(x: Any) -> Any:
        return rinterface.SexpClosure(into_r)(rinterface.IntSexpVector([store_object(x)]))

    def to_python(x: Any) -> Any:
        if "python.builtin.object" not in x.rclass:
            return ordinary(x)
        return take(rinterface.SexpClosure(out_of_r)(x)[0])

    for kind in (Tensor, Variable, TensorShape, DType):
        rules.py2rpy.register(kind, to_r)
    rules.rpy2py.register(rinterface.SexpEnvironment, to_python)
    return rules
