"""Positions of iterators as bytes, for checkpoints: JSON, with arrays in Base64."""

from __future__ import annotations

import base64
import json
from typing import Any

import numpy as np

from twinflow._src.core.dtypes import FROM_NUMPY, as_dtype
from twinflow._src.core.errors import FailedPreconditionError


def encode(position: Any) -> bytes:
    """Returns a position as bytes; raises FailedPreconditionError where a value has none."""
    return json.dumps(_plain(position)).encode()


def decode(text: bytes) -> Any:
    """Returns the position of bytes."""
    return _position(json.loads(text))


def _plain(value: Any) -> Any:
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, np.generic):
        return _plain(np.asarray(value)) if isinstance(value, np.void) else value.item()
    if isinstance(value, bytes):
        return {"b": base64.b64encode(value).decode()}
    if isinstance(value, dict):
        return {"d": [[_plain(key), _plain(item)] for key, item in value.items()]}
    if isinstance(value, tuple):
        return {"t": [_plain(item) for item in value]}
    if isinstance(value, list):
        return [_plain(item) for item in value]
    if isinstance(value, np.ndarray) and value.dtype.kind == "O":
        items = value.reshape(-1).tolist()
        return {"o": [_plain(item) for item in items], "shape": list(value.shape)}
    if isinstance(value, np.ndarray):
        raw = base64.b64encode(np.ascontiguousarray(value).tobytes()).decode()
        return {"a": raw, "dtype": FROM_NUMPY[value.dtype].name, "shape": list(value.shape)}
    raise FailedPreconditionError(
        None, None, f"The state of an iterator over {type(value).__name__} values cannot be saved."
    )


def _position(value: Any) -> Any:
    if isinstance(value, list):
        return [_position(item) for item in value]
    if not isinstance(value, dict):
        return value
    if "b" in value:
        return base64.b64decode(value["b"])
    if "d" in value:
        return {_position(key): _position(item) for key, item in value["d"]}
    if "t" in value:
        return tuple(_position(item) for item in value["t"])
    if "o" in value:
        array = np.empty(len(value["o"]), object)
        for i, item in enumerate(value["o"]):
            array[i] = _position(item)
        return array.reshape(value["shape"])
    dtype = as_dtype(value["dtype"]).np
    return np.frombuffer(base64.b64decode(value["a"]), dtype).reshape(value["shape"]).copy()
