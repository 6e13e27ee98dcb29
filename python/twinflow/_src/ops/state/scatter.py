"""Scatter updates of variables; the first argument of the kernels is the variable."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from twinflow._src.backends.host_checks import known_any
from twinflow._src.core.dtypes import ANY, BOOLS, COMPLEXES, ORDERED
from twinflow._src.core.errors import invalid
from twinflow._src.core.shapes import text
from twinflow._src.dispatch.op import Indices, OpFunction, Resource, op
from twinflow._src.ops.array.gather_nd import nd_index
from twinflow._src.ops.array.scatter_kernels import (
    as_vectors,
    assert_as_many,
    assert_not_for_nothing,
    assert_rows_fit,
    assert_vectors_fit,
    combining,
    divide_at,
    largest_at,
    replacing,
    smallest_at,
    subtract_at,
)
from twinflow._src.shape_rules.gather import elements_placed, rows_placed

_NUMBERS = ORDERED | COMPLEXES

# ------------------------------------------------------------------ rows of a variable


def _scatter(
    xp: Any, resource: Any, indices: Any, updates: Any, write: Callable[..., None]
) -> None:
    """Replaces, or combines with updates, the rows of a variable at ``indices``."""
    handle = resource._handle
    assert_rows_fit(xp, handle.lend().shape, indices, updates)
    if indices.size:
        _write_at(xp, handle, (indices,), updates, write)


def _write_at(xp: Any, handle: Any, where: Any, updates: Any, write: Callable[..., None]) -> None:
    def combined(old: Any, out: Any) -> Any:
        if out is not old:
            xp.copyto(out, old)
        write(out, where, updates)
        return out

    handle.update(combined)


# ------------------------------------------------------------------ elements of a variable


def _scatter_nd(
    xp: Any, resource: Any, indices: Any, updates: Any, write: Callable[..., None]
) -> None:
    handle = resource._handle
    shape = handle.lend().shape
    if not shape:
        raise invalid("Output must be at least 1-D, got shape: []")
    nothing = (
        f"Indices and updates specified for empty output.  indices shape: {text(indices.shape)}"
    )
    assert_not_for_nothing(math.prod(shape), indices, updates, nothing)
    assert_as_many(indices, updates)
    assert_vectors_fit(shape, indices, updates)
    indices = as_vectors(indices)
    _write_at(xp, handle, nd_index(xp, shape, indices, "shape"), updates, write)


# ------------------------------------------------------------------ ops


def _operation(
    what: str, summary: str, dtypes: Any, writing: Callable[[Any, Any], Callable[..., None]]
) -> OpFunction:
    """Registers a scatter op on variables."""
    # ``what`` is the suffix of its type: ``Add`` for updates of rows, ``NdAdd`` for elements or
    # slices. ``writing`` is called with ``xp`` and the updates; it returns the function that writes
    # them.
    of_elements = what.startswith("Nd")
    run, shape = (_scatter_nd, elements_placed) if of_elements else (_scatter, rows_placed)

    def kernel(xp: Any, resource: Resource, indices: Indices, updates: Any) -> None:
        run(xp, resource, indices, updates, writing(xp, updates))

    kernel.__name__ = f"scatter_{'nd_' * of_elements}{what.removeprefix('Nd').lower()}"
    kernel.__doc__ = f"{summary}."
    return op(f"ResourceScatter{what}", shape=shape, impure=True, dtypes=dtypes)(kernel)


def _dividing(xp: Any, updates: Any) -> Callable[..., None]:
    if known_any(xp, lambda: updates == 0):
        raise invalid("updates must not contain 0")
    return divide_at(xp)


_add = lambda xp, _: combining(xp, xp.add)
_smallest = lambda xp, _: smallest_at(xp)
_largest = lambda xp, _: largest_at(xp)
_replacing = lambda xp, _: replacing(xp)

scatter_add = _operation("Add", "Adds rows to a variable", _NUMBERS, _add)
scatter_sub = _operation(
    "Sub", "Subtracts rows from a variable", _NUMBERS, lambda xp, _: combining(xp, xp.subtract)
)
scatter_mul = _operation(
    "Mul", "Multiplies rows of a variable", _NUMBERS, lambda xp, _: combining(xp, xp.multiply)
)
scatter_div = _operation("Div", "Divides rows of a variable", _NUMBERS, _dividing)
scatter_min = _operation("Min", "Takes minima with rows of a variable", ORDERED, _smallest)
scatter_max = _operation("Max", "Takes maxima with rows of a variable", ORDERED, _largest)
scatter_update = _operation(
    "Update",
    "Replaces rows of a variable; of several for one row the last stays",
    ANY,
    _replacing,
)
_OF_ELEMENTS = "elements or slices of a variable"
scatter_nd_add = _operation("NdAdd", f"Adds to {_OF_ELEMENTS}", _NUMBERS | BOOLS, _add)
scatter_nd_sub = _operation(
    "NdSub",
    f"Subtracts from {_OF_ELEMENTS}",
    _NUMBERS | BOOLS,
    lambda xp, updates: subtract_at(xp, updates.dtype),
)
scatter_nd_min = _operation("NdMin", f"Takes minima with {_OF_ELEMENTS}", ORDERED, _smallest)
scatter_nd_max = _operation("NdMax", f"Takes maxima with {_OF_ELEMENTS}", ORDERED, _largest)
scatter_nd_update = _operation("NdUpdate", f"Replaces {_OF_ELEMENTS}", ANY, _replacing)
