"""Positions of iterators as text: numbers, strings, arrays, lists and dictionaries of those in JSON."""

from __future__ import annotations

import base64
import json
from typing import Any

import numpy as np

from twinflow._src.core.dtypes import as_dtype
from twinflow._src.core.errors import invalid

_ARRAY, _BYTES, _STRINGS = "<array>", "<bytes>", "<strings>"


def encode(position: Any) -> str:
    """Returns a position as text; raises InvalidArgumentError for one that holds something else."""
    return json.dumps(_encoded(position))


def _encoded(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _encoded(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_encoded(item) for item in value]
    if isinstance(value, bytes):
        return {_BYTES: _text(value)}
    if isinstance(value, np.ndarray) and value.dtype == object:
        items = value.reshape(-1).tolist()
        if not all(isinstance(item, bytes) for item in items):
            raise invalid("The position of an iterator over datasets of datasets cannot be saved.")
        return {_STRINGS: [list(value.shape), list(map(_text, items))]}
    if isinstance(value, np.ndarray):
        name = as_dtype(value.dtype).name
        return {_ARRAY: [name, list(value.shape), _text(value.tobytes())]}
    return value.item() if isinstance(value, np.generic) else value


def _text(data: bytes) -> str:
    return base64.b64encode(data).decode()


def decode(text: str) -> Any:
    """Returns the position of a text."""
    return json.loads(text, object_hook=_decoded)


def _decoded(value: dict[str, Any]) -> Any:
    if _BYTES in value:
        return base64.b64decode(value[_BYTES])
    if _ARRAY in value:
        name, shape, data = value[_ARRAY]
        flat = np.frombuffer(base64.b64decode(data), as_dtype(name).np)
        return flat.reshape(shape).copy()
    if _STRINGS in value:
        shape, items = value[_STRINGS]
        array = np.empty(len(items), object)
        array[:] = list(map(base64.b64decode, items))
        return array.reshape(shape)
    return value
