"""The arithmetic in which the rules of optimizers are written, once over arrays and once over tensors.

A rule is a function of the arithmetic, the variable, its slots, the gradient, the numbers of the step
and the settings. In a kernel it runs in place, over pieces of the arrays that fit into the cache, so
that what it computes on the way takes little memory; on tensors it runs operation by operation, which is
what sparse gradients need. The order of the operations is Keras's, and so are the bits.
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

# The elements of a piece: four arrays of this many float32 fit into a cache of the second level.
_PIECE = 1 << 14

Rule = Callable[..., None]
_NUMBERS = (int, float)


@functools.cache
def arithmetic(xp: Any, dtype: Any) -> Arrays:
    """The arithmetic of an array module on arrays of a type; made once."""
    return Arrays(xp, dtype)


class Arrays:
    """The arithmetic in kernels: variables are arrays that are written in place.

    Args:
        xp: The array module.
        dtype: The type of the elements, which Python's numbers take.
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
        """A function of two arrays that takes Python's numbers, too, as numbers of the type."""
        number = self._number
        if self._xp is np and issubclass(number, np.floating):  # NumPy does so by itself
            return function

        def of_two(x: Any, y: Any, **options: Any) -> Any:
            return function(*(number(v) if type(v) in _NUMBERS else v for v in (x, y)), **options)

        return of_two

    def power(self, x: Any, y: Any) -> Any:
        """x ** y"""
        return self._xp.power(self._of(x), self._of(y))

    def maximum(self, x: Any, y: Any, **options: Any) -> Any:
        """The larger one of each two elements."""
        return self._xp.maximum(x, y, **options)

    def clip(self, x: Any, least: float, most: float) -> Any:
        """The nearest number between two bounds."""
        return self._xp.clip(x, self._of(least), self._of(most))

    def assign(self, variable: Any, function: Callable[..., Any], *operands: Any) -> None:
        """Replaces a value by what a function of this arithmetic makes of operands."""
        function(*operands, out=variable)

    def assign_add(self, variable: Any, value: Any) -> None:
        """Adds to a value."""
        self._xp.add(variable, value, out=variable)

    def assign_sub(self, variable: Any, value: Any) -> None:
        """Subtracts from a value."""
        self._xp.subtract(variable, value, out=variable)


def pieces(xp: Any, arrays: list[Any]) -> Iterable[list[Any]]:
    """Views of arrays of one shape, piece by piece; a device that is not the CPU takes all at once."""
    size = arrays[0].size
    return (arrays,) if size <= _PIECE and arrays[0].ndim else _cut(xp, arrays, size)


def _cut(xp: Any, arrays: list[Any], size: int) -> Iterator[list[Any]]:
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
    """A function of whole tensors; where both operands are the same rows, of those."""

    def function(x: Any, y: Any) -> Any:
        if _sparse(x) and _sparse(y) and x.indices is y.indices:
            return _rows(x, API[name](x.values, y.values))
        return API[name](*(convert_to_tensor(v) if _sparse(v) else v for v in (x, y)))

    return staticmethod(function)


def _scaling(name: str) -> Callable[[Any, Any], Any]:
    """A function that leaves zeros where they are: rows take the same rows of a whole tensor."""

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
    """The arithmetic on tensors, some of which are rows; variables are ``tf.Variable`` objects."""

    add, subtract, maximum = _dense("add"), _dense("subtract"), _dense("maximum")
    multiply, divide = _scaling("multiply"), _scaling("divide")
    square, sqrt, abs = _by_element("square"), _by_element("sqrt"), _by_element("abs")
    sign, negative = _by_element("sign"), _by_element("negative")
    assign_add = _updating("assign_add", "scatter_add")
    assign_sub = _updating("assign_sub", "scatter_sub")

    @staticmethod
    def assign(variable: Any, function: Callable[..., Any], *operands: Any) -> None:
        """Replaces a value by what a function of this arithmetic makes of operands."""
        _replaced(variable, function(*operands))

    @staticmethod
    def power(x: Any, y: Any) -> Any:
        """x ** y"""
        return API["pow"](x, y)

    @staticmethod
    def clip(x: Any, least: float, most: float) -> Any:
        """The nearest number between two bounds."""
        return API["clip_by_value"](x, least, most)
