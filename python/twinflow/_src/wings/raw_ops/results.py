"""The results of the functions of ``tf.raw_ops``: a tensor, a list, or a named tuple of these."""

from __future__ import annotations

import functools
from collections import namedtuple
from typing import Any

from twinflow._src.core.errors import invalid
from twinflow._src.wings.raw_ops.parameters import known_signature


@functools.cache
def _tuple_of(type: str) -> Any:
    return namedtuple(type, [arg.name for arg in known_signature(type).outputs])


def shaped(type: str, values: dict[str, Any], found: Any) -> Any:
    """The results of an op as its function gives them.

    Args:
        type: The op's type.
        values: The inputs and attributes of the call, by the definition's names.
        found: The tensors that the op gave.
    """
    outputs = known_signature(type).outputs
    if not outputs or (len(outputs) == 1 and outputs[0].number is None):
        return found[0] if outputs and isinstance(found, (list, tuple)) else found
    tensors = list(found) if isinstance(found, (list, tuple)) else [found]
    if len(outputs) == 1:
        return tensors
    parts: list[Any] = []
    for place, arg in enumerate(outputs):
        if arg.number is None:
            parts.append(tensors.pop(0))
            continue
        count = _count(type, arg.number, values)
        if count is None:  # what the others leave
            count = len(tensors) - (len(outputs) - place - 1)
        parts.append(tensors[:count])
        del tensors[:count]
    if tensors:
        raise invalid(f"{type}: the lengths of its lists do not go with the numbers that it was given")
    return _tuple_of(type)(*parts)


def _count(type: str, number: str, values: dict[str, Any]) -> int | None:
    """How many tensors a list holds: an attribute says so, or an input that is as long."""
    known = values.get(number)
    if known is not None:
        return known if isinstance(known, int) else len(known)
    for arg in known_signature(type).inputs:
        if arg.number == number:
            return len(values[arg.name])
    return None
