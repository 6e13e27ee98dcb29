"""Functions that only ``tf.compat.v1`` has, and that are short to say with today's."""

from __future__ import annotations

from typing import Any, NamedTuple

from twinflow._src.compat_v1.session.fetches import SparseTensorValue
from twinflow._src.compiler.call_traces import blended
from twinflow._src.composite_tensors.indexed_slices import IndexedSlices
from twinflow._src.composite_tensors.sparse_tensor import SparseTensor
from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core import errors
from twinflow._src.core.dtypes import as_dtype, float32, int32
from twinflow._src.dispatch.op import API
from twinflow._src.ops.array import unique


def clip_by_average_norm(t: Any, clip_norm: Any, name: str | None = None) -> Any:
    """Scales a tensor down where the average of its norm over its elements is too large.

    Args:
        t: A tensor.
        clip_norm: The largest average norm.
        name: A name.

    Returns:
        A tensor of the same type and shape.
    """
    t = convert_to_tensor(t)
    count = API["cast"](API["size"](t), float32)
    norm = API["sqrt"](API["reduce_sum"](t * t))
    factor = API["minimum"](count / norm, 1.0 / API["cast"](clip_norm, float32))
    return t * clip_norm * factor


def convert_to_tensor_or_sparse_tensor(value: Any, dtype: Any = None, name: str | None = None) -> Any:
    """Makes a tensor of a value that is not sparse.

    Args:
        value: A sparse tensor, the parts of one, or what can become a tensor.
        dtype: The type that it must have, or None.
        name: A name.

    Returns:
        A tensor or a sparse tensor.

    Raises:
        RuntimeError: A sparse tensor has another type.
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


def convert_to_tensor_or_indexed_slices(value: Any, dtype: Any = None, name: str | None = None) -> Any:
    """Makes a tensor of a value that is not ``IndexedSlices``.

    Args:
        value: ``IndexedSlices``, or what can become a tensor.
        dtype: The type that it must have, or None.
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
    """Normalises each channel of images.

    Args:
        x: A tensor of rank 4.
        scale: What each channel is multiplied with.
        offset: What is added to each channel.
        mean: The running means; of use where there is no training, or the factor is less than 1.
        variance: The running variances.
        epsilon: A small number that is added to the variances.
        data_format: ``"NHWC"`` or ``"NCHW"``.
        is_training: Whether the batch's own means and variances are used.
        name: A name.
        exponential_avg_factor: The share of the batch in the running means and variances.

    Returns:
        The normalised tensor, the means, and the variances.

    Raises:
        ValueError: Means or variances are missing.
    """
    x, epsilon = convert_to_tensor(x), max(epsilon, 1.001e-5)
    first = data_format.startswith("NC")
    if first:
        x = API["transpose"](x, [0, 2, 3, 1])
    if not is_training and (mean is None or variance is None):
        raise ValueError("Both `mean` and `variance` must be a 1D tensor when `is_training` is False.")
    if is_training:
        y, mean, variance = _in_training(x, offset, scale, mean, variance, epsilon, exponential_avg_factor)
    else:
        y = _normalised(x, (mean, variance), offset, scale, epsilon)
    return (API["transpose"](y, [0, 3, 1, 2]) if first else y), mean, variance


def _normalised(x: Any, used: Any, offset: Any, scale: Any, epsilon: float) -> Any:
    """Images with certain means and variances taken away."""
    return API["nn.batch_normalization"](x, *(API["cast"](v, x.dtype) for v in (*used, offset, scale)), epsilon)


@blended
def _in_training(
    x: Any, offset: Any, scale: Any, mean: Any, variance: Any, epsilon: float, share: Any
) -> tuple[Any, Any, Any]:
    """Images with their own means and variances taken away, and the running ones."""
    used = API["nn.moments"](API["cast"](x, float32), [0, 1, 2])
    return _normalised(x, used, offset, scale, epsilon), *_running(x, used, mean, variance, share)


def _running(x: Any, found: Any, mean: Any, variance: Any, share: Any) -> tuple[Any, Any]:
    """The running means and variances with those of a batch; its variances without bias."""
    count = API["cast"](API["size"](x) // API["shape"](x)[-1], float32)
    batch = found[0], found[1] * count / API["maximum"](count - 1.0, 1.0)
    if share == 1.0:
        return batch
    before = mean, variance
    return tuple(old * (1.0 - share) + new * share for old, new in zip(before, batch, strict=True))


class ListDiff(NamedTuple):
    """What one vector has and another one has not, and where it stands."""

    out: Any
    idx: Any


def setdiff1d(x: Any, y: Any, index_dtype: Any = int32, name: str | None = None) -> ListDiff:
    """Gives what a vector has and another one has not.

    Args:
        x: A vector.
        y: A vector of the same type.
        index_dtype: int32 or int64.
        name: A name.
    """
    return ListDiff(*unique.setdiff1d(x, y, out_idx=index_dtype))


# ------------------------------------------------------------------ errors

_CODES = {
    cls("", None, "").error_code: cls
    for cls in vars(errors).values()
    if isinstance(cls, type) and issubclass(cls, errors.OpError) and cls is not errors.OpError
    and "error_code" not in cls.__init__.__code__.co_varnames
}


def exception_type_from_error_code(error_code: int) -> type:
    """Gives the class of errors that has a code.

    Args:
        error_code: The code.

    Raises:
        KeyError: There is none.
    """
    return _CODES[error_code]


def error_code_from_exception_type(cls: type) -> Any:
    """Gives the code of a class of errors.

    Args:
        cls: The class.
    """
    for code, found in _CODES.items():
        if found is cls:
            return code
    return errors.UnknownError(None, None, "Unknown class exception")
