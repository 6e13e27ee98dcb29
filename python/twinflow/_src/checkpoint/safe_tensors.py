"""Files of the format "safetensors": a header in JSON, then the bytes of the tensors."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Mapping
from typing import IO, Any

import numpy as np

from twinflow._src.checkpoint.damage_errors import lost
from twinflow._src.checkpoint.named_arrays import arrays, replaced, tensor
from twinflow._src.core.dtypes import ALL, DType
from twinflow._src.core.errors import invalid
from twinflow._src.io.local_files import explained, path_text

# The format's names of types, ours, and the order in which files have them: types of large elements first.
_NAMES = {
    "BOOL": "bool",
    "U8": "uint8",
    "I8": "int8",
    "F8_E5M2": "float8_e5m2",
    "F8_E4M3": "float8_e4m3fn",
    "I16": "int16",
    "U16": "uint16",
    "F16": "float16",
    "BF16": "bfloat16",
    "I32": "int32",
    "U32": "uint32",
    "F32": "float32",
    "C64": "complex64",
    "F64": "float64",
    "I64": "int64",
    "U64": "uint64",
}
_TYPES = {ours: theirs for theirs, ours in _NAMES.items()}
_ORDER = {name: at for at, name in enumerate(_NAMES)}
_LONGEST_HEADER = 100_000_000
_METADATA = "__metadata__"


def _type(name: str, dtype: DType) -> str:
    if dtype.name not in _TYPES or name == _METADATA:
        raise invalid(f"{name} of type {dtype.name} cannot be in a file of safetensors")
    return _TYPES[dtype.name]


def save_safetensors(
    path: Any,
    tensors: Mapping[str, Any],
    *,
    metadata: Mapping[str, str] | None = None,
    durable: bool = True,
) -> None:
    """Saves tensors as a file of safetensors, at once.

    Args:
        path: The file; an old one is replaced when the new one is complete.
        tensors: Names, and tensors, variables, or values.
        metadata: Texts by name, which the header holds too.
        durable: Whether to wait until the disk has the file.

    Raises:
        InvalidArgumentError: A tensor is of a type that the format has not, such as strings.
        ResourceExhaustedError: The disk is full; nothing is left behind.
    """
    found = arrays(tensors)
    types = {name: _type(name, dtype) for name, (_, dtype) in found.items()}
    order = sorted(found, key=lambda name: (-_ORDER[types[name]], name))
    header: dict[str, Any] = {_METADATA: dict(metadata)} if metadata else {}
    place = 0
    for name in order:
        array = found[name][0]
        ends = [place, place + array.nbytes]
        header[name] = {"dtype": types[name], "shape": list(array.shape), "data_offsets": ends}
        place = ends[1]
    text = json.dumps(header, separators=(",", ":"), ensure_ascii=False).encode()
    text = text.ljust(-(-len(text) // 8) * 8)
    with replaced(path, durable) as file:
        file.write(len(text).to_bytes(8, "little") + text)
        for name in order:
            data = np.ascontiguousarray(found[name][0]).reshape(-1).view(np.uint8)
            file.write(data.data)


# ------------------------------------------------------------------ reading


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a name occurs twice")
    return found


def _header(file: IO[bytes], path: str) -> tuple[dict[str, Any], int]:
    """The header of a file, and where the data begin."""
    limit = os.fstat(file.fileno()).st_size
    length = int.from_bytes(file.read(8), "little")
    if limit < 8 or length > min(limit - 8, _LONGEST_HEADER):
        raise lost(f"{path} is no file of safetensors: its header is too long or it is too short")
    try:
        header = json.loads(file.read(length).decode(), object_pairs_hook=_unique)
        if not isinstance(header, dict):
            raise ValueError("it is no object")
    except (ValueError, RecursionError) as error:
        raise lost(f"{path} is no file of safetensors: its header is damaged: {error}") from None
    return header, 8 + length


def _entry(name: str, entry: Any, path: str) -> tuple[DType, tuple[int, ...], int, int]:
    """Type, shape, begin and end of a tensor."""
    try:
        kind, shape, (begin, end) = entry["dtype"], tuple(entry["shape"]), entry["data_offsets"]
        numbers = [*shape, begin, end]
        if any(type(n) is not int or n < 0 for n in numbers):
            raise ValueError("a size is no number from zero on")
        if kind not in _NAMES:
            raise ValueError(f"there is no type {kind}")
        dtype = ALL[_NAMES[kind]]
        if math.prod(shape) * dtype.size != end - begin:
            raise ValueError("its size is not that of its shape")
    except (KeyError, TypeError, ValueError) as error:
        raise lost(f"{name} in {path}: the header is damaged: {error}") from None
    return dtype, shape, begin, end


def load_safetensors(path: Any) -> dict[str, Any]:
    """The tensors of a file of safetensors.

    Args:
        path: The file.

    Returns:
        The tensors by name.

    Raises:
        NotFoundError: There is no such file.
        DataLossError: It is none of that kind, or is damaged.
    """
    path = path_text(path)
    with explained(path) as place, open(place, "rb") as file:
        header, start = _header(file, path)
        header.pop(_METADATA, None)
        entries = {name: _entry(name, entry, path) for name, entry in header.items()}
        _assert_filled(entries, os.fstat(file.fileno()).st_size - start, path)
        return {name: _read(file, start, name, entry, path) for name, entry in entries.items()}


def _assert_filled(entries: dict[str, Any], length: int, path: str) -> None:
    """Raises an error where tensors share bytes, or bytes belong to no tensor."""
    place = 0
    for _, _, begin, end in sorted(entries.values(), key=lambda entry: entry[2:]):
        if begin != place:
            raise lost(f"{path} is damaged: the tensors do not follow each other")
        place = end
    if place != length:
        raise lost(f"{path} is damaged: it has {length} bytes of data instead of {place}")


def _read(file: IO[bytes], start: int, name: str, entry: Any, path: str) -> Any:
    dtype, shape, begin, _ = entry
    found = np.empty(shape, dtype.np)
    file.seek(start + begin)
    if file.readinto(found.reshape(-1).view(np.uint8)) != found.nbytes:  # type: ignore[attr-defined]
        raise lost(f"{name} in {path} ends too early")
    return tensor(found, dtype)
