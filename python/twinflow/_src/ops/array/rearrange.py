"""Roll, reverse, repeat and meshgrid."""

from __future__ import annotations

from typing import Annotated, Any

from twinflow._src.autodiff.reverse import unseen
from twinflow._src.backends.host_checks import known_any
from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core import whole_numbers
from twinflow._src.core.dtypes import int32, int64
from twinflow._src.core.errors import invalid
from twinflow._src.core.shapes import static_size, text
from twinflow._src.dispatch.op import API, Call, Ints, Kind, documented_like, export, op
from twinflow._src.ops.array.concat import concat
from twinflow._src.ops.array.fill import ones
from twinflow._src.ops.array.gather import boolean_mask
from twinflow._src.ops.array.masks import sequence_mask
from twinflow._src.ops.array.shapes import broadcast_to, expand_dims, reshape, tile
from twinflow._src.ops.array.stack import stack
from twinflow._src.ops.elementwise.cast import cast
from twinflow._src.ops.elementwise.minmax import maximum
from twinflow._src.ops.reduce.reduce import reduce_max, reduce_sum, size
from twinflow._src.shape_rules.values import reversed_along, reversed_parts, rolled

_SIZES = frozenset((int32, int64))
Shift = Annotated[Any, Kind("Tshift", allowed=_SIZES, host=True)]
Axes = Annotated[Any, Kind("Taxis", allowed=_SIZES, host=True)]
Lengths = Annotated[Any, Kind("Tlen", default=int64, allowed=_SIZES)]


@op("Roll", api="roll", shape=rolled)
def roll(xp: Any, input: Any, shift: Shift, axis: Axes) -> Any:
    """Rolls a tensor's elements along axes; elements shifted past the end wrap around.

    Args:
        input: A tensor.
        shift: The offset for each axis.
        axis: The axes.

    Returns:
        A tensor of the same dtype and shape.

    Raises:
        InvalidArgumentError: An axis is out of range, or there is not one shift per axis.
    """
    if not input.ndim:
        raise invalid("input must be 1-D or higher")
    if shift.ndim > 1:
        raise invalid(f"shift must be a scalar or a 1-D vector. Found: {text(shift.shape)}")
    if axis.ndim > 1:
        raise invalid(f"axis must be a scalar or a 1-D vector. Found: {text(axis.shape)}")
    if shift.shape != axis.shape:
        raise invalid("shift and axis must have the same size")
    axes = axis.reshape(-1).tolist()
    for a in axes:
        if not -input.ndim <= a < input.ndim:
            raise invalid(f"axis {a + input.ndim if a < 0 else a} is out of range")
    for a, by in zip(axes, shift.reshape(-1).tolist()):
        input = _rolled(xp, input, by, a % input.ndim)
    return input if axes else input.copy()


@roll.batched
def _(call: Any) -> Any:
    axes, rank = call.static_value(2), call.rank(0)
    axes = [call.axis(i, rank) for i in axes] if isinstance(axes, list) else call.axis(axes, rank)
    return call.run(call.full(0), call.shared(1), axes)


roll.native("move")


def _rolled(xp: Any, input: Any, by: int, axis: int) -> Any:
    """Returns a copy rolled along one axis."""
    lead, at = (slice(None),) * axis, -by % max(input.shape[axis], 1)
    return xp.concatenate([input[(*lead, slice(at, None))], input[(*lead, slice(at))]], axis)


@roll.gradient
def _(call: Call, dy: Any) -> Any:
    shift, axis = call.inputs[1:]
    return roll(dy, -shift, axis), None, None


@op("ReverseSequence", shape=reversed_parts)
def _reverse_sequence(
    xp: Any, input: Any, seq_lengths: Lengths, *, seq_dim: int, batch_dim: int = 0
) -> Any:
    """Reverses the first ``seq_lengths[i]`` elements of each row along an axis."""
    if seq_lengths.ndim != 1:
        raise invalid(f"seq_lengths must be 1-dim, not {seq_lengths.ndim}")
    if seq_dim == batch_dim:
        raise invalid(f"batch_dim == seq_dim == {seq_dim}")
    for name, axis in (("seq_dim", seq_dim), ("batch_dim", batch_dim)):
        if axis < 0:
            raise invalid(f"Invalid {name} {axis}")
        if axis >= input.ndim:
            raise invalid(f"{name} must be < input rank ( {axis} vs. {input.ndim})")
    if input.ndim > 5:
        raise invalid(f"ReverseSequenceOp : Unhandled input dimensions: {input.ndim}")
    count = input.shape[seq_dim]
    if len(seq_lengths) != input.shape[batch_dim]:
        raise invalid(
            f"Length of seq_lengths != input.dims({batch_dim}), ({len(seq_lengths)} vs. "
            f"{input.shape[batch_dim]})"
        )
    if known_any(xp, lambda: seq_lengths > count):
        raise invalid(f"seq_lens({int(xp.argmax(seq_lengths > count))}) > input.dims({seq_dim})")
    if known_any(xp, lambda: seq_lengths < 0):
        raise invalid(f"seq_lens({int(xp.argmax(seq_lengths < 0))}) < 0")
    steps, lengths = xp.arange(count), seq_lengths[:, None]
    order = xp.where(steps < lengths, lengths - 1 - steps, steps)
    moved = xp.moveaxis(input, (batch_dim, seq_dim), (0, 1))
    turned = moved[xp.arange(len(lengths))[:, None], order]
    return xp.asarray(xp.moveaxis(turned, (0, 1), (batch_dim, seq_dim)), order="C")


@_reverse_sequence.gradient
def _(call: Call, dy: Any) -> Any:
    return _reverse_sequence(dy, call.inputs[1], **call.attrs), None


@export("reverse_sequence")
@documented_like(roll)
def reverse_sequence(
    input: Any,
    seq_lengths: Any,
    seq_axis: Any = None,
    batch_axis: Any = None,
    name: str | None = None,
) -> Any:
    """Reverses the first ``seq_lengths[i]`` elements of each row along an axis.

    Args:
        seq_lengths: The number of elements to reverse for each index of the batch axis.
        seq_axis: The axis to reverse along.
        batch_axis: The batch axis; the first if None.

    Raises:
        InvalidArgumentError: A length or an axis is out of range.
    """
    if seq_axis is None:
        raise TypeError("Expected int for argument 'seq_dim' not None.")
    batch_dim = 0 if batch_axis is None else batch_axis
    return _reverse_sequence(input, seq_lengths, seq_dim=seq_axis, batch_dim=batch_dim)


def integers(value: Any, name: str) -> Any:
    """Converts a value to an integer tensor, or raises TensorFlow's TypeError."""
    tensor = convert_to_tensor(value, dtype_hint=int32)
    if not tensor.dtype.is_integer:
        whole = whole_numbers.as_integers(value)
        if whole is not None:
            return integers(whole, name)
        raise TypeError(
            f"Argument `tensor` (name: {name}) must be of type integer. Received `tensor` = "
            f"{tensor.numpy()} of dtype: {tensor.dtype}"
        )
    return tensor


@op("ReverseV2", api="reverse", shape=reversed_along)
@documented_like(roll)
def reverse(xp: Any, tensor: Any, axis: Ints) -> Any:
    """Reverses the order of the elements along axes.

    Args:
        tensor: A tensor.

    Raises:
        InvalidArgumentError: An axis is out of range.
    """
    if not (tensor.ndim and tensor.size):
        return tensor
    if axis.ndim != 1:
        raise invalid(f"'dims' must be 1-dimension, not {axis.ndim}")
    axes = axis.tolist()
    for i, a in enumerate(axes):
        if not -tensor.ndim <= a < tensor.ndim:
            raise invalid(f"'axis'[{i}] = {a} is out of valid range [0, {tensor.ndim - 1}")
        if a % tensor.ndim in [b % tensor.ndim for b in axes[:i]]:
            raise invalid(f"axis {a % tensor.ndim} specified more than once.")
    turned = {a % tensor.ndim for a in axes}
    parts = tuple(slice(None, None, -1) if d in turned else slice(None) for d in range(tensor.ndim))
    return xp.asarray(tensor[parts], order="C")


reverse.native("move")
reverse.gradient(lambda call, dy: (reverse(dy, call.inputs[1]), None), reads=("axis",))


@export("repeat")
def repeat(input: Any, repeats: Any, axis: int | None = None, name: str | None = None) -> Any:
    """Repeats the elements of a tensor along an axis.

    Args:
        input: A tensor.
        repeats: The number of repeats: one for all elements or one per element.
        axis: The axis; the tensor is flattened if None.

    Returns:
        A tensor of the same dtype.

    Raises:
        TypeError: ``repeats`` is not of an integer dtype.
        ValueError: The axis is out of range, or ``repeats`` has the wrong length.
    """
    data = convert_to_tensor(input)
    if axis is None:
        data, axis = reshape(data, [-1]), 0
    elif not isinstance(axis := whole_numbers.with_integers(axis), int):
        raise TypeError(
            f"Argument `axis` must be an int. Received `axis` = {axis} of type {type(axis).__name__}"
        )
    elif data.shape.rank == 0:
        data = reshape(data, [1])
    counts = cast(integers(repeats, "repeats"), int64)
    rank = data.shape.rank
    if rank is None and axis < 0:
        raise ValueError(f"axis={axis} may only be negative if rank(data) is statically known.")
    if rank is not None and not -rank <= axis < rank:
        raise ValueError(f"axis={axis} out of bounds: expected {-rank}<=axis<{rank}")
    where = axis if rank is None else axis % rank
    if counts.shape.rank is not None and counts.shape.rank > 1:
        raise ValueError(f"Shape {counts.shape} must have rank at most 1")
    is_static = data.shape.is_fully_defined() and counts.shape.is_fully_defined()
    wide = (
        static_size(data.shape, where) if is_static else API["shape"](data, out_type=int64)[where]
    )
    plain = (
        is_static and unseen(data) and unseen(counts)
    )  # else a placement log must show the ops that compute the sizes
    if counts.shape.num_elements() == 1:
        times: Any = int(counts._host().reshape(())) if plain else reshape(counts, [])
        return _with_size(_copies(data, where, times), data, where, times * wide)
    if (
        rank is not None
        and counts.shape.rank == 1
        and not counts.shape[:1].is_compatible_with(data.shape[where : where + 1])
    ):
        sizes = static_size(data.shape, where), static_size(counts.shape, 0)
        raise ValueError("Dimensions {} and {} are not compatible".format(*sizes))
    if not is_static:
        if (
            counts.shape.is_fully_defined()
        ):  # an extra axis, or the graph elides the op as a no-op and skips its check
            counts = broadcast_to(counts, [1, wide])[0]
        else:
            counts = broadcast_to(counts, [wide])
        result = _repeated_by_index(data, counts, where)
    else:
        most = maximum(reduce_max(counts), cast(0, int64)) if wide else cast(0, int64)
        result = boolean_mask(_copies(data, where, most), sequence_mask(counts, most), axis=where)
    if not where:
        return result
    return _with_size(
        result, data, where, int(counts._host().sum()) if plain else reduce_sum(counts)
    )  # raises for negative counts


def _repeated_by_index(data: Any, counts: Any, axis: int) -> Any:
    """Repeats elements by a gather, for shapes that are not statically known."""
    ends = API["cumsum"](maximum(counts, cast(0, int64)))
    positions = API["range"](reduce_sum(ends[-1:]))
    indices = API["searchsorted"](ends, positions, side="right")
    index = API["gather"](
        expand_dims(data, 0), indices, axis=axis + 1
    )  # axis > 0: the gradient is dense, not IndexedSlices
    return API["squeeze"](index, [0])


def _with_size(result: Any, data: Any, axis: int, count: Any) -> Any:
    """Reshapes to the shape of ``data`` with another size along an axis."""
    if data.shape.is_fully_defined():
        return reshape(
            result, [count if i == axis else n for i, n in enumerate(data.shape.as_list())]
        )
    sizes = API["shape"](data, out_type=int64)
    return reshape(result, concat([sizes[:axis], [count], sizes[axis + 1 :]], 0))


def _copies(data: Any, axis: int, times: Any) -> Any:
    """Tiles a tensor along a new axis after ``axis``."""
    wide = expand_dims(data, axis + 1)
    if data.shape.rank is None:
        after = ones(reshape(API["rank"](data) - axis - 1, [1]), int64)
        return tile(wide, concat([ones([axis + 1], int64), [times], after], 0))
    multiples = [times if i == axis + 1 else 1 for i in range(data.shape.rank + 1)]
    return tile(
        wide, multiples if isinstance(times, int) else stack([cast(m, int64) for m in multiples])
    )


@export("meshgrid")
def meshgrid(*args: Any, indexing: str = "xy", name: str = "meshgrid", **unknown: Any) -> Any:
    """Returns coordinate matrices from coordinate vectors: one grid tensor per vector.

    Args:
        *args: Vectors of the same dtype.
        indexing: ``"xy"`` (Cartesian; swaps the first two output dimensions) or ``"ij"``
            (matrix indexing).
        name: A name for the operation.
        **unknown: Not supported.

    Returns:
        A list of tensors of the same shape.

    Raises:
        ValueError: ``indexing`` is unknown.
        TypeError: An unknown keyword argument was passed.
    """
    if unknown:
        key = next(iter(unknown))
        raise TypeError(f"'{key}' is an invalid keyword argument for this function")
    if indexing not in ("xy", "ij"):
        raise ValueError(
            f"Argument `indexing` parameter must be either 'xy' or 'ij', got '{indexing}'"
        )
    count = len(args)
    result = [
        reshape(stack(x), [-1 if i == j else 1 for j in range(count)]) for i, x in enumerate(args)
    ]
    sizes = [x.shape.num_elements() if unseen(x) else size(x) for x in args]
    if indexing == "xy" and count > 1:
        result[0] = reshape(result[0], [1, -1] + [1] * (count - 2))
        result[1] = reshape(result[1], [-1, 1] + [1] * (count - 2))
        sizes[0], sizes[1] = sizes[1], sizes[0]
    if not count:
        return []
    dtype = convert_to_tensor(args[0]).dtype
    if dtype.is_bool:
        return [broadcast_to(x, stack(sizes)) for x in result]
    factors = ones(sizes, dtype)
    return [
        x * factors for x in result
    ]  # the ``*`` operator, as NumPy type promotion may be enabled
