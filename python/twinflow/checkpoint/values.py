"""Values of variables on their way to and from files."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any

import numpy as np

from ..context import thread
from ..dtypes import string
from ..errors import InvalidArgumentError, invalid
from ..graph_variable import GraphVariable
from .writer import Item


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
    if variable is None:
        text = of.serialize()
        return bytes_item(key, text.encode() if isinstance(text, str) else bytes(text))
    if id(variable) in values:
        return _array_item(key, np.asarray(values[id(variable)], variable.dtype.np), variable.dtype)
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


def assert_fits(variable: Any, key: str, reader: Any, name: str) -> None:
    """Checks that a tensor of a file can be the value of a variable.

    Raises:
        InvalidArgumentError: It has another type.
        ValueError: It has another shape.
    """
    dtype, shape = reader.dtype(key), reader.shape(key)
    if dtype is not variable.dtype.base_dtype:
        raise wrong_type(key, variable.dtype.base_dtype, dtype)
    if not variable.shape.is_compatible_with(shape):
        raise ValueError(
            f"Received incompatible tensor with shape {shape_text(shape)} when attempting to restore variable with shape "
            f"{variable.shape} and name {name}."
        )


def shape_text(shape: tuple[int, ...]) -> str:
    """A shape as messages write it."""
    return str(tuple(shape))


def wrong_type(key: str, wanted: Any, found: Any) -> InvalidArgumentError:
    """The error of a tensor of another type than that of its variable."""
    return invalid(
        f"tensor_name = {key}; expected dtype {wanted.cname} does not equal original dtype {found.cname}"
    )


def put(variable: Any, array: np.ndarray[Any, Any]) -> None:
    """Makes an array that nobody else holds the value of a variable, without a copy on the host."""
    handle = variable._handle
    device = handle.device
    value = device.backend.from_host(array, device.ordinal)
    with handle.lock:
        handle.array = value
