"""Python operators with dtype promotion, and NumPy's attributes and methods for tensors.

The operators of a mode replace the plain ones, so that inactive modes have no overhead.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import twinflow as tf
from twinflow._src.core.shapes import TensorShape
from twinflow._src.core.tensor import EagerTensor, Tensor
from twinflow._src.variables.variable import BaseResourceVariable
from twinflow._src.wings.numpy_ops.arrays import inside
from twinflow._src.wings.numpy_ops.promotion import by_numpy, settings
from twinflow._src.wings.numpy_ops.registry import tnp
from twinflow._src.wings.numpy_ops.weak import WeakTensor

# Python operators of the promotion modes.


Method = Callable[..., Any]

_TWO_SIDED = (
    "add",
    "sub",
    "mul",
    "truediv",
    "floordiv",
    "mod",
    "pow",
    "matmul",
    "and",
    "or",
    "xor",
)
_ORDER = ("lt", "le", "gt", "ge")
_EQUALITY = ("eq", "ne")

_NAMES = [f"__{name}__" for name in (*_TWO_SIDED, *_ORDER, *_EQUALITY)]
_NAMES += [f"__r{name}__" for name in _TWO_SIDED]
_PLAIN: dict[str, Method] = {name: Tensor.__dict__[name] for name in _NAMES}
_PLAIN_OF_VARIABLES: dict[str, Method] = {
    name: BaseResourceVariable.__dict__[name] for name in _NAMES
}


def put_operators() -> None:
    """Installs the operators of the current mode on tensors, weak tensors and variables."""
    own = {"off": dict, "legacy": _by_numpy, "safe": _automatic, "all": _automatic}[settings.mode]()
    # Variables compare by the op itself, without NumPy's rules.
    plain = ["__ne__", *([] if settings.automatic else ["__eq__"])] if own else _NAMES
    for name in _NAMES:
        method = own.get(name, _PLAIN[name])
        setattr(Tensor, name, method)
        setattr(WeakTensor, name, method)
        of_variable = _PLAIN_OF_VARIABLES[name] if name in plain else _of_value(method)
        setattr(BaseResourceVariable, name, of_variable)


def add_unary(cls: type) -> None:
    """Installs the unary operators on the class of weak tensors."""
    for name, function in {
        "__invert__": lambda x: type(x)(tf.bitwise.invert(x.tensor)),
        "__neg__": lambda x: tf.negative(x),
        "__abs__": lambda x: tf.abs(x),
    }.items():
        setattr(cls, name, function)


def _of_value(method: Method) -> Method:
    """Returns an operator of variables that applies to their value."""

    def of_value(self: Any, other: Any) -> Any:
        return method(self.value(), other)

    return of_value


def _reflected(error: Exception, x: Any, y: Any, name: str) -> Any:
    """Calls the reflected operator of the right operand; re-raises the error if it fails."""
    method = getattr(type(y), f"__r{name}__", None)
    if method is None:
        raise error
    try:
        found = method(y, x)
    except (TypeError, ValueError):
        raise error from None
    if found is NotImplemented:
        raise error
    return found


# ------------------------------------------------------------------ mode "legacy"


def _by_numpy() -> dict[str, Method]:
    """Returns the operators that promote by NumPy's rules."""
    found = {f"__{name}__": _compared(_PLAIN[f"__{name}__"]) for name in (*_ORDER, *_EQUALITY)}
    for name in _TWO_SIDED:
        function = _matmul if name == "matmul" else _PLAIN[f"__{name}__"]
        found[f"__{name}__"] = _from_left(name, function)
        found[f"__r{name}__"] = _from_right(function, _PLAIN[f"__r{name}__"])
    return found


def _matmul(x: Any, y: Any) -> Any:
    return tnp.matmul(x, y)


def _from_left(name: str, function: Method) -> Method:
    def method(x: Any, y: Any) -> Any:
        try:
            return function(x, y) if _alike(x, y) else function(*_promoted(x, y))
        except (TypeError, ValueError) as error:
            return _reflected(error, x, y, name)

    return method


def _from_right(function: Method, plain: Method) -> Method:
    def method(y: Any, x: Any) -> Any:
        if inside.gradient:
            return plain(y, x)
        y, x = _promoted(y, x)
        return function(x, y)

    return method


def _compared(function: Method) -> Method:
    def method(x: Any, y: Any) -> Any:
        return function(x, y) if y is None or _alike(x, y) else function(*_promoted(x, y))

    return method


def _alike(x: Any, y: Any) -> bool:
    """True if no promotion is needed: tensors of one dtype, or within a gradient function."""
    same = type(x) is EagerTensor and type(y) is EagerTensor and x.dtype is y.dtype
    return same or inside.gradient


def _promoted(x: Any, y: Any) -> tuple[Any, Any]:
    """Converts two operands to the dtype of NumPy's promotion."""
    dtype = by_numpy(*[_stand_in(value) for value in tf.nest.flatten((x, y))])
    return _as(x, dtype), _as(y, dtype)


def _stand_in(value: Any) -> Any:
    if isinstance(value, (Tensor, tf.DType)):
        return (value.dtype if isinstance(value, Tensor) else value).as_numpy_dtype
    return tf.int32.as_numpy_dtype if isinstance(value, TensorShape) else value


def _as(value: Any, dtype: Any) -> Any:
    return (
        tf.cast(value, dtype) if isinstance(value, Tensor) else tf.convert_to_tensor(value, dtype)
    )


# ------------------------------------------------------------------ modes "all" and "safe"

# Public function of each operator. Others, such as orderings, do not promote in TensorFlow.
_PUBLIC: dict[str, Method] = {
    "add": lambda x, y: tf.add(x, y),
    "sub": lambda x, y: tf.subtract(x, y),
    "truediv": lambda x, y: tf.truediv(x, y),
    "floordiv": lambda x, y: tf.math.floordiv(x, y),
    "mod": lambda x, y: tf.math.mod(x, y),
    "pow": lambda x, y: tf.pow(x, y),
    "matmul": lambda x, y: tf.matmul(x, y),
}


def _automatic() -> dict[str, Method]:
    """Returns the operators that promote like the public functions."""
    found: dict[str, Method] = {"__eq__": _equal, "__ne__": _not_equal}
    for name, function in {**_PUBLIC, "mul": _product}.items():
        found[f"__{name}__"] = _tried(name, function)
        found[f"__r{name}__"] = _swapped(function)
    for name in ("and", "or", "xor"):  # the left operand needs a dtype
        found[f"__{name}__"] = _tried(name, _PLAIN[f"__{name}__"])
        found[f"__r{name}__"] = _swapped(_PLAIN[f"__{name}__"])
    return found


def _tried(name: str, function: Method) -> Method:
    def method(x: Any, y: Any) -> Any:
        try:
            return function(x, y)
        except (TypeError, ValueError) as error:
            return _reflected(error, x, y, name)

    return method


def _swapped(function: Method) -> Method:
    return lambda y, x: function(x, y)


def _product(x: Any, y: Any) -> Any:
    """Returns the product; for booleans the logical AND."""
    if any(isinstance(value, Tensor) and value.dtype == tf.bool for value in (x, y)):
        return tf.cast(tf.multiply(tf.cast(x, tf.int32), tf.cast(y, tf.int32)), tf.bool)
    return tf.multiply(x, y)


def _equal(x: Any, y: Any) -> Any:
    """Compares element-wise; incompatible shapes are unequal."""
    if y is None:
        return False
    try:
        return tf.equal(x, y)
    except tf.errors.InvalidArgumentError as error:
        if error.message.startswith("Incompatible shapes"):
            return tf.constant(False, tf.bool)
        raise


def _not_equal(x: Any, y: Any) -> Any:
    return True if y is None else _PLAIN["__ne__"](x, y)


# NumPy's attributes and methods for tensors.


# The methods are the functions of these names.
_FUNCTIONS = ("transpose", "flatten", "ravel", "clip")
_RENAMED = {"max": "amax", "min": "amin", "mean": "mean", "__round__": "around"}


def _reshape(self: Any, *newshape: Any, **kwargs: Any) -> Any:
    """Reshapes the tensor; the shape is one argument or several."""
    order = kwargs.pop("order", "C")
    if kwargs:
        raise ValueError(f"Unsupported arguments: {kwargs.keys()}")
    one = len(newshape) == 1 and not isinstance(newshape[0], int)
    return tnp.reshape(self, newshape[0] if one else newshape, order=order)


def _tolist(self: Any) -> Any:
    """Returns the elements as nested lists of Python numbers."""
    return self.numpy().tolist()


def _itself(self: Any) -> Any:
    """Returns the tensor itself."""
    return self


def add_methods(cls: type) -> None:
    """Adds NumPy's attributes and methods to a tensor class."""
    added = {
        "T": property(lambda self: self.transpose()),
        "ndim": property(lambda self: self.shape.rank),
        "size": property(lambda self: np.prod(self.shape.as_list())),
        "data": property(_itself),
        "__pos__": _itself,
        "tolist": _tolist,
        "reshape": _reshape,
        "astype": tf.cast,
        **{name: getattr(tnp, name) for name in _FUNCTIONS},
        **{name: getattr(tnp, other) for name, other in _RENAMED.items()},
    }
    for name, value in added.items():
        setattr(cls, name, value)
