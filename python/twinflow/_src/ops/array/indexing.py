"""Python's ``x[...]`` on tensors and variables, by TensorFlow's rules."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any

import numpy as np

from twinflow._src.conversion.constant import convert_to_tensor, is_tensor
from twinflow._src.core import dtypes
from twinflow._src.core.context import PLAIN, runtime, thread
from twinflow._src.core.tensor import EagerTensor, Tensor
from twinflow._src.dispatch.fast_inputs import FAST, vector
from twinflow._src.dispatch.op import API, OPS, execute
from twinflow._src.ops.array.boolean_mask import boolean_mask
from twinflow._src.ops.array.strided_slice import MASKS, owned
from twinflow._src.variables.variable import BaseResourceVariable


def _refused(item: Any) -> TypeError:
    return TypeError(
        "Only integers, slices (`:`), ellipsis (`...`), tf.newaxis (`None`) and scalar "
        f"tf.int32/tf.int64 tensors are valid indices, got {item!r}"
    )


def _position(value: Any) -> Any:
    """One bound of a slice, or an index: an integer, or a scalar tensor of one."""
    if isinstance(value, (int, np.integer)):
        return value if isinstance(value, bool) else int(value)
    if (
        is_tensor(value)
        and value.dtype in (dtypes.int32, dtypes.int64, dtypes.int16)
        and value.shape.rank in (0, None)
    ):
        return value if thread.scope.graph is None else convert_to_tensor(value)  # a variable is read
    if isinstance(value, np.ndarray) and value.ndim == 0 and value.dtype.kind in "iu":
        return int(value)
    raise _refused(value)


def _spec(key: Any) -> tuple[list[Any], list[Any], list[Any], dict[str, int]]:
    """The inputs and masks of a strided slice that an index expression means."""
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
    """The type of the first tensor of a graph among the bounds of a slice, or None."""
    for bound in bounds:
        if isinstance(bound, Tensor) and not isinstance(bound, EagerTensor):
            return bound.dtype
    return None


def _absent(value: int, like: Any) -> Any:
    """What stands for a bound that is not given: beside tensors of a graph, a tensor of their type."""
    return value if like is None else convert_to_tensor(value, like)


def _as_vector(positions: list[Any], name: str | None = None) -> EagerTensor:
    if not any(map(is_tensor, positions)):
        if name is None and positions:
            return vector(positions)
        return convert_to_tensor(positions or np.zeros(0, np.int32), name=name)
    kinds = {p.dtype for p in positions if is_tensor(p)}
    wanted = dtypes.int64 if dtypes.int64 in kinds else dtypes.int32
    if any(isinstance(p, Tensor) and not isinstance(p, EagerTensor) for p in positions):
        return API["stack"]([_as_bound(p, wanted) for p in positions])
    return convert_to_tensor([int(p) for p in positions], dtype=wanted)


def _as_bound(position: Any, dtype: Any) -> Any:
    """A position of a slice in a graph, where its value is not there yet."""
    if is_tensor(position) and position.dtype is not dtype:
        return API["cast"](position, dtype)
    return position if is_tensor(position) else np.asarray(position, dtype.np)


def _widened(vector: Any) -> Any:
    """Positions as int64; those that are there are converted without an op."""
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
    """Whether NumPy reads an index expression as TensorFlow does."""
    if type(key) is tuple:
        return all(map(_simple, key)) and sum(item is Ellipsis for item in key) < 2
    if type(key) is slice:
        return all(type(x) is int or x is None for x in (key.start, key.stop, key.step))
    return type(key) in _SIMPLE


def _sliced(self: Any, key: Any) -> Any:
    """``x[key]``: integers, slices, ellipsis, new axes, scalar integer tensors, or a boolean mask.

    A slice of a variable has a method ``assign`` that replaces it in the variable.

    Raises:
        InvalidArgumentError: An index lies outside the shape.
        TypeError: Something else stands in the index.
    """
    if thread.scope is PLAIN and type(self) in FAST and runtime.home is self._device and _simple(key):
        try:
            return _at_once(self, key)
        except (IndexError, ValueError, MemoryError):
            pass  # the general path says in TensorFlow's words what is wrong
    if _is_mask(key):
        return boolean_mask(self, key)
    graph = thread.scope.graph
    return _strided(self, *_vectors(self, key)) if graph is None else _in_graph(graph, self, key)


def _at_once(self: Any, key: Any) -> EagerTensor:
    """``x[key]`` by NumPy's own rules, which are TensorFlow's for what is simple."""
    value = self if type(self) is EagerTensor else self._read()
    result: Any = EagerTensor(owned(value._device.xp, value._array, key), value._device, value.dtype)
    if value is not self:
        result.assign = lambda value, name=None: _slice_assigner(self, *_vectors(self, key)[1:])(value)
    return result


def _in_graph(graph: Any, self: Any, key: Any) -> Any:
    """``x[key]`` in a graph, where the vectors belong to the slice."""
    base = convert_to_tensor(self)
    *positions, masks = _spec(key)
    with graph.name_scope("strided_slice") as path:
        if not positions[0]:
            vectors = [convert_to_tensor(np.zeros(0, np.int32))] * 3
        else:
            vectors = [_as_vector(given, "stack") for given in positions]
        if dtypes.int64 in {v.dtype for v in vectors} != {dtypes.int64}:
            vectors = [_widened(v) for v in vectors]
        return _strided(self, base, vectors, masks, {"name": path})


def _vectors(self: Any, key: Any) -> tuple[Any, list[EagerTensor], dict[str, int]]:
    """What a strided slice of a tensor or variable takes: its value, three vectors and the masks."""
    begin, end, strides, masks = _spec(key)
    base = convert_to_tensor(self)
    vectors = [_as_vector(positions) for positions in (begin, end, strides)]
    if dtypes.int64 in {v.dtype for v in vectors} != {dtypes.int64}:
        vectors = [_widened(v) for v in vectors]
    return base, vectors, masks


def _strided(
    self: Any, base: Any, vectors: list[EagerTensor], masks: dict[str, int], named: Any = MappingProxyType({})
) -> Any:
    result = execute(OPS["StridedSlice"], [base, *vectors], {**masks, **named})
    if isinstance(self, BaseResourceVariable):
        result.assign = _slice_assigner(self, vectors, masks, named.get("name"))
    return result


def _slice_assigner(variable: Any, vectors: list[EagerTensor], masks: dict[str, int], path: str | None = None) -> Any:
    def assign(value: Any, name: str | None = None) -> Any:
        """Replaces the slice in the variable and gives the variable back."""
        tensor = convert_to_tensor(value, variable.dtype)
        graph = thread.scope.graph
        named = {} if graph is None or path is None else {"name": f"{graph.uniquely(f'{path}_assign')}/"}
        execute(OPS["ResourceStridedSliceAssign"], [variable, *vectors, tensor], {**masks, **named})
        return variable._updated(True)

    return assign


Tensor.__getitem__ = _sliced  # type: ignore[method-assign]
BaseResourceVariable.__getitem__ = _sliced  # type: ignore[method-assign]
