"""Splitting of strings into ragged tensors, n-grams, and segment joins."""

from __future__ import annotations

import itertools
import math
from collections import defaultdict
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from twinflow._src.composite_tensors.ragged_factories import is_ragged
from twinflow._src.composite_tensors.ragged_tensor import RaggedTensor
from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core.dtypes import string
from twinflow._src.core.errors import OutOfRangeError, invalid
from twinflow._src.core.shapes import text
from twinflow._src.dispatch.attributes import convert_attributes
from twinflow._src.dispatch.op import Indices, Strings, documented_like, export, op
from twinflow._src.ops.array.shapes import expand_dims
from twinflow._src.ops.reduce.segments import Count
from twinflow._src.ops.strings.text import objects


def ragged_of(rows: list[list[Any]], shape: Any, make: Any) -> Any:
    """Returns rows as a ragged tensor of ``shape`` plus a ragged axis, or a vector for a scalar."""
    # ``make`` converts a list of parts to an array.
    values: Any = convert_to_tensor(make(list(itertools.chain.from_iterable(rows))))
    if not shape:
        return values
    ends = np.zeros(len(rows) + 1, np.int64)
    np.cumsum([len(row) for row in rows], out=ends[1:])
    result: Any = RaggedTensor._of(values, convert_to_tensor(ends))
    for axis in range(len(shape) - 1, 0, -1):  # of one length, but ragged as TensorFlow's are
        count = math.prod(shape[:axis])
        uniform = np.arange(count + 1, dtype=np.int64) * shape[axis]
        result = RaggedTensor._of(result, convert_to_tensor(uniform))
    return result


def byte_strings(items: list[bytes]) -> Any:
    return objects(items, (len(items),))


def each_string(input: Any, cut: Any, make: Any = byte_strings, name: str | None = None) -> Any:
    """Splits each string of a tensor or ragged tensor; ``name`` is its name in messages."""
    if is_ragged(input):
        inner = each_string(input.flat_values, cut, make, name)
        return _replaced(input, inner)
    x = convert_to_tensor(input, dtype=string, name=name)
    array = x._host()
    return ragged_of(list(map(cut, array.ravel().tolist())), array.shape, make)


def _replaced(rt: Any, values: Any) -> Any:
    inner = rt.values
    return RaggedTensor._of(_replaced(inner, values) if is_ragged(inner) else values, rt.row_splits)


@export("strings.split")
def split(input: Any, sep: Any = None, maxsplit: int = -1, name: str | None = None) -> Any:
    """Splits strings at a separator.

    Args:
        input: A string tensor or ragged tensor.
        sep: The separator; if None or empty, runs of whitespace.
        maxsplit: The maximum number of splits; -1 for no limit.

    Returns:
        A ragged tensor of the parts; a vector for a scalar input.
    """
    separator = convert_to_tensor("" if sep is None else sep, dtype=string)
    (maxsplit,) = convert_attributes("StringSplitV2", maxsplit=maxsplit)
    if separator.shape.rank:
        raise invalid(f"sep must be a scalar, got shape: {text(separator.shape._dims)}")
    mark: Any = separator._host()[()]

    def split_string(text: bytes) -> list[bytes]:
        if mark:
            return text.split(mark, maxsplit)
        parts = text.split(None, maxsplit)
        return (
            [*parts, b""] if 0 < len(parts) == maxsplit else parts
        )  # the last part is the remainder

    return each_string(input, split_string, name="input")


@export("strings.bytes_split")
@documented_like(split)
def bytes_split(input: Any, name: str | None = None) -> Any:
    """Splits strings into bytes.

    Returns:
        A ragged tensor of single-byte strings; a vector for a scalar input.

    Raises:
        ValueError: The input is not a string tensor.
    """
    if not is_ragged(input):
        input = convert_to_tensor(input)
        if input.dtype is not string:
            convert_to_tensor(input if input.shape.rank else expand_dims(input, 0), dtype=string)
    return each_string(input, lambda s: [s[i : i + 1] for i in range(len(s))])


@export("strings.ngrams")
def ngrams(
    data: Any,
    ngram_width: Any,
    separator: str = " ",
    pad_values: Any = None,
    padding_width: int | None = None,
    preserve_short_sequences: bool = False,
    name: str | None = None,
) -> Any:
    """Creates n-grams of strings along the last dimension.

    Args:
        data: A string tensor or ragged tensor.
        ngram_width: The width of the n-grams, or a list of widths.
        separator: The string inserted between the elements of an n-gram.
        pad_values: The padding before and after each sequence, one string or a pair; None for no
            padding.
        padding_width: The maximum number of paddings on each side; the n-gram width minus 1 if
            None.
        preserve_short_sequences: If True, a sequence shorter than all widths results in one n-gram.

    Returns:
        A tensor of strings; ragged if ``data`` is ragged.

    Raises:
        TypeError: The padding is not a string.
        ValueError: The tensor is a scalar, or a width is not positive.
    """
    if not is_ragged(data):
        data = convert_to_tensor(data, dtype=string, name="data")
    if data.shape.rank == 0:
        raise ValueError("Data must have rank>0")
    groups = _groups(ngram_width, separator, pad_values, padding_width, preserve_short_sequences)
    if is_ragged(data):
        return _ragged_ngrams(data, groups)
    array = data._host()
    if array.ndim == 1:
        return convert_to_tensor(byte_strings(groups.of(array)))
    rows = list(map(groups.of, array.reshape(-1, array.shape[-1])))
    flat = [item for row in rows for item in row]
    return convert_to_tensor(objects(flat, (*array.shape[:-1], len(rows[0]) if rows else 0)))


def _ragged_ngrams(data: Any, groups: _Groups) -> Any:
    if is_ragged(data.values):
        return data.with_values(_ragged_ngrams(data.values, groups))
    return ragged_of(list(map(groups.of, data.to_list())), (data._count(),), byte_strings)


class _Groups(NamedTuple):
    """Validated options of ``ngrams``.

    Attributes:
        widths: The widths of the n-grams.
        glue: The separator.
        pads: The padding strings before and after a row.
        most: The maximum number of paddings; None for the width minus 1.
        short_padding: The number of paddings of the single n-gram of a row too short for all widths; None
            for no such n-gram.
    """

    widths: list[int]
    glue: bytes
    pads: tuple[bytes, bytes]
    most: int | None
    short_padding: int | None

    def of(self, row: Sequence[bytes]) -> list[bytes]:
        """Returns the n-grams of a row."""
        grams: list[bytes] = []
        for width in self.widths:
            full = self._padded(row, width - 1 if self.most is None else min(self.most, width - 1))
            grams += [self.glue.join(full[i : i + width]) for i in range(len(full) - width + 1)]
        if self.short_padding is not None and not grams and len(row):
            grams.append(self.glue.join(self._padded(row, self.short_padding)))
        return grams

    def _padded(self, row: Sequence[bytes], times: int) -> list[bytes]:
        return [self.pads[0]] * times + list(row) + [self.pads[1]] * times


def _groups(width: Any, separator: Any, pad_values: Any, padding: Any, preserve: Any) -> _Groups:
    """Validates the arguments of ``ngrams`` and returns its options."""
    widths = [width] if isinstance(width, int) else list(width)
    pads = _pads(pad_values)
    if any(count < 1 for count in widths):
        raise ValueError(f"All ngram_widths must be greater than 0. Got {width}")
    if padding is not None and padding < 1:
        raise ValueError("padding_width must be greater than 0.")
    if padding is not None and pad_values is None:
        raise ValueError("pad_values must be provided if padding_width is set.")
    glue, widths, times, preserve = convert_attributes(
        "StringNGrams",
        separator=separator,
        ngram_widths=widths,
        pad_width=-1 if padding is None else padding,
        preserve_short_sequences=preserve,
    )
    most = 0 if pad_values is None else None if padding is None else times
    return _Groups(widths, glue.encode(), pads, most, (most or 0) if preserve else None)


def _pads(values: Any) -> tuple[bytes, bytes]:
    if values is None:
        return b"", b""
    if not isinstance(values, (str, bytes, tuple)):
        raise TypeError("pad_values must be a string, tuple of strings, or None.")
    pair = values if isinstance(values, tuple) else (values, values)
    left, right = (v if isinstance(v, bytes) else v.encode() for v in (pair[0], pair[1]))
    return left, right


# ------------------------------------------------------------------ segment joins


def _infer_join_shape(inputs: Any, ids: Any, count: Any, **_: Any) -> Any:
    if inputs is None or ids is None:
        return None
    is_static = isinstance(count, np.ndarray) and count.size == 1
    return (int(count.reshape(-1)[0]) if is_static else None, *inputs[len(ids) :])


def _check(inputs: Any, ids: Any, count: int) -> None:
    if not ids.ndim:
        raise invalid("Segment_id cannot have rank 0")
    if inputs.ndim < ids.ndim:
        raise OutOfRangeError(
            None,
            None,
            f"Invalid segment_id rank {ids.ndim} for input with {inputs.ndim} dimension(s)",
        )
    for rank, (a, b) in enumerate(zip(ids.shape, inputs.shape, strict=False)):
        if a != b:
            raise invalid(
                f"Segment dimension is {a} while input dimension is {inputs.ndim} in rank {rank}"
            )
    if count < 0:
        raise invalid(f"Number of segments must be non-negative but got {count}")
    if ((ids < 0) | (ids >= count)).any():
        raise invalid(
            "segment_ids are not allowed to exceed num_segments or to have negative values."
        )


@op(
    "UnsortedSegmentJoin",
    api="strings.unsorted_segment_join",
    shape=_infer_join_shape,
    devices=("CPU",),
    no_gradient=True,
)
def unsorted_segment_join(
    xp: Any, inputs: Strings, segment_ids: Indices, num_segments: Count, *, separator: str = ""
) -> Any:
    """Joins the strings of each segment; the empty string for empty segments.

    Args:
        inputs: A tensor of strings.
        segment_ids: The segment id of each row.
        num_segments: The number of segments.
        separator: The string inserted between the parts.

    Returns:
        A tensor of strings, a row for each segment.

    Raises:
        InvalidArgumentError: A segment id is out of range, or the shapes are incompatible.
    """
    if num_segments.ndim:
        empty = "Number of segments cannot be empty."
        raise invalid("Number of segments must be a scalar" if num_segments.size else empty)
    count = int(num_segments)
    _check(inputs, segment_ids, count)
    rest = inputs.shape[segment_ids.ndim :]
    columns = int(np.prod(rest, dtype=np.int64))
    parts: dict[int, list[bytes]] = defaultdict(list)
    rows = inputs.reshape(segment_ids.size, columns)
    for segment, row in zip(segment_ids.ravel().tolist(), rows, strict=True):
        for column, item in enumerate(row):
            parts[segment * columns + column].append(item)
    glue = separator.encode()
    result = np.full(count * columns, b"", object)
    for index, part in parts.items():
        result[index] = glue.join(part)
    return result.reshape(count, *rest)
