"""Fast path on GPUs: random numbers by one fused kernel, for Python shapes, bounds and seeds."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

from twinflow._src.core.allocation import allocate_on_device
from twinflow._src.core.context import alone, quiet
from twinflow._src.core.devices import Device
from twinflow._src.core.dtypes import DType, as_dtype, int32
from twinflow._src.core.tensor import EagerTensor
from twinflow._src.ops.random.arguments import shape_tensor
from twinflow._src.random import distributions
from twinflow._src.random.philox import Stream
from twinflow._src.random.seeds import seeds

_KINDS = {
    "RandomUniform": "uniform", "RandomStandardNormal": "normal", "TruncatedNormal": "truncated",
    "StatelessRandomUniformV2": "uniform", "StatelessRandomNormalV2": "normal", "StatelessTruncatedNormalV2": "truncated",
}  # fmt: skip


def next_of(seed: Any) -> Callable[[tuple[Any, ...], int], Stream]:
    """Returns a function that reserves blocks of a kernel's stream, by kernel key and count."""
    return lambda kernel, blocks: seeds.reserve(kernel, seeds.of_op(seed), blocks)


def drawn_at_once(
    op_type: str,
    shape: Any,
    dtype: Any,
    take: Callable[..., Stream],
    scale: Any,
    shift: Any = -0.0,
    less: Any = 0,
) -> Any:
    """Draws, scales and shifts random numbers in one kernel; None if the fast path does not apply.

    The fast path requires eager execution on a GPU without observers of operations. Only then is
    ``take`` called, with the kernel key and the block count; it returns the stream. ``less`` is
    subtracted from ``scale`` first; a ``shift`` of -0.0 is neutral.
    """
    home, dtype = alone(), as_dtype(dtype)
    if (
        home is None
        or dtype.np.char not in "fd"
        or not _NUMBERS.issuperset((type(scale), type(shift), type(less)))
    ):
        return None
    draws, sizes = getattr(home.xp, "draws", None), _known_dims(shape)
    if draws is None or sizes is None:
        return None
    dims, number = sizes[0], dtype.np.type
    kernel, blocks, apart = _part(op_type, dtype, *sizes)
    stream = take(kernel, blocks)
    if less:
        scale = float(quiet().run(lambda: number(scale) - number(less)))
    args = _KINDS[op_type], stream.key, stream.counter, dims, dtype.np, apart, 0, scale, shift
    return _launch_draws(home, dims, dtype, draws, args)


def kept_at_once(x: Any, rate: float, take: Callable[..., Stream]) -> Any:
    """Applies dropout in one kernel: scaled elements where uniform numbers >= rate, else 0.

    Returns None if the fast path does not apply, see ``drawn_at_once``.
    """
    home = alone()
    if (
        home is None
        or type(x) is not EagerTensor
        or x._device is not home
        or x.dtype.np.char not in "fd"
    ):
        return None
    draws, array, dtype = getattr(home.xp, "draws", None), x._array, x.dtype
    if draws is None or not array.flags.c_contiguous:
        return None
    stream = take(*_part("RandomUniform", dtype, array.shape, int32.np)[:2])
    return _launch_draws(
        home,
        array.shape,
        dtype,
        draws,
        (
            "kept",
            stream.key,
            stream.counter,
            array.shape,
            dtype.np,
            0,
            0,
            1 / (1 - rate),
            rate,
            array,
        ),
    )


def _launch_draws(
    home: Device,
    dims: tuple[int, ...],
    dtype: DType,
    draws: Callable[..., Any],
    args: tuple[Any, ...],
) -> Any:
    """Launches the drawing kernel; if out of memory, frees cached memory and retries."""
    if home.backend.in_line():
        try:
            return EagerTensor(draws(*args), home, dtype)
        except MemoryError:
            pass  # outside the handler the failed call's arrays are gone
    return EagerTensor(
        allocate_on_device(home, dims, dtype, home.backend.run, draws, home.ordinal, *args),
        home,
        dtype,
    )


@functools.lru_cache(1 << 10)
def _part(
    op_type: str, dtype: Any, dims: tuple[int, ...], sizes: Any
) -> tuple[tuple[Any, ...], int, int]:
    """Returns the kernel key, the blocks to reserve, and the blocks per truncated-normal group."""
    target = dtype.np if type(dtype) is DType else dtype
    return (
        (op_type, sizes, dtype),
        math.prod(dims) * distributions.ROOM,
        distributions.apart_of(target),
    )


def integers_at_once(
    shape: Any, low: Any, high: Any, dtype: DType, take: Callable[..., Stream]
) -> Any:
    """Draws integers in [low, high) in one kernel, or returns None, as ``drawn_at_once``."""
    home = alone()
    if home is None:
        return None
    known, draws = _known_dims(shape), getattr(home.xp, "draws", None)
    if draws is None or known is None or 0 in known[0] or not type(low) is type(high) is int:
        return None
    bits = 8 * dtype.np.itemsize - 1
    if not -1 << bits <= low < high < 1 << bits:
        return None
    dims, sizes = known
    stream = take(*_part("RandomUniformInt", dtype.np, dims, sizes)[:2])
    return _launch_draws(
        home,
        dims,
        dtype,
        draws,
        ("bounded", stream.key, stream.counter, dims, dtype.np, high - low, low),
    )


_SIZES, _NUMBERS = frozenset((int,)), frozenset((int, float))


def _known_dims(shape: Any) -> tuple[tuple[int, ...], Any] | None:
    """Returns a shape known on the CPU, and the dtype of its sizes; None if unknown or invalid."""
    if type(shape) in (list, tuple) and _SIZES.issuperset(map(type, shape)):
        dims = tuple(shape)
        return (dims, int32.np) if not dims or 0 <= min(dims) <= max(dims) < 1 << 31 else None
    shape = shape_tensor(shape)
    if type(shape) is not EagerTensor or shape._device.kind != "CPU" or shape._array.ndim != 1:
        return None
    dims = tuple(shape._array.tolist())
    return (dims, shape.dtype.np) if min(dims, default=0) >= 0 else None
