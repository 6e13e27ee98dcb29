"""Public functions with automatic dtype promotion (modes "safe" and "all").

``install`` replaces the functions under all public names. Python values are weak: if only they
determine a dtype, the result is a ``WeakTensor``.
"""

from __future__ import annotations

import functools
import inspect
import logging
import operator
from collections.abc import Callable
from typing import Any

import twinflow as tf
from twinflow._src.conversion.constant import is_tensor
from twinflow._src.dispatch.op import API
from twinflow._src.variables.variable import BaseResourceVariable
from twinflow._src.wings.numpy_ops import promotion_lattice
from twinflow._src.wings.numpy_ops import weak as weak_tapes
from twinflow._src.wings.numpy_ops.promotion import settings
from twinflow._src.wings.numpy_ops.registry import constant as put
from twinflow._src.wings.numpy_ops.registry import tnp
from twinflow._src.wings.numpy_ops.weak import EagerWeakTensor, WeakTensor

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


def _as(value: Any, dtype: Any) -> Any:
    """Converts a value to a tensor of a dtype."""
    if isinstance(value, WeakTensor):
        value = value.to_tensor()
    tensor = isinstance(value, (tf.RaggedTensor, tf.SparseTensor)) or is_tensor(value)
    return tf.cast(value, dtype) if tensor else tf.convert_to_tensor(value, dtype)


def _weakened(value: Any, weak: bool) -> Any:
    if weak:
        return EagerWeakTensor(value.tensor if isinstance(value, WeakTensor) else value)
    return value.to_tensor() if isinstance(value, WeakTensor) else value


def _fallen_back(function: Function, *values: Any) -> None:
    kinds = ", ".join(str(type(value)) for value in values)
    logging.getLogger("twinflow").warning(
        "%s(%s) is not promoted: there is no rule for these types.", function.__name__, kinds
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
    def called(*args: Any, **kwargs: Any) -> Any:
        if not settings.automatic:
            return function(*args, **kwargs)
        given = _arguments(signature, args, kwargs)
        value = given[first]
        if isinstance(value, tf.Tensor) or given.get("dtype") is not None:
            return function(**given)
        try:
            dtype, weak = promotion_lattice.result(settings.mode, value)
        except NotImplementedError:
            _fallen_back(function, value)
            return function(**given)
        return _weakened(function(**{**given, first: _as(value, dtype)}), weak)

    return called


def binary(function: Function, strong: bool = False) -> Function:
    """Wraps a binary function to promote its operands to a common dtype."""
    signature = inspect.signature(function)
    first, second = list(signature.parameters)[:2]

    @functools.wraps(function)
    def called(*args: Any, **kwargs: Any) -> Any:
        if not settings.automatic:
            return function(*args, **kwargs)
        given = _arguments(signature, args, kwargs)
        x, y = given[first], given[second]
        try:
            dtype, weak = promotion_lattice.result(settings.mode, x, y)
        except NotImplementedError:
            _fallen_back(function, x, y)
            return function(**given)
        given |= {first: _as(x, dtype), second: _as(y, dtype)}
        return _weakened(function(**given), weak and not strong)

    return called


def _constant(function: Function) -> Function:
    """Wraps ``tf.constant``: without a dtype, Python values become weak tensors."""

    @functools.wraps(function)
    def called(value: Any, dtype: Any = None, shape: Any = None, name: str = "Const") -> Any:
        if not settings.automatic:
            return function(value, dtype, shape, name)
        try:
            found, weak = promotion_lattice.result(settings.mode, value, dtype)
        except NotImplementedError:
            _fallen_back(function, value, dtype)
            return function(value, dtype, shape, name)
        value = value.to_tensor() if isinstance(value, WeakTensor) else value
        if dtype is None:
            return _weakened(function(value, found, shape, name), weak)
        if found == dtype and isinstance(value, tf.Tensor):
            value = _as(value, found)
        return function(value, dtype, shape, name)

    return called


def _of_strong(function: Function) -> Function:
    """Wraps a function to unwrap weak tensors."""

    @functools.wraps(function)
    def called(x: Any, *args: Any, **kwargs: Any) -> Any:
        return function(x.to_tensor() if isinstance(x, WeakTensor) else x, *args, **kwargs)

    return called


def _assignment(function: Function) -> Function:
    """Wraps an assignment method of variables to promote the value to the variable's dtype."""

    @functools.wraps(function)
    def called(self: Any, value: Any, *args: Any, **kwargs: Any) -> Any:
        if not settings.automatic:
            return function(self, value, *args, **kwargs)
        try:
            dtype, _ = promotion_lattice.result(settings.mode, self, value)
        except NotImplementedError:
            _fallen_back(function, self, value)
            return function(self, value, *args, **kwargs)
        if dtype != self.dtype:
            raise TypeError(
                f"Variable dtype is immutable. Calling {function.__name__} of Variable (with dtype "
                f"{self.dtype}) on {value} requires converting {value} to {self.dtype}. This is disabled "
                f"in the current promotion semantics. Please convert {value} manually before calling "
                f"{function.__name__}."
            )
        return function(self, _as(value, dtype), *args, **kwargs)

    return called


def _replace(names: str, wrapped: Callable[[Function], Function]) -> None:
    """Replaces public functions, one wrapper for all names of a function."""
    done: dict[Function, Function] = {}
    for name in names.split():
        path, _, leaf = name.rpartition(".")
        place = operator.attrgetter(path)(tf) if path else tf
        old = getattr(place, leaf, None)
        if old is not None:
            new = done.setdefault(old, wrapped(old))
            setattr(place, leaf, new)
            if API.get(name) is old:
                API[name] = new


@functools.cache
def install() -> None:
    """Replaces the public functions by the promoting ones, once per process."""
    _replace(_UNARY, unary)
    _replace(_BINARY, binary)
    _replace(_STRONG_BINARY, functools.partial(binary, strong=True))
    _replace("scalar_mul math.scalar_mul", functools.partial(unary, parameter="x"))
    _replace("constant", _constant)
    _replace("cast dtypes.cast", _of_strong)
    for name in _NUMPY_UNARY.split():
        put(name, unary(getattr(tnp, name)))
    put("matmul", binary(tnp.matmul))
    for name in ("assign", "assign_add", "assign_sub"):
        setattr(BaseResourceVariable, name, _assignment(getattr(BaseResourceVariable, name)))
    weak_tapes.install()
