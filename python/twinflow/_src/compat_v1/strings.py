"""Strings in pieces as TensorFlow 1 gives them: as sparse tensors."""

from __future__ import annotations

import itertools
from typing import Any

from twinflow._src.compat_v1.renamed_args import renamed
from twinflow._src.composite_tensors.ragged_factories import is_ragged
from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core.dtypes import string
from twinflow._src.core.errors import invalid
from twinflow._src.core.shapes import text
from twinflow._src.dispatch.attributes import given
from twinflow._src.dispatch.op import API
from twinflow._src.graph.opaque_calls import whole
from twinflow._src.ops.strings.split import each_string


def string_split(
    source: Any,
    sep: Any = None,
    skip_empty: bool = True,
    delimiter: Any = None,
    result_type: str = "SparseTensor",
    name: str | None = None,
) -> Any:
    """Cuts a vector of strings at each of some characters.

    Args:
        source: A vector of strings.
        sep: The characters, each of which is a mark; a blank where None. None of them for single bytes.
        skip_empty: Whether pieces without characters are left out.
        delimiter: The older name of ``sep``.
        result_type: ``"SparseTensor"`` or ``"RaggedTensor"``.
        name: A name.

    Returns:
        The pieces, a row for each string.

    Raises:
        InvalidArgumentError: The strings are no vector, or the characters no scalar.
        ValueError: There is no such kind of result.
    """
    marks = renamed("sep", sep, "delimiter", delimiter)
    marks = convert_to_tensor(" " if marks is None else marks, dtype=string)
    source = convert_to_tensor(source, dtype=string)
    (skip,) = given("StringSplit", skip_empty=skip_empty)
    for what, tensor, rank in (("input must be a vector", source, 1), ("delimiter must be a scalar", marks, 0)):
        if tensor.shape.rank != rank:
            raise invalid(f"{what}, got shape: {text(tensor.shape._dims)}")
    return _as(_split(source, marks, skip), result_type)


def _split_now(source: Any, marks: Any, skip: bool) -> Any:
    found = set(marks._host()[()])
    return each_string(source, lambda s: _pieces(s, found, skip))


_split = whole("StringSplit", _split_now)


def _pieces(value: bytes, marks: set[int], skip: bool) -> list[bytes]:
    """The pieces of a string between some bytes; single bytes where there are none."""
    if not value:
        return []
    if not marks:
        return [bytes([byte]) for byte in value]
    ends = [-1, *(i for i, byte in enumerate(value) if byte in marks), len(value)]
    found = [value[start + 1 : end] for start, end in itertools.pairwise(ends)]
    return [piece for piece in found if piece or not skip]


def split(
    input: Any = None,
    sep: Any = None,
    maxsplit: int = -1,
    result_type: str = "SparseTensor",
    source: Any = None,
    name: str | None = None,
) -> Any:
    """``tf.strings.split`` that gives a sparse tensor where it is not asked for a ragged one.

    Args:
        input: A tensor of strings, ragged or not.
        sep: The separator; runs of white space where None or empty.
        maxsplit: The largest number of cuts; -1 for all.
        result_type: ``"SparseTensor"`` or ``"RaggedTensor"``.
        source: The older name of ``input``.
        name: A name.

    Returns:
        The pieces, in one dimension more.

    Raises:
        ValueError: There is no such kind of result.
    """
    value = renamed("input", input, "source", source)
    if not is_ragged(value):
        value = convert_to_tensor(value, dtype=string)
        value = value if value.shape.rank else API["expand_dims"](value, 0)
    return _as(API["strings.split"](value, sep, maxsplit), result_type)


def _as(pieces: Any, result_type: str) -> Any:
    if result_type == "RaggedTensor":
        return pieces
    if result_type != "SparseTensor":
        raise ValueError("result_type must be 'RaggedTensor' or 'SparseTensor'.")
    return pieces.to_sparse()
