"""Functions only in ``tf.compat.v1``: conversions, batch norm, setdiff1d, string split, Print."""

from __future__ import annotations

import itertools
import math
import sys
from collections.abc import Iterator
from typing import Any, NamedTuple

from twinflow._src.compat_v1.renamed_args import renamed
from twinflow._src.compat_v1.session.feeds_and_fetches import SparseTensorValue
from twinflow._src.composite_tensors.indexed_slices import IndexedSlices
from twinflow._src.composite_tensors.ragged_factories import is_ragged
from twinflow._src.composite_tensors.sparse_tensor import SparseTensor
from twinflow._src.control_flow.py_function import later
from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core import errors
from twinflow._src.core.context import thread
from twinflow._src.core.dtypes import as_dtype, float32, int32, string
from twinflow._src.core.errors import invalid
from twinflow._src.core.shapes import text
from twinflow._src.dispatch.attributes import convert_attributes
from twinflow._src.dispatch.op import API
from twinflow._src.graph.opaque_calls import wrap_opaque_call
from twinflow._src.ops.array import unique
from twinflow._src.ops.strings.print_format import element_texts
from twinflow._src.ops.strings.split import each_string

# Tensor functions.


def clip_by_average_norm(t: Any, clip_norm: Any, name: str | None = None) -> Any:
    """Clips a tensor by its average L2 norm per element.

    Args:
        t: A tensor.
        clip_norm: The maximum average norm.
        name: A name.

    Returns:
        A tensor of the same dtype and shape.
    """
    t = convert_to_tensor(t)
    count = API["cast"](API["size"](t), float32)
    norm = API["sqrt"](API["reduce_sum"](t * t))
    factor = API["minimum"](count / norm, 1.0 / API["cast"](clip_norm, float32))
    return t * clip_norm * factor


def convert_to_tensor_or_sparse_tensor(
    value: Any, dtype: Any = None, name: str | None = None
) -> Any:
    """Converts a value to a tensor unless it is sparse.

    Args:
        value: A SparseTensor, a SparseTensorValue, or a value convertible to a tensor.
        dtype: The required dtype, or None.
        name: A name.

    Returns:
        A Tensor or SparseTensor.

    Raises:
        RuntimeError: A SparseTensor has another dtype.
    """
    if isinstance(value, SparseTensorValue):
        value = SparseTensor(*value)
    if not isinstance(value, SparseTensor):
        return convert_to_tensor(value, dtype, name=name)
    if dtype is not None and not as_dtype(dtype).is_compatible_with(value.dtype):
        raise RuntimeError(
            f"Sparse dtype mismatch. Requested: {as_dtype(dtype).name},  Actual: {value.dtype.name}"
        )
    return value


def convert_to_tensor_or_indexed_slices(
    value: Any, dtype: Any = None, name: str | None = None
) -> Any:
    """Converts a value to a tensor unless it is ``IndexedSlices``.

    Args:
        value: ``IndexedSlices``, or a value convertible to a tensor.
        dtype: The required dtype, or None.
        name: A name.

    Returns:
        A tensor or ``IndexedSlices``.
    """
    return value if isinstance(value, IndexedSlices) else convert_to_tensor(value, dtype, name=name)


def fused_batch_norm(
    x: Any,
    scale: Any,
    offset: Any,
    mean: Any = None,
    variance: Any = None,
    epsilon: float = 0.001,
    data_format: str = "NHWC",
    is_training: Any = True,
    name: str | None = None,
    exponential_avg_factor: Any = 1.0,
) -> tuple[Any, Any, Any]:
    """Applies batch normalization to images.

    Args:
        x: A tensor of rank 4.
        scale: The scale per channel.
        offset: The offset per channel.
        mean: The running means; used for inference, or if the factor is less than 1.
        variance: The running variances.
        epsilon: Added to the variances, for numerical stability.
        data_format: ``"NHWC"`` or ``"NCHW"``.
        is_training: If True, uses the means and variances of the batch.
        name: A name.
        exponential_avg_factor: Weight of the batch in the running means and variances.

    Returns:
        The normalized tensor, the means, and the variances.

    Raises:
        ValueError: Means or variances are missing.
    """
    x, epsilon = convert_to_tensor(x), max(epsilon, 1.001e-5)
    first = data_format.startswith("NC")
    if first:
        x = API["transpose"](x, [0, 2, 3, 1])
    if not is_training and (mean is None or variance is None):
        raise ValueError(
            "Both `mean` and `variance` must be a 1D tensor when `is_training` is False."
        )
    if is_training:
        y, mean, variance = _in_training(
            x, offset, scale, mean, variance, epsilon, exponential_avg_factor
        )
    else:
        y = _normalised(x, (mean, variance), offset, scale, epsilon)
    return (API["transpose"](y, [0, 3, 1, 2]) if first else y), mean, variance


def _normalised(x: Any, used: Any, offset: Any, scale: Any, epsilon: float) -> Any:
    """Normalizes images by given means and variances."""
    return API["nn.batch_normalization"](
        x, *(API["cast"](v, x.dtype) for v in (*used, offset, scale)), epsilon
    )


def _in_training(
    x: Any, offset: Any, scale: Any, mean: Any, variance: Any, epsilon: float, share: Any
) -> tuple[Any, Any, Any]:
    """Normalizes images by batch statistics; returns them and the updated running statistics."""
    used = API["nn.moments"](API["cast"](x, float32), [0, 1, 2])
    return _normalised(x, used, offset, scale, epsilon), *_running(x, used, mean, variance, share)


def _running(x: Any, moments: Any, mean: Any, variance: Any, share: Any) -> tuple[Any, Any]:
    """Returns the updated running means and (unbiased) variances."""
    count = API["cast"](API["size"](x) // API["shape"](x)[-1], float32)
    batch = moments[0], moments[1] * count / API["maximum"](count - 1.0, 1.0)
    if share == 1.0:
        return batch
    before = mean, variance
    return tuple(old * (1.0 - share) + new * share for old, new in zip(before, batch, strict=True))


class ListDiff(NamedTuple):
    """Set difference of two vectors, and its indices."""

    out: Any
    idx: Any


def setdiff1d(x: Any, y: Any, index_dtype: Any = int32, name: str | None = None) -> ListDiff:
    """Returns the elements of one vector that another one lacks.

    Args:
        x: A vector.
        y: A vector of the same dtype.
        index_dtype: int32 or int64.
        name: A name.
    """
    return ListDiff(*unique.setdiff1d(x, y, out_idx=index_dtype))


# ------------------------------------------------------------------ errors

_CODES = {
    cls("", None, "").error_code: cls
    for cls in vars(errors).values()
    if isinstance(cls, type)
    and issubclass(cls, errors.OpError)
    and cls is not errors.OpError
    and "error_code" not in cls.__init__.__code__.co_varnames
}


def exception_type_from_error_code(error_code: int) -> type:
    """Returns the error class of a code.

    Args:
        error_code: The code.

    Raises:
        KeyError: There is none.
    """
    return _CODES[error_code]


def error_code_from_exception_type(cls: type) -> Any:
    """Returns the code of an error class.

    Args:
        cls: The class.
    """
    for code, error in _CODES.items():
        if error is cls:
            return code
    return errors.UnknownError(None, None, "Unknown class exception")


# String split with sparse results.


def string_split(
    source: Any,
    sep: Any = None,
    skip_empty: bool = True,
    delimiter: Any = None,
    result_type: str = "SparseTensor",
    name: str | None = None,
) -> Any:
    """Splits a vector of strings at any of several characters.

    Args:
        source: A vector of strings.
        sep: The delimiter characters; a space if None. If empty, splits into bytes.
        skip_empty: If True, empty pieces are dropped.
        delimiter: Deprecated name of ``sep``.
        result_type: ``"SparseTensor"`` or ``"RaggedTensor"``.
        name: A name.

    Returns:
        The pieces, a row per string.

    Raises:
        InvalidArgumentError: The strings are not a vector, or the delimiter is not a scalar.
        ValueError: The result type is unknown.
    """
    marks = renamed("sep", sep, "delimiter", delimiter)
    marks = convert_to_tensor(" " if marks is None else marks, dtype=string)
    source = convert_to_tensor(source, dtype=string)
    (skip,) = convert_attributes("StringSplit", skip_empty=skip_empty)
    for what, tensor, rank in (
        ("input must be a vector", source, 1),
        ("delimiter must be a scalar", marks, 0),
    ):
        if tensor.shape.rank != rank:
            raise invalid(f"{what}, got shape: {text(tensor.shape._dims)}")
    return _as(_split(source, marks, skip), result_type)


def _split_now(source: Any, marks: Any, skip: bool) -> Any:
    separators = set(marks._host()[()])
    return each_string(source, lambda s: _split_bytes(s, separators, skip))


_split = wrap_opaque_call("StringSplit", _split_now)


def _split_bytes(value: bytes, marks: set[int], skip: bool) -> list[bytes]:
    """Splits a string at delimiter bytes; into single bytes if there are none."""
    if not value:
        return []
    if not marks:
        return [bytes([byte]) for byte in value]
    ends = [-1, *(i for i, byte in enumerate(value) if byte in marks), len(value)]
    parts = [value[start + 1 : end] for start, end in itertools.pairwise(ends)]
    return [part for part in parts if part or not skip]


def split(
    input: Any = None,
    sep: Any = None,
    maxsplit: int = -1,
    result_type: str = "SparseTensor",
    source: Any = None,
    name: str | None = None,
) -> Any:
    """Splits strings like ``tf.strings.split``, with a SparseTensor result by default.

    Args:
        input: A tensor of strings, ragged or not.
        sep: The separator; whitespace if None or empty.
        maxsplit: The maximum number of splits; -1 for all.
        result_type: ``"SparseTensor"`` or ``"RaggedTensor"``.
        source: Deprecated name of ``input``.
        name: A name.

    Returns:
        The pieces, in one more dimension.

    Raises:
        ValueError: The result type is unknown.
    """
    value = renamed("input", input, "source", source)
    if not is_ragged(value):
        value = convert_to_tensor(value, dtype=string)
        value = value if value.shape.rank else API["expand_dims"](value, 0)
    return _as(API["strings.split"](value, sep, maxsplit), result_type)


def _as(parts: Any, result_type: str) -> Any:
    if result_type == "RaggedTensor":
        return parts
    if result_type != "SparseTensor":
        raise ValueError("result_type must be 'RaggedTensor' or 'SparseTensor'.")
    return parts.to_sparse()


# ``tf.Print``.


_SHOWN = 3  # default number of elements


def Print(
    input_: Any,
    data: Any,
    message: str | None = None,
    first_n: int | None = None,
    summarize: int | None = None,
    name: str | None = None,
) -> Any:
    """Returns a tensor whose evaluation prints other tensors to standard error.

    Args:
        input_: The tensor.
        data: A list of values to print.
        message: A prefix of the output, or None.
        first_n: The maximum number of prints; unlimited if None or negative.
        summarize: The number of elements shown per value; 3 if None, all if negative.
        name: A name for the op.

    Returns:
        The tensor.
    """
    numbers = itertools.count()
    most = math.inf if first_n is None or first_n < 0 else first_n
    shown = _SHOWN if summarize is None else summarize

    def print_values(tensor: Any, *values: Any) -> Any:
        if next(numbers) < most:
            texts = (f"[{summary(x._host(), x.dtype, shown)}]" for x in values)
            sys.stderr.write(f"{message or ''}{''.join(texts)}\n")
            sys.stderr.flush()
        return tensor

    tensor = convert_to_tensor(input_)
    values = [convert_to_tensor(x) for x in data]
    if thread.scope.graph is None:
        return API["identity"](print_values(tensor, *values))
    results = [tensor.dtype], [tensor.shape._dims], True
    return later(
        "Print",
        print_values,
        [tensor, *values],
        results,
        name,
        lambda call, dy: [dy, *[None] * len(values)],
    )


def summary(array: Any, dtype: Any, most: int) -> str:
    """Formats the first elements of an array, rows in brackets."""
    count = array.size if most < 0 else min(most, array.size)
    flat = array.reshape(-1)[:count]
    if dtype.is_complex:
        texts = ["?"] * count
    else:
        texts = [
            text.decode("utf-8", "replace").removeprefix('"').removesuffix('"')
            for text in element_texts(flat, dtype)
        ]
    shown = _rows(iter(texts), count, array.shape) if array.ndim else "".join(texts)
    return shown + ("..." if count < array.size else "")


def _rows(texts: Iterator[str], left: int, shape: tuple[int, ...]) -> str:
    """Formats rows in brackets until the elements are exhausted."""
    if len(shape) == 1:
        return " ".join(itertools.islice(texts, min(left, shape[0])))
    size, parts = math.prod(shape[1:]), []
    for begin in range(0, min(left, shape[0] * size), max(size, 1)):
        mine = min(size, left - begin)
        cut = "..." if len(shape) == 2 and mine < size else ""
        parts.append(f"[{_rows(texts, mine, shape[1:])}{cut}]")
    return "".join(parts)
