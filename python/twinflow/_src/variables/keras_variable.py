"""Keras's variables: a ``tf.Variable`` with a path and Keras's dtype promotion in its operators."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from twinflow._src.conversion.constant import convert_to_tensor, is_tensor
from twinflow._src.core.dtypes import DType, as_dtype
from twinflow._src.core.shapes import TensorShape, static_sizes
from twinflow._src.dispatch.op import API
from twinflow._src.initializers.keras import get as initializer_of
from twinflow._src.initializers.keras import type_of
from twinflow._src.ops.elementwise.cast import cast
from twinflow._src.trackable.trackable import SavedValue
from twinflow._src.train.descriptions import auto_name, check, path_of
from twinflow._src.variables.options import VariableAggregationV2, VariableSynchronization
from twinflow._src.variables.variable import Variable as TensorVariable

_AGGREGATIONS = ("none", "mean", "sum", "only_first_replica")


class Variable(SavedValue):
    """A variable with a path.

    Args:
        initializer: The initial value, or a callable that returns it for a shape and a dtype.
        shape: The shape, where ``initializer`` is callable.
        dtype: The dtype; that of the value, or float32.
        trainable: Whether it is trainable.
        autocast: Accepted and without effect.
        aggregation: The aggregation mode of distributed copies.
        synchronization: The synchronization mode of distributed copies.
        name: The name, which has no slash.
        **_: Accepted and without effect.

    Raises:
        ValueError: The name, the aggregation or the shape is invalid.
    """

    __module__ = "twinflow.keras"

    __array_priority__ = 100
    __hash__ = None  # type: ignore[assignment]

    def __init__(
        self,
        initializer: Any,
        shape: Any = None,
        dtype: Any = None,
        trainable: bool = True,
        autocast: bool = True,
        aggregation: str | None = "none",
        synchronization: str | None = "auto",
        name: str | None = None,
        **_: Any,
    ) -> None:
        name = name or auto_name("Variable")
        check(name)
        if aggregation not in (None, *_AGGREGATIONS):
            raise ValueError(
                "Invalid value for argument `aggregation`. Expected one of `None`, `'none'`, `'mean'`, "
                f"`'sum'`, `'only_first_replica'`. Received: aggregation={aggregation}"
            )
        self._name, self._path = name, path_of(name)
        self.trainable, self.aggregation = bool(trainable), aggregation or "none"
        self.synchronization = synchronization or "none"
        self.constraint: Any = None
        self.regularizer: Any = None
        self.overwrite_with_gradient = False
        self._value = self._create(initializer, shape, dtype)

    def _create(self, initializer: Any, shape: Any, dtype: Any) -> Any:
        if isinstance(initializer, str):
            initializer = initializer_of(initializer)
        if callable(initializer):
            if shape is None:
                raise ValueError(
                    "When creating a Variable from an initializer, the `shape` argument should be "
                    f"specified. Received: initializer={initializer} and shape={shape}"
                )
            expected, make = type_of(dtype), initializer
            initializer = lambda: make(static_sizes(shape), dtype=expected)
        elif isinstance(initializer, TensorVariable):
            return initializer
        else:
            initializer = converted(initializer, dtype)
            expected = initializer.dtype
        return TensorVariable(
            initializer,
            dtype=expected,
            trainable=self.trainable,
            name=self._name,
            aggregation=getattr(VariableAggregationV2, self.aggregation.upper()),
            synchronization=getattr(VariableSynchronization, self.synchronization.upper()),
        )

    # ---------------------------------------------------------------- properties
    @property
    def value(self) -> Any:
        """The ``tf.Variable`` that holds the value."""
        return self._value

    @property
    def name(self) -> str:
        """The name."""
        return self._name

    @property
    def path(self) -> str:
        """The path: the enclosing names and the name."""
        return self._path

    @property
    def dtype(self) -> str:
        """The name of the dtype."""
        return str(self._value.dtype.name)

    @property
    def shape(self) -> TensorShape:
        """The shape."""
        return self._value.shape

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return len(self._value.shape)

    @property
    def handle(self) -> Any:
        """The handle of the variable."""
        return self._value.handle

    @property
    def device(self) -> str:
        """The full name of the device that holds the value."""
        return str(self._value.device)

    @property
    def _shared_name(self) -> str:
        return str(self._value._shared_name)

    def _saved_variable(self) -> Any:
        return self._value

    # ---------------------------------------------------------------- reading and writing
    def numpy(self) -> Any:
        """Returns the value as a NumPy array."""
        return self._value.numpy()

    def __tf_tensor__(self, dtype: DType | None = None, name: str | None = None) -> Any:
        return convert_to_tensor(self._value, dtype=dtype, name=name)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return np.asarray(self._value.__array__(dtype))

    def __getitem__(self, key: Any) -> Any:
        return self._value[key]

    def assign(self, value: Any) -> Any:
        """Replaces the value.

        Args:
            value: A value of the same shape.

        Returns:
            The value as a tensor.

        Raises:
            ValueError: The shapes are incompatible.
        """
        value = converted(value, self.dtype)
        if not value.shape.is_compatible_with(self.shape):
            raise ValueError(
                "The shape of the target variable and the shape of the target value in "
                f"`variable.assign(value)` must match. variable.shape={self.shape}, Received: "
                f"value.shape={value.shape}. Target variable: {self}"
            )
        self._value.assign(value)
        return value

    def assign_add(self, value: Any) -> Any:
        """Adds a value; see ``assign``."""
        return self.assign(self + value)

    def assign_sub(self, value: Any) -> Any:
        """Subtracts a value; see ``assign``."""
        return self.assign(self - value)

    def __int__(self) -> int:
        return int(self._scalar())

    def __float__(self) -> float:
        return float(self._scalar())

    def __bool__(self) -> bool:
        return bool(self._value)

    def _scalar(self) -> Any:
        if self.ndim:
            raise TypeError(
                f"Only scalar arrays can be converted to Python scalars. Got: shape={self.shape}"
            )
        return self._value

    def __repr__(self) -> str:
        text = f"<Variable path={self.path}, shape={self.shape}, dtype={self.dtype}"
        graph = not hasattr(self._value._read(), "_array")
        return f"{text}>" if graph else f"{text}, value={self._value.numpy()}>"


def converted(value: Any, dtype: Any = None) -> Any:
    """Returns a value as a tensor of a dtype, cast where necessary."""
    if not is_tensor(value) and not isinstance(value, Variable):
        if dtype is not None and as_dtype(dtype).is_integer:
            return cast(convert_to_tensor(value), dtype)
        return convert_to_tensor(value, dtype=None if dtype is None else as_dtype(dtype))
    tensor = convert_to_tensor(value)
    return tensor if dtype is None else cast(tensor, dtype)


def together(x: Any, y: Any) -> tuple[Any, Any]:
    """Promotes two operands to one dtype: scalars follow the tensor, floats win over integers."""
    types = [as_dtype(v.dtype) if hasattr(v, "dtype") else None for v in (x, y)]
    numbers = [v for v, t in zip((x, y), types) if t is None]
    common = _wider(*types) if None not in types else next(filter(None, types), None)
    if common is None:
        return x, y
    if common.is_integer and any(isinstance(v, float) for v in numbers):
        common = as_dtype("float32")
    return converted(x, common), converted(y, common)


def _wider(a: Any, b: Any) -> Any:
    if a is b or a.is_floating != b.is_floating:
        return a if a is b or a.is_floating else b
    if a.is_floating and a.size == b.size:  # float16 with bfloat16
        return as_dtype("float32")
    return (
        as_dtype(np.promote_types(a.np, b.np))
        if not a.is_floating
        else max(a, b, key=lambda t: t.size)
    )


def _binary(name: str, swapped: bool) -> Callable[[Any, Any], Any]:
    function = getattr(operator, name)

    def method(self: Any, other: Any) -> Any:
        x, y = (other, self) if swapped else (self, other)
        return function(*together(x, y))

    return method


def _unary(name: str) -> Callable[[Any], Any]:
    return lambda self: getattr(operator, name)(convert_to_tensor(self))


for _name in (
    "add",
    "sub",
    "mul",
    "truediv",
    "floordiv",
    "mod",
    "pow",
    "matmul",
    "and_",
    "or_",
    "xor",
):
    _plain = _name.strip("_")
    setattr(Variable, f"__{_plain}__", _binary(_name, False))
    setattr(Variable, f"__r{_plain}__", _binary(_name, True))
for _name in ("lt", "le", "gt", "ge", "ne"):
    setattr(Variable, f"__{_name}__", _binary(_name, False))
for _name in ("neg", "abs", "invert"):
    setattr(Variable, f"__{_name}__", _unary(_name))


def _equal(self: Any, other: Any) -> Any:
    return API["equal"](*together(self, other))


Variable.__eq__ = _equal  # type: ignore[method-assign]
