"""Values of variables on their way to and from files.

The texts by which operations name parts of tensors, such as ``"6 2 0,3:-"``.

They are the shape of the whole tensor, then for each dimension where the part begins and how long it is,
or ``-`` for all of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any

import numpy as np

from twinflow._src.checkpoint.entries import FULL, Part
from twinflow._src.checkpoint.writer import Item
from twinflow._src.core.allocation import sent
from twinflow._src.core.context import thread
from twinflow._src.core.dtypes import string
from twinflow._src.core.errors import InternalError, invalid
from twinflow._src.variables.graph_variable import GraphVariable

# Values of variables on their way to and from files.


def is_symbolic(variable: Any) -> bool:
    """Whether a variable has its value in sessions."""
    return isinstance(variable, GraphVariable)


def session_for(variables: Iterable[Any], session: Any = None) -> Any:
    """The session with the values of variables; None where they have values of their own.

    Raises:
        ValueError: There is no session.
    """
    if not any(map(is_symbolic, variables)):
        return None
    found = session or (thread.sessions[-1] if thread.sessions else None)
    if found is None:
        raise ValueError(
            "The variables of a graph have values in sessions: use `with session.as_default():` or pass `session=`."
        )
    return found


def items(saved: Sequence[tuple[str, Any]], session: Any = None) -> list[Item]:
    """What is written for objects: their values as of now, whatever happens to them later.

    Args:
        saved: Keys with objects that have values.
        session: The session for variables of graphs; the default one where None.
    """
    variables = [(key, of, of._saved_variable()) for key, of in saved]
    symbolic = [v for _, _, v in variables if is_symbolic(v)]
    found = session_for(symbolic, session)
    values = dict(zip(map(id, symbolic), found.run(symbolic) if symbolic else ()))
    return [_item(key, of, variable, values) for key, of, variable in variables]


def _item(key: str, of: Any, variable: Any, values: dict[int, Any]) -> Item:
    if hasattr(of, "saved_array"):
        return _array_item(key, *of.saved_array())
    if variable is None:
        text = of.serialize()
        return bytes_item(key, text.encode() if isinstance(text, str) else bytes(text))
    if id(variable) in values:
        return _array_item(
            key,
            np.asarray(values[id(variable)], variable.dtype.base_dtype.np),
            variable.dtype.base_dtype,
        )
    return _lent_item(key, variable)


def _lent_item(key: str, variable: Any) -> Item:
    """A value that the variable lends: updates of the variable leave it as it is."""
    handle = variable._handle
    array = handle.lend()
    return Item(key, partial(handle.device.backend.to_host, array), handle.value_dtype, array.shape)


def _array_item(key: str, array: Any, dtype: Any) -> Item:
    return Item(key, lambda: array, dtype, array.shape)


def bytes_item(key: str, value: bytes) -> Item:
    """A scalar of type string."""
    array = np.array(value, dtype=object)
    return Item(key, lambda: array, string, ())


# ------------------------------------------------------------------ back


def assert_all_fit(wanted: Sequence[tuple[Any, str]], reader: Any) -> None:
    """Checks that tensors of a file can be the values of variables.

    Args:
        wanted: Variables with keys.
        reader: The file.

    Raises:
        InvalidArgumentError: Some have other types.
        ValueError: One has another shape.
    """
    types = ((key, variable.dtype.base_dtype, reader.dtype(key)) for variable, key in wanted)
    wrong = [
        f"tensor_name = {key}; expected dtype {expected.cname} does not equal original dtype {found.cname}"
        for key, expected, found in types
        if expected is not found
    ]
    if wrong:
        raise invalid("\n".join(wrong))
    for variable, key in wanted:
        assert_shape_fits(variable, reader.shape(key), variable.name)


def assert_shape_fits(variable: Any, shape: tuple[int, ...], name: str) -> None:
    """Checks that a tensor of a shape can be the value of a variable.

    Raises:
        ValueError: It cannot.
    """
    if not variable.shape.is_compatible_with(shape):
        raise ValueError(
            f"Received incompatible tensor with shape {tuple(shape)} when attempting to restore variable with shape "
            f"{variable.shape} and name {name}."
        )


def put(variable: Any, array: np.ndarray[Any, Any]) -> None:
    """Makes an array that nobody else holds the value of a variable, without a copy on the host."""
    handle = variable._handle
    device = handle.device
    value = sent(array, device, handle.value_dtype)
    with handle.lock:
        handle.array = value


# The texts by which operations name parts of tensors, such as ``"6 2 0,3:-"``.


def parsed(text: str) -> Part | None:
    """The part that a text names; None where it is empty, which means the whole tensor.

    Raises:
        InvalidArgumentError: It is no such text.
    """
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
    found = []
    for each in extents.split(":"):
        start, comma, size = each.partition(",")
        if each != "-" and not (comma and start.isdecimal() and size.isdecimal()):
            raise invalid(f"Expected a pair of numbers or '-' but got '{each}': string = {extents}")
        if each != "-" and not int(size):
            raise invalid(
                f"Expected non-negative start and positive length but got start = {start}, "
                f"length = {size}: string = {extents}"
            )
        found.append((0, FULL) if each == "-" else (int(start), int(size)))
    return found


def assert_within(part: Part) -> None:
    """Raises an error where a part is not within its tensor.

    Args:
        part: The part.

    Raises:
        InternalError: It is not.
    """
    for dimension, (start, size, full) in enumerate(zip(part.starts, part.shape, part.full_shape)):
        if start < 0 or size < 0 or start + size > full:
            sizes = ",".join(map(str, part.full_shape))
            raise InternalError(
                None,
                None,
                f"Extent in dimension {dimension} out of bounds: shape = [{sizes}], slice = {text(part)}",
            )


def text(part: Part) -> str:
    """A part as texts name it."""
    if part.whole:
        return "-"
    return ":".join("-" if n == FULL else f"{a},{n}" for a, n in zip(part.starts, part.sizes))
