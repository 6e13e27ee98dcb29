"""Bin counts, fixed-width histograms and confusion matrices."""

from __future__ import annotations

from typing import Annotated, Any

from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core.dtypes import as_dtype, float32, float64, int32, int64
from twinflow._src.core.errors import invalid
from twinflow._src.core.shapes import static_size, text
from twinflow._src.dispatch.op import API, Kind, Type, export, op
from twinflow._src.ops.array.fill import ones_like
from twinflow._src.ops.array.scatter import scatter_nd
from twinflow._src.ops.array.shapes import reshape, squeeze
from twinflow._src.ops.array.stack import stack
from twinflow._src.ops.elementwise.cast import cast
from twinflow._src.ops.elementwise.division import floor, truediv
from twinflow._src.ops.elementwise.minmax import maximum, minimum
from twinflow._src.ops.reduce.reduce import reduce_max
from twinflow._src.shape_rules.values import counts, histogram

_SIZES = frozenset((int32, int64))
_COUNTED = frozenset((int32, int64, float32, float64))
Values = Annotated[Any, Kind("Tidx", allowed=_SIZES)]
Size = Annotated[Any, Kind("Tidx", allowed=_SIZES, host=True)]
Range = Annotated[Any, Kind("T", allowed=_COUNTED, host=True)]
Bins = Annotated[Any, Kind("nbins", only=int32, host=True)]


@op("DenseBincount", shape=counts, dtypes=_COUNTED)
def _dense_bincount(
    xp: Any, input: Values, size: Size, weights: Any, *, binary_output: bool = False
) -> Any:
    """Counts the occurrences of each integer, or sums their weights."""
    if weights.size and weights.shape != input.shape:
        raise invalid(
            "`weights` must be the same shape as `arr` or a length-0 `Tensor`, in which case it acts "
            f"as all weights equal to 1. Received {text(weights.shape)}"
        )
    if input.size and input.min() < 0:
        raise invalid("Input arr must be non-negative!")
    if size.ndim:
        raise invalid(f"Shape must be rank 0 but is rank {size.ndim}")
    count = int(size)
    rows = input if input.ndim == 2 else input.reshape(1, input.size)
    kept = rows < count
    index = (rows + count * xp.arange(len(rows), dtype=rows.dtype)[:, None])[kept]
    result = xp.zeros(len(rows) * count, weights.dtype)
    if binary_output:
        result[index] = 1
    elif weights.size:
        xp.add.at(result, index, weights.reshape(rows.shape)[kept])
    else:
        result = xp.bincount(index, minlength=result.size).astype(weights.dtype)
    return result.reshape((*input.shape[:-1], count))


@export("math.bincount")
def bincount(
    arr: Any,
    weights: Any = None,
    minlength: Any = None,
    maxlength: Any = None,
    dtype: Any = int32,
    name: str | None = None,
    axis: int | None = None,
    binary_output: bool = False,
) -> Any:
    """Counts the occurrences of each value in an integer tensor.

    Args:
        arr: A tensor of non-negative integers.
        weights: The weight of each element; 1 if None.
        minlength: The minimum number of bins.
        maxlength: The maximum number of bins; integers beyond are ignored.
        dtype: The dtype of the counts; that of the weights if they are given.
        name: A name for the operation.
        axis: -1 to count each row of a matrix; None or 0 to count all elements.
        binary_output: If True, returns 1 for values that occur instead of counts.

    Returns:
        A tensor of counts.

    Raises:
        ValueError: The axis is not supported, or weights are given with ``binary_output``.
        InvalidArgumentError: An integer is negative, or the shape of the weights differs.
    """
    arr = convert_to_tensor(arr)
    if not arr.dtype.is_integer:
        arr = cast(arr, int32)
    if binary_output and weights is not None:
        raise ValueError(
            "Arguments `binary_output` and `weights` are mutually exclusive. Please specify only one."
        )
    if axis not in (None, 0, -1):
        raise ValueError(
            f"Unsupported value for argument axis={axis}. Only 0 and -1 are currently supported."
        )
    if axis != -1 or arr.shape.rank == 0:
        arr = reshape(arr, [-1])
        weights = None if weights is None else reshape(convert_to_tensor(weights), [-1])
    count = bin_count(arr, minlength, maxlength)
    weight = convert_to_tensor([], dtype=dtype) if weights is None else convert_to_tensor(weights)
    return _dense_bincount(arr, count, weight, binary_output=binary_output)


def bin_count(arr: Any, minlength: Any, maxlength: Any) -> Any:
    """Returns the number of bins: the largest element plus 1, clipped to the limits."""
    elements, one = arr.shape.num_elements(), cast(1, arr.dtype)
    if elements is None:
        count = cast(API["size"](arr) > 0, arr.dtype) * (reduce_max(arr) + one)
    else:
        count = reduce_max(arr) + one if elements else cast(0, arr.dtype)
    if minlength is not None:
        count = maximum(convert_to_tensor(minlength, dtype=arr.dtype, name="minlength"), count)
    if maxlength is None:
        return count
    return minimum(convert_to_tensor(maxlength, dtype=arr.dtype, name="maxlength"), count)


@op(
    "HistogramFixedWidth",
    shape=histogram,
    dtypes=_COUNTED,
    out="dtype",
    tf_name="histogram_fixed_width",
)
def _histogram(
    xp: Any, values: Any, value_range: Range, nbins: Bins, *, dtype: Type = int32
) -> Any:
    """Computes a histogram of values with equal-width bins."""
    if value_range.ndim != 1:
        raise invalid("value_range should be a vector.")
    if value_range.shape != (2,):
        raise invalid("value_range should be a vector of 2 elements.")
    if nbins.ndim:
        raise invalid("nbins should be a scalar.")
    low, high, count = value_range[0], value_range[1], int(nbins.reshape(-1)[0])
    if not low < high:
        raise invalid(
            "value_range should satisfy value_range[0] < value_range[1], but got "
            f"'[{low:g}, {high:g}]'"
        )
    if count < 1:
        raise invalid(f"nbins should be a positive number, but got '{count}'")
    flat = values.reshape(-1).astype(xp.float64)
    if flat.size and xp.isnan(flat.min()):
        raise invalid("Histogram values must not contain NaN")
    step = (float(high) - float(low)) / count
    flat -= float(low)
    flat /= step
    index = xp.clip(flat, 0, count - 1, out=flat).astype(xp.int64)
    return xp.bincount(index, minlength=count).astype(dtype.np)


@export("histogram_fixed_width")
def histogram_fixed_width(
    values: Any, value_range: Any, nbins: Any = 100, dtype: Any = int32, name: str | None = None
) -> Any:
    """Computes a histogram of values with equal-width bins.

    Args:
        values: A numeric tensor.
        value_range: The interval; values outside count for the first or the last bin.
        nbins: The number of bins.
        dtype: The dtype of the counts.

    Returns:
        A vector of counts.

    Raises:
        InvalidArgumentError: The interval is empty, ``nbins`` is not positive, or a value is NaN.
    """
    return _histogram(values, value_range, nbins, dtype=dtype)


@export("histogram_fixed_width_bins")
def histogram_fixed_width_bins(
    values: Any, value_range: Any, nbins: Any = 100, dtype: Any = int32, name: str | None = None
) -> Any:
    """Computes the bin index of each value, for equal-width bins.

    Args:
        values: A numeric tensor.
        value_range: The interval; values outside belong to the first or the last bin.
        nbins: The number of bins.
        dtype: Accepted and without effect: indices are int32.

    Returns:
        An int32 tensor of the shape of the values.

    Raises:
        InvalidArgumentError: ``nbins`` is not positive.
    """
    values = convert_to_tensor(values)
    value_range = convert_to_tensor(value_range)
    nbins = convert_to_tensor(nbins, dtype=int32, name="nbins")
    if not (enough := nbins > 0):
        raise invalid(
            f"Expected '{enough!s}' to be true. Summarized data: b'nbins {nbins!s} must > 0'"
        )
    count = cast(nbins, values.dtype)
    scaled = truediv(values - value_range[0], value_range[1] - value_range[0])
    return cast(API["clip_by_value"](floor(count * scaled), 0, count - 1), int32)


@export("math.confusion_matrix")
def confusion_matrix(
    labels: Any,
    predictions: Any,
    num_classes: Any = None,
    weights: Any = None,
    dtype: Any = int32,
    name: str | None = None,
) -> Any:
    """Computes the confusion matrix: rows are the labels, columns the predictions.

    Args:
        labels: The true classes, a vector.
        predictions: The predicted classes, a vector of the same length.
        num_classes: The number of classes; the largest class that occurs plus 1 if None.
        weights: The weight of each pair; 1 if None.
        dtype: The dtype of the counts.

    Returns:
        A square matrix.

    Raises:
        InvalidArgumentError: A class is negative or not below the number of classes, or the
            lengths differ.
        ValueError: The shape of the weights differs.
    """
    labels, predictions = _of_one_rank(convert_to_tensor(labels), convert_to_tensor(predictions))
    classes = {"labels": cast(labels, int64), "predictions": cast(predictions, int64)}
    for what, values in classes.items():
        API["debugging.assert_non_negative"](values, message=f"`{what}` contains negative values")
    if num_classes is None:
        largest = [reduce_max(values) for values in classes.values()]
        num_classes = maximum(*largest) + 1
    else:
        num_classes = cast(num_classes, int64)
        for what, values in classes.items():
            API["debugging.assert_less"](values, num_classes, message=f"`{what}` out of bound")
    if weights is not None:
        weights = convert_to_tensor(weights)
        predictions.shape.assert_is_compatible_with(weights.shape)
    sizes = stack([num_classes, num_classes])
    indices = stack([classes["labels"], classes["predictions"]], 1)
    dtype = as_dtype(dtype)
    counts = ones_like(classes["predictions"], dtype) if weights is None else cast(weights, dtype)
    return scatter_nd(indices, counts, sizes)


def _of_one_rank(labels: Any, predictions: Any) -> tuple[Any, Any]:
    """Squeezes a last dimension of size 1 that only labels or only predictions have."""
    if None in (predictions.shape.rank, labels.shape.rank):
        return labels, predictions
    more = predictions.shape.rank - labels.shape.rank
    if more == 1 and static_size(predictions.shape, -1) == 1:
        predictions = squeeze(predictions, [-1])
    elif more == -1 and static_size(labels.shape, -1) == 1:
        labels = squeeze(labels, [-1])
    return labels, predictions
