"""Python operators of tensors and variables: the table from special method to function."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from twinflow._src.composite_tensors.component_specs import composite_spec
from twinflow._src.conversion.constant import constant, convert_to_tensor
from twinflow._src.core.context import thread
from twinflow._src.core.dtypes import bool_, int32
from twinflow._src.core.errors import InvalidArgumentError
from twinflow._src.core.tensor import EagerTensor, Tensor
from twinflow._src.dispatch.op import Op, binary, execute
from twinflow._src.dispatch.signature_errors import FAILURES, fall_back
from twinflow._src.ops.elementwise import arithmetic, cast, compare, division
from twinflow._src.ops.elementwise import division as rounding
from twinflow._src.ops.linalg import matmul as linalg
from twinflow._src.variables.options import declare, own
from twinflow._src.variables.variable import BaseResourceVariable, Variable


def _by_type(logical: Any, bitwise: Any) -> Callable[..., Any]:
    """Returns a function that is logical for booleans and bitwise for integers."""

    def apply_by_dtype(x: Any, y: Any) -> Any:
        return (logical if x.dtype is bool_ else bitwise)(x, y)

    return apply_by_dtype


_and = _by_type(compare.logical_and, compare.bitwise_and)
_or = _by_type(compare.logical_or, compare.bitwise_or)
_xor_bits = compare.bitwise_xor


def _logical_xor(x: Any, y: Any) -> Any:
    either = compare.logical_or(x, y)
    return compare.logical_and(either, compare.logical_not(compare.logical_and(x, y)))


def _boolean_product(x: Any, y: Any) -> Any:
    """Returns the product as a boolean, as TensorFlow does if the first or both are boolean."""
    product = arithmetic.multiply(cast.cast(x, int32), cast.cast(y, int32))
    return cast.cast(product, bool_)


def _multiply(x: Any, y: Any) -> Any:
    try:
        return arithmetic.multiply(x, y) if x.dtype is not bool_ else _boolean_product(x, y)
    except (TypeError, ValueError, InvalidArgumentError) as error:
        if isinstance(y, Tensor) and y.dtype is bool_ and x.dtype is not bool_:
            return _boolean_product(x, y)
        if isinstance(error, InvalidArgumentError):
            raise
        return _asked_of_the_other("__rmul__", x, y, error)


def _or_other(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """Returns an operator that falls back to the reflected method of the right operand."""
    method = f"__r{name}__"

    def asking(x: Any, y: Any) -> Any:
        try:
            return function(x, y)
        except (TypeError, ValueError) as error:
            result = fall_back(function, (x, y), {})
            return _asked_of_the_other(method, x, y, error) if result is NotImplemented else result

    def asking_execute(op: Op, args: Any, attrs: Any) -> Any:
        try:
            return execute(op, args, attrs)
        except (TypeError, ValueError) as error:
            x, y = args
            return _asked_of_the_other(method, x, y, error)

    op = getattr(function, "op", None)
    result = (
        asking if op is None else binary(op, op.cached, asking_execute)
    )  # no wrapper frame on the fast path
    result.__name__, result.__doc__ = f"__{name}__", function.__doc__
    return result


def _asked_of_the_other(method: str, x: Any, y: Any, error: Exception) -> Any:
    """Returns the result of the right operand's reflected method, or raises the original error."""
    # For example a scalar tensor times a list repeats the list. All types support ``|``, so that
    # TensorFlow tries every right operand.
    if not hasattr(type(y), method):
        raise error
    try:
        result = getattr(y, method)(convert_to_tensor(x))
    except (TypeError, ValueError):
        raise error from None
    if result is NotImplemented:
        raise error
    return result


# Functions of the reflected operators.
_FROM_THE_LEFT: dict[str, Callable[..., Any]] = {
    "add": arithmetic.add,
    "sub": arithmetic.subtract,
    "mul": lambda x, y: (_boolean_product if x.dtype is bool_ else arithmetic.multiply)(x, y),
    "truediv": division.divide,
    "floordiv": division.floordiv,
    "mod": division.floormod,
    "pow": arithmetic.pow,
    "matmul": linalg.matmul,
    "and": _and,
    "or": _or,
    "xor": _by_type(_logical_xor, _xor_bits),
}
_BINARY = {name: _or_other(name, function) for name, function in _FROM_THE_LEFT.items()} | {
    "mul": _multiply
}

_ORDER: dict[str, Callable[..., Any]] = {
    "lt": compare.less,
    "le": compare.less_equal,
    "gt": compare.greater,
    "ge": compare.greater_equal,
}


def _reflected(function: Callable[..., Any]) -> Callable[..., Any]:
    """Returns the reflected method; the left operand is converted to the tensor's dtype."""

    def method(self: Any, other: Any) -> Any:
        operands = convert_to_tensor(other, dtype=self.dtype), self
        try:
            return function(*operands)
        except FAILURES:
            result = fall_back(function, operands, {})
            if result is NotImplemented:
                raise
            return result

    return method


def _equality(function: Callable[..., Any], otherwise: bool) -> Callable[..., Any]:
    """Returns the ``==`` or ``!=`` method; tensors of incompatible shapes are unequal."""

    def method(self: Any, other: Any) -> Any:
        if other is None and isinstance(self, Tensor):
            return otherwise
        graph = thread.scope.graph
        if graph is not None and not graph.building_function:
            return (self is other) is not otherwise  # identity in TensorFlow 1 graphs
        try:
            return function(self, other)
        except InvalidArgumentError as error:
            if error.message.startswith("Incompatible shapes"):
                return constant(otherwise)
            if composite_spec(other) is not None:  # a ragged tensor with other row partitions
                return otherwise
            raise

    return method


_UNARY: dict[str, Callable[..., Any]] = {
    "neg": arithmetic.negative,
    "abs": arithmetic.abs,
    "invert": lambda x: compare.logical_not(x) if x.dtype is bool_ else compare.invert(x),
}


def _bind(cls: type) -> None:
    methods: dict[str, Callable[..., Any]] = {}
    for name, function in _BINARY.items():
        methods[f"__{name}__"] = function  # the function itself, without a wrapper frame
        methods[f"__r{name}__"] = _reflected(_FROM_THE_LEFT[name])
    methods |= {f"__{name}__": function for name, function in _ORDER.items()}
    methods["__eq__"] = _equality(compare.equal, False)
    methods["__ne__"] = _equality(compare.not_equal, True)
    methods |= {f"__{name}__": function for name, function in _UNARY.items()}
    methods["__div__"] = _python2_division
    methods["__rdiv__"] = _reflected(_python2_division)
    for name, method in methods.items():
        setattr(cls, name, method)


def _python2_division(x: Any, y: Any) -> Any:
    whole = x.dtype.is_integer or x.dtype.is_bool
    return (division.floordiv if whole else division.realdiv)(x, y)


def _round(self: Any, digits: int | None = None) -> Any:
    """``round(x)``; raises TensorFlow's error for real dtypes unless NumPy behavior is enabled."""
    return rounding.round(self) if self.dtype.is_complex else self.astype


def _of_value(name: str) -> Callable[..., Any]:
    """Returns an operator of ``tf.Variable``: that of the subclass, else that of its value."""

    def operator(self: Any, *args: Any) -> Any:
        result = own(self, Variable, name)
        return getattr(Tensor, name)(self.value(), *args) if result is None else result(self, *args)

    operator.__name__, operator.__doc__ = name, getattr(Tensor, name).__doc__
    return operator


_bind(Tensor)
Tensor.__round__ = _round  # type: ignore[attr-defined]
Tensor.OVERLOADABLE_OPERATORS = frozenset(
    f"__{name}__"
    for name in (
        *_BINARY,
        *(f"r{name}" for name in _BINARY),
        *_ORDER,
        *_UNARY,
        "div",
        "rdiv",
        "eq",
        "ne",
        "getitem",
    )
)
declare(
    Tensor,
    EagerTensor,
    (
        "__bool__",
        "__iter__",
        "__len__",
        "__array__",
        "get_shape",
        "set_shape",
        "eval",
        "shape",
        "ndim",
    ),
)
Tensor.__nonzero__ = Tensor.__bool__  # type: ignore[attr-defined]
_bind(BaseResourceVariable)
for _name in Tensor.OVERLOADABLE_OPERATORS:
    setattr(Variable, _name, _of_value(_name))


def _overload_operator(cls: Any, operator: str) -> None:
    """Gives a class of variables an operator of tensors, on its value."""
    if operator not in ("__eq__", "__ne__"):
        setattr(cls, operator, _of_value(operator))


def _overload_all_operators(cls: Any) -> None:
    """Gives a class of variables the operators of tensors; slices can be assigned."""
    for operator in sorted(Tensor.OVERLOADABLE_OPERATORS):
        cls._OverloadOperator(operator)
    cls.__getitem__ = BaseResourceVariable.__getitem__


# Libraries with classes of variables of their own call these.
Variable._OverloadOperator = classmethod(_overload_operator)  # type: ignore[attr-defined]
Variable._OverloadAllOperators = classmethod(_overload_all_operators)  # type: ignore[attr-defined]
