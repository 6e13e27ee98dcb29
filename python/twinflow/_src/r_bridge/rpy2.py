"""Tensors between Python and the R frontend in one process under rpy2: one object, seen from both sides.

    import rpy2.robjects as ro
    import twinflow as tf
    from twinflow._src.r_bridge.rpy2 import converter

    ro.r("library(twinflow)")
    with converter().context():
        ro.globalenv["x"] = tf.constant([1.0, 2.0])
        y = ro.r("x * 2")  # a twinflow tensor again

reticulate holds the objects on R's side, so that R sees what its own calls would have given it.
"""

from __future__ import annotations

import functools
import itertools
from typing import Any

from twinflow._src.core.dtypes import DType
from twinflow._src.core.shapes import TensorShape
from twinflow._src.core.tensor import Tensor
from twinflow._src.variables.variable import Variable

# What one side has put down for the other to take.
waiting: dict[int, Any] = {}
_keys = itertools.count()

_TAKE = 'function(key) reticulate::import("twinflow._src.r_bridge.rpy2")$take(key)'
_PUT = 'function(x) reticulate::import("twinflow._src.r_bridge.rpy2")$put(x)'


def put(x: Any) -> int:
    """Puts an object down.

    Args:
        x: Any object.

    Returns:
        The number by which `take` finds it.
    """
    key = next(_keys)
    waiting[key] = x
    return key


def take(key: int) -> Any:
    """Takes an object that was put down.

    Args:
        key: What `put` returned.

    Returns:
        The very object.
    """
    return waiting.pop(int(key))


@functools.cache
def converter() -> Any:
    """The rules by which rpy2 carries tensors, variables, shapes and dtypes as they are.

    Returns:
        A converter of rpy2's: all of its ordinary rules, and these. Use `converter().context()`.

    Raises:
        ImportError: Where rpy2 is not installed.
    """
    import rpy2.rinterface as rinterface
    import rpy2.robjects as robjects

    rules = robjects.conversion.Converter("twinflow", template=robjects.default_converter)
    into_r, out_of_r = robjects.r(_TAKE), robjects.r(_PUT)
    ordinary = robjects.default_converter.rpy2py

    def to_r(x: Any) -> Any:
        return rinterface.SexpClosure(into_r)(rinterface.IntSexpVector([put(x)]))

    def to_python(x: Any) -> Any:
        if "python.builtin.object" not in x.rclass:
            return ordinary(x)
        return take(rinterface.SexpClosure(out_of_r)(x)[0])

    for kind in (Tensor, Variable, TensorShape, DType):
        rules.py2rpy.register(kind, to_r)
    rules.rpy2py.register(rinterface.SexpEnvironment, to_python)
    return rules
