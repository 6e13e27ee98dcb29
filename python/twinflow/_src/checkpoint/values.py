"""Conversion of variables to and from saved tensors, and slice specs of operations.

A slice spec such as ``"6 2 0,3:-"`` has the full shape, then for each dimension the offset and the
size of the slice, or ``-`` for the full dimension.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any

import numpy as np

from twinflow._src.checkpoint.entries import FULL, Part
from twinflow._src.checkpoint.writer import Item
from twinflow._src.core.context import thread
from twinflow._src.core.devices import copy_to_device
from twinflow._src.core.dtypes import string
from twinflow._src.core.errors import InternalError, invalid
from twinflow._src.variables.graph_variable import GraphVariable
from twinflow._src.variables.updates import assert_restorable


def is_symbolic(variable: Any) -> bool:
    """True if a variable has its value in sessions."""
    return isinstance(variable, GraphVariable)


def session_for(variables: Iterable[Any], session: Any = None) -> Any:
    """Returns the session with the values of variables; None for eager variables."""
    if not any(map(is_symbolic, variables)):
        return None
    owner = session or (thread.sessions[-1] if thread.sessions else None)
    if owner is None:
        raise ValueError(
            "The variables of a graph have values in sessions: use `with session.as_default():` or pass `session=`."
        )
    return owner


def items(saved: Sequence[tuple[str, Any]], session: Any = None) -> list[Item]:
    """Returns the items to write for objects: snapshots of their current values.

    Args:
        saved: Keys with objects that have values.
        session: The session for graph variables; the default session where None.
    """
    variables = [(key, of, of._saved_variable()) for key, of in saved]
    symbolic = [v for _, _, v in variables if is_symbolic(v)]
    owner = session_for(symbolic, session)
    values = dict(zip(map(id, symbolic), owner.run(symbolic) if symbolic else ()))
    return [item for saved in variables for item in _items(*saved, values)]


def _items(key: str, of: Any, variable: Any, values: dict[int, Any]) -> list[Item]:
    if hasattr(of, "saved_array"):
        return [_array_item(key, *of.saved_array())]
    if variable is None:
        text = of.serialize()
        return [bytes_item(key, text.encode() if isinstance(text, str) else bytes(text))]
    if id(variable) in values:
        array = np.asarray(values[id(variable)], variable.dtype.base_dtype.np)
        return [_array_item(key, array, variable.dtype.base_dtype)]
    return [_lent_item(key, handle, part) for handle, part in pieces(variable)]


def pieces(variable: Any) -> Sequence[tuple[Any, Part | None]]:
    """Returns the handles of a variable's parts, each with its slice; None for the whole."""
    handle = variable._handle
    return handle.pieces() if hasattr(handle, "pieces") else [(handle, None)]


def _lent_item(key: str, handle: Any, part: Part | None) -> Item:
    """Returns an item that borrows a variable's array: updates of the variable copy on write."""
    array, device = handle.lend(), handle.device
    read = partial(device.backend.to_host, array)
    elsewhere = array if device.remote else None
    return Item(key, read, handle.value_dtype, array.shape, part, array=elsewhere)


def _array_item(key: str, array: Any, dtype: Any) -> Item:
    return Item(key, lambda: array, dtype, array.shape)


def bytes_item(key: str, value: bytes) -> Item:
    """Returns the item of a string scalar."""
    array = np.array(value, dtype=object)
    return Item(key, lambda: array, string, ())


# ------------------------------------------------------------------ restoration


def assert_all_fit(pairs: Sequence[tuple[Any, str]], reader: Any) -> None:
    """Raises an error where saved tensors do not match variables in dtype and shape."""
    dtypes = ((key, variable.dtype.base_dtype, reader.dtype(key)) for variable, key in pairs)
    mismatches = [
        f"tensor_name = {key}; expected dtype {expected.cname} does not equal original dtype {stored.cname}"
        for key, expected, stored in dtypes
        if expected is not stored
    ]
    if mismatches:
        raise invalid("\n".join(mismatches))
    for variable, key in pairs:
        assert_restorable(variable, reader.shape(key), variable.name)


def fits(variable: Any, key: str, reader: Any) -> bool:
    """True if a saved tensor matches a variable in dtype and shape."""
    return variable.dtype.base_dtype is reader.dtype(key) and bool(
        variable.shape.is_compatible_with(reader.shape(key))
    )


def assign_array(variable: Any, array: np.ndarray[Any, Any]) -> None:
    """Sets an unshared array as the value of a variable, without a copy on the host."""
    handle = variable._handle
    device = handle.device
    value = copy_to_device(array, device, handle.value_dtype)
    with handle.lock:
        handle.array = value


# ------------------------------------------------------------------ slice specs


def parse_slice_spec(text: str) -> Part | None:
    """Parses a slice spec; returns None where it is empty, for the full tensor."""
    if not text:
        return None
    *sizes, extents = text.split(" ")
    if not sizes:
        raise invalid(f"Need least two elements in shape_and_slice specification: {text}")
    pairs = [(0, FULL)] * len(sizes) if extents == "-" else _pairs(extents)
    if not all(size.isdecimal() for size in sizes):
        raise invalid(f"Non numerical dimension in shape_and_slice: {text}")
    shape = tuple(map(int, sizes))
    if len(pairs) != len(shape):
        raise invalid(
            f"Incompatible shape and slice specification: {text}: {len(shape)} and {len(pairs)} dimensions"
        )
    return Part(shape, tuple(start for start, _ in pairs), tuple(size for _, size in pairs))


def _pairs(extents: str) -> list[tuple[int, int]]:
    pairs = []
    for each in extents.split(":"):
        start, comma, size = each.partition(",")
        if each != "-" and not (comma and start.isdecimal() and size.isdecimal()):
            raise invalid(f"Expected a pair of numbers or '-' but got '{each}': string = {extents}")
        if each != "-" and not int(size):
            raise invalid(
                f"Expected non-negative start and positive length but got start = {start}, "
                f"length = {size}: string = {extents}"
            )
        pairs.append((0, FULL) if each == "-" else (int(start), int(size)))
    return pairs


def assert_within(part: Part) -> None:
    """Raises InternalError where a slice is out of bounds."""
    for dimension, (start, size, full) in enumerate(zip(part.starts, part.shape, part.full_shape)):
        if start < 0 or size < 0 or start + size > full:
            sizes = ",".join(map(str, part.full_shape))
            raise InternalError(
                None,
                None,
                f"Extent in dimension {dimension} out of bounds: shape = [{sizes}], slice = {slice_spec(part)}",
            )


def slice_spec(part: Part) -> str:
    """Returns a slice as in slice specs."""
    if part.is_whole:
        return "-"
    return ":".join("-" if n == FULL else f"{a},{n}" for a, n in zip(part.starts, part.sizes))


def spec_text(part: Part | None) -> str:
    """Returns the slice spec of a slice, with the full shape; "" for a full tensor."""
    return "" if part is None else f"{' '.join(map(str, part.full_shape))} {slice_spec(part)}"
