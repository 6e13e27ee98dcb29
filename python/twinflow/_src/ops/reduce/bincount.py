"""How often values occur: counts, histograms, confusion matrices."""

from __future__ import annotations

from typing import Annotated, Any

from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core.dtypes import as_dtype, float32, float64, int32, int64
from twinflow._src.core.errors import invalid
from twinflow._src.core.shapes import text
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
    """Returns how often integers occur, or the sums of their weights.

    Args:
        input: Integers, a vector or a matrix whose rows are counted for themselves.
        size: The number of counts; larger integers are left out.
        weights: The weights; none of them for 1 each.
        binary_output: Whether to say only whether an integer occurs.

    Returns:
        A tensor of the type of the weights.

    Raises:
        InvalidArgumentError: An integer is negative, or the weights are not one for each.
    """
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
    place = (rows + count * xp.arange(len(rows), dtype=rows.dtype)[:, None])[kept]
    result = xp.zeros(len(rows) * count, weights.dtype)
    if binary_output:
        result[place] = 1
    elif weights.size:
        xp.add.at(result, place, weights.reshape(rows.shape)[kept])
    else:
        result = xp.bincount(place, minlength=result.size).astype(weights.dtype)
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
    """Returns how often each of 0, 1, 2, ... occurs.

    Args:
        arr: A tensor of integers that are not negative.
        weights: What each element counts; 1 where None.
        minlength: The least number of counts.
        maxlength: The largest number of counts; larger integers are left out.
        dtype: The type of the counts; that of the weights where they are given.
        name: A name for the operation.
        axis: -1 to count the rows of a matrix for themselves; all elements where None or 0.
        binary_output: Whether to say only whether an integer occurs.

    Returns:
        A tensor of counts.

    Raises:
        ValueError: The axis is another one, or weights are given although nothing is counted.
        InvalidArgumentError: An integer is negative, or the weights are not one for each.
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
    if axis != -1 or not arr.shape.rank:
        arr = reshape(arr, [-1])
        weights = None if weights is None else reshape(convert_to_tensor(weights), [-1])
    count = _count(arr, minlength, maxlength)
    given = convert_to_tensor([], dtype=dtype) if weights is None else convert_to_tensor(weights)
    return _dense_bincount(arr, count, given, binary_output=binary_output)


def _count(arr: Any, minlength: Any, maxlength: Any) -> Any:
    """The number of counts: up to the largest element, within the given limits."""
    one = cast(1, arr.dtype)
    count = reduce_max(arr) + one if arr.shape.num_elements() else cast(0, arr.dtype)
    if minlength is not None:
        count = maximum(convert_to_tensor(minlength, dtype=arr.dtype, name="minlength"), count)
    if maxlength is None:
        return count
    return minimum(convert_to_tensor(maxlength, dtype=arr.dtype, name="maxlength"), count)


@op("HistogramFixedWidth", shape=histogram, dtypes=_COUNTED, out="dtype")
def _histogram(
    xp: Any, values: Any, value_range: Range, nbins: Bins, *, dtype: Type = int32
) -> Any:
    """Returns how many values lie in each of several equal parts of an interval.

    Args:
        values: A tensor of numbers.
        value_range: The interval; values outside count for its ends.
        nbins: The number of parts.
        dtype: The type of the counts.

    Returns:
        A vector of counts.

    Raises:
        InvalidArgumentError: The interval is empty, there are no parts, or a value is NaN.
    """
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
    place = xp.clip(flat, 0, count - 1, out=flat).astype(xp.int64)
    return xp.bincount(place, minlength=count).astype(dtype.np)


@export("histogram_fixed_width")
def histogram_fixed_width(
    values: Any, value_range: Any, nbins: Any = 100, dtype: Any = int32, name: str | None = None
) -> Any:
    """Returns how many values lie in each of several equal parts of an interval.

    Args:
        values: A tensor of numbers.
        value_range: The interval; values outside count for its ends.
        nbins: The number of parts.
        dtype: The type of the counts.
        name: A name for the operation.

    Returns:
        A vector of counts.

    Raises:
        InvalidArgumentError: The interval is empty, there are no parts, or a value is NaN.
    """
    return _histogram(values, value_range, nbins, dtype=dtype)


@export("histogram_fixed_width_bins")
def histogram_fixed_width_bins(
    values: Any, value_range: Any, nbins: Any = 100, dtype: Any = int32, name: str | None = None
) -> Any:
    """Returns in which of several equal parts of an interval values lie.

    Args:
        values: A tensor of numbers.
        value_range: The interval; values outside lie in its first or last part.
        nbins: The number of parts.
        dtype: Accepted and without effect: indices are int32.
        name: A name for the operation.

    Returns:
        A tensor of the shape of the values.

    Raises:
        InvalidArgumentError: There are no parts.
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
    """Returns how often each class (row) was predicted as each class (column).

    Args:
        labels: The classes, a vector.
        predictions: What was predicted, a vector of the same length.
        num_classes: The number of classes; up to the largest that occurs where None.
        weights: What each pair counts; 1 where None.
        dtype: The type of the counts.
        name: A name for the operation.

    Returns:
        A square matrix.

    Raises:
        InvalidArgumentError: A class is negative or not below the number of classes, or the
            lengths differ.
        ValueError: There is not one weight for each pair.
    """
    labels, predictions = _of_one_rank(convert_to_tensor(labels), convert_to_tensor(predictions))
    given = {"labels": cast(labels, int64), "predictions": cast(predictions, int64)}
    for what, values in given.items():
        API["debugging.assert_non_negative"](values, message=f"`{what}` contains negative values")
    if num_classes is None:
        largest = [reduce_max(values) for values in given.values()]
        num_classes = maximum(*largest) + 1
    else:
        num_classes = cast(num_classes, int64)
        for what, values in given.items():
            API["debugging.assert_less"](values, num_classes, message=f"`{what}` out of bound")
    if weights is not None:
        weights = convert_to_tensor(weights)
        predictions.shape.assert_is_compatible_with(weights.shape)
    sizes = stack([num_classes, num_classes])
    places = stack([given["labels"], given["predictions"]], 1)
    dtype = as_dtype(dtype)
    counts = ones_like(given["predictions"], dtype) if weights is None else cast(weights, dtype)
    return scatter_nd(places, counts, sizes)


def _of_one_rank(labels: Any, predictions: Any) -> tuple[Any, Any]:
    """Labels and predictions without a last dimension of size 1 that only one of them has."""
    more = predictions.shape.rank - labels.shape.rank
    if more == 1 and predictions.shape[-1] == 1:
        predictions = squeeze(predictions, [-1])
    elif more == -1 and labels.shape[-1] == 1:
        labels = squeeze(labels, [-1])
    return labels, predictions
