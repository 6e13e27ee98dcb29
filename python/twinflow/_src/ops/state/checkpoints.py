"""Ops that save and restore checkpoints, and that read, write and list files."""

from __future__ import annotations

import functools
import os
from typing import Annotated, Any

import numpy as np

from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core import dtypes as types
from twinflow._src.core.dtypes import DType, as_dtype, int32, string
from twinflow._src.core.errors import NotFoundError, invalid
from twinflow._src.core.shapes import Unknown, refused, scalar, text
from twinflow._src.dispatch.op import Kind, Strings, op
from twinflow._src.io import local_files
from twinflow._src.io.local_files import local, path_text
from twinflow._src.ops.strings.text import objects
from twinflow._src.shape_rules.demands import ranked, sized

# Checkpoints.


_Any = Annotated[Any, Kind("dtypes", allowed=types.ANY, many=True, mixed=True)]
_Specs = Annotated[Any, Kind("string", only=string, host=True)]
_Number = Annotated[Any, Kind("int32", only=int32)]


_Types = Annotated[Any, lambda values: tuple(map(as_dtype, values))]
_HOST = ("CPU",)
_io = functools.partial(op, devices=_HOST, impure=True, no_gradient=True)


def _prefix(value: Any) -> str:
    """Returns the prefix as str from a tensor of one element."""
    if value.size != 1:
        raise invalid(f"Input prefix should have a single element, got {value.size} instead.")
    return path_text(value.reshape(-1)[0])


def _assert_named(names: Any, specs: Any, count: int, what: str) -> None:
    """Raises InvalidArgumentError if the numbers of names, slice specs and tensors differ."""
    if names.ndim != 1 or specs.ndim != 1:
        raise invalid(
            "Input tensor_names and shape_and_slices should be an 1-D tensors, got "
            f"{text(names.shape)} and {text(specs.shape)} instead."
        )
    if names.size != specs.size:
        raise invalid(
            "tensor_names and shape_and_slices have different number of elements: "
            f"{names.size} vs. {specs.size}"
        )
    if names.size != count:
        raise invalid(f"Got {names.size} tensor names{what.format(count)}.")


# ------------------------------------------------------------------ saving


def _save_shape(prefix: Any, names: Any, specs: Any, tensors: Any, **_: Any) -> list[Any]:
    ranked(prefix, 0)
    sized(ranked(names, 1)[0], len(tensors))
    sized(ranked(specs, 1)[0], len(tensors))
    return []


def _item(name: bytes, spec: bytes, array: Any, dtype: DType) -> Any:
    from twinflow._src.checkpoint import values as specs
    from twinflow._src.checkpoint import writer

    said = path_text(spec)
    part = specs.parse_slice_spec(said)
    if part is not None:
        specs.assert_within(part)
        if part.shape != array.shape:
            raise invalid(
                "Slice in shape_and_slice specification does not match the shape of the tensor to  save: "
                f"{said}, tensor: {text(array.shape)}"
            )
    return writer.Item(path_text(name), lambda: array, dtype, array.shape, part)


@_io("SaveV2", shape=_save_shape)
def _save_v2(
    xp: Any,
    prefix: Strings,
    tensor_names: Strings,
    shape_and_slices: Strings,
    tensors: _Any,
    *,
    dtypes: _Types,
) -> None:
    """Saves tensors as a checkpoint, atomically: it replaces an earlier one when all is written."""
    from twinflow._src.checkpoint import writer

    _assert_named(tensor_names, shape_and_slices, len(tensors), " but {} tensors")
    each = zip(tensor_names, shape_and_slices, tensors, dtypes)
    path = _prefix(prefix)
    folder = os.path.dirname(local(path))
    if not os.path.isdir(os.path.dirname(folder) or "."):
        raise NotFoundError(None, None, f"{folder}; No such file or directory")
    writer.write(path, [_item(*one) for one in each])


def save_v2(
    prefix: Any, tensor_names: Any, shape_and_slices: Any, tensors: Any, name: str | None = None
) -> Any:
    """Saves tensors as a checkpoint (op ``SaveV2``).

    Args:
        prefix: The prefix of the file names.
        tensor_names: The names of the tensors.
        shape_and_slices: For each tensor the full shape and its slice, or ``""`` for a full tensor.
        tensors: The tensors.
        name: A name for the operation.

    Returns:
        The operation in a graph; None in eager mode.
    """
    values = [convert_to_tensor(tensor) for tensor in tensors]
    kinds = tuple(value.dtype.base_dtype for value in values)
    return _save_v2(prefix, tensor_names, shape_and_slices, values, dtypes=kinds, name=name)


# ------------------------------------------------------------------ restoring


def _restore_shape(prefix: Any, names: Any, specs: Any, *, dtypes: Any) -> list[Any]:
    ranked(prefix, 0)
    ranked(names, 1)
    if isinstance(specs, Unknown):
        return [None] * len(dtypes)
    if np.ndim(specs) != 1:
        raise refused(f"Shape must be rank 1 but is rank {np.ndim(specs)}")
    if len(specs) != len(dtypes):
        raise refused("The number of shape_and_slice doesn't match tensor outputs.")
    return [None if spec is None else _shape_of(spec) for spec in specs]


def _shape_of(spec: bytes) -> Any:
    from twinflow._src.checkpoint import values as specs

    part = specs.parse_slice_spec(path_text(spec))
    return None if part is None else part.shape


def _assert_fits(reader: Any, key: str, part: Any, dtype: DType) -> None:
    """Raises InvalidArgumentError if dtype or shape in the checkpoint differ from the request."""
    if reader.dtype(key) is not dtype:
        raise invalid(
            f"tensor_name = {key}; expected dtype {dtype.cname} does not equal original dtype "
            f"{reader.dtype(key).cname}"
        )
    if part is not None and part.full_shape != reader.shape(key):
        raise invalid(
            f"tensor_name = {key}; shape in shape_and_slice spec {text(part.full_shape)} does not match "
            f"the shape stored in checkpoint: {text(reader.shape(key))}"
        )


@_io("RestoreV2", shape=_restore_shape, out="dtypes")
def restore_v2(
    xp: Any, prefix: Strings, tensor_names: Strings, shape_and_slices: _Specs, *, dtypes: _Types
) -> Any:
    """Restores tensors from a checkpoint, after all of them have been read and verified."""
    from twinflow._src.checkpoint import values as specs
    from twinflow._src.checkpoint.reader import Reader

    _assert_named(tensor_names, shape_and_slices, len(dtypes), ", but {} expected dtypes")
    keys = [path_text(name) for name in tensor_names]
    parts = [specs.parse_slice_spec(path_text(spec)) for spec in shape_and_slices]
    reader = Reader(_prefix(prefix))
    for key, part, dtype in zip(keys, parts, dtypes):
        _assert_fits(reader, key, part, dtype)
    whole = reader.read_all(key for key, part in zip(keys, parts) if part is None or part.is_whole)
    return [
        whole[key]
        if part is None or part.is_whole
        else reader.read_part(key, part.starts, part.sizes)
        for key, part in zip(keys, parts)
    ]


# ------------------------------------------------------------------ shards


def _name_shape(*inputs: Any) -> Any:
    for dims in inputs:
        ranked(dims, 0)
    return ()


@_io("ShardedFilename", shape=_name_shape, out=string)
def sharded_filename(xp: Any, basename: Strings, shard: _Number, num_shards: _Number) -> Any:
    """Returns the file name of a checkpoint shard."""
    for what, value in (("basename", basename), ("shard", shard), ("num_shards", num_shards)):
        if value.ndim:
            raise invalid(f"{what} must be a scalar, got shape {text(value.shape)}")
    return np.array(b"%s-%05d-of-%05d" % (basename[()], shard, num_shards), object)


def _merge_shape(prefixes: Any, destination: Any, **_: Any) -> list[Any]:
    ranked(prefixes, 1)
    ranked(destination, 0)
    return []


@_io("MergeV2Checkpoints", shape=_merge_shape)
def merge_v2_checkpoints(
    xp: Any,
    checkpoint_prefixes: Strings,
    destination_prefix: Strings,
    *,
    delete_old_dirs: bool = True,
    allow_missing_files: bool = False,
) -> None:
    """Merges several checkpoints into one and deletes them."""
    from twinflow._src.checkpoint import reader as merge_shards

    prefixes = [path_text(prefix) for prefix in checkpoint_prefixes.reshape(-1)]
    merge_shards.merge(prefixes, _prefix(destination_prefix), delete_old_dirs, allow_missing_files)


# Files.


def _one(what: str, value: Any) -> bytes:
    """Returns the string of a scalar tensor; raises InvalidArgumentError for other ranks."""
    if value.ndim:
        raise invalid(f"{what} tensor must be scalar, but had shape: {text(value.shape)}")
    return value[()]


def _path(value: Any) -> str:
    return local_files.path_text(_one("Input filename", value))


@op("ReadFile", api="io.read_file", shape=scalar, devices=_HOST, impure=True, no_gradient=True)
def read_file(xp: Any, filename: Strings) -> Any:
    """Reads the contents of a file.

    Args:
        filename: The path, a string.

    Returns:
        A string.

    Raises:
        NotFoundError: The file does not exist.
    """
    return local_files.read(_path(filename))


@op(
    "WriteFile",
    api="io.write_file",
    shape=lambda *_: [],
    devices=_HOST,
    impure=True,
    no_gradient=True,
)
def write_file(xp: Any, filename: Strings, contents: Strings) -> None:
    """Writes a string to a file and creates missing directories.

    Args:
        filename: The path, a string.
        contents: The contents, a string.

    Returns:
        Nothing.
    """
    path = _path(filename)
    local_files.write(path, _one("Contents", contents))


@op(
    "MatchingFiles",
    api="io.matching_files",
    shape=lambda *_: (None,),
    devices=_HOST,
    impure=True,
    no_gradient=True,
)
def matching_files(xp: Any, pattern: Strings) -> Any:
    """Returns the sorted names of the files that match a glob pattern.

    Args:
        pattern: A pattern as in ``tf.io.gfile.glob``, or a vector of them.

    Returns:
        A vector of strings.
    """
    if pattern.ndim > 1:
        raise invalid(
            f"Input patterns tensor must be scalar or vector, but had shape: {text(pattern.shape)}"
        )
    patterns = [local_files.path_text(p) for p in pattern.ravel()]
    paths = [path for each in patterns for path in local_files.matching(each)]
    return objects(sorted(path.encode("utf-8", "surrogateescape") for path in paths), (len(paths),))
