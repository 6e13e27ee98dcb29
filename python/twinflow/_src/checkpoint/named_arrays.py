"""Tensors by name on their way to and from files of other libraries."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import IO, Any

import numpy as np

from twinflow._src.checkpoint import atomic_write as files
from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core.context import runtime
from twinflow._src.core.dtypes import DType
from twinflow._src.core.errors import invalid
from twinflow._src.core.tensor import EagerTensor
from twinflow._src.io.local_files import explained, path_text

Array = np.ndarray[Any, Any]


def arrays(tensors: Mapping[str, Any]) -> dict[str, tuple[Array, DType]]:
    """Tensors, variables or values as arrays on the host, with their types.

    Args:
        tensors: The names and the tensors.

    Raises:
        TypeError: A name is no text.
        InvalidArgumentError: A tensor has no value yet.
    """
    found = {}
    for name, value in tensors.items():
        if not isinstance(name, str):
            raise TypeError(f"Names of tensors are text, not {name!r}")
        tensor = convert_to_tensor(value)
        if not isinstance(tensor, EagerTensor):
            raise invalid(f"{name} has no value yet: it is a tensor of a graph")
        found[name] = tensor._host(), tensor.dtype
    return found


def tensor(array: Array, dtype: DType) -> EagerTensor:
    """The tensor of an array that nobody else holds."""
    return EagerTensor(array, runtime.host, dtype)


@contextmanager
def replaced(path: Any, durable: bool) -> Iterator[IO[bytes]]:
    """A file to write, which gets its name when the block ends, and goes where the block fails.

    Args:
        path: The name that it gets.
        durable: Whether to wait until the disk has it.
    """
    with explained(path_text(path)) as place:
        name = files.temporary_name(place)
        try:
            with os.fdopen(files.create(name), "wb") as file:
                yield file
                file.flush()
                if durable:
                    os.fsync(file.fileno())
            os.replace(name, place)
        except BaseException:
            files.remove(name)
            raise
        files.sync_folder(os.path.dirname(place), durable)
