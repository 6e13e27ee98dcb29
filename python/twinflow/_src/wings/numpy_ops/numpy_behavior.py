"""``experimental_enable_numpy_behavior``: NumPy's promotion, methods and indexing for tensors.

The operators and functions of a mode replace the plain ones, so that inactive modes have no
overhead.
"""

from __future__ import annotations

import functools
import inspect
import logging
import operator
import threading
from collections.abc import Callable
from typing import Any

import numpy as np

import twinflow as tf
from twinflow._src.conversion.constant import is_tensor
from twinflow._src.core.shapes import TensorShape
from twinflow._src.core.tensor import EagerTensor, Tensor
from twinflow._src.dispatch.op import API, OPS
from twinflow._src.variables.variable import BaseResourceVariable
from twinflow._src.wings.numpy_ops import indexing
from twinflow._src.wings.numpy_ops.promotion import lattice_result, numpy_result_type, settings
from twinflow._src.wings.numpy_ops.registry import constant, tnp
from twinflow._src.wings.numpy_ops.weak import EagerWeakTensor, WeakTensor, install_tapes

# Gradient functions of ops: they assume operators without promotion.


class _State(threading.local):
    """Thread-local state."""

    in_gradient = False  # True while a gradient function runs


_state = _State()


def _mark_gradient(function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def wrapper(*args: Any) -> Any:
        outer, _state.in_gradient = _state.in_gradient, True
        try:
            return function(*args)
        finally:
            _state.in_gradient = outer

    return wrapper


@functools.cache
def _install_gradients() -> None:
    """Wraps the gradient functions of all ops to set this state, once per process."""
    for op in OPS.values():
        if op.gradient is not None:
            op.gradient = _mark_gradient(op.gradient)


# Python operators of the promotion modes.


Method = Callable[..., Any]

_ARITHMETIC = "add sub mul truediv floordiv mod pow matmul and or xor"
_TWO_SIDED = tuple(_ARITHMETIC.split())
_ORDER = ("lt", "le", "gt", "ge")
_EQUALITY = ("eq", "ne")

_NAMES = [f"__{name}__" for name in (*_TWO_SIDED, *_ORDER, *_EQUALITY)]
_NAMES += [f"__r{name}__" for name in _TWO_SIDED]
_PLAIN: dict[str, Method] = {name: Tensor.__dict__[name] for name in _NAMES}
_PLAIN_OF_VARIABLES: dict[str, Method] = {
    name: BaseResourceVariable.__dict__[name] for name in _NAMES
}


def _install_operators() -> None:
    """Installs the operators of the current mode on tensors, weak tensors and variables."""
    methods = {
        "off": dict,
        "legacy": _legacy_operators,
        "safe": _automatic_operators,
        "all": _automatic_operators,
    }[settings.mode]()
    # Variables compare by the op itself, without NumPy's rules.
    plain = ["__ne__", *([] if settings.automatic else ["__eq__"])] if methods else _NAMES
    for name in _NAMES:
        method = methods.get(name, _PLAIN[name])
        setattr(Tensor, name, method)
        setattr(WeakTensor, name, method)
        of_variable = _PLAIN_OF_VARIABLES[name] if name in plain else _of_value(method)
        setattr(BaseResourceVariable, name, of_variable)


def _add_unary(cls: type) -> None:
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


def _call_reflected(error: Exception, x: Any, y: Any, name: str) -> Any:
    """Calls the reflected operator of the right operand; re-raises the error if it fails."""
    method = getattr(type(y), f"__r{name}__", None)
    if method is None:
        raise error
    try:
        result = method(y, x)
    except (TypeError, ValueError):
        raise error from None
    if result is NotImplemented:
        raise error
    return result


# ------------------------------------------------------------------ mode "legacy"


def _legacy_operators() -> dict[str, Method]:
    """Returns the operators that promote by NumPy's rules."""
    methods = {
        f"__{name}__": _promoting_comparison(_PLAIN[f"__{name}__"])
        for name in (*_ORDER, *_EQUALITY)
    }
    for name in _TWO_SIDED:
        function = _matmul if name == "matmul" else _PLAIN[f"__{name}__"]
        methods[f"__{name}__"] = _from_left(name, function)
        methods[f"__r{name}__"] = _from_right(function, _PLAIN[f"__r{name}__"])
    return methods


def _matmul(x: Any, y: Any) -> Any:
    return tnp.matmul(x, y)


def _from_left(name: str, function: Method) -> Method:
    def method(x: Any, y: Any) -> Any:
        try:
            return function(x, y) if _alike(x, y) else function(*_promote_operands(x, y))
        except (TypeError, ValueError) as error:
            return _call_reflected(error, x, y, name)

    return method


def _from_right(function: Method, plain: Method) -> Method:
    def method(y: Any, x: Any) -> Any:
        if _state.in_gradient:
            return plain(y, x)
        y, x = _promote_operands(y, x)
        # the plain reflected method does not ask the other operand again
        return function(x, y) if function is _matmul else plain(y, x)

    return method


def _promoting_comparison(function: Method) -> Method:
    def method(x: Any, y: Any) -> Any:
        return function(x, y) if y is None or _alike(x, y) else function(*_promote_operands(x, y))

    return method


def _alike(x: Any, y: Any) -> bool:
    """True if no promotion is needed: tensors of one dtype, or within a gradient function."""
    same = type(x) is EagerTensor and type(y) is EagerTensor and x.dtype is y.dtype
    return same or _state.in_gradient


def _promote_operands(x: Any, y: Any) -> tuple[Any, Any]:
    """Converts two operands to the dtype of NumPy's promotion."""
    dtype = numpy_result_type(*[_stand_in(value) for value in tf.nest.flatten((x, y))])
    return _cast_operand(x, dtype), _cast_operand(y, dtype)


def _stand_in(value: Any) -> Any:
    if isinstance(value, (Tensor, tf.DType)):
        return (value.dtype if isinstance(value, Tensor) else value).as_numpy_dtype
    return tf.int32.as_numpy_dtype if isinstance(value, TensorShape) else value


def _cast_operand(value: Any, dtype: Any) -> Any:
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


def _automatic_operators() -> dict[str, Method]:
    """Returns the operators that promote like the public functions."""
    methods: dict[str, Method] = {"__eq__": _equal, "__ne__": _not_equal}
    for name, function in {**_PUBLIC, "mul": _product}.items():
        methods[f"__{name}__"] = _with_reflection(name, function)
        methods[f"__r{name}__"] = _swap_operands(function)
    for name in ("and", "or", "xor"):  # the left operand needs a dtype
        methods[f"__{name}__"] = _with_reflection(name, _PLAIN[f"__{name}__"])
        methods[f"__r{name}__"] = _swap_operands(_PLAIN[f"__{name}__"])
    return methods


def _with_reflection(name: str, function: Method) -> Method:
    def method(x: Any, y: Any) -> Any:
        try:
            return function(x, y)
        except (TypeError, ValueError) as error:
            return _call_reflected(error, x, y, name)

    return method


def _swap_operands(function: Method) -> Method:
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


def _itself(self: Any) -> Any:
    """Returns the tensor itself."""
    return self


def _add_methods(cls: type) -> None:
    """Adds NumPy's attributes and methods to a tensor class."""
    added = {
        "T": property(lambda self: self.transpose()),
        "ndim": property(lambda self: self.shape.rank),
        "size": property(lambda self: np.prod(self.shape.as_list())),
        "data": property(_itself),
        "__pos__": _itself,
        "tolist": lambda self: self.numpy().tolist(),
        "reshape": _reshape,
        "astype": tf.cast,
        **{name: getattr(tnp, name) for name in _FUNCTIONS},
        **{name: getattr(tnp, other) for name, other in _RENAMED.items()},
    }
    for name, value in added.items():
        setattr(cls, name, value)


# Public functions with automatic promotion (modes "safe" and "all"). Python values are weak: if only
# they determine a dtype, the result is a ``WeakTensor``.

Function = Callable[..., Any]

# Unary functions, by public name.
_UNARY = """
abs acos acosh asin asinh atan atanh clip_by_value cos cosh exp expand_dims floor identity math.abs
negative ones_like reduce_logsumexp reduce_max reduce_mean reduce_min reduce_prod reduce_sum reshape
round sigmoid sign sin sinh sqrt square squeeze stop_gradient tan tanh transpose zeros_like
math.acos math.acosh math.angle math.asin math.asinh math.atan math.atanh math.bessel_i0
math.bessel_i0e math.bessel_i1 math.bessel_i1e math.ceil math.conj math.cos math.cosh math.digamma
math.erf math.erfc math.erfcinv math.erfinv math.exp math.expm1 math.floor math.imag math.lgamma
math.log math.log1p math.log_sigmoid math.log_softmax math.ndtri math.negative math.real
math.reciprocal math.reciprocal_no_nan math.reduce_euclidean_norm math.reduce_logsumexp
math.reduce_max math.reduce_mean math.reduce_min math.reduce_prod math.reduce_std math.reduce_sum
math.reduce_variance math.rint math.round math.rsqrt math.sigmoid math.sign math.sin math.sinh
math.softplus math.special.bessel_i0 math.special.bessel_i0e math.special.bessel_i1
math.special.bessel_i1e math.special.bessel_j0 math.special.bessel_j1 math.special.bessel_k0
math.special.bessel_k0e math.special.bessel_k1 math.special.bessel_k1e math.special.bessel_y0
math.special.bessel_y1 math.special.dawsn math.special.expint math.special.fresnel_cos
math.special.fresnel_sin math.special.spence math.sqrt math.square math.tan math.tanh
debugging.check_numerics linalg.diag linalg.diag_part linalg.matrix_transpose
linalg.tensor_diag_part linalg.trace nn.depth_to_space nn.gelu nn.leaky_relu nn.log_sigmoid
nn.log_softmax nn.relu6 nn.sigmoid nn.silu nn.softplus nn.space_to_depth nn.swish nn.tanh
"""
_NUMPY_UNARY = """
abs absolute amax amin angle arange arccos arcsin arcsinh arctan arctanh around array asanyarray
asarray ascontiguousarray average bitwise_not cbrt ceil conj conjugate copy cos cosh cumprod cumsum
deg2rad diag diagflat diagonal diff empty_like exp exp2 expand_dims expm1 fabs fix flatten flip
fliplr flipud floor full_like imag log log10 log1p log2 max mean min moveaxis nanmean negative
ones_like positive prod rad2deg ravel real reciprocal repeat reshape rot90 round sin sinc sinh sort
sqrt square squeeze std sum swapaxes tan tanh trace transpose triu vander var zeros_like
"""
# Binary functions; those of the second row never return a weak tensor.
_BINARY = """
add divide floor_div floormod matmul mod multiply pow realdiv subtract truediv truncatediv truncatemod
linalg.matmul math.add math.divide math.divide_no_nan math.floordiv math.floormod math.mod
math.multiply math.multiply_no_nan math.pow math.subtract math.truediv
"""
_STRONG_BINARY = "maximum minimum equal math.maximum math.minimum math.equal"


def _cast_argument(value: Any, dtype: Any) -> Any:
    """Converts a value to a tensor of a dtype."""
    if isinstance(value, WeakTensor):
        value = value.to_tensor()
    tensor = isinstance(value, (tf.RaggedTensor, tf.SparseTensor)) or is_tensor(value)
    return tf.cast(value, dtype) if tensor else tf.convert_to_tensor(value, dtype)


def _as_weak(value: Any, weak: bool) -> Any:
    if weak:
        return EagerWeakTensor(value.tensor if isinstance(value, WeakTensor) else value)
    return value.to_tensor() if isinstance(value, WeakTensor) else value


def _warn_of_fallback(function: Function, *values: Any) -> None:
    kinds = ", ".join(str(type(value)) for value in values)
    logging.getLogger("twinflow").warning(
        "%s(%s) is not promote: there is no rule for these types.", function.__name__, kinds
    )


def _arguments(signature: inspect.Signature, args: Any, kwargs: Any) -> dict[str, Any]:
    bound = signature.bind(*args, **kwargs)
    bound.apply_defaults()
    return dict(bound.arguments)


def unary(function: Function, parameter: str | None = None) -> Function:
    """Wraps a unary function to return a weak tensor for Python values."""
    signature = inspect.signature(function)
    first = parameter or next(iter(signature.parameters))

    @functools.wraps(function)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        if not settings.automatic:
            return function(*args, **kwargs)
        arguments = _arguments(signature, args, kwargs)
        value = arguments[first]
        if isinstance(value, tf.Tensor) or arguments.get("dtype") is not None:
            return function(**arguments)
        try:
            dtype, weak = lattice_result(settings.mode, value)
        except NotImplementedError:
            _warn_of_fallback(function, value)
            return function(**arguments)
        return _as_weak(function(**{**arguments, first: _cast_argument(value, dtype)}), weak)

    return wrapper


def binary(function: Function, strong: bool = False) -> Function:
    """Wraps a binary function to promote its operands to a common dtype."""
    signature = inspect.signature(function)
    first, second = list(signature.parameters)[:2]

    @functools.wraps(function)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        if not settings.automatic:
            return function(*args, **kwargs)
        arguments = _arguments(signature, args, kwargs)
        x, y = arguments[first], arguments[second]
        try:
            dtype, weak = lattice_result(settings.mode, x, y)
        except NotImplementedError:
            _warn_of_fallback(function, x, y)
            return function(**arguments)
        arguments |= {first: _cast_argument(x, dtype), second: _cast_argument(y, dtype)}
        return _as_weak(function(**arguments), weak and not strong)

    return wrapper


def _constant(function: Function) -> Function:
    """Wraps ``tf.constant``: without a dtype, Python values become weak tensors."""

    @functools.wraps(function)
    def wrapper(value: Any, dtype: Any = None, shape: Any = None, name: str = "Const") -> Any:
        if not settings.automatic:
            return function(value, dtype, shape, name)
        try:
            result_dtype, weak = lattice_result(settings.mode, value, dtype)
        except NotImplementedError:
            _warn_of_fallback(function, value, dtype)
            return function(value, dtype, shape, name)
        value = value.to_tensor() if isinstance(value, WeakTensor) else value
        if dtype is None:
            return _as_weak(function(value, result_dtype, shape, name), weak)
        if result_dtype == dtype and isinstance(value, tf.Tensor):
            value = _cast_argument(value, result_dtype)
        return function(value, dtype, shape, name)

    return wrapper


def _of_strong(function: Function) -> Function:
    """Wraps a function to unwrap weak tensors."""

    @functools.wraps(function)
    def wrapper(x: Any, *args: Any, **kwargs: Any) -> Any:
        return function(x.to_tensor() if isinstance(x, WeakTensor) else x, *args, **kwargs)

    return wrapper


def _assignment(function: Function) -> Function:
    """Wraps an assignment method of variables to promote the value to the variable's dtype."""

    @functools.wraps(function)
    def wrapper(self: Any, value: Any, *args: Any, **kwargs: Any) -> Any:
        if not settings.automatic:
            return function(self, value, *args, **kwargs)
        try:
            dtype, _ = lattice_result(settings.mode, self, value)
        except NotImplementedError:
            _warn_of_fallback(function, self, value)
            return function(self, value, *args, **kwargs)
        if dtype != self.dtype:
            raise TypeError(
                f"Variable dtype is immutable. Calling {function.__name__} of Variable (with dtype "
                f"{self.dtype}) on {value} requires converting {value} to {self.dtype}. This is disabled "
                f"in the current promotion semantics. Please convert {value} manually before calling "
                f"{function.__name__}."
            )
        return function(self, _cast_argument(value, dtype), *args, **kwargs)

    return wrapper


def _replace(names: str, wrapped: Callable[[Function], Function]) -> None:
    """Replaces public functions, one wrapper for all names of a function."""
    wrappers: dict[Function, Function] = {}
    for name in names.split():
        path, _, leaf = name.rpartition(".")
        module = operator.attrgetter(path)(tf) if path else tf
        old = getattr(module, leaf, None)
        if old is not None:
            new = wrappers.setdefault(old, wrapped(old))
            setattr(module, leaf, new)
            if API.get(name) is old:
                API[name] = new


@functools.cache
def _install_functions() -> None:
    """Replaces the public functions by the promoting ones, once per process."""
    _replace(_UNARY, unary)
    _replace(_BINARY, binary)
    _replace(_STRONG_BINARY, functools.partial(binary, strong=True))
    _replace("scalar_mul math.scalar_mul", functools.partial(unary, parameter="x"))
    _replace("constant", _constant)
    _replace("cast dtypes.cast", _of_strong)
    for name in _NUMPY_UNARY.split():
        constant(name, unary(getattr(tnp, name)))
    constant("matmul", binary(tnp.matmul))
    for name in ("assign", "assign_add", "assign_sub"):
        setattr(BaseResourceVariable, name, _assignment(getattr(BaseResourceVariable, name)))
    install_tapes()


# Switching.


def enable_numpy_behavior(
    prefer_float32: bool = False, dtype_conversion_mode: str = "legacy"
) -> None:
    """Enables NumPy's dtype promotion, methods and indexing on tensors, for the whole process.

    Args:
        prefer_float32: If True, Python floats have dtype float32 instead of float64.
        dtype_conversion_mode: The promotion mode of operators: "legacy" for NumPy's rules, "all"
            and "safe" for a table with weak types of Python numbers ("safe" rejects promotions that
            may lose precision), "off" for no promotion.

    Raises:
        ValueError: The mode is unknown.
    """
    mode = dtype_conversion_mode
    if mode in ("safe", "all"):
        logging.getLogger("twinflow").warning(
            "The promotion modes 'safe' and 'all' are for the beginning of a program: what it has "
            "computed so far followed other rules."
        )
    if mode not in ("off", "legacy", "safe", "all"):
        raise ValueError(
            f"The provided promotion mode {mode} does not exist. Make sure the provided dtype conversion "
            "mode is one of the followings: 'off', 'legacy', 'safe' or 'all'."
        )
    settings.mode = mode
    if settings.automatic:
        _install_functions()
    _add_methods(Tensor)
    Tensor.__getitem__ = indexing.getitem  # type: ignore[method-assign]
    _complete_weak_tensors()
    settings.prefer_float32 = prefer_float32
    _install_gradients()
    _install_operators()


@functools.cache
def _complete_weak_tensors() -> None:
    """Adds the attributes of tensors to weak tensors."""
    _add_methods(WeakTensor)
    _add_unary(WeakTensor)
    WeakTensor.__getitem__ = indexing.getitem  # type: ignore[method-assign]


constant("experimental_enable_numpy_behavior", enable_numpy_behavior)
