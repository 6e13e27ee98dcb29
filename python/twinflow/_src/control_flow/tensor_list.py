"""Tensor lists: variant scalars for the accumulators of loops, and for tensor arrays in graphs.

A list is a scalar array of objects that holds a tuple of arrays, or a version of cells that a loop
writes one by one. An element that was not written is None and reads as zeros. An open list, as some
gradients make, is unbounded: elements beyond its end read as zeros, too.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import zip_longest
from typing import Annotated, Any

import numpy as np

from twinflow._src.core import dtypes
from twinflow._src.core.dtypes import as_dtype, int32, variant
from twinflow._src.core.errors import invalid
from twinflow._src.core.fork import brief_lock
from twinflow._src.core.shapes import TensorShape, static_sizes, text
from twinflow._src.dispatch.op import API, Call, Kind, Type, execute, op
from twinflow._src.numerics.object_arrays import box

# Values of lists.


class Open(tuple[Any, ...]):
    """The elements of an open list."""

    __slots__ = ()


class _Version:
    """A version of a list: the newest one holds the cells, an older one what was replaced in them.

    A write takes constant time (version arrays; Baker, "Shallow binding in Lisp 1.5", 1978). An older
    version that is used again gets cells of its own. ``retained`` counts the elements that older
    versions keep alive; beyond the size of the list, a write copies the cells.
    """

    __slots__ = ("cells", "index", "kind", "newer", "old", "retained", "size")

    def __init__(self, cells: list[Any], size: int, kind: type[tuple[Any, ...]]) -> None:
        self.cells, self.size, self.kind = cells, size, kind
        self.retained, self.index, self.old = 0, 0, None
        self.newer: _Version | None = None

    def get_cells(self) -> list[Any]:
        """Returns the cells, of which the first ``size`` are elements."""
        if self.newer is not None:
            versions = [self]
            while versions[-1].newer is not None:
                versions.append(versions[-1].newer)
            cells = versions.pop().cells.copy()
            for version in reversed(versions):
                cells[version.index] = version.old
            self.cells, self.old, self.newer, self.retained = cells, None, None, 0
        return self.cells

    def replace(self, index: int, item: Any) -> _Version:
        """Returns the version with one element replaced, which may be beyond the end."""
        with _lock:
            cells, size = self.get_cells(), max(self.size, index + 1)
            is_copied = self.retained > self.size
            if is_copied:
                cells = cells.copy()
            cells += [None] * (size - len(cells))
            newest = _Version(cells, size, self.kind)
            if not is_copied:
                newest.retained = self.retained + (cells[index] is not None)
                self.index, self.old, self.newer, self.cells = index, cells[index], newest, []
            cells[index] = item
        return newest


_lock = brief_lock()


def list_of(arrays: Iterable[Any], kind: type[tuple[Any, ...]] = tuple) -> Any:
    """Returns the value of a list; ``kind`` is ``Open`` for an open list."""
    return box(kind(arrays))


def elements(array: Any) -> tuple[Any, ...]:
    """Returns the elements of a list."""
    value = array[()]
    if type(value) is not _Version:
        return value
    with _lock:
        return value.kind(value.get_cells()[: value.size])


def is_list(array: Any) -> bool:
    """True if an array is the value of a list."""
    return array.dtype == object and not array.ndim and type(array[()]) in (tuple, Open, _Version)


def _kind_and_size(array: Any) -> tuple[type[tuple[Any, ...]], int]:
    value = array[()]
    return (value.kind, value.size) if type(value) is _Version else (type(value), len(value))


def _element(array: Any, index: int) -> Any:
    """Returns an element, None where it is unwritten or beyond the end of an open list."""
    value = array[()]
    if type(value) is not _Version:
        kind, size = type(value), len(value)
        if 0 <= index < size:
            return value[index]
    else:
        kind, size = value.kind, value.size
        if 0 <= index < size:
            with _lock:
                return (value.cells if value.newer is None else value.get_cells())[index]
    if index >= 0 and kind is Open:
        return None
    raise invalid(f"Trying to access element {index} in a list with {size} elements.")


def _with_element(array: Any, index: int, item: Any) -> Any:
    """Returns a list with an element replaced, which may be beyond its end."""
    value = array[()]
    version = value if type(value) is _Version else _Version(list(value), len(value), type(value))
    return box(version.replace(index, item))


def added(lists: Iterable[Any]) -> Any:
    """Returns the elementwise sum of lists; shorter ones are extended by unwritten elements."""
    rows = list(map(elements, lists))
    kind = Open if all(type(row) is Open for row in rows) else tuple
    sums = rows[0]
    for row in rows[1:]:
        sums = tuple(
            [y if x is None else x if y is None else _add(x, y) for x, y in zip_longest(sums, row)]
        )
    return list_of(sums, kind)


def _add(x: Any, y: Any) -> Any:
    return added((x, y)) if is_list(x) else x + y


def unwritten(array: Any) -> Any:
    """Returns a list of the same length without written elements."""
    kind, size = _kind_and_size(array)
    return list_of([None] * size, kind)


# Ops on single elements, and conversion from and to tensors.


# The dtypes of elements; lists may be nested.
ITEMS = dtypes.ANY | {variant}
List = Annotated[Any, Kind("list", only=variant)]
Index = Annotated[Any, Kind("index", only=int32, host=True)]
Sizes = Annotated[
    Any, Kind("shape_type", default=int32, allowed=frozenset((int32, dtypes.int64)), host=True)
]


def _zeros(xp: Any, shape: Any, dtype: Any) -> Any:
    if as_dtype(dtype) is variant:
        return list_of((), Open)
    resolved = as_dtype(dtype)
    return (
        np.full(tuple(shape), b"", object)
        if resolved is dtypes.string
        else xp.zeros(tuple(shape), resolved.np)
    )


def filled_elements(xp: Any, items: tuple[Any, ...], sizes: list[int], dtype: Any) -> list[Any]:
    """Returns the elements, with zeros for unwritten ones of the shape ``sizes``."""
    return [_zeros(xp, sizes, dtype) if e is None else e for e in items]


def element_sizes(element_shape: Any, items: tuple[Any, ...]) -> list[int]:
    """Returns the shape of an element: that of a written one, else ``element_shape``."""
    written = next((e for e in items if e is not None), None)
    dims = element_shape.reshape(-1).tolist()
    if written is not None:
        return list(written.shape)
    if element_shape.ndim == 0 or any(n < 0 for n in dims):
        raise invalid(
            "Tried to stack elements of an empty list with non-fully-defined element_shape: "
            f"{text(tuple(None if n < 0 else n for n in dims)) if element_shape.ndim else '<unknown>'}"
        )
    return dims


@op(
    "TensorListReserve",
    hidden=True,
    dtypes=ITEMS,
    out=variant,
    no_gradient=True,
    shape=lambda *_, **__: (),
)
def reserve(xp: Any, element_shape: Sizes, num_elements: Index, *, element_dtype: Type) -> Any:
    """Returns a list of unwritten elements; dimensions of -1 are unknown."""
    count = int(num_elements)
    if count < 0:
        raise invalid(f"The num_elements to reserve must be a non negative number, but got {count}")
    return list_of([None] * count)


@op("TensorListLength", hidden=True, dtypes=ITEMS, shape=lambda *_: (), no_gradient=True)
def length(xp: Any, input_handle: List) -> Any:
    """Returns the number of elements of a list."""
    return xp.asarray(_kind_and_size(input_handle)[1], dtype="int32")


def _item_shape(handle: Any, index: Any, element_shape: Any, **_: Any) -> Any:
    if not hasattr(element_shape, "__len__") or getattr(element_shape, "ndim", 1) == 0:
        return None
    return tuple(None if n is None or n < 0 else int(n) for n in static_sizes(element_shape))


@op("TensorListGetItem", hidden=True, dtypes=ITEMS, shape=_item_shape, out="element_dtype")
def get_item(
    xp: Any, input_handle: List, index: Index, element_shape: Sizes, *, element_dtype: Type
) -> Any:
    """Returns an element of a list; zeros if it was not written."""
    item = _element(input_handle, int(index))
    if item is not None:
        return item
    return _zeros(xp, element_sizes(element_shape, elements(input_handle)), element_dtype)


@get_item.gradient
def _(call: Call, dy: Any) -> Any:
    handle, index, _ = call.inputs
    return set_item(API["zeros_like"](handle), index, dy, call.attrs["element_dtype"]), None, None


@op("TensorListSetItem", hidden=True, dtypes=ITEMS, shape=lambda *_, **__: (), out=variant)
def set_item(
    xp: Any,
    input_handle: List,
    index: Index,
    item: Any,
    *,
    element_dtype: Type,
    resize_if_index_out_of_bounds: bool = False,
) -> Any:
    """Returns a list with the element at an index replaced; it may grow on request."""
    expected = as_dtype(element_dtype)
    if item.dtype != expected.np:
        actual = dtypes.FROM_NUMPY[item.dtype].cname
        raise invalid(
            f"Invalid data types; op elements {actual} but list elements {expected.cname}"
        )
    i, (kind, size) = int(index), _kind_and_size(input_handle)
    can_grow = resize_if_index_out_of_bounds or kind is Open
    if i < 0 or (i >= size and not can_grow):
        raise invalid(f"Trying to modify element {i} in a list with {size} elements.")
    return _with_element(input_handle, i, item)


@set_item.gradient
def _(call: Call, dlist: Any) -> Any:
    _, index, item = call.inputs
    sizes: Any = [] if item.dtype is variant else API["shape"](item)
    ditem = get_item(dlist, index, sizes, item.dtype)
    without = execute(call.op, [dlist, index, API["zeros_like"](item)], dict(call.attrs))
    return without, None, ditem


def _stacked_shape(handle: Any, element_shape: Any, *, num_elements: int = -1, **_: Any) -> Any:
    inner = _item_shape(handle, None, element_shape)
    return None if inner is None else (None if num_elements < 0 else num_elements, *inner)


@op("TensorListStack", hidden=True, dtypes=ITEMS, shape=_stacked_shape, out="element_dtype")
def stack_list(
    xp: Any,
    input_handle: List,
    element_shape: Sizes,
    *,
    element_dtype: Type,
    num_elements: int = -1,
) -> Any:
    """Returns the elements of a list stacked as one tensor; any number of them for -1."""
    items = elements(input_handle)
    if num_elements >= 0 and len(items) != num_elements:
        raise invalid(
            f"Operation expected a list with {num_elements} elements but got a list with {len(items)} "
            "elements."
        )
    return _stack(xp, items, element_shape, element_dtype)


def _stack(xp: Any, items: tuple[Any, ...], element_shape: Any, dtype: Any) -> Any:
    """Returns elements stacked as one tensor, with zeros for unwritten ones."""
    sizes = element_sizes(element_shape, items)
    for element in items:
        if element is not None and list(element.shape) != sizes:
            raise invalid(
                "Tried to stack list which contains tensors of different shapes: "
                f"{text(tuple(sizes))} and {text(element.shape)}"
            )
    filled = filled_elements(xp, items, sizes, dtype)
    if len(filled) == 1:
        return xp.asarray(filled[0], order="C").reshape(1, *sizes)
    return xp.stack(filled) if filled else _zeros(xp, [0, *sizes], dtype)


@stack_list.gradient
def _(call: Call, dy: Any) -> Any:
    return from_tensor(dy, call.inputs[1]), None


@op("TensorListFromTensor", hidden=True, dtypes=ITEMS, shape=lambda *_, **__: (), out=variant)
def from_tensor(xp: Any, tensor: Any, element_shape: Sizes) -> Any:
    """Returns the slices of a tensor along its first dimension as a list."""
    if not tensor.ndim:
        raise invalid("Tensor must be at least a vector, but saw shape: []")
    return list_of(rows_of(xp, xp.ascontiguousarray(tensor)))


def rows_of(xp: Any, tensor: Any) -> list[Any]:
    return list(tensor) if tensor.ndim > 1 else [tensor[i, ...] for i in range(len(tensor))]


@from_tensor.gradient
def _(call: Call, dlist: Any) -> Any:
    tensor, element_shape = call.inputs
    return stack_list(dlist, element_shape, tensor.dtype)[
        : API["shape"](tensor)[0]
    ], None  # the list may have grown


def list_from(tensors: Any, dtype: Any) -> Any:
    """Returns a list built with one op per element, so that tapes record each element."""
    handle = reserve(-1, len(tensors), dtype)
    for i, tensor in enumerate(tensors):
        handle = set_item(handle, i, tensor, dtype)
    return handle


def list_element(handle: Any, index: Any, dtype: Any, shape: TensorShape) -> Any:
    """Returns an element of a list with a static shape."""
    return get_item(handle, index, sizes_of(shape), dtype)


def sizes_of(shape: TensorShape) -> Any:
    """Returns a shape as an argument of list ops: -1 for unknown dimensions."""
    if shape.rank is None:
        return -1
    return [-1 if n is None else n for n in shape.as_list()] or np.zeros(0, np.int32)


# Concatenation, split and scatter.


Lengths = Annotated[Any, Kind("lengths", only=dtypes.int64, host=True)]
Positions = Annotated[Any, Kind("indices", only=int32, host=True)]


@op("TensorListConcatV2", hidden=True, dtypes=ITEMS, shape=lambda *_, **__: [None, (None,)])
def concat_list(
    xp: Any, input_handle: List, element_shape: Sizes, leading_dims: Lengths, *, element_dtype: Type
) -> Any:
    """Returns the concatenated elements of a list, and their lengths.

    ``leading_dims`` are the first dimensions of unwritten elements.
    """
    items = elements(input_handle)
    if not items:
        return [_nothing(xp, element_shape, element_dtype), xp.zeros(0, "int64")]
    sizes = element_sizes(element_shape, items)
    filled = filled_elements(xp, items, sizes, element_dtype)
    for i, element in enumerate(filled):
        if not element.ndim:
            raise invalid(f"Concat saw a scalar shape at index {i} but requires at least vectors.")
    lengths = xp.asarray([len(e) for e in filled], dtype="int64")
    return [xp.concatenate(filled), lengths]


def _nothing(xp: Any, element_shape: Any, dtype: Any) -> Any:
    """Returns an empty concatenation; all dimensions but the first must be known."""
    sizes = element_shape.reshape(-1).tolist()
    if not element_shape.ndim or any(n < 0 for n in sizes[1:]):
        shown = (
            "[" + ",".join("?" if n < 0 else str(n) for n in sizes) + "]"
            if element_shape.ndim
            else "<unknown>"
        )
        raise invalid(
            "All except the first dimension must be fully defined when concating an empty tensor list. "
            f"element_shape: {shown}"
        )
    return filled_elements(xp, (None,), [0, *sizes[1:]], dtype)[0]


@concat_list.gradient
def _(call: Call, dy: Any, _: Any) -> Any:
    return split_list(dy, call.inputs[1], call.outputs[1]), None, None


@op("TensorListSplit", hidden=True, dtypes=ITEMS, shape=lambda *_, **__: (), out=variant)
def split_list(xp: Any, tensor: Any, element_shape: Sizes, lengths: Lengths) -> Any:
    """Returns the parts of a tensor along its first dimension, of some lengths, as a list."""
    ends = np.cumsum(lengths)
    if (ends[-1] if len(ends) else 0) != len(tensor):
        raise invalid(
            "Invalid argument to TensorListSplit: the sum of the lengths is not the first size of the "
            f"tensor, {len(tensor)}"
        )
    return list_of(tensor[end - n : end].copy() for end, n in zip(ends, lengths, strict=True))


@split_list.gradient
def _(call: Call, dlist: Any) -> Any:
    tensor, element_shape, lengths = call.inputs
    whole = concat_list(dlist, element_shape, lengths, tensor.dtype)[0]
    return whole[: API["shape"](tensor)[0]], None, None  # the list may have grown


def _gathered_shape(handle: Any, indices: Any, element_shape: Any, **_: Any) -> Any:
    inner = _item_shape(handle, None, element_shape)
    count = len(indices) if hasattr(indices, "__len__") else None
    return None if inner is None else (count, *inner)


@op("TensorListGather", hidden=True, dtypes=ITEMS, shape=_gathered_shape, out="element_dtype")
def gather_list(
    xp: Any, input_handle: List, indices: Positions, element_shape: Sizes, *, element_dtype: Type
) -> Any:
    """Returns the elements at some indices stacked as one tensor."""
    items = elements(input_handle)
    outside = next((i for i in indices.tolist() if not 0 <= i < len(items)), None)
    if outside is not None:
        raise invalid(f"Index {outside} out o range; list only has {len(items)} elements.")
    return _stack(xp, tuple(items[i] for i in indices.tolist()), element_shape, element_dtype)


@gather_list.gradient
def _(call: Call, dy: Any) -> Any:
    handle, indices, element_shape = call.inputs
    rows = API["math.unsorted_segment_sum"](dy, indices, length(handle))
    return from_tensor(rows, element_shape), None, None


@op(
    "TensorListScatterIntoExistingList",
    hidden=True,
    dtypes=ITEMS,
    shape=lambda *_, **__: (),
    out=variant,
)
def scatter_list(xp: Any, input_handle: List, tensor: Any, indices: Positions) -> Any:
    """Returns a list with the elements at indices replaced, extended for those beyond its end."""
    items = list(elements(input_handle))
    for i, row in zip(indices.tolist(), rows_of(xp, tensor), strict=True):
        if i < 0:
            raise invalid(f"Indices in TensorListScatter must all be non-negative, got {i}.")
        items += [None] * (i + 1 - len(items))
        items[i] = row
    return list_of(items)


@scatter_list.gradient
def _(call: Call, dlist: Any) -> Any:
    _, tensor, indices = call.inputs
    without = execute(call.op, [dlist, API["zeros_like"](tensor), indices], {})
    rows = stack_list(dlist, API["shape"](tensor)[1:], tensor.dtype)
    return without, API["gather"](rows, indices), None


# Lists whose elements have the batch axis in front: see ``batching``.


def _sizes_of_batch(call: Any, i: int) -> Any:
    """Returns the shape of a batched element, for the shape of an element."""
    is_known = call.node.arguments[i].shape.rank
    return call.with_first(i, call.size) if is_known else call.shared(i)


def _swapped(tensor: Any) -> Any:
    """Exchanges the first two axes of a tensor: the list's and that of the batch."""
    return API["transpose"](tensor, [1, 0, *range(2, tensor.shape.rank)])


@length.batched
def _(call: Any) -> Any:
    return call.unbatched(call.run(*call.inputs))


@get_item.batched
def _(call: Any) -> Any:
    return call.run(call.full(0), call.shared(1), _sizes_of_batch(call, 2))


@set_item.batched
def _(call: Any) -> Any:
    return call.run(call.full(0), call.shared(1), call.full(2))


@stack_list.batched
def _(call: Any) -> Any:
    rank = call.node.outputs[0].shape.rank
    return _swapped(call.run(call.full(0), _sizes_of_batch(call, 1))) if rank else call.looped()


@from_tensor.batched
def _(call: Any) -> Any:
    return call.run(_swapped(call.full(0)), _sizes_of_batch(call, 1))


@gather_list.batched
def _(call: Any) -> Any:
    rows = call.run(call.full(0), call.shared(1), _sizes_of_batch(call, 2))
    return _swapped(rows) if call.node.outputs[0].shape.rank else call.looped()


@scatter_list.batched
def _(call: Any) -> Any:
    return call.run(call.full(0), _swapped(call.full(1)), call.shared(2))
