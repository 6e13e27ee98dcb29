"""Softmax and log-softmax."""

from __future__ import annotations

from typing import Any

import numpy as np

from twinflow._src.backends.cpu.float16 import shortened, widened
from twinflow._src.backends.cpu.reductions import reduced
from twinflow._src.backends.cpu.rows import TURNED, by_rows, pays, pays_in_columns, pays_short
from twinflow._src.conversion.constant import convert_to_tensor, is_tensor
from twinflow._src.core.dtypes import REALS
from twinflow._src.core.errors import invalid
from twinflow._src.core.shapes import Dims, text
from twinflow._src.dispatch.op import API, Call, documented_like, export, op
from twinflow._src.ops.array.shapes import transpose
from twinflow._src.ops.elementwise.math import SMALL, rounded
from twinflow._src.shape_rules.demands import at_least


def vectors(logits: Dims | None, **_: Any) -> Dims | None:
    """Returns the shape of the logits, which must have rank 1 or more."""
    return at_least(logits, 1)


def _at_least_vector(logits: Any) -> None:
    if not logits.ndim:
        raise invalid(f"logits must have >= 1 dimension, got {text(logits.shape)}")


def _shifted_powers(x: Any, axis: int, into: Any, powers: Any) -> Any:
    """Writes the exponentials of logits minus their maxima, via ``into``; returns their sums."""
    np.subtract(x, reduced(np, "maximum", x, (axis,), True), out=into)
    if x.size > SMALL:
        np.exp(into, out=powers)
    else:
        powers[...] = rounded(np.exp, into)
    return reduced(np, "add", powers, (axis,), True) if axis else _totals(powers.T).T


def _totals(x: Any) -> Any:
    """Returns the sums along the last axis, of short rows of float32 in TensorFlow's order."""
    # That adds vectors of eight, then their halves, then the elements that are left.
    whole = x.shape[-1] // 8 * 8
    if not 8 <= x.shape[-1] < TURNED or x.dtype.char != "f" or not isinstance(x, np.ndarray):
        return x.sum(axis=-1, keepdims=True)
    lanes = x[..., :8] if whole == 8 else x[..., :8] + x[..., 8:16]
    for half in (4, 2, 1):
        lanes = lanes[..., :half] + lanes[..., half:]
    return lanes + x[..., whole:].sum(axis=-1, keepdims=True) if whole < x.shape[-1] else lanes


def _probabilities(x: Any, axis: int, into: Any) -> None:
    """Writes the softmax of a NumPy array into ``into``."""
    into *= 1 / _shifted_powers(x, axis, into, into)


def _short_powers(x: Any, axis: int) -> tuple[Any, Any, Any]:
    """Returns float16 logits minus their maxima, the exponentials, and their sums."""
    # Each is rounded to float16, as in TensorFlow; the exponentials are then float32.
    wide = widened(x)
    shifted = shortened(wide - wide.max(axis, keepdims=True), x.dtype)
    powers = widened(np.exp(shifted))
    return shifted, powers, powers.sum(axis, keepdims=True).astype(x.dtype)


def _short_probabilities(x: Any, axis: int, into: Any) -> None:
    """Writes the softmax of a large float16 NumPy array into ``into``."""
    _, powers, total = _short_powers(x, axis)
    powers *= (1 / total).astype(np.float32)
    into[...] = shortened(powers, x.dtype)


def _short_logarithms(x: Any, axis: int, into: Any) -> None:
    """Writes the log-softmax of a large float16 NumPy array into ``into``."""
    shifted, _, total = _short_powers(x, axis)
    into[...] = shortened(widened(shifted) - np.log(total).astype(np.float32), x.dtype)


def _logarithms(x: Any, axis: int, into: Any) -> None:
    """Writes the log-softmax of a NumPy array into ``into``."""
    into -= rounded(np.log, _shifted_powers(x, axis, into, np.empty_like(into)))


def log_probabilities(xp: Any, x: Any) -> Any:
    """Returns the log-softmax along the last dimension."""
    if not x.size:
        return x.copy()
    if pays(xp, x) or pays_in_columns(xp, x):
        return by_rows(_logarithms, x)
    if pays_short(xp, x):
        return by_rows(_short_logarithms, x)
    shifted = x - x.max(axis=-1, keepdims=True)
    shifted -= rounded(xp.log, _totals(rounded(xp.exp, shifted)))
    return shifted


def logarithms_and_probabilities(xp: Any, x: Any) -> tuple[Any, Any]:
    """Returns log-softmax and softmax along the last axis, rounded as in TensorFlow's losses."""
    if not x.size or pays(xp, x) or pays_short(xp, x):
        logarithms = log_probabilities(xp, x)
        return logarithms, xp.exp(logarithms)
    if pays_in_columns(xp, x):
        columns = np.array(x.reshape(-1, x.shape[-1]).T, order="C")
        powers = np.empty_like(columns)
        total = _shifted_powers(columns, 0, columns, powers)
        columns -= rounded(np.log, total)
        powers /= total
        logarithms, powers = (np.ascontiguousarray(part.T) for part in (columns, powers))
        return logarithms.reshape(x.shape), powers.reshape(x.shape)
    shifted = x - x.max(axis=-1, keepdims=True)
    powers = rounded(xp.exp, shifted)
    total = _totals(powers)
    shifted -= rounded(xp.log, total)
    powers /= total
    return shifted, powers


@op("Softmax", shape=vectors, dtypes=REALS, flat=False)
def softmax_last(xp: Any, logits: Any) -> Any:
    """Computes softmax along the last dimension: ``exp(x) / sum(exp(x))``."""
    _at_least_vector(logits)
    if not logits.size:
        return logits.copy()
    if pays(xp, logits) or pays_in_columns(xp, logits):
        return by_rows(_probabilities, logits)
    if pays_short(xp, logits):
        return by_rows(_short_probabilities, logits)
    # As in TensorFlow: in the input dtype, also for 16-bit floats, and by the reciprocal of the
    # sum.
    powers = rounded(xp.exp, logits - logits.max(axis=-1, keepdims=True))
    powers *= 1 / _totals(powers)
    return powers


@softmax_last.gradient(reads=("result",))
def _(call: Call, dy: Any) -> Any:
    y = call.outputs
    return (dy - API["reduce_sum"](dy * y, -1, keepdims=True)) * y


@op("LogSoftmax", shape=vectors, dtypes=REALS, flat=False)
def log_softmax_last(xp: Any, logits: Any) -> Any:
    """Computes log-softmax along the last dimension: ``x - log(sum(exp(x)))``."""
    _at_least_vector(logits)
    return log_probabilities(xp, logits)


@log_softmax_last.gradient(reads=("result",))
def _(call: Call, dy: Any) -> Any:
    return dy - API["reduce_sum"](dy, -1, keepdims=True) * API["exp"](call.outputs)


for function in (softmax_last, log_softmax_last):
    function.batched(lambda call: call.first())


def along_axis(function: Any, logits: Any, axis: Any) -> Any:
    """Applies a function of the last dimension along another one."""
    x = convert_to_tensor(logits)
    rank: Any = x.shape.rank  # for an unknown rank the axis is ignored, as in TensorFlow
    axis = -1 if axis is None else axis
    if axis == -1 or axis == rank - 1:
        return function(x)
    value = axis.numpy() if is_tensor(axis) else axis
    if not -rank <= value < rank:
        raise invalid(
            f"`dim` must be in the range [{-rank}, {rank}) where {rank} is the number of dimensions in "
            f"the input. Received: dim={value}"
        )
    order = _swapped(axis, rank)
    return transpose(function(transpose(x, order)), order)


def _swapped(axis: Any, rank: int) -> Any:
    """Returns the permutation that swaps an axis with the last one; a tensor if it is dynamic."""
    if isinstance(axis, int):
        order = list(range(rank))
        order[axis], order[-1] = order[-1], order[axis]
        return order
    last, count = rank - 1, convert_to_tensor(rank)
    if is_tensor(axis):
        axis = API["where"](API["less"](axis, 0), axis + count, axis)
    elif axis < 0:
        axis += rank
    dim = axis % rank
    ranges = API["range"](dim), API["range"](dim + 1, last)
    return API["concat"]([ranges[0], [last], ranges[1], [dim]], 0)


@export("nn.softmax", "math.softmax")
def softmax(logits: Any, axis: Any = None, name: str | None = None) -> Any:
    """Computes softmax along an axis: ``exp(x) / sum(exp(x))``.

    Args:
        logits: A floating-point tensor.
        axis: The axis; the last one if None.

    Returns:
        A tensor of the same dtype and shape.

    Raises:
        InvalidArgumentError: The tensor is a scalar, or the axis is out of range.
    """
    return along_axis(softmax_last, logits, axis)


@export("nn.log_softmax", "math.log_softmax")
@documented_like(softmax)
def log_softmax(logits: Any, axis: Any = None, name: str | None = None) -> Any:
    """Computes log-softmax along an axis: ``x - log(sum(exp(x)))``."""
    return along_axis(log_softmax_last, logits, axis)
