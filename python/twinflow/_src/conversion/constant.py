"""Constants, conversion to tensors, and registered conversion functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from twinflow._src.backends.gpu import device as gpu
from twinflow._src.conversion.arrays import check_conversion, from_numbers, to_array
from twinflow._src.conversion.sequences import has_floats, is_sequence
from twinflow._src.core import dtypes, whole_numbers
from twinflow._src.core.context import PLAIN, hosted, runtime, substitute, thread
from twinflow._src.core.devices import Device, allocate_on_device
from twinflow._src.core.dtypes import FROM_NUMPY, DType, as_dtype
from twinflow._src.core.shapes import Dimension, TensorShape, check_dimension_dtype
from twinflow._src.core.tensor import EagerTensor, Tensor, TensorType, from_array

# Scalar constants are cached per dtype and device, as in TensorFlow; the placement log shows it.
scalars: dict[tuple[Any, ...], tuple[Any, Device, DType]] = {}
_MAX_SCALARS = 4096
CACHED_TYPES = frozenset((int, float, bool))
_LISTS = frozenset((list, tuple))


def _constant(value: Any, dtype: DType | None, name: str | None = None) -> Any:
    """Returns a tensor of a Python or NumPy value on the device of the current scope."""
    graph = thread.scope.graph
    if graph is not None:
        return graph.constant(*_array_in_graph(value, dtype), name)
    if type(value) not in CACHED_TYPES:
        return _uncached(value, dtype)
    # 0.0 == -0.0, so the cache key of a zero float is its repr.
    key_value = value if value or type(value) is not float else repr(value)
    key = (type(value), key_value, dtype, thread.scope.device)
    parts = scalars.get(key)
    if parts is None:
        tensor = _uncached(value, dtype)
        if dtype is not None and type(value) is float and dtype.kind in "iu":
            return tensor  # a whole number of R's; another caller's float stays an error
        if len(scalars) >= _MAX_SCALARS:
            scalars.clear()
        parts = scalars[key] = tensor._array, tensor._device, tensor.dtype
    return EagerTensor(*parts)


# Types of host values, which cannot have ``__cuda_array_interface__``.
_OF_HOST = frozenset((np.ndarray, list, tuple, int, float, bool, str, bytes))


def _of_device(value: Any, dtype: DType | None) -> EagerTensor:
    """Returns a tensor that shares another library's GPU memory."""
    array = gpu.adopted(value)
    owners = [d for d in runtime.devices if d.kind == "GPU" and d.ordinal == gpu.ordinal_of(array)]
    if owners:
        tensor = EagerTensor(array, owners[0], FROM_NUMPY[array.dtype])
    else:  # of a GPU that is not visible
        tensor = from_array(gpu.to_host(array))
    return tensor if dtype is None or dtype is tensor.dtype else _cast(tensor, dtype)


def _array_in_graph(value: Any, dtype: DType | None) -> tuple[Any, DType]:
    """Returns the array of a graph constant; graphs accept more values than eager mode."""
    try:
        return to_array(value, dtype)
    except (TypeError, ValueError):
        from twinflow._src.conversion.graph_constants import python_array

        return python_array(value, dtype)


def _uncached(value: Any, dtype: DType | None) -> EagerTensor:
    if type(value) not in _OF_HOST and hasattr(value, "__cuda_array_interface__") and gpu.count():
        return _of_device(value, dtype)
    return _logged(from_array(*to_array(value, dtype)))


def _logged(tensor: EagerTensor) -> EagerTensor:
    """Returns a new constant; the placement log has it unless it is on the host."""
    if runtime.log_placement and thread.scope.device != runtime.host.name:
        runtime.log(
            "_EagerConst", tensor._device
        )  # created on the target device directly, not by an op on CPU:0
    return tensor


def constant(value: Any, dtype: Any = None, shape: Any = None, name: str = "Const") -> EagerTensor:
    """Creates a constant tensor.

    Args:
        value: A number, string, NumPy array, or nested list of them.
        dtype: The dtype of the elements; inferred if None (float32 for Python floats, int32 for
            integers, a NumPy array's own dtype).
        shape: The shape of the result. The value must have as many elements, or one, which is
            broadcast.
        name: A name; without effect in eager mode.

    Returns:
        A tensor on the device of the current ``tf.device`` scope.

    Raises:
        TypeError: The value is incompatible with the dtype or the shape.
        ValueError: The value is not convertible to a tensor.
    """
    graph = thread.scope.graph
    if graph is not None:
        return _in_graph(graph, value, dtype, shape, name)
    if isinstance(value, EagerTensor):
        tensor = value
        if dtype is not None and tensor.dtype != dtype:
            raise TypeError(
                f"Expected tensor {tensor} with dtype {dtype!r}, but got dtype {tensor.dtype!r}."
            )
    else:
        target_dtype = dtype if dtype is None or type(dtype) is DType else as_dtype(dtype)
        numbers = from_numbers(value, target_dtype) if type(value) in _LISTS else None
        if numbers is not None:
            tensor = _logged(from_array(*numbers))
        elif type(value) in CACHED_TYPES:
            tensor = _constant(value, target_dtype)
        elif is_sequence(value) and _begins_with_tensor(value):
            raise ValueError(
                "tf.constant takes Python and NumPy values; use tf.stack or tf.convert_to_tensor to "
                "make one tensor of a sequence that holds tensors."
            )
        else:
            tensor = _constant(value, target_dtype)
    return tensor if shape is None else _shaped(tensor, value, TensorShape(shape))


def _in_graph(graph: Any, value: Any, dtype: Any, shape: Any, name: str) -> Any:
    """Adds a constant to a graph; its value is computed eagerly."""
    target_dtype = None if dtype is None else as_dtype(dtype)
    try:
        with hosted(PLAIN):  # no synchronization or transfer at construction
            tensor = constant(value, target_dtype, shape)
    except (TypeError, ValueError, NotImplementedError):
        from twinflow._src.conversion.graph_constants import python_array

        array, array_dtype = python_array(value, target_dtype)
        if shape is not None:
            dims = tuple(TensorShape(shape).as_list())
            if 0 in dims and not isinstance(value, (np.ndarray, np.generic)):
                return graph.constant(
                    np.zeros([n or 0 for n in dims], array.dtype), array_dtype, name
                )
            raise TypeError(f"Expected Tensor's shape: {dims}, but got {array.shape}.") from None
        return graph.constant(array, array_dtype, name)
    return graph.constant(tensor._host(), tensor.dtype, name)


def _shaped(tensor: EagerTensor, value: Any, shape: TensorShape) -> EagerTensor:
    array, device, dims = tensor._array, tensor._device, tuple(shape.as_list())
    if array.size == 1:
        dims = tuple(convert_to_tensor(dims, dtypes.int32)._host().tolist())
        make: Callable[[], Any] = lambda: device.xp.full(dims, array.reshape(()), array.dtype)
    elif array.size == shape.num_elements():
        make = lambda: array.reshape(dims)
    else:
        raise TypeError(
            "Eager execution of tf.constant with unsupported shape. "
            f"Tensor {tensor._host()!s} (converted from {value}) has {array.size} "
            f"elements, but got `shape` {shape} with {shape.num_elements()} elements)."
        )
    return EagerTensor(
        allocate_on_device(device, dims, tensor.dtype, device.backend.run, make, device.ordinal),
        device,
        tensor.dtype,
    )


def _begins_with_tensor(value: Any) -> bool:
    while isinstance(value, (list, tuple)) and value:
        value = value[0]
    return public_is_tensor(value)


def _holds_tensors(value: Any) -> bool:
    types = set(map(type, value))
    for cls in types:
        if issubclass(cls, TensorType) or getattr(cls, "_counts_as_tensor", False):
            return True
    return any(issubclass(cls, (list, tuple)) for cls in types) and any(
        _holds_tensors(item) for item in value if isinstance(item, (list, tuple))
    )


# The function that stacks sequences of tensors (Pack), and user-registered conversions.
_stack: Callable[[list[Any]], EagerTensor] | None = None
_registered: list[
    tuple[int, Any, Callable[..., Any]]
] = []  # with their priorities, in order of priority


def set_stack(function: Callable[[list[Any]], EagerTensor]) -> None:
    """Sets the function that stacks a list of tensors; called once by the array ops."""
    global _stack
    _stack = function


def register_tensor_conversion_function(
    base_type: Any, conversion_func: Callable[..., Any], priority: int = 100
) -> None:
    """Registers a conversion function for objects of a class.

    Args:
        base_type: A class or tuple of classes.
        conversion_func: Called with ``(value, dtype, name, as_ref)``; returns a tensor, or
            NotImplemented to try the next function.
        priority: Functions with lower values are tried first.

    Raises:
        TypeError: An argument has the wrong type, or the class is numeric.
    """
    check_conversion(base_type, conversion_func)
    _registered.append((priority, base_type, conversion_func))
    _registered.sort(key=lambda entry: entry[0])


def convert_to_tensor(
    value: Any, dtype: Any = None, dtype_hint: Any = None, name: str | None = None
) -> EagerTensor:
    """Converts a value to a tensor; tensors are returned as they are.

    Args:
        value: A tensor, variable, number, string, NumPy array or nested list of any of them.
        dtype: The dtype that the result must have.
        dtype_hint: The preferred dtype, if the value is convertible to it.
        name: A name; without effect in eager mode.

    Returns:
        A tensor.

    Raises:
        TypeError: The value is incompatible with the dtype.
        ValueError: The value is not convertible to a tensor, or is a tensor of another dtype.
    """
    if dtype is None and type(value) is EagerTensor:
        return value
    target_dtype = (
        None
        if dtype is None
        else dtype._base
        if type(dtype) is DType
        else as_dtype(dtype).base_dtype
    )
    hint = None if dtype_hint is None else as_dtype(dtype_hint)
    if target_dtype is None and hint is not None and not isinstance(value, Tensor):
        if whole_numbers.may_come() and hint.kind in "iu" and not isinstance(value, np.ndarray):
            hint = None if has_floats(value) else hint  # a hint makes no integers of floats
        try:
            return _converted(value, hint, name)
        except (TypeError, ValueError):
            return _converted(value, None, name)
    return _converted(value, target_dtype, name)


def _converted(value: Any, dtype: DType | None, name: str | None) -> EagerTensor:
    if isinstance(value, Tensor):
        if type(value) is not EagerTensor:
            value = _in_reach(value)
        if dtype is None or dtype is value.dtype.base_dtype:
            return value
        prefix = f"{name}: " if name else ""
        raise ValueError(
            f"{prefix}Tensor conversion requested dtype {dtype.name} for Tensor with dtype "
            f"{value.dtype.name}: {value!r}"
        )
    if type(value) in CACHED_TYPES:
        return _constant(value, dtype, name)
    if type(value) in _LISTS and thread.scope.graph is None:
        numbers = from_numbers(value, dtype)
        if numbers is not None:
            return _logged(from_array(*numbers))
    convert = getattr(value, "__tf_tensor__", None)
    if convert is not None:
        return convert(dtype, name)
    for _, base_type, function in _registered:
        if isinstance(value, base_type):
            result = function(value, dtype=dtype, name=name, as_ref=False)
            if result is not NotImplemented:
                return result
    if isinstance(value, (list, tuple)) and _holds_tensors(value):
        return _packed(value, dtype, name)
    if isinstance(value, TensorShape):
        return _shape_tensor(value, dtype, name)
    return _constant(
        check_dimension_dtype(value, dtype) if type(value) is Dimension else value, dtype, name
    )


def _in_reach(tensor: Any) -> Any:
    """Returns a symbolic tensor or its substitute; raises an error outside its graph."""
    tensor = substitute(tensor)
    if thread.scope.graph is None and not isinstance(tensor, EagerTensor):
        raise out_of_scope(tensor)
    return tensor


def out_of_scope(tensor: Any, location: Any = "here") -> TypeError:
    """Returns the error for a symbolic tensor that is used outside its graph."""
    frames = (
        f'    File "{f.filename}", line {f.lineno}, in {f.name}\n' for f in tensor.op.traceback
    )
    return TypeError(
        f"{tensor!r} is out of scope and cannot be used here. Use return values, explicit Python locals "
        "or TensorFlow collections to access it.\nPlease see https://www.tensorflow.org/guide/"
        "function#all_outputs_of_a_tffunction_must_be_return_values for more information.\n\n"
        f"{tensor!r} was defined here:\n{''.join(frames)}\n"
        f"The tensor {tensor!r} cannot be accessed from {location}, because it was defined in {tensor.graph}, which is out "
        "of scope."
    )


def not_one_tensor(value: Any, dtype: DType | None, error: Exception) -> Exception:
    """Returns the error for a composite tensor where one tensor is required.

    In eager mode this is ``error`` itself.
    """
    if thread.scope.graph is None:
        return error
    if dtype is not None:
        return TypeError(
            f"Expected {dtype.name}, but got {value} of type '{type(value).__name__}'."
        )
    return TypeError(
        f"Failed to convert elements of {value} to Tensor. Consider casting elements to a supported type. See "
        "https://www.tensorflow.org/api_docs/python/tf/dtypes for supported TF dtypes."
    )


def _shape_tensor(shape: TensorShape, dtype: DType | None, name: str | None = None) -> EagerTensor:
    if not shape.is_fully_defined():
        raise ValueError(f"Cannot convert a partially known TensorShape {shape} to a Tensor.")
    sizes: list[Any] = check_dimension_dtype(shape, dtype).as_list()
    wide = any(size > np.iinfo(np.int32).max for size in sizes)
    result_dtype = dtype or (dtypes.int64 if wide else dtypes.int32)
    return _constant(np.array(sizes, np.int64), result_dtype, name or "shape_as_tensor")


def _packed(values: Any, dtype: DType | None, name: str | None) -> EagerTensor:
    """Stacks a nested sequence that holds tensors; the first tensor determines the dtype."""
    values = _with_tensor_types_converted(values)
    tensor_dtype = _first_tensor(values).dtype.base_dtype
    if dtype is not None and dtype is not tensor_dtype:
        values = _with_tensors_cast(values, dtype)
    graph, dtype = thread.scope.graph, dtype or tensor_dtype
    return (
        _stacked(values, dtype)
        if graph is None
        else _stacked_in_graph(graph, values, dtype, name or "packed")
    )


def _with_tensor_types_converted(value: Any) -> Any:
    """Converts the objects of classes of libraries that count as tensors, at any depth."""
    if type(value) in (list, tuple):
        return [_with_tensor_types_converted(item) for item in value]
    is_foreign = isinstance(value, TensorType) and not is_tensor(value)
    return convert_to_tensor(value) if is_foreign else value


def _with_tensors_cast(value: Any, dtype: DType) -> Any:
    if isinstance(value, (list, tuple)):
        return [_with_tensors_cast(item, dtype) for item in value]
    return (
        _cast(value, dtype) if is_tensor(value) and value.dtype.base_dtype is not dtype else value
    )


def _stacked(values: Any, dtype: DType) -> Any:
    """Stacks a sequence that holds tensors at any depth; other sequences are returned as is."""
    assert _stack is not None
    if values and all(map(is_tensor, values)):
        return _stack(list(values))
    items = [_stacked(v, dtype) if isinstance(v, (list, tuple)) else v for v in values]
    _assert_type(items, dtype)
    if not any(map(is_tensor, items)):
        return values
    return _stack([item if is_tensor(item) else _constant(item, dtype) for item in items])


def _stacked_in_graph(graph: Any, values: Any, dtype: DType, name: str) -> Any:
    """Stacks a sequence in a graph; constants are named by their indices."""
    stack, within = _stack, lambda v, i: _stacked_in_graph(graph, v, dtype, str(i))
    with graph.name_scope(name) as path:
        items = [within(v, i) if isinstance(v, (list, tuple)) else v for i, v in enumerate(values)]
        _assert_type(items, dtype)
        if not any(map(is_tensor, items)):
            return values
        rows = [x if is_tensor(x) else _constant(x, dtype, str(i)) for i, x in enumerate(items)]
        return stack(rows, name=path)  # type: ignore[misc, call-arg]


def _assert_type(items: list[Any], dtype: DType) -> None:
    for item in items:
        if is_tensor(item) and item.dtype.base_dtype is not dtype:
            raise TypeError(
                f"Cannot convert a list containing a tensor of dtype {item.dtype} to {dtype} "
                f"(Tensor is: {item!r})"
            )


_cast: Callable[[EagerTensor, Any], EagerTensor]


def set_cast(function: Callable[[EagerTensor, Any], EagerTensor]) -> None:
    """Sets the cast function; called once by the array ops."""
    global _cast
    _cast = function


def _first_tensor(values: Any) -> Any:
    for value in values:
        if is_tensor(value):
            return value
        if isinstance(value, (list, tuple)):
            tensor = _first_tensor(value)
            if tensor is not None:
                return tensor
    return None


def is_tensor(x: Any) -> bool:
    """True if a value is a tensor or is used as one without conversion (a variable)."""
    return isinstance(x, Tensor) or getattr(type(x), "_counts_as_tensor", False)


def public_is_tensor(x: Any) -> bool:
    """True if a value is a tensor, or of a class of a library that counts as one.

    Such a class derives from ``TensorType``, or has an attribute ``is_tensor_like``.
    """
    return is_tensor(x) or isinstance(x, TensorType) or hasattr(x, "is_tensor_like")


public_is_tensor.__name__ = "is_tensor"


def dense(value: Any) -> Any:
    """Returns a tensor or variable as it is, and converts reference variables and other values."""
    if isinstance(value, Tensor):
        return value
    return (
        value
        if is_tensor(value) and value.dtype is value.dtype.base_dtype
        else convert_to_tensor(value)
    )
