"""NumPy's archives of arrays (``.npz``), without objects: nothing that is read can run code."""

from __future__ import annotations

import errno
import math
import zipfile
from collections.abc import Iterator, Mapping
from typing import IO, Any

import numpy as np

from twinflow._src.checkpoint.damage_errors import lost
from twinflow._src.checkpoint.named_arrays import Array, arrays, replaced, tensor
from twinflow._src.core import dtypes
from twinflow._src.core.dtypes import DType, as_dtype
from twinflow._src.core.errors import OpError, invalid
from twinflow._src.io.local_files import explained, path_text
from twinflow._src.ops.strings.text import objects

_TYPES = ".dtypes"  # the member that names the types which NumPy has not


def _stored(name: str, array: Array, dtype: DType) -> Array:
    """An array as NumPy can hold it."""
    if dtype is dtypes.string:
        found = array.astype("S")
        if found.ravel().tolist() != array.ravel().tolist():
            raise invalid(f"{name} has strings that end in zero bytes, which NumPy's files drop")
        return found
    if dtype.kind == "r":
        raise invalid(f"{name} is of type {dtype.name}, which files do not hold")
    return array if _known(dtype) else array.view(f"u{dtype.size}")


def _known(dtype: DType) -> bool:
    """Whether NumPy has a type."""
    return dtype.np.kind in "biufc" and dtype.np.isbuiltin == 1 and dtype.kind != "q"


def save_npz(
    path: Any, tensors: Mapping[str, Any], *, compressed: bool = False, durable: bool = True
) -> None:
    """Saves tensors as an archive of NumPy arrays, at once.

    What NumPy has no type for (bfloat16 and the like) is held as unsigned integers of its size; a member
    ``.dtypes`` says which arrays these are.

    Args:
        path: The file; an old one is replaced when the new one is complete.
        tensors: Names, and tensors, variables, or values.
        compressed: Whether the arrays are compressed.
        durable: Whether to wait until the disk has the file.

    Raises:
        InvalidArgumentError: A tensor is of a type that such files do not hold.
        ResourceExhaustedError: The disk is full; nothing is left behind.
    """
    found = arrays(tensors)
    members = {name: _stored(name, array, dtype) for name, (array, dtype) in found.items()}
    odd = [(n, d.name) for n, (_, d) in found.items() if not _known(d) and d is not dtypes.string]
    if odd:
        members[_TYPES] = np.array(odd)
    kind = zipfile.ZIP_DEFLATED if compressed else zipfile.ZIP_STORED
    with replaced(path, durable) as file, zipfile.ZipFile(file, "w", kind) as archive:
        for name, array in members.items():
            with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                np.lib.format.write_array(member, array, allow_pickle=False)


# ------------------------------------------------------------------ reading


def _array(archive: zipfile.ZipFile, info: zipfile.ZipInfo, of: str) -> Array:
    """An array of an archive; memory is asked for after a look at what the file can hold."""
    with archive.open(info) as member:
        shape, fortran, dtype = _header(member, of)
        if dtype.hasobject:
            raise lost(f"{of} holds Python objects, which are not read")
        if math.prod(shape) * dtype.itemsize > info.file_size:
            raise lost(f"{of} is too short for its shape {list(shape)}")
        found = np.empty(shape[::-1] if fortran else shape, dtype)
        rest = found.reshape(-1).view(np.uint8).data
        while len(rest):
            count = member.readinto(rest)  # type: ignore[attr-defined]
            if not count:
                raise lost(f"{of} ends too early")
            rest = rest[count:]
        if member.read(1):
            raise lost(f"{of} is longer than its shape {list(shape)}")
    found = np.ascontiguousarray(found.T) if fortran else found
    return found.astype(dtype.newbyteorder("="), copy=False)


def _header(member: IO[bytes], of: str) -> tuple[tuple[int, ...], bool, Any]:
    """Shape, order and type of an array."""
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
    found = dtypes.FROM_NUMPY.get(array.dtype)
    if found is None:
        raise lost(f"{of} is of type {array.dtype}, which no tensor has")
    return tensor(array, found)


def _types(archive: zipfile.ZipFile, path: str) -> dict[str, str]:
    """The types that NumPy has not, by name."""
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
    """The tensors of an archive of NumPy arrays.

    Args:
        path: The file.

    Returns:
        The tensors by name.

    Raises:
        NotFoundError: There is no such file.
        DataLossError: It is none of that kind, is damaged, or holds Python objects.
    """
    path = path_text(path)
    with explained(path) as place, open(place, "rb") as file:
        try:
            with zipfile.ZipFile(file) as archive:
                return dict(_values(archive, path))
        except OpError:
            raise
        except Exception as error:  # of zipfile, zlib and NumPy, on files that are damaged
            if isinstance(error, MemoryError) or getattr(error, "errno", errno.EINVAL) != errno.EINVAL:
                raise
            raise lost(f"{path} is not an archive of NumPy arrays, or is damaged: {error}") from error
