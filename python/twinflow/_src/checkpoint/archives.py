"""Archives of named tensors: NumPy's ``.npz`` (without pickled objects) and safetensors."""

from __future__ import annotations

import errno
import json
import math
import os
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import IO, Any

import numpy as np

from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core import dtypes
from twinflow._src.core.context import runtime
from twinflow._src.core.dtypes import ALL, DType, as_dtype
from twinflow._src.core.errors import OpError, invalid
from twinflow._src.core.tensor import EagerTensor
from twinflow._src.dispatch.docstrings import documented_like
from twinflow._src.io import atomic_write as files
from twinflow._src.io.local_files import explained, lost, path_text
from twinflow._src.ops.strings.text import objects

Array = np.ndarray[Any, Any]


def arrays(tensors: Mapping[str, Any]) -> dict[str, tuple[Array, DType]]:
    """Returns tensors, variables or values as host arrays with their dtypes."""
    hosts = {}
    for name, value in tensors.items():
        if not isinstance(name, str):
            raise TypeError(f"Names of tensors are text, not {name!r}")
        tensor = convert_to_tensor(value)
        if not isinstance(tensor, EagerTensor):
            raise invalid(f"{name} has no value yet: it is a tensor of a graph")
        hosts[name] = tensor._host(), tensor.dtype
    return hosts


def tensor(array: Array, dtype: DType) -> EagerTensor:
    """Returns a tensor that takes ownership of an array."""
    return EagerTensor(array, runtime.host, dtype)


@contextmanager
def open_atomically(path: Any, durable: bool) -> Iterator[IO[bytes]]:
    """Opens a temporary file that is renamed to ``path`` on success, and removed on failure."""
    with explained(path_text(path)) as local_path:
        name = files.temporary_name(local_path)
        try:
            with os.fdopen(files.create(name), "wb") as file:
                yield file
                file.flush()
                if durable:
                    os.fsync(file.fileno())
            os.replace(name, local_path)
        except BaseException:
            files.remove(name)
            raise
        files.sync_folder(os.path.dirname(local_path), durable)


# ------------------------------------------------------------------ NumPy's archives (.npz)

# Without objects: reading cannot run code.

_TYPES = ".dtypes"  # the member with the dtypes that NumPy lacks


def _to_storable(name: str, array: Array, dtype: DType) -> Array:
    """Returns an array in a form that NumPy can store."""
    if dtype is dtypes.string:
        packed = array.astype("S")
        if packed.ravel().tolist() != array.ravel().tolist():
            raise invalid(f"{name} has strings that end in zero bytes, which NumPy's files drop")
        return packed
    if dtype.kind == "r":
        raise invalid(f"{name} is of type {dtype.name}, which files do not hold")
    return array if _is_native_dtype(dtype) else array.view(f"u{dtype.size}")


def _is_native_dtype(dtype: DType) -> bool:
    """True if a dtype is native to NumPy."""
    return dtype.np.kind in "biufc" and dtype.np.isbuiltin == 1 and dtype.kind != "q"


def save_npz(
    path: Any, tensors: Mapping[str, Any], *, compressed: bool = False, durable: bool = True
) -> None:
    """Saves tensors as an archive of NumPy arrays, atomically.

    Dtypes that NumPy lacks (bfloat16 and the like) are stored as unsigned integers of the same
    size; a member ``.dtypes`` lists these arrays.

    Args:
        path: The file; an old one is replaced when the new one is complete.
        tensors: Names, and tensors, variables, or values.
        compressed: Whether to compress the arrays.
        durable: Whether to call ``fsync``.

    Raises:
        InvalidArgumentError: A tensor has a dtype that such files do not support.
        ResourceExhaustedError: The disk is full; no temporary file is left.
    """
    hosts = arrays(tensors)
    members = {name: _to_storable(name, array, dtype) for name, (array, dtype) in hosts.items()}
    odd = [
        (n, d.name)
        for n, (_, d) in hosts.items()
        if not _is_native_dtype(d) and d is not dtypes.string
    ]
    if odd:
        members[_TYPES] = np.array(odd)
    kind = zipfile.ZIP_DEFLATED if compressed else zipfile.ZIP_STORED
    with open_atomically(path, durable) as file, zipfile.ZipFile(file, "w", kind) as archive:
        for name, array in members.items():
            with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                np.lib.format.write_array(member, array, allow_pickle=False)


def _array(archive: zipfile.ZipFile, info: zipfile.ZipInfo, of: str) -> Array:
    """Returns an array of an archive; its size is checked against the member before allocation."""
    with archive.open(info) as member:
        shape, fortran, dtype = _header(member, of)
        if dtype.hasobject:
            raise lost(f"{of} holds Python objects, which are not read")
        if math.prod(shape) * dtype.itemsize > info.file_size:
            raise lost(f"{of} is too short for its shape {list(shape)}")
        array = np.empty(shape[::-1] if fortran else shape, dtype)
        unread = array.reshape(-1).view(np.uint8).data
        while len(unread):
            count = member.readinto(unread)  # type: ignore[attr-defined]
            if not count:
                raise lost(f"{of} ends too early")
            unread = unread[count:]
        if member.read(1):
            raise lost(f"{of} is longer than its shape {list(shape)}")
    array = np.ascontiguousarray(array.T) if fortran else array
    return array.astype(dtype.newbyteorder("="), copy=False)


def _header(member: IO[bytes], of: str) -> tuple[tuple[int, ...], bool, Any]:
    """Returns the shape, memory order and dtype of an array."""
    version = np.lib.format.read_magic(member)
    if version == (1, 0):
        return np.lib.format.read_array_header_1_0(member)
    if version == (2, 0):
        return np.lib.format.read_array_header_2_0(member)
    raise lost(f"{of} is of version {version} of NumPy's format")


def _value(array: Array, name: str, types: Mapping[str, str], of: str) -> Any:
    if name in types:
        dtype = as_dtype(types[name])
        if dtype.np.itemsize != array.dtype.itemsize or array.dtype.kind != "u":
            raise lost(f"{of} is not of type {dtype.name}")
        return tensor(array.view(dtype.np), dtype)
    if array.dtype.kind in "SU":
        texts = [x.encode() if isinstance(x, str) else x for x in array.ravel().tolist()]
        return tensor(objects(texts, array.shape), dtypes.string)
    native = dtypes.FROM_NUMPY.get(array.dtype)
    if native is None:
        raise lost(f"{of} is of type {array.dtype}, which no tensor has")
    return tensor(array, native)


def _types(archive: zipfile.ZipFile, path: str) -> dict[str, str]:
    """Returns the dtypes that NumPy lacks, by name."""
    if f"{_TYPES}.npy" not in archive.namelist():
        return {}
    return dict(_array(archive, archive.getinfo(f"{_TYPES}.npy"), f"{_TYPES} in {path}").tolist())


def _values(archive: zipfile.ZipFile, path: str) -> Iterator[tuple[str, Any]]:
    types = _types(archive, path)
    for info in archive.infolist():
        name, of = info.filename.removesuffix(".npy"), f"{info.filename} in {path}"
        if name != _TYPES:
            yield name, _value(_array(archive, info, of), name, types, of)


def load_npz(path: Any) -> dict[str, Any]:
    """Loads the tensors of an archive of NumPy arrays.

    Args:
        path: The file.

    Returns:
        The tensors by name.

    Raises:
        NotFoundError: The file does not exist.
        DataLossError: The file has another format, is damaged, or holds Python objects.
    """
    path = path_text(path)
    with explained(path) as local_path, open(local_path, "rb") as file:
        try:
            with zipfile.ZipFile(file) as archive:
                return dict(_values(archive, path))
        except OpError:
            raise
        except Exception as error:  # from zipfile, zlib and NumPy, for damaged files
            if (
                isinstance(error, MemoryError)
                or getattr(error, "errno", errno.EINVAL) != errno.EINVAL
            ):
                raise
            raise lost(
                f"{path} is not an archive of NumPy arrays, or is damaged: {error}"
            ) from error


# ------------------------------------------------------------------ safetensors

# A file is a header in JSON, then the bytes of the tensors.

# The format's names of dtypes, and ours; tensors are written in reverse order, large elements
# first.
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
_SAFE_TENSORS_TYPES = {ours: theirs for theirs, ours in _NAMES.items()}
_ORDER = {name: at for at, name in enumerate(_NAMES)}
_LONGEST_HEADER = 100_000_000
_METADATA = "__metadata__"


def _type(name: str, dtype: DType) -> str:
    if dtype.name not in _SAFE_TENSORS_TYPES or name == _METADATA:
        raise invalid(f"{name} of type {dtype.name} cannot be in a file of safetensors")
    return _SAFE_TENSORS_TYPES[dtype.name]


@documented_like(save_npz)
def save_safetensors(
    path: Any,
    tensors: Mapping[str, Any],
    *,
    metadata: Mapping[str, str] | None = None,
    durable: bool = True,
) -> None:
    """Saves tensors in the safetensors format, atomically.

    Args:
        metadata: Strings by name, which are stored in the header.

    Raises:
        InvalidArgumentError: A tensor has a dtype that the format does not support, such as
            strings.
        ResourceExhaustedError: The disk is full; no temporary file is left.
    """
    hosts = arrays(tensors)
    types = {name: _type(name, dtype) for name, (_, dtype) in hosts.items()}
    order = sorted(hosts, key=lambda name: (-_ORDER[types[name]], name))
    header: dict[str, Any] = {_METADATA: dict(metadata)} if metadata else {}
    offset = 0
    for name in order:
        array = hosts[name][0]
        offsets = [offset, offset + array.nbytes]
        header[name] = {"dtype": types[name], "shape": list(array.shape), "data_offsets": offsets}
        offset = offsets[1]
    text = json.dumps(header, separators=(",", ":"), ensure_ascii=False).encode()
    text = text.ljust(-(-len(text) // 8) * 8)
    with open_atomically(path, durable) as file:
        file.write(len(text).to_bytes(8, "little") + text)
        for name in order:
            data = np.ascontiguousarray(hosts[name][0]).reshape(-1).view(np.uint8)
            file.write(data.data)


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) != len(pairs):
        raise ValueError("a name occurs twice")
    return fields


def _safe_tensors_header(file: IO[bytes], path: str) -> tuple[dict[str, Any], int]:
    """Returns the header of a file, and the offset of the data."""
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
    """Returns dtype, shape, start and end offset of a tensor."""
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


@documented_like(load_npz)
def load_safetensors(path: Any) -> dict[str, Any]:
    """Loads the tensors of a file in the safetensors format.

    Raises:
        NotFoundError: The file does not exist.
        DataLossError: The file has another format, or is damaged.
    """
    path = path_text(path)
    with explained(path) as local_path, open(local_path, "rb") as file:
        header, start = _safe_tensors_header(file, path)
        header.pop(_METADATA, None)
        entries = {name: _entry(name, entry, path) for name, entry in header.items()}
        _assert_filled(entries, os.fstat(file.fileno()).st_size - start, path)
        return {name: _read(file, start, name, entry, path) for name, entry in entries.items()}


def _assert_filled(entries: dict[str, Any], length: int, path: str) -> None:
    """Raises DataLossError where tensors overlap, or bytes belong to no tensor."""
    offset = 0
    for _, _, begin, end in sorted(entries.values(), key=lambda entry: entry[2:]):
        if begin != offset:
            raise lost(f"{path} is damaged: the tensors do not follow each other")
        offset = end
    if offset != length:
        raise lost(f"{path} is damaged: it has {length} bytes of data instead of {offset}")


def _read(file: IO[bytes], start: int, name: str, entry: Any, path: str) -> Any:
    dtype, shape, begin, _ = entry
    array = np.empty(shape, dtype.np)
    file.seek(start + begin)
    if file.readinto(array.reshape(-1).view(np.uint8)) != array.nbytes:  # type: ignore[attr-defined]
        raise lost(f"{name} in {path} ends too early")
    return tensor(array, dtype)
