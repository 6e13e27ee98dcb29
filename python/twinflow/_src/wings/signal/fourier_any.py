"""Fourier transforms over any dimensions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

import numpy as np

from twinflow._src.core.dtypes import complex64, float32, int32
from twinflow._src.core.errors import invalid
from twinflow._src.core.shapes import Dims
from twinflow._src.dispatch.op import API, Call, Kind, Type, op
from twinflow._src.ops.array.static_sizes import rank_of
from twinflow._src.ops.elementwise.complex_numbers import real
from twinflow._src.shape_rules.demands import value_dims, vector
from twinflow._src.wings.signal.fourier import Signal, forward
from twinflow._src.wings.signal.fourier_real import Lengths, Real, twice

Axes = Annotated[Any, Kind("axes", only=int32, default=int32, host=True)]


def _chosen(rank: int, fft_length: Any, axes: Any) -> tuple[list[int], list[int]]:
    """The lengths of a transform and its dimensions, counted from the front."""
    lengths, given = fft_length.tolist(), axes.tolist()
    if len(lengths) != len(given):
        raise invalid(f"fft_length must have shape [{len(given)}]")
    for axis in given:
        if not -rank <= axis < rank:
            raise invalid(f"axes must be in [{-rank}, {rank}), but got: {axis}")
    places = [axis % rank for axis in given]
    if len(set(places)) < len(places):
        raise invalid(f"axes must be unique, but got: {given}")
    for i, size in enumerate(lengths):
        if size < 0:
            raise invalid(f"fft_length[{i}] must >= 0, but got: {size}")
    return lengths, places


def _changed(last: Callable[[int], int]) -> Callable[..., Any]:
    """The shape rule of a transform; ``last`` gives the size along its last dimension."""

    def rule(dims: Dims | None, fft_length: Any, axes: Any, **_: Any) -> Any:
        vector(value_dims(fft_length)), vector(value_dims(axes))
        known = isinstance(fft_length, np.ndarray) and isinstance(axes, np.ndarray)
        if dims is None or not known:
            return None if dims is None else (None,) * len(dims)
        lengths, places = _chosen(len(dims), fft_length, axes)
        return _resized(dims, [*lengths[:-1], *map(last, lengths[-1:])], places)

    return rule


def _resized(dims: Any, sizes: list[int], places: list[int]) -> tuple[Any, ...]:
    found = list(dims)
    for place, size in zip(places, sizes):
        found[place] = size
    return tuple(found)


def _run(
    xp: Any, name: str, x: Any, fft_length: Any, axes: Any, last: Callable[[int], int], found: Any
) -> Any:
    """A transform by a function of ``xp.fft``; zeros where there is nothing to transform."""
    lengths, places = _chosen(x.ndim, fft_length, axes)
    if 0 in lengths or not x.size:
        sizes = [*lengths[:-1], *map(last, lengths[-1:])]
        return xp.zeros(_resized(x.shape, sizes, places), found)
    if not places:
        return x.astype(found)
    function = getattr(xp.fft, name)
    if name.startswith("i"):
        result = function(x, s=lengths, axes=places)
    else:
        result = forward(function, x, lengths, places)
    return xp.asarray(result.astype(found, copy=False), order="C")


def _halved(size: int) -> int:
    return size // 2 + 1 if size else 0


def _whole(size: Any) -> Any:
    return size


@op("FFTND", shape=_changed(_whole))
def _fftnd(xp: Any, input: Signal, fft_length: Lengths, axes: Axes) -> Any:
    """Returns the Fourier transform over dimensions.

    Args:
        input: A tensor of complex numbers, cut or filled up with zeros to the lengths.
        fft_length: The length along each dimension.
        axes: The dimensions.

    Returns:
        A tensor of the same type.
    """
    return _run(xp, "fftn", input, fft_length, axes, _whole, input.dtype)


@op("IFFTND", shape=_changed(_whole))
def _ifftnd(xp: Any, input: Signal, fft_length: Lengths, axes: Axes) -> Any:
    """Returns the inverse Fourier transform over dimensions.

    Args:
        input: A tensor of complex numbers, cut or filled up with zeros to the lengths.
        fft_length: The length along each dimension.
        axes: The dimensions.

    Returns:
        A tensor of the same type.
    """
    return _run(xp, "ifftn", input, fft_length, axes, _whole, input.dtype)


@op("RFFTND", shape=_changed(_halved), out="Tcomplex")
def _rfftnd(
    xp: Any, input: Real, fft_length: Lengths, axes: Axes, *, Tcomplex: Type = complex64
) -> Any:
    """Returns the Fourier transform of real numbers over dimensions; half of it along the last.

    Args:
        input: A tensor of real numbers, cut or filled up with zeros to the lengths.
        fft_length: The length along each dimension.
        axes: The dimensions.
        Tcomplex: The type of the result.

    Returns:
        A tensor of complex numbers.
    """
    return _run(xp, "rfftn", input, fft_length, axes, _halved, Tcomplex.np)


@op("IRFFTND", shape=_changed(_whole), out="Treal")
def _irfftnd(
    xp: Any, input: Signal, fft_length: Lengths, axes: Axes, *, Treal: Type = float32
) -> Any:
    """Returns the real numbers of which dimensions are the Fourier transform.

    Args:
        input: A tensor of complex numbers, cut or filled up with zeros to what the lengths need.
        fft_length: The size of the result along each dimension.
        axes: The dimensions.
        Treal: The type of the result.

    Returns:
        A tensor of real numbers.
    """
    return _run(xp, "irfftn", input, fft_length, axes, _whole, Treal.np)


# ------------------------------------------------------------------ gradients


def _like(x: Any, found: Any) -> Any:
    """A gradient cut or filled up with zeros to the shape of what it belongs to."""
    own, wanted = API["shape"](found), API["shape"](x)
    kept = API["slice"](found, API["zeros_like"](own), API["minimum"](own, wanted))
    after = API["maximum"](wanted - own, 0)
    return API["pad"](kept, API["stack"]([API["zeros_like"](after), after], 1))


def _count(fft_length: Any, dtype: Any) -> Any:
    return API["cast"](API["reduce_prod"](fft_length), dtype)


@_fftnd.gradient
def _(call: Call, dy: Any) -> Any:
    x, lengths, axes = call.inputs
    return _like(x, _ifftnd(dy, lengths, axes) * _count(lengths, dy.dtype)), None, None


@_ifftnd.gradient
def _(call: Call, dy: Any) -> Any:
    x, lengths, axes = call.inputs
    return _like(x, _fftnd(dy, lengths, axes) / _count(lengths, dy.dtype)), None, None


@_rfftnd.gradient
def _(call: Call, dy: Any) -> Any:
    x, lengths, axes = call.inputs
    found = real(_ifftnd(dy, lengths, axes) * _count(lengths, dy.dtype))
    return _like(x, found), None, None


@_irfftnd.gradient
def _(call: Call, dy: Any) -> Any:
    x, lengths, axes = call.inputs
    found = _rfftnd(dy, lengths, axes, Tcomplex=x.dtype)
    along = API["one_hot"](axes[-1] % rank_of(x), rank_of(x), -1, 1)
    weights = API["reshape"](twice(lengths[-1], found.dtype), along)
    return _like(x, found * weights / _count(lengths, found.dtype)), None, None
