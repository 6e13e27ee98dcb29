"""Arithmetic of update formulas: arrays updated in place, arrays replaced by new ones, tensors.

On the host a formula runs in place, block by block in the CPU cache, so that temporaries stay small;
on a GPU its results are new arrays, so that ``fused`` can generate one kernel of it. On tensors it runs
op by op, which sparse gradients require. The order of operations is the same, and so are the bits.
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

# Elements per block: four float32 arrays of this size fit into an L2 cache of 1 MB.
_BLOCK = 1 << 16

_NUMBERS = (int, float)


@functools.cache
def arithmetic(xp: Any, dtype: Any) -> Arrays:
    """Returns the arithmetic of an array module and dtype, cached."""
    return Arrays(xp, dtype)


class Arrays:
    """Arithmetic of arrays, in which variables are arrays that are updated in place.

    Python numbers are converted to the dtype of the arrays.
    """

    def __init__(self, xp: Any, dtype: Any) -> None:
        self._xp, self._number = xp, dtype.type
        self.square, self.sqrt, self.abs, self.exp = xp.square, xp.sqrt, xp.absolute, xp.exp
        self.sign, self.negative = xp.sign, xp.negative
        self.greater, self.maximum = xp.greater, self._converting(xp.maximum)
        self.add, self.subtract = self._converting(xp.add), self._converting(xp.subtract)
        self.multiply, self.divide = self._converting(xp.multiply), self._converting(xp.true_divide)

    def _of(self, x: Any) -> Any:
        return self._number(x) if type(x) in (int, float) else x

    def _converting(self, function: Callable[..., Any]) -> Callable[[Any, Any], Any]:
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

    def clip(self, x: Any, least: float, most: float) -> Any:
        """Clips values to an interval."""
        return self._xp.clip(x, self._of(least), self._of(most))

    def where(self, condition: Any, x: Any, y: Any, out: Any = None) -> Any:
        """Selects elements of x where a condition holds, else of y."""
        result = self._xp.where(condition, x, self._of(y))
        if out is None:
            return result
        self._xp.copyto(out, result)
        return out

    def assign(self, variable: Any, function: Callable[..., Any], *operands: Any) -> Any:
        """Assigns the result of a function of this arithmetic to a variable, and returns it."""
        return function(*operands, out=variable)

    def assign_add(self, variable: Any, value: Any) -> Any:
        """Adds to a variable, and returns it."""
        return self._xp.add(variable, value, out=variable)

    def assign_sub(self, variable: Any, value: Any) -> Any:
        """Subtracts from a variable, and returns it."""
        return self._xp.subtract(variable, value, out=variable)


class NewArrays(Arrays):
    """Arithmetic of arrays, in which the new value of a variable is a new array."""

    def assign(self, variable: Any, function: Callable[..., Any], *operands: Any) -> Any:
        """Returns the result of a function of this arithmetic."""
        return function(*operands)

    def assign_add(self, variable: Any, value: Any) -> Any:
        """Returns the sum of a variable and a value."""
        return self._xp.add(variable, value)

    def assign_sub(self, variable: Any, value: Any) -> Any:
        """Returns the difference of a variable and a value."""
        return self._xp.subtract(variable, value)


def blocks(arrays: list[Any]) -> Iterable[list[Any]]:
    """Returns views of equally shaped host arrays, block by block; a tuple of one if they are small."""
    size = arrays[0].size
    return (arrays,) if size <= _BLOCK and arrays[0].ndim else _split_blocks(arrays, size)


def _split_blocks(arrays: list[Any], size: int) -> Iterator[list[Any]]:
    flat = [array.reshape(-1) for array in arrays]
    for start in range(0, size, _BLOCK):
        yield [array[start : start + _BLOCK] for array in flat]


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
    def function(variable: Any, value: Any) -> Any:
        getattr(variable, sparse if _sparse(value) else dense)(cast(value, variable.dtype))
        return variable

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
    def assign(variable: Any, function: Callable[..., Any], *operands: Any) -> Any:
        """Assigns the result of a function of this arithmetic to a variable, and returns it."""
        return _replaced(variable, function(*operands))

    @staticmethod
    def power(x: Any, y: Any) -> Any:
        """Returns x ** y."""
        return API["pow"](x, y)

    @staticmethod
    def clip(x: Any, least: float, most: float) -> Any:
        """Clips values to an interval."""
        return API["clip_by_value"](x, least, most)
