"""Saver in eager execution."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from twinflow._src.checkpoint import values as texts
from twinflow._src.checkpoint.reader import Reader
from twinflow._src.checkpoint.writer import Item, write
from twinflow._src.compat_v1.saver.specs import Spec
from twinflow._src.core.errors import invalid
from twinflow._src.core.shapes import text


def save_now(prefix: str, specs: Sequence[Spec]) -> None:
    """Saves the values of variables to the checkpoint ``prefix``."""
    write(prefix, [_item(spec) for spec in specs])


def _item(spec: Spec) -> Item:
    tensor = spec.variable.read_value()

    def read() -> Any:
        return tensor._host()

    return Item(
        spec.name,
        read,
        tensor.dtype.base_dtype,
        tuple(tensor.shape),
        texts.parse_slice_spec(spec.part),
    )


def restore_now(prefix: str, specs: Sequence[Spec], reshape: bool) -> None:
    """Restores variables from a checkpoint, all or none.

    Args:
        prefix: The prefix of the checkpoint's files.
        specs: The variables.
        reshape: If True, values are reshaped to the shapes of variables.

    Raises:
        InvalidArgumentError: A variable has another dtype or shape.
        NotFoundError: There is no value for a variable.
    """
    reader = Reader(prefix)
    for spec in specs:
        assert_fits(reader, spec.name, spec.part, spec.variable, reshape)
    arrays = reader.read_all([spec.name for spec in specs if not spec.part])
    for spec in specs:
        array = arrays[spec.name] if not spec.part else _part(reader, spec)
        spec.variable.assign(np.reshape(array, tuple(spec.variable.shape)) if reshape else array)


def _part(reader: Reader, spec: Spec) -> Any:
    part = texts.parse_slice_spec(spec.part)
    assert part is not None
    return reader.read_part(spec.name, part.starts, part.sizes)


def assert_fits(reader: Reader, key: str, part: str, variable: Any, reshape: bool) -> None:
    """Raises InvalidArgumentError if a value of a checkpoint does not match a variable.

    Args:
        reader: The checkpoint.
        key: The name of the value.
        part: The slice specification, or ``""``.
        variable: The variable.
        reshape: True if the value is reshaped to the shape of the variable.
    """
    dtype, stored = variable.dtype.base_dtype, reader.dtype(key)
    if stored is not dtype:
        raise invalid(
            f"tensor_name = {key}; expected dtype {dtype.cname} does not equal original dtype {stored.cname}"
        )
    wanted = texts.parse_slice_spec(part)
    shape = reader.shape(key) if wanted is None else wanted.shape
    fits = variable.shape.num_elements() in (None, int(np.prod(shape, dtype=np.int64)))
    if not (fits if reshape else variable.shape.is_compatible_with(shape)):
        raise invalid(
            "Assign requires shapes of both tensors to match. lhs shape= "
            f"{text(variable.shape._dims)} rhs shape= {text(shape)}: key {key} of {reader.prefix} for the "
            f"variable {variable.name}"
        )
