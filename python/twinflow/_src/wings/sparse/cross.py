"""Feature crosses of sparse, ragged and dense columns."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np

from twinflow._src.composite_tensors.ragged_factories import is_ragged
from twinflow._src.composite_tensors.ragged_tensor import RaggedTensor
from twinflow._src.composite_tensors.sparse_tensor import SparseTensor
from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core.dtypes import int64, string
from twinflow._src.core.errors import invalid
from twinflow._src.core.shapes import static_size
from twinflow._src.core.tensor import Tensor
from twinflow._src.dispatch.attributes import convert_attributes
from twinflow._src.dispatch.op import export
from twinflow._src.ops.elementwise.cast import cast
from twinflow._src.ops.strings.hash_buckets import fingerprint64
from twinflow._src.ops.strings.text import objects

_HASH_KEY = 0xDECAFCAFFE
_FACTOR, _MASK = 0xC6A4A7935BD1E995, (1 << 64) - 1
_LARGEST = (1 << 63) - 1

# A feature column: its values in each row.
_Column = list[list[Any]]


# ------------------------------------------------------------------ columns


def _to_list(tensor: Any) -> list[Any]:
    return tensor._host().tolist()


def _split_rows(values: list[Any], splits: Any) -> _Column:
    return [values[a:b] for a, b in itertools.pairwise(splits.tolist())]


def _column(x: Any) -> _Column:
    """Returns the values in each row of a dense, sparse or ragged matrix."""
    if is_ragged(x):
        return _split_rows(_to_list(x.values), x.row_splits._host())
    if isinstance(x, SparseTensor):
        rows, count = x.indices._host()[:, 0], int(x.dense_shape._host()[0])
        splits = np.searchsorted(rows, np.arange(count + 1))
        return _split_rows(_to_list(x.values), splits)
    return _to_list(x)


def _as_text(value: Any) -> bytes:
    return value if isinstance(value, bytes) else b"%d" % value


# ------------------------------------------------------------------ crossed values


def _build_joiner(separator: Any) -> Callable[[Any], Any]:
    glue = bytes(convert_to_tensor(separator).numpy())
    return lambda items: glue.join(map(_as_text, items))


def _mix_hash(value: int) -> int:
    return value ^ (value >> 47)


def _combine_hashes(a: int, b: int) -> int:
    """Combines two fingerprints."""
    result = a ^ _FACTOR
    result = ((result ^ (_mix_hash((b * _FACTOR) & _MASK) * _FACTOR)) * _FACTOR) & _MASK
    return _mix_hash((_mix_hash(result) * _FACTOR) & _MASK)


def _build_hasher(buckets: int, key: int | None) -> Callable[[Any], Any]:
    start = _HASH_KEY if key is None else key

    def hashed(items: Any) -> int:
        result = start
        for item in items:
            number = fingerprint64(item) if isinstance(item, bytes) else item & _MASK
            result = _combine_hashes(result, number)
        return result % (buckets or _LARGEST)

    return hashed


def _check_buckets(op: str, buckets: Any) -> int:
    (count,) = convert_attributes(op, num_buckets=buckets)
    if count is None:
        raise TypeError(f"Expected int for argument 'num_buckets' not {buckets!r}.")
    return int(count)


def _combine_columns(
    columns: list[_Column], make: Callable[[Any], Any]
) -> tuple[list[Any], list[int]]:
    """Returns the crossed values of all rows, and the number in each row."""
    rows = [
        [make(items) for items in itertools.product(*row)] for row in zip(*columns, strict=True)
    ]
    return [item for row in rows for item in row], [len(row) for row in rows]


def _pack_values(items: list[Any]) -> Any:
    """Returns values as a vector of strings or int64."""
    strings = objects(items, (len(items),)) if items and isinstance(items[0], bytes) else None
    return np.array(items, np.int64) if strings is None else strings


# ------------------------------------------------------------------ sparse and dense columns


def _narrow(x: Any) -> Any:
    """Converts a feature column to string or int64."""
    return x if x.dtype is string else cast(x, int64)


def _cross_sparsely(inputs: Any, make: Callable[[Any], Any], empty: Any, wrong: str) -> Any:
    if not isinstance(inputs, (list, tuple)):
        raise TypeError("Inputs must be a list")
    if not all(isinstance(x, (SparseTensor, Tensor)) for x in inputs):
        raise TypeError(wrong)
    sparse = [_narrow(x) for x in inputs if isinstance(x, SparseTensor)]
    dense = [_narrow(x) for x in inputs if not isinstance(x, SparseTensor)]
    _check_dense(sparse, dense)
    items, counts = _combine_columns([_column(x) for x in (*sparse, *dense)], make)
    rows = np.repeat(np.arange(len(counts)), counts)
    within = np.concatenate([np.arange(n) for n in counts]) if counts else rows
    indices = np.stack([rows, within], axis=1).astype(np.int64)
    values = _pack_values(items) if items else np.zeros(0, empty)
    return SparseTensor(indices, values, [len(counts), max(counts, default=0)])


def _check_dense(sparse: list[Any], dense: list[Any]) -> None:
    for i, x in enumerate(dense):
        if x.shape.rank != 2:
            raise invalid(
                f"Dense inputs should be a matrix but received shape {_text(x)} at position {i}"
            )
    sizes = [int(x.dense_shape[0]) for x in sparse]
    sizes += [static_size(x.shape, 0) for x in dense]
    for i, size in enumerate(sizes):
        if size != sizes[0]:
            kind, at = ("input", i) if i < len(sparse) else ("dense tensor", i - len(sparse))
            raise invalid(f"Expected batch size {sizes[0]} got {size} at {kind} {at}")


def _text(x: Any) -> str:
    return "[" + ",".join(map(str, x.shape.as_list())) + "]"


@export("sparse.cross")
def sparse_cross(inputs: Any, name: str | None = None, separator: Any = None) -> Any:
    """Returns the feature cross of columns as strings.

    Args:
        inputs: A list of matrices of strings or integers, sparse or dense; sparse ones come first.
        name: A name for the operation.
        separator: The separator between joined values; ``_X_`` if None.

    Returns:
        A sparse matrix of strings: in each row, every combination of one value per column.

    Raises:
        TypeError: The inputs are not a list of tensors.
        InvalidArgumentError: They have different numbers of rows.
    """
    make = _build_joiner("_X_" if separator is None else separator)
    return _cross_sparsely(inputs, make, object, "All inputs must be Tensor or SparseTensor.")


@export("sparse.cross_hashed")
def sparse_cross_hashed(
    inputs: Any, num_buckets: int = 0, hash_key: int | None = None, name: str | None = None
) -> Any:
    """Returns the feature cross of columns as hashes.

    Args:
        inputs: A list of matrices of strings or integers, sparse or dense; sparse ones come first.
        num_buckets: The number of hash buckets; unlimited if 0.
        hash_key: The hash seed; TensorFlow's default if None.

    Returns:
        A sparse matrix of int64: in each row, a hash of every combination of one value per column.

    Raises:
        TypeError: The inputs are not a list of tensors.
        InvalidArgumentError: They have different numbers of rows, or ``num_buckets`` is negative.
    """
    make = _build_hasher(_check_buckets("SparseCross", num_buckets), hash_key)
    return _cross_sparsely(inputs, make, np.int64, "All inputs must be SparseTensors")


# ------------------------------------------------------------------ ragged columns


def _ragged_input(x: Any, i: int) -> Any:
    x = x if is_ragged(x) or isinstance(x, SparseTensor) else convert_to_tensor(x)
    if is_ragged(x) and x.shape.rank != 2:
        raise ValueError("tf.ragged.cross only supports inputs with rank=2")
    if x.dtype is not string and not x.dtype.is_integer:
        raise ValueError(f"Unexpected dtype for inputs[{i}]: {x.dtype}")
    if not is_ragged(x) and len(x.shape) != 2:
        raise invalid("tf.ragged.cross only supports inputs with rank=2.")
    return x


def _cross_raggedly(inputs: Any, make: Callable[[Any], Any], empty: Any) -> Any:
    if not isinstance(inputs, (list, tuple)):
        raise TypeError("Inputs must be a list")
    columns = [_column(_ragged_input(x, i)) for i, x in enumerate(inputs)]
    if len({len(column) for column in columns}) > 1:
        raise invalid("inputs must all have the same batch dimension size.")
    items, counts = _combine_columns(columns, make)
    narrow = [x for x in inputs if is_ragged(x)]
    wide = not narrow or any(x.row_splits.dtype is int64 for x in narrow)
    splits = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64 if wide else np.int32)
    values = _pack_values(items) if items else np.zeros(0, empty)
    return RaggedTensor._of(convert_to_tensor(values), convert_to_tensor(splits))


@export("ragged.cross")
def ragged_cross(inputs: Any, name: str | None = None) -> Any:
    """Returns the feature cross of columns as strings joined by ``_X_``, as a ragged tensor.

    Args:
        inputs: A list of matrices of strings or integers: ragged, sparse or dense.

    Returns:
        A ragged tensor of strings.

    Raises:
        TypeError: The inputs are not a list.
        ValueError: An input is not a matrix, or has an unsupported dtype.
        InvalidArgumentError: They have different numbers of rows.
    """
    return _cross_raggedly(inputs, _build_joiner("_X_"), object)


@export("ragged.cross_hashed")
def ragged_cross_hashed(
    inputs: Any, num_buckets: int = 0, hash_key: int | None = None, name: str | None = None
) -> Any:
    """Returns the feature cross of columns as hashes, as a ragged tensor.

    Args:
        inputs: A list of matrices of strings or integers: ragged, sparse or dense.
        num_buckets: The number of hash buckets; unlimited if 0.
        hash_key: The hash seed; TensorFlow's default if None.

    Returns:
        A ragged tensor of int64.

    Raises:
        TypeError: The inputs are not a list.
        ValueError: An input is not a matrix, or has an unsupported dtype.
        InvalidArgumentError: They have different numbers of rows, or ``num_buckets`` is negative.
    """
    make = _build_hasher(_check_buckets("RaggedCross", num_buckets), hash_key)
    return _cross_raggedly(inputs, make, np.int64)
