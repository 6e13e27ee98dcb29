"""Dropout and random crops."""

from __future__ import annotations

import functools
import numbers
from typing import Any

from twinflow._src.conversion.constant import constant, convert_to_tensor, dense, is_tensor
from twinflow._src.core.context import thread
from twinflow._src.core.dtypes import int32
from twinflow._src.core.shapes import TensorShape
from twinflow._src.core.tensor import EagerTensor
from twinflow._src.dispatch.op import API, documented_like, export
from twinflow._src.ops.array.gather import select
from twinflow._src.ops.array.shapes import shape as shape_of
from twinflow._src.ops.array.shapes import shape_of as size_of
from twinflow._src.ops.array.strided_slice import slice_
from twinflow._src.ops.elementwise.arithmetic import subtract
from twinflow._src.ops.elementwise.compare import greater_equal
from twinflow._src.ops.elementwise.division import realdiv
from twinflow._src.ops.random.stateful import uniform
from twinflow._src.ops.random.stateless import stateless_uniform
from twinflow._src.random.seeds import seeds


@export("nn.dropout")
def dropout(
    x: Any, rate: Any, noise_shape: Any = None, seed: Any = None, name: str | None = None
) -> Any:
    """Computes dropout: sets random elements to zero and scales up the others.

    Args:
        x: A floating-point tensor.
        rate: The probability that an element is dropped: a number or a scalar tensor.
        noise_shape: The shape of the random mask, which broadcasts to ``x``.
        seed: An op seed, an integer; if None, it is derived from the global seed.

    Returns:
        A tensor of the same dtype and shape.

    Raises:
        ValueError: The rate is not in the range [0, 1), or ``x`` is not floating-point.
    """
    is_number = type(rate) is float or isinstance(rate, numbers.Real)
    if is_number and rate == 0:
        seeds.of_op(seed)  # advances the op seed, so that those of later ops are the same
    return _dropped(x, rate, is_number, noise_shape, functools.partial(uniform, seed=seed))


@export("nn.experimental.stateless_dropout")
@documented_like(dropout)
def stateless_dropout(
    x: Any,
    rate: Any,
    seed: Any,
    rng_alg: Any = "auto_select",
    noise_shape: Any = None,
    name: str | None = None,
) -> Any:
    """Computes dropout with a mask that depends on the seed only.

    Args:
        seed: A vector of two integers.
        rng_alg: The algorithm; see ``tf.random.stateless_uniform``.
    """
    draw = functools.partial(stateless_uniform, seed=seed, alg=rng_alg)
    return _dropped(x, rate, isinstance(rate, numbers.Real), noise_shape, draw)


@export("nn.experimental.general_dropout")
@documented_like(dropout)
def general_dropout(
    x: Any, rate: Any, uniform_sampler: Any, noise_shape: Any = None, name: str | None = None
) -> Any:
    """Computes dropout with a mask from a user-defined uniform sampler.

    Args:
        uniform_sampler: Called with ``shape`` and ``dtype``; returns numbers in [0, 1). Elements
            whose number is below the rate are set to zero.
    """
    return _dropped(x, rate, isinstance(rate, numbers.Real), noise_shape, uniform_sampler)


def _dropped(x: Any, rate: Any, is_number: bool, noise_shape: Any, draw: Any) -> Any:
    """Scales up the elements whose noise is at least the rate, and sets the others to zero."""
    if is_number and not 0 <= rate < 1:
        raise ValueError(
            f"`rate` must be a scalar tensor or a float in the range [0, 1). Received: rate={rate}"
        )
    x = x if type(x) is EagerTensor else convert_to_tensor(x, name="x")
    dtype, is_eager = x.dtype, type(x) is EagerTensor and thread.scope.graph is None
    if dtype.kind != "f":
        raise ValueError(
            "`x.dtype` must be a floating point tensor as `x` will be scaled. "
            f"Received: x_dtype={dtype}"
        )
    if is_number and rate == 0:
        return x
    # Eager ops take numbers as they are; in graphs, constants have names of their own.
    if is_number:
        scale = 1 / (1 - rate)
        scaled = x * (
            scale if is_eager and type(rate) is float else convert_to_tensor(scale, dtype=dtype)
        )
    else:
        scaled = _by_tensor(x, rate)
    shape = _noise_shape(x, noise_shape) if noise_shape is not None or not is_eager else size_of(x)
    kept = greater_equal(draw(shape=shape, dtype=dtype), rate)
    result = select(kept, scaled, 0.0 if is_eager else constant(0, dtype=dtype))
    if not isinstance(result, EagerTensor):
        result.set_shape(x.shape)
    return result


def _by_tensor(x: Any, rate: Any) -> Any:
    """Divides a tensor by one minus a rate that is a tensor."""
    if not is_tensor(rate):
        raise ValueError(f"`rate` must be a scalar or scalar tensor. Received: rate={rate}")
    rate.shape.assert_has_rank(0)
    if rate.dtype is not x.dtype:
        raise ValueError(
            "`x.dtype` must be compatible with `rate.dtype`. "
            f"Received: x.dtype={x.dtype} and rate.dtype={rate.dtype}"
        )
    return realdiv(x, subtract(constant(1, dtype=x.dtype), rate))


def _noise_shape(x: Any, noise_shape: Any) -> Any:
    """Returns the shape of the mask; None sizes are those of the tensor."""
    if noise_shape is None:
        return shape_of(x)
    try:
        sizes = TensorShape(noise_shape)._dims
    except (TypeError, ValueError):  # a tensor, or a list that contains tensors
        return noise_shape
    if sizes is None or len(sizes) != x.shape.rank:
        return noise_shape
    return [dim if size is None else size for size, dim in zip(sizes, x.shape.as_list())]


# ------------------------------------------------------------------ random crops


@export("image.random_crop")
def random_crop(value: Any, size: Any, seed: Any = None, name: str | None = None) -> Any:
    """Crops a tensor to a given size at a random offset.

    Args:
        value: A tensor.
        size: The size of the crop in each dimension.
        seed: An op seed, an integer; if None, it is derived from the global seed.

    Returns:
        A tensor of that size.

    Raises:
        InvalidArgumentError: The crop is larger than the tensor.
    """
    return _crop_at_random(value, size, functools.partial(API["random.uniform"], seed=seed))


@export("image.stateless_random_crop")
@documented_like(random_crop)
def stateless_random_crop(value: Any, size: Any, seed: Any, name: str | None = None) -> Any:
    """Crops a tensor to a given size at an offset that depends on the seed only.

    Args:
        seed: A vector of two integers.
    """
    return _crop_at_random(
        value, size, functools.partial(API["random.stateless_uniform"], seed=seed)
    )


def _crop_at_random(value: Any, size: Any, draw: Any) -> Any:
    value = dense(value)
    size = convert_to_tensor(size, dtype=int32, name="size")
    shape = shape_of(value)
    fits = API["reduce_all"](greater_equal(shape, size))
    check = API["debugging.Assert"](
        fits, ["Need value.shape >= size, got ", shape, size], summarize=1000
    )
    if check is not None:  # in a graph, where nothing else runs it first
        with API["control_dependencies"]([check]):
            shape = API["identity"](shape)
    limit = subtract(shape, size) + 1
    offset = draw(shape=shape_of(shape), dtype=size.dtype, maxval=size.dtype.max) % limit
    return slice_(value, offset, size)
