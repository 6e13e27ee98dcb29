"""Arithmetic for update rules of optimizers, on arrays and on tensors.

A rule is a function of the arithmetic, the variable, its slots, the gradient, the scalar inputs of
the step and the settings. In a kernel it runs in place over blocks of the arrays that fit into the
cache, so that temporaries stay small. On tensors it runs op by op, which sparse gradients require.
The order of the operations is Keras's, so that results are bitwise equal.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from twinflow._src.composite_tensors.indexed_slices import IndexedSlices
from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.dispatch.op import API
from twinflow._src.ops.elementwise.cast import cast

# Elements per block: four float32 arrays of this size fit into an L2 cache.
_PIECE = 1 << 14

Rule = Callable[..., None]
_NUMBERS = (int, float)


@functools.cache
def arithmetic(xp: Any, dtype: Any) -> Arrays:
    """Returns the arithmetic of an array module and dtype, cached."""
    return Arrays(xp, dtype)


class Arrays:
    """Arithmetic of kernels: variables are arrays, updated in place.

    Args:
        xp: The array module.
        dtype: The dtype of the arrays, to which Python numbers are converted.
    """

    def __init__(self, xp: Any, dtype: Any) -> None:
        self._xp, self._number = xp, dtype.type
        self.square, self.sqrt, self.abs = xp.square, xp.sqrt, xp.absolute
        self.sign, self.negative = xp.sign, xp.negative
        self.add, self.subtract = self._taking(xp.add), self._taking(xp.subtract)
        self.multiply, self.divide = self._taking(xp.multiply), self._taking(xp.true_divide)

    def _of(self, x: Any) -> Any:
        return self._number(x) if type(x) in (int, float) else x

    def _taking(self, function: Callable[..., Any]) -> Callable[[Any, Any], Any]:
        """Wraps a binary function to convert Python numbers to the dtype."""
        number = self._number
        if self._xp is np and issubclass(number, np.floating):  # NumPy converts itself
            return function

        def of_two(x: Any, y: Any, **options: Any) -> Any:
            return function(*(number(v) if type(v) in _NUMBERS else v for v in (x, y)), **options)

        return of_two

    def power(self, x: Any, y: Any) -> Any:
        """Returns x ** y."""
        return self._xp.power(self._of(x), self._of(y))

    def maximum(self, x: Any, y: Any, **options: Any) -> Any:
        """Returns the elementwise maximum."""
        return self._xp.maximum(x, y, **options)

    def clip(self, x: Any, least: float, most: float) -> Any:
        """Clips values to an interval."""
        return self._xp.clip(x, self._of(least), self._of(most))

    def assign(self, variable: Any, function: Callable[..., Any], *operands: Any) -> None:
        """Assigns the result of a function of this arithmetic to a variable."""
        function(*operands, out=variable)

    def assign_add(self, variable: Any, value: Any) -> None:
        """Adds to a variable."""
        self._xp.add(variable, value, out=variable)

    def assign_sub(self, variable: Any, value: Any) -> None:
        """Subtracts from a variable."""
        self._xp.subtract(variable, value, out=variable)


def pieces(xp: Any, arrays: list[Any]) -> Iterable[list[Any]]:
    """Returns views of equally shaped arrays, block by block; a GPU takes a single block."""
    size = arrays[0].size
    return (arrays,) if size <= _PIECE and arrays[0].ndim else _split_blocks(xp, arrays, size)


def _split_blocks(xp: Any, arrays: list[Any], size: int) -> Iterator[list[Any]]:
    flat = [array.reshape(-1) for array in arrays]
    step = _PIECE if xp.__name__ == "numpy" else max(size, 1)
    for start in range(0, size, step):
        yield [array[start : start + step] for array in flat]


# ------------------------------------------------------------------ tensors


def _sparse(x: Any) -> bool:
    return isinstance(x, IndexedSlices)


def _scalar(x: Any) -> bool:
    return not hasattr(x, "shape") or len(x.shape) == 0


def _rows(x: Any, values: Any) -> IndexedSlices:
    return IndexedSlices(values, x.indices, x.dense_shape)


def _by_element(name: str) -> Callable[[Any], Any]:
    def function(x: Any) -> Any:
        return _rows(x, API[name](x.values)) if _sparse(x) else API[name](x)

    return staticmethod(function)


def _dense(name: str) -> Callable[[Any, Any], Any]:
    """Returns a function of dense tensors; IndexedSlices with identical indices stay sparse."""

    def function(x: Any, y: Any) -> Any:
        if _sparse(x) and _sparse(y) and x.indices is y.indices:
            return _rows(x, API[name](x.values, y.values))
        return API[name](*(convert_to_tensor(v) if _sparse(v) else v for v in (x, y)))

    return staticmethod(function)


def _scaling(name: str) -> Callable[[Any, Any], Any]:
    """Returns a function that preserves zeros: IndexedSlices are combined with gathered rows."""

    def function(x: Any, y: Any) -> Any:
        if not _sparse(x) and not _sparse(y):
            return API[name](x, y)
        slices = x if _sparse(x) else y
        parts = (
            v.values if _sparse(v) else v if _scalar(v) else API["gather"](v, slices.indices)
            for v in (x, y)
        )
        return _rows(slices, API[name](*parts))

    return staticmethod(function)


def _updating(dense: str, sparse: str) -> Callable[[Any, Any], Any]:
    def function(variable: Any, value: Any) -> None:
        getattr(variable, sparse if _sparse(value) else dense)(cast(value, variable.dtype))

    return staticmethod(function)


_replaced = _updating("assign", "scatter_update")


class Tensors:
    """Arithmetic of tensors, including IndexedSlices; variables are ``tf.Variable`` objects."""

    add, subtract, maximum = _dense("add"), _dense("subtract"), _dense("maximum")
    multiply, divide = _scaling("multiply"), _scaling("divide")
    square, sqrt, abs = _by_element("square"), _by_element("sqrt"), _by_element("abs")
    sign, negative = _by_element("sign"), _by_element("negative")
    assign_add = _updating("assign_add", "scatter_add")
    assign_sub = _updating("assign_sub", "scatter_sub")

    @staticmethod
    def assign(variable: Any, function: Callable[..., Any], *operands: Any) -> None:
        """Assigns the result of a function of this arithmetic to a variable."""
        _replaced(variable, function(*operands))

    @staticmethod
    def power(x: Any, y: Any) -> Any:
        """Returns x ** y."""
        return API["pow"](x, y)

    @staticmethod
    def clip(x: Any, least: float, most: float) -> Any:
        """Clips values to an interval."""
        return API["clip_by_value"](x, least, most)
