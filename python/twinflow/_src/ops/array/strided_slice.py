"""Strided slices: indexing of tensors and variables (``x[...]``) and slice assignment."""

from __future__ import annotations

from collections.abc import Callable
from types import MappingProxyType
from typing import Annotated, Any

import numpy as np

from twinflow._src.conversion.constant import convert_to_tensor, is_tensor
from twinflow._src.core import dtypes
from twinflow._src.core.context import runtime, thread
from twinflow._src.core.dtypes import int32, int64
from twinflow._src.core.errors import invalid
from twinflow._src.core.shapes import UNKNOWN, text
from twinflow._src.core.tensor import EagerTensor, Tensor
from twinflow._src.dispatch.execute import observed
from twinflow._src.dispatch.inputs import FAST, vector
from twinflow._src.dispatch.op import (
    API,
    OPS,
    Call,
    Kind,
    Resource,
    documented_like,
    execute,
    export,
    op,
)
from twinflow._src.dispatch.registry import INDEX_TYPES
from twinflow._src.dispatch.signature_errors import fall_back
from twinflow._src.graph.static_values import known_elements, known_value, partial_value
from twinflow._src.ops.array.gather import boolean_mask
from twinflow._src.ops.array.shapes import sizes_of
from twinflow._src.shape_rules.array import slice_assigned, slice_gradient, sliced, strided
from twinflow._src.variables.variable import BaseResourceVariable

# Strided slice, its gradient and slice assignment.


_SIZES = frozenset((int32, int64))
Index = Annotated[Any, Kind("Index", allowed=INDEX_TYPES, host=True)]
Sizes = Annotated[Any, Kind("Index", allowed=_SIZES, host=True)]

MASKS = ("begin_mask", "end_mask", "ellipsis_mask", "new_axis_mask", "shrink_axis_mask")


def _taking(shape: tuple[int, ...], count: int, masks: dict[str, int]) -> list[int]:
    """Returns the positions of the slice spec that each consume an axis of the shape."""
    if bin(masks["ellipsis_mask"]).count("1") > 1:
        raise invalid("Multiple ellipses in slice spec not allowed")
    taking = [
        i for i in range(count) if not (masks["ellipsis_mask"] | masks["new_axis_mask"]) >> i & 1
    ]
    if not shape and taking:
        raise invalid("Attempting to slice scalar input.")
    if len(taking) > len(shape):
        raise invalid(
            f"Index out of range using input dim {len(shape)}; input has only {len(shape)} dims"
        )
    return taking


def _numpy_index(
    shape: tuple[int, ...], begin: Any, end: Any, strides: Any, masks: dict[str, int]
) -> Any:
    """Converts a strided slice spec to a NumPy index, validated against a shape."""
    if begin.ndim != 1 or not begin.shape == end.shape == strides.shape:
        raise invalid(
            "Expected begin, end, and strides to be 1D equal size tensors, but got shapes "
            f"{text(begin.shape)}, {text(end.shape)}, and {text(strides.shape)} instead."
        )
    index: list[Any] = []
    axis, count = 0, len(begin)
    taking = _taking(shape, count, masks)
    for i in range(count):
        bit = 1 << i
        if masks["ellipsis_mask"] & bit:
            index.append(Ellipsis)
            axis = len(shape) - sum(j > i for j in taking)
        elif masks["new_axis_mask"] & bit:
            index.append(None)
        else:
            index.append(
                _one_axis(shape, axis, i, int(begin[i]), int(end[i]), int(strides[i]), masks)
            )
            axis += 1
    return tuple(index)


def _plain_index(
    begin: Any, end: Any, strides: Any, masks: tuple[int, int, int, int, int]
) -> tuple[Any, ...]:
    """Converts a strided slice spec to a NumPy index that is valid for some shapes."""
    no_begin, no_end, ellipsis, new_axis, shrink = masks
    index: list[Any] = []
    bit = 1
    for first, last, stride in zip(begin.tolist(), end.tolist(), strides.tolist(), strict=True):
        if ellipsis & bit:
            index.append(Ellipsis)
        elif new_axis & bit:
            index.append(None)
        elif shrink & bit and stride:
            index.append(first)
        else:
            index.append(
                slice(None if no_begin & bit else first, None if no_end & bit else last, stride)
            )
        bit <<= 1
    return tuple(index)


def _one_axis(
    shape: Any, axis: int, i: int, begin: int, end: int, stride: int, masks: dict[str, int]
) -> Any:
    bit = 1 << i
    if stride == 0:
        raise invalid(f"strides[{i}] must be non-zero")
    if masks["shrink_axis_mask"] & bit:
        if not -shape[axis] <= begin < shape[axis]:
            at = begin + shape[axis] if begin < 0 else begin
            raise invalid(f"slice index {at} of dimension {axis} out of bounds.")
        return begin
    start = None if masks["begin_mask"] & bit else begin
    stop = None if masks["end_mask"] & bit else end
    return slice(start, stop, stride)


@op("StridedSlice", api=(), shape=strided, opens_scope=True, moves=True)
def _strided_slice(
    xp: Any,
    input: Any,
    begin: Index,
    end: Index,
    strides: Index,
    *,
    begin_mask: int = 0,
    end_mask: int = 0,
    ellipsis_mask: int = 0,
    new_axis_mask: int = 0,
    shrink_axis_mask: int = 0,
) -> Any:
    """Extracts a strided slice of a tensor.

    Args:
        input: A tensor.
        begin: The start index of each slice.
        end: The end index of each slice, excluded.
        strides: The strides.
        begin_mask: Bit mask of slices whose ``begin`` is ignored.
        end_mask: Bit mask of slices whose ``end`` is ignored.
        ellipsis_mask: Bit mask of the position of an ellipsis.
        new_axis_mask: Bit mask of new axes of size 1.
        shrink_axis_mask: Bit mask of axes removed by an integer index.

    Returns:
        A tensor of the same dtype.

    Raises:
        InvalidArgumentError: An index is out of range, or a stride is 0.
    """
    masks = (begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask)
    try:
        return owned(xp, input, _plain_index(begin, end, strides, masks))
    except (IndexError, TypeError, ValueError):
        _numpy_index(input.shape, begin, end, strides, dict(zip(MASKS, masks)))
        raise


_strided_slice.native("move")


@_strided_slice.specialize(devices=("CPU",))
def _(
    xp: Any, dtype: Any, /, begin: Any, end: Any, strides: Any, **masks: int
) -> Callable[..., Any] | None:
    if not begin.shape == end.shape == strides.shape == (begin.size,):
        return None
    where = _plain_index(begin, end, strides, tuple(masks.get(k, 0) for k in MASKS))  # type: ignore[arg-type]
    return lambda x: owned(xp, x, where)


@_strided_slice.static_value
def _(node: Any, index: int) -> Any:
    elements, dtype = known_elements(node.tensors[0]), node.outputs[0].dtype
    bounds = [known_value(x) for x in node.tensors[1:4]]
    if elements is None or not all(isinstance(b, np.ndarray) and b.size == 1 for b in bounds):
        return UNKNOWN
    begin, end, step = (int(b[0]) for b in bounds)
    masks = {k: node.attrs.get(k, 0) for k in ("begin_mask", "end_mask", "shrink_axis_mask")}
    if node.attrs.get("new_axis_mask") or node.attrs.get("ellipsis_mask"):
        return UNKNOWN
    if masks["shrink_axis_mask"]:
        value = elements[begin] if -len(elements) <= begin < len(elements) else None
        return UNKNOWN if value is None else np.array(value, dtype.np)
    first, last = None if masks["begin_mask"] else begin, None if masks["end_mask"] else end
    return partial_value(elements[first:last:step], dtype)


@_strided_slice.gradient(reads=("begin", "end", "strides"))
def _(call: Call, dy: Any) -> Any:
    x, begin, end, strides = call.inputs
    dims = sizes_of(x)
    shape = (
        convert_to_tensor(dims, dtype=begin.dtype)
        if isinstance(dims, list)
        else API["cast"](dims, begin.dtype)
    )
    return execute(_slice_grad.op, [shape, begin, end, strides, dy], call.attrs), None, None, None


def _behind_batch(attrs: dict[str, Any]) -> dict[str, int]:
    """Returns the masks of a slice with a whole axis in front."""
    whole = ("begin_mask", "end_mask")
    return {name: mask << 1 | (name in whole) for name, mask in attrs.items()}


@_strided_slice.batched
def _(call: Any) -> Any:
    if call.is_batched[1] and _is_element(call, 1):  # x[i], with another i for each element
        x, index = call.full(0), call.inputs[1][:, 0]
        size = API["shape"](x, out_type=index.dtype)[1]
        return API["gather"](x, API["where"](index < 0, index + size, index), axis=1, batch_dims=1)
    bounds = (call.with_first(i, first) for i, first in ((1, 0), (2, 0), (3, 1)))
    return call.run(call.full(0), *bounds, **_behind_batch(call.attrs))


def _is_element(call: Any, begin: int) -> bool:
    """True for a slice ``x[i]``, whose index is an operand."""
    masks = call.attrs | {"shrink_axis_mask": 0}
    is_index = call.attrs["shrink_axis_mask"] == 1 and not any(masks.values())
    return is_index and call.node.arguments[begin].shape.as_list() == [1]


@op("StridedSliceGrad", shape=slice_gradient, moves=True)
def _slice_grad(
    xp: Any,
    shape: Sizes,
    begin: Index,
    end: Index,
    strides: Index,
    dy: Any,
    *,
    begin_mask: int = 0,
    end_mask: int = 0,
    ellipsis_mask: int = 0,
    new_axis_mask: int = 0,
    shrink_axis_mask: int = 0,
) -> Any:
    """Gradient of a strided slice: zeros with the upstream gradient in the slice."""
    masks = (begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask)
    result = xp.zeros(tuple(shape.tolist()), dy.dtype)
    try:
        result[_plain_index(begin, end, strides, masks)] = dy
    except (IndexError, TypeError, ValueError):
        _numpy_index(result.shape, begin, end, strides, dict(zip(MASKS, masks)))
        raise
    return result


_slice_grad.native("move")


@_slice_grad.gradient
def _(call: Call, dx: Any) -> Any:
    _shape, begin, end, strides, _ = call.inputs
    again = execute(_strided_slice.op, [dx, begin, end, strides], call.attrs)
    return None, None, None, None, again


@_slice_grad.batched
def _(call: Any) -> Any:
    if call.is_batched[1] and _is_element(call, 1):
        index, sizes = call.inputs[1], call.shared(0)
        index = API["where"](index < 0, index + sizes[:1], index)
        return API["scatter_nd"](call.rows_of(index), call.full(4), call.with_first(0, call.size))
    firsts = enumerate((call.size, 0, 0, 1))
    sizes = (call.with_first(i, first) for i, first in firsts)
    return call.run(*sizes, call.full(4), **_behind_batch(call.attrs))


def owned(xp: Any, array: Any, where: Any) -> Any:
    """Returns a slice of an array in C order: a view if it is contiguous, else a copy."""
    part = array[where]
    if part.__class__ is xp.ndarray:
        return part if part.flags.c_contiguous else xp.ascontiguousarray(part)
    if isinstance(part, np.generic) and part.dtype == array.dtype:
        return np.asarray(part)
    return xp.asarray(part, dtype=array.dtype, order="C").reshape(np.shape(part))


@op("ResourceStridedSliceAssign", shape=slice_assigned, impure=True)
def _strided_slice_assign(
    xp: Any,
    resource: Resource,
    begin: Index,
    end: Index,
    strides: Index,
    value: Any,
    *,
    begin_mask: int = 0,
    end_mask: int = 0,
    ellipsis_mask: int = 0,
    new_axis_mask: int = 0,
    shrink_axis_mask: int = 0,
) -> None:
    """Assigns to a strided slice of a variable."""
    handle = resource._handle
    masks = dict(
        zip(
            MASKS,
            (begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask),
            strict=True,
        )
    )
    shape = handle.lend().shape
    where = _numpy_index(shape, begin, end, strides, masks)
    part = fit_slice(shape, where, value)
    if part is None:
        return

    def write(old: Any, out: Any) -> Any:
        if out is not old:
            xp.copyto(out, old)
        out[where] = part
        return out

    handle.update(write)


def fit_slice(shape: tuple[int, ...], where: Any, value: Any) -> Any:
    """Returns a value for a slice of an array; None if the slice is empty: it is not checked."""
    slot = np.empty(shape, bool)[where].shape
    if 0 in slot:
        return None
    if not _fits(value.shape, slot):
        raise invalid(
            f"Cannot broadcast input shape {text(value.shape)} into final shape {text(slot)}"
        )
    value = value.reshape(value.shape[value.ndim - min(value.ndim, len(slot)) :])
    # A 0-d array would be stored as an object in an array of strings.
    return value if value.ndim else value[()]


def _fits(shape: tuple[int, ...], slot: tuple[int, ...]) -> bool:
    """True if a shape broadcasts to that of a slice, ignoring extra leading axes of size 1."""
    while len(shape) > len(slot) and shape[0] == 1:
        shape = shape[1:]
    if len(shape) > len(slot):
        return False
    return all(a in (1, b) for a, b in zip(reversed(shape), reversed(slot), strict=False))


@export("strided_slice")
@documented_like(_strided_slice)
def strided_slice(
    input_: Any,
    begin: Any,
    end: Any,
    strides: Any = None,
    begin_mask: int = 0,
    end_mask: int = 0,
    ellipsis_mask: int = 0,
    new_axis_mask: int = 0,
    shrink_axis_mask: int = 0,
    var: Any = None,
    name: str | None = None,
) -> Any:
    """Extracts a strided slice of a tensor; ``x[...]`` is the usual form.

    Args:
        input_: A tensor.
        strides: The strides; 1 if None.
        var: Ignored.
    """
    steps = strides if strides is not None else API["ones_like"](begin)
    masks = dict(
        zip(
            MASKS,
            (begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask),
            strict=True,
        )
    )
    return execute(_strided_slice.op, [input_, begin, end, steps], masks)


@op("Slice", api="slice", shape=sliced, moves=True)
@documented_like(_strided_slice)
def slice_(xp: Any, input_: Any, begin: Sizes, size: Sizes) -> Any:
    """Extracts a contiguous slice of a tensor.

    Args:
        input_: A tensor.
        size: The size of each axis of the slice; -1 for all remaining elements.

    Raises:
        InvalidArgumentError: The slice is out of range.
    """
    where = []
    if begin.shape != (input_.ndim,) or size.shape != (input_.ndim,):
        raise invalid(
            f"Expected begin and size arguments to be 1-D tensors of size {input_.ndim}, but got shapes "
            f"{text(begin.shape)} and {text(size.shape)} instead."
        )
    for axis, (low, count) in enumerate(zip(begin.tolist(), size.tolist(), strict=True)):
        length = input_.shape[axis]
        if not 0 <= low <= length:
            raise invalid(f"Expected begin[{axis}] in [0, {length}], but got {low}")
        count = length - low if count == -1 else count
        if not 0 <= count <= length - low:
            raise invalid(f"Expected size[{axis}] in [0, {length - low}], but got {count}")
        where.append(slice(low, low + count))
    return owned(xp, input_, tuple(where))


@slice_.batched
def _(call: Any) -> Any:
    return call.run(call.full(0), call.with_first(1, 0), call.with_first(2, -1))


slice_.native("move")


@slice_.gradient(reads=("begin", "size"))
def _(call: Call, dy: Any) -> Any:
    x, begin, _ = call.inputs
    before = API["cast"](begin, "int32")
    after = API["subtract"](API["subtract"](sizes_of(x), before), sizes_of(dy))
    return API["pad"](dy, API["stack"]([before, after], 1)), None, None


# ``__getitem__`` of tensors and variables.


def _refused(item: Any) -> TypeError:
    return TypeError(
        "Only integers, slices (`:`), ellipsis (`...`), tf.newaxis (`None`) and scalar "
        f"tf.int32/tf.int64 tensors are valid indices, got {item!r}"
    )


def _position(value: Any) -> Any:
    """Returns a slice bound or index as an integer or a scalar integer tensor."""
    if isinstance(value, (int, np.integer)):
        return value if isinstance(value, bool) else int(value)
    if (
        is_tensor(value)
        and value.dtype in (dtypes.int32, dtypes.int64, dtypes.int16)
        and value.shape.rank in (0, None)
    ):
        return value if thread.scope.graph is None else convert_to_tensor(value)  # reads a variable
    if isinstance(value, np.ndarray) and value.ndim == 0 and value.dtype.kind in "iu":
        return int(value)
    raise _refused(value)


def _spec(key: Any) -> tuple[list[Any], list[Any], list[Any], dict[str, int]]:
    """Converts an index expression to begin, end, strides and masks of a strided slice."""
    begin: list[Any] = []
    end: list[Any] = []
    strides: list[Any] = []
    masks = dict.fromkeys(MASKS, 0)
    for i, item in enumerate(key if isinstance(key, (list, tuple)) else (key,)):
        bit, low, high, step = 1 << i, 0, 0, 1
        if isinstance(item, slice):
            like = _symbolic_type((item.start, item.stop, item.step))
            low, masks["begin_mask"] = _bound(item.start, masks["begin_mask"], bit, like)
            high, masks["end_mask"] = _bound(item.stop, masks["end_mask"], bit, like)
            step = _absent(1, like) if item.step is None else _position(item.step)
        elif item is Ellipsis:
            masks["ellipsis_mask"] |= bit
        elif item is None:
            masks["new_axis_mask"] |= bit
        else:
            low = _position(item)
            high = low + 1
            step = _absent(1, dtypes.int64) if _symbolic_type((low,)) is dtypes.int64 else 1
            masks["shrink_axis_mask"] |= bit
        begin.append(low)
        end.append(high)
        strides.append(step)
    return begin, end, strides, masks


def _bound(value: Any, mask: int, bit: int, like: Any) -> tuple[Any, int]:
    return (_absent(0, like), mask | bit) if value is None else (_position(value), mask)


def _symbolic_type(bounds: tuple[Any, ...]) -> Any:
    """Returns the dtype of the first symbolic tensor among slice bounds, or None."""
    for bound in bounds:
        if isinstance(bound, Tensor) and not isinstance(bound, EagerTensor):
            return bound.dtype
    return None


def _absent(value: int, like: Any) -> Any:
    """Returns the default of an omitted bound; beside symbolic bounds a tensor of their dtype."""
    return value if like is None else convert_to_tensor(value, like)


def _as_vector(positions: list[Any], name: str | None = None) -> EagerTensor:
    if not any(map(is_tensor, positions)):
        if name is None and positions:
            return vector(positions)
        return convert_to_tensor(positions or np.zeros(0, np.int32), name=name)
    kinds = {p.dtype for p in positions if is_tensor(p)}
    target = dtypes.int64 if dtypes.int64 in kinds else dtypes.int32
    if any(isinstance(p, Tensor) and not isinstance(p, EagerTensor) for p in positions):
        return API["stack"]([_as_bound(p, target) for p in positions])
    return convert_to_tensor([int(p) for p in positions], dtype=target)


def _as_bound(position: Any, dtype: Any) -> Any:
    """Converts a slice bound to a tensor or array of the given dtype, inside a graph."""
    if is_tensor(position) and position.dtype is not dtype:
        return API["cast"](position, dtype)
    return position if is_tensor(position) else np.asarray(position, dtype.np)


def _widened(vector: Any) -> Any:
    """Converts bounds to int64; eager tensors without dispatching an op."""
    if isinstance(vector, EagerTensor):
        return convert_to_tensor(vector._host().astype(np.int64))
    return API["cast"](vector, dtypes.int64)


def _is_mask(key: Any) -> bool:
    if isinstance(key, bool):
        return True
    if isinstance(key, np.ndarray):
        return key.dtype.kind == "b"
    return is_tensor(key) and key.dtype is dtypes.bool_


_SIMPLE = (int, slice, type(None), type(Ellipsis))


def _simple(key: Any) -> bool:
    """True if NumPy and TensorFlow interpret an index expression alike."""
    if type(key) is tuple:
        return all(map(_simple, key)) and sum(item is Ellipsis for item in key) < 2
    if type(key) is slice:
        return all(type(x) is int or x is None for x in (key.start, key.stop, key.step))
    return type(key) in _SIMPLE


def _sliced(self: Any, key: Any) -> Any:
    """Returns ``x[key]`` for integers, slices, ellipsis, new axes, scalar tensors or boolean masks.

    A slice of a variable has a method ``assign`` that assigns to the slice in the variable.

    Raises:
        InvalidArgumentError: An index is out of range.
        TypeError: The index expression is not supported.
    """
    if thread.scope.eager and type(self) in FAST and runtime.home is self._device and _simple(key):
        try:
            return _at_once(self, key)
        except (IndexError, ValueError, MemoryError):
            pass  # the slow path raises TensorFlow's error
    if not isinstance(self, (Tensor, BaseResourceVariable)):  # an object with this method
        result = fall_back(Tensor.__getitem__, (self, key), {})
        if result is not NotImplemented:
            return result
    if _is_mask(key):
        return boolean_mask(self, key)
    graph = thread.scope.graph
    return _strided(self, *_vectors(self, key)) if graph is None else _in_graph(graph, self, key)


def _at_once(self: Any, key: Any) -> EagerTensor:
    """Fast path of ``x[key]`` by NumPy indexing, for index expressions that pass ``_simple``."""
    value = self if type(self) is EagerTensor else self._read()
    result: Any = EagerTensor(
        owned(value._device.xp, value._array, key), value._device, value.dtype
    )
    scope = thread.scope
    if scope.observers:
        _, vectors, masks = _vectors(value, key)
        observed(scope, _strided_slice.op, (value, *vectors), masks, result)
    if value is not self:
        result.assign = lambda value, name=None: _slice_assigner(self, *_vectors(self, key)[1:])(
            value
        )
    return result


def _in_graph(graph: Any, self: Any, key: Any) -> Any:
    """Returns ``x[key]`` in a graph, with the bound vectors in the name scope of the slice."""
    base = convert_to_tensor(self)
    *positions, masks = _spec(key)
    with graph.name_scope("strided_slice") as path:
        if not positions[0]:
            vectors = [convert_to_tensor(np.zeros(0, np.int32))] * 3
        else:
            vectors = [_as_vector(items, "stack") for items in positions]
        if dtypes.int64 in {v.dtype for v in vectors} != {dtypes.int64}:
            vectors = [_widened(v) for v in vectors]
        return _strided(self, base, vectors, masks, {"name": path})


def _vectors(self: Any, key: Any) -> tuple[Any, list[EagerTensor], dict[str, int]]:
    """Returns the inputs of a strided slice: value, the three vectors and the masks."""
    begin, end, strides, masks = _spec(key)
    base = convert_to_tensor(self)
    vectors = [_as_vector(positions) for positions in (begin, end, strides)]
    if dtypes.int64 in {v.dtype for v in vectors} != {dtypes.int64}:
        vectors = [_widened(v) for v in vectors]
    return base, vectors, masks


def _strided(
    self: Any,
    base: Any,
    vectors: list[EagerTensor],
    masks: dict[str, int],
    named: Any = MappingProxyType({}),
) -> Any:
    result = execute(OPS["StridedSlice"], [base, *vectors], {**masks, **named})
    if isinstance(self, BaseResourceVariable):
        result.assign = _slice_assigner(self, vectors, masks, named.get("name"))
    return result


def _slice_assigner(
    variable: Any, vectors: list[EagerTensor], masks: dict[str, int], path: str | None = None
) -> Any:
    def assign(value: Any, name: str | None = None) -> Any:
        """Assigns to the slice of the variable and returns the variable."""
        tensor = convert_to_tensor(value, variable.dtype)
        graph = thread.scope.graph
        named = (
            {}
            if graph is None or path is None
            else {"name": f"{graph.uniquely(f'{path}_assign')}/"}
        )
        execute(OPS["ResourceStridedSliceAssign"], [variable, *vectors, tensor], {**masks, **named})
        return variable._updated(True)

    return assign


Tensor.__getitem__ = _sliced  # type: ignore[method-assign]
BaseResourceVariable.__getitem__ = _sliced  # type: ignore[method-assign]
