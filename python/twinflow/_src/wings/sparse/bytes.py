"""Serialization of sparse tensors to strings: a TensorProto each of indices, values and shape."""

from __future__ import annotations

from typing import Any

import numpy as np

from twinflow._src.composite_tensors.sparse_tensor import SparseTensor
from twinflow._src.core.dtypes import as_dtype, string
from twinflow._src.core.errors import UnimplementedError, invalid
from twinflow._src.core.protos import message, needed
from twinflow._src.core.shapes import text
from twinflow._src.dispatch.attributes import convert_attributes
from twinflow._src.dispatch.op import Strings, Type, export, op
from twinflow._src.graph_serialization.tensor_proto import content_proto, values_of
from twinflow._src.io.varints import varint
from twinflow._src.numerics.object_arrays import object_array
from twinflow._src.wings.sparse.parts import HOST, Lengths, Places, check_order, sizes, sparse

# ------------------------------------------------------------------ one tensor


def _serialize_tensor(array: Any) -> bytes:
    """Serializes an array as a TensorProto; strings follow their varint-encoded lengths."""
    proto = content_proto(array, as_dtype(array.dtype))
    if array.dtype.kind == "O":
        items = array.ravel().tolist()
        proto.ClearField("string_val")
        proto.tensor_content = b"".join([*(varint(len(item)) for item in items), *items])
    return bytes(proto.SerializeToString())


def _serialize_arrays(*arrays: Any) -> Any:
    return object_array([_serialize_tensor(array) for array in arrays])


# ------------------------------------------------------------------ sparse tensors


def _check_type(out_type: Any) -> None:
    if out_type is not string:
        raise UnimplementedError(None, None, "Sparse tensors become strings only.")


@op("SerializeSparse", shape=lambda *_, **__: (3,), out=string, devices=HOST, no_gradient=True)
def _serialize(
    xp: Any,
    sparse_indices: Places,
    sparse_values: Any,
    sparse_shape: Lengths,
    *,
    out_type: Type = string,
) -> Any:
    """Serializes a sparse tensor to a vector of three strings."""
    _check_type(out_type)
    return _serialize_arrays(sparse_indices, sparse_values, sparse_shape)


def _infer_serialized(indices: Any, values: Any, shape: Any, **_: Any) -> Any:
    dims = sizes(shape)
    return dims[0] if dims else None, 3


@op("SerializeManySparse", shape=_infer_serialized, out=string, devices=HOST, no_gradient=True)
def _serialize_many(
    xp: Any,
    sparse_indices: Places,
    sparse_values: Any,
    sparse_shape: Lengths,
    *,
    out_type: Type = string,
) -> Any:
    """Serializes each slice of a sparse tensor along its first dimension to a row of three strings."""
    _check_type(out_type)
    if len(sparse_shape) < 2:
        raise invalid(
            f"Rank of input SparseTensor should be > 1, but saw rank: {len(sparse_shape)}"
        )
    check_order(sparse_indices, sparse_shape)
    result = np.empty((int(sparse_shape[0]), 3), object)
    for i in range(len(result)):
        here = sparse_indices[:, 0] == i
        indices = np.ascontiguousarray(sparse_indices[here, 1:])
        result[i] = _serialize_arrays(indices, sparse_values[here], sparse_shape[1:])
    return result


def _check_serialized(strings: Any) -> None:
    if not strings.ndim:
        raise invalid("Serialized sparse should have non-zero rank but is zero")
    if strings.shape[-1] != 3:
        raise invalid(
            f"Serialized sparse should have 3 as the last dimension {text(strings.shape)}"
        )
    if not strings.size:
        raise invalid(
            "Serialized sparse should have at least 1 serialized tensor, but has a zero dimension "
            f"{text(strings.shape)}"
        )


def _parse(row: Any, number: int, dtype: Any) -> list[Any]:
    """Parses the indices, values and dense shape of one sparse tensor."""
    broken = needed("google.protobuf.message", "protobuf").DecodeError
    try:
        contents = [values_of(message("TensorProto").FromString(data)) for data in row]
    except (broken, KeyError, TypeError, ValueError):
        raise invalid("Could not parse serialized proto") from None
    if contents[1][1] is not dtype:
        raise invalid(
            f"Requested SparseTensor of type {dtype.cname} but SparseTensor[{number}].values.dtype() "
            f"== {contents[1][1].cname}"
        )
    return [array for array, _ in contents]


@op(
    "DeserializeManySparse",
    shape=lambda *_, **__: [(None, None), (None,), (None,)],
    devices=HOST,
    no_gradient=True,
)
def _deserialize_many(xp: Any, serialized_sparse: Strings, *, dtype: Type) -> list[Any]:
    """Deserializes sparse tensors and stacks them along a new first dimension."""
    _check_serialized(serialized_sparse)
    tensors = [_parse(row, i, dtype) for i, row in enumerate(serialized_sparse.reshape(-1, 3))]
    rank = len(tensors[0][2])
    for i, (_, _, shape) in enumerate(tensors):
        if len(shape) != rank:
            raise invalid(
                f"Inconsistent shape across SparseTensors: rank prior to SparseTensor[{i}] was: "
                f"{rank} but rank of SparseTensor[{i}] is: {len(shape)}"
            )
    rows = [np.insert(indices, 0, i, axis=1) for i, (indices, _, _) in enumerate(tensors)]
    max_shape = np.max([shape for _, _, shape in tensors], axis=0)
    outer = serialized_sparse.shape[:-1] or (1,)
    shape = np.array([int(np.prod(outer)), *max_shape.tolist()], np.int64)
    return [np.concatenate(rows), np.concatenate([values for _, values, _ in tensors]), shape]


# ------------------------------------------------------------------ public functions


def _parts(sp_input: Any) -> tuple[Any, Any, Any]:
    value = sparse(sp_input)
    return value.indices, value.values, value.dense_shape


@export("io.serialize_sparse")
def serialize_sparse(sp_input: Any, out_type: Any = string, name: str | None = None) -> Any:
    """Serializes a sparse tensor to a vector of three strings.

    Args:
        sp_input: A sparse tensor.
        out_type: The dtype of the result: ``tf.string``.

    Returns:
        A vector of strings: the indices, the values and the shape as protocol buffers.

    Raises:
        TypeError: The input is not sparse.
        ImportError: The package protobuf is not installed.
    """
    return _serialize(*_parts(sp_input), out_type=out_type, name=name)


@export("io.serialize_many_sparse")
def serialize_many_sparse(sp_input: Any, out_type: Any = string, name: str | None = None) -> Any:
    """Serializes each slice of a sparse tensor along its first dimension to a row of three strings.

    Args:
        sp_input: A sparse tensor of rank 2 or more.
        out_type: The dtype of the result: ``tf.string``.

    Returns:
        A matrix of strings, a row for each slice.

    Raises:
        TypeError: The input is not sparse.
        InvalidArgumentError: The rank is less than 2, or the indices are not sorted.
        ImportError: The package protobuf is not installed.
    """
    return _serialize_many(*_parts(sp_input), out_type=out_type, name=name)


@export("io.deserialize_many_sparse")
def deserialize_many_sparse(
    serialized_sparse: Any, dtype: Any, rank: Any = None, name: str | None = None
) -> Any:
    """Deserializes sparse tensors and stacks them along a new first dimension.

    Args:
        serialized_sparse: A matrix of strings, three for each sparse tensor.
        dtype: The dtype of the elements.
        rank: The static rank of the result, if known.

    Returns:
        A sparse tensor.

    Raises:
        InvalidArgumentError: The strings are not serialized sparse tensors, or their ranks differ.
        ValueError: The rank differs from ``rank``.
        ImportError: The package protobuf is not installed.
    """
    (value_dtype,) = convert_attributes("DeserializeManySparse", dtype=dtype)
    indices, values, shape = _deserialize_many(serialized_sparse, dtype=value_dtype, name=name)
    indices.set_shape([None, rank])
    shape.set_shape([rank])
    return SparseTensor(indices, values, shape)
