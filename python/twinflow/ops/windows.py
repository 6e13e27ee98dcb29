"""Sliding windows: the geometry that convolutions and pooling share."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from .. import opdefs
from ..errors import invalid

_BLOCK_BYTES = 1 << 23  # patches that are gathered at a time: they should stay in the cache


class Geometry(NamedTuple):
    """How windows slide over the spatial dimensions.

    Attributes:
        sizes: The sizes of the input.
        kernel: The sizes of a window.
        strides: The steps from one window to the next.
        dilations: The steps within a window.
        outputs: The number of windows.
        pads: The padding before and after each dimension.
    """

    sizes: tuple[int, ...]
    kernel: tuple[int, ...]
    strides: tuple[int, ...]
    dilations: tuple[int, ...]
    outputs: tuple[int, ...]
    pads: tuple[tuple[int, int], ...]


def geometry(
    sizes: Sequence[int],
    kernel: Sequence[int],
    strides: Sequence[int],
    dilations: Sequence[int],
    padding: str,
    explicit: Sequence[int] = (),
) -> Geometry:
    """The geometry of windows, with ``SAME``, ``VALID`` or explicit padding.

    Args:
        sizes: The sizes of the input's spatial dimensions.
        kernel: The sizes of a window.
        strides: The steps from one window to the next.
        dilations: The steps within a window.
        padding: ``"SAME"``, ``"VALID"`` or ``"EXPLICIT"``.
        explicit: For explicit padding, a number before and one after each dimension.

    Raises:
        InvalidArgumentError: There are fewer than no windows.
    """
    outputs, pads = [], []
    for i, (n, k, s, d) in enumerate(zip(sizes, kernel, strides, dilations, strict=True)):
        reach = (k - 1) * d + 1
        if padding == "SAME":
            count = -(-n // s)
            total = max((count - 1) * s + reach - n, 0)
            before, after = total // 2, total - total // 2
        else:
            before, after = (
                (explicit[2 * i], explicit[2 * i + 1]) if padding == "EXPLICIT" else (0, 0)
            )
            count = (n + before + after - reach + s) // s
        if count < 0:
            raise invalid(
                f"Computed output size would be negative: {count} [input_size: {n}, "
                f"effective_filter_size: {reach}, stride: {s}]"
            )
        outputs.append(count)
        pads.append((before, after))
    shape = (tuple(sizes), tuple(kernel), tuple(strides), tuple(dilations))
    return Geometry(*shape, tuple(outputs), tuple(pads))


def padded(xp: Any, x: Any, g: Geometry, fill: Any = 0) -> Any:
    """An array (batch, spatial dimensions, channels) with padding around its spatial dimensions."""
    if not any(map(any, g.pads)):
        return x
    return xp.pad(x, [(0, 0), *g.pads, (0, 0)], constant_values=fill)


def view(xp: Any, x: Any, g: Geometry) -> Any:
    """The windows of a padded array, as a view: batch, outputs, kernel, channels."""
    batch, *inner, channel = x.strides
    shape = (x.shape[0], *g.outputs, *g.kernel, x.shape[-1])
    steps = [a * s for a, s in zip(inner, g.strides, strict=True)]
    within = [a * d for a, d in zip(inner, g.dilations, strict=True)]
    return xp.lib.stride_tricks.as_strided(x, shape, (batch, *steps, *within, channel))


def blocks(windows: Any, g: Geometry) -> Iterator[tuple[slice, slice]]:
    """Parts of the batch and of the first spatial dimension whose patches take little memory."""
    row = windows.dtype.itemsize * math.prod(windows.shape[2:])
    rows = max(1, _BLOCK_BYTES // max(row, 1))
    first = g.outputs[0]
    if rows >= first > 0:
        step = max(1, rows // first)
        for n in range(0, windows.shape[0], step):
            yield slice(n, n + step), slice(None)
        return
    for n in range(windows.shape[0]):
        for i in range(0, first, rows):
            yield slice(n, n + 1), slice(i, i + rows)


def convolve(xp: Any, x: Any, filters: Any, g: Geometry) -> Any:
    """The convolution of an array with filters (kernel, channels, outputs): blocks of patches times them."""
    source = padded(xp, x, g)
    outputs = filters.shape[-1]
    result = xp.zeros((x.shape[0], *g.outputs, outputs), x.dtype)
    if not result.size or not source.size or not filters.size:
        return result
    windows = view(xp, source, g)
    matrix = filters.reshape(-1, outputs)
    for batch, rows in blocks(windows, g):
        part = windows[batch, rows]
        shape = part.shape[: 1 + len(g.outputs)]
        result[batch, rows] = xp.matmul(part.reshape(-1, matrix.shape[0]), matrix).reshape(
            *shape, outputs
        )
    return result


def offsets(g: Geometry) -> Iterator[tuple[tuple[int, ...], tuple[slice, ...]]]:
    """Each place in a window, and where in a padded array that place lies for all windows."""
    for place in np.ndindex(*g.kernel):
        yield (
            place,
            tuple(
                slice(p * d, p * d + (n - 1) * s + 1, s)
                for p, d, s, n in zip(place, g.dilations, g.strides, g.outputs, strict=True)
            ),
        )


def spread(xp: Any, dy: Any, filters: Any, g: Geometry) -> Any:
    """What each input contributes, given the derivative by the outputs: the adjoint of ``convolve``."""
    channels = filters.shape[-2]
    sizes = [n + a + b for n, (a, b) in zip(g.sizes, g.pads, strict=True)]
    total = xp.zeros((dy.shape[0], *sizes, channels), dy.dtype)
    if dy.size:
        for place, where in offsets(g):
            total[(slice(None), *where)] += xp.matmul(dy, filters[place].T)
    inside = tuple(slice(a, a + n) for n, (a, _) in zip(g.sizes, g.pads, strict=True))
    return xp.ascontiguousarray(total[(slice(None), *inside)])


def correlate(xp: Any, x: Any, dy: Any, g: Geometry) -> Any:
    """The derivative by the filters, given that by the outputs."""
    source = padded(xp, x, g)
    result = xp.zeros((*g.kernel, x.shape[-1], dy.shape[-1]), x.dtype)
    if dy.size and x.size:
        flat = dy.reshape(-1, dy.shape[-1])
        for place, where in offsets(g):
            part = source[(slice(None), *where)].reshape(-1, x.shape[-1])
            result[place] = xp.matmul(part.T, flat)
    return result


# ------------------------------------------------------------------ arguments


def sequence(value: Any, count: int, channel_index: int, name: str) -> list[int]:
    """A size for each dimension: one number stands for all spatial ones."""
    if value is None:
        return [1] * (count + 2)
    items = list(value) if hasattr(value, "__len__") else [value]
    items = [int(v) for v in items]
    if len(items) == count + 2:
        return items
    if len(items) == 1:
        items = items * count
    elif len(items) != count:
        raise ValueError(
            f"{name} should be of length 1, {count} or {count + 2}. "
            f"Received: {name}={items} of length {len(items)}"
        )
    return [1, 1, *items] if channel_index == 1 else [1, *items, 1]


def split_padding(padding: Any, expected: int = 4) -> tuple[str, list[int]]:
    """A padding argument as its name and, where it is a list, its numbers."""
    if padding == "EXPLICIT":
        raise ValueError(
            "'EXPLICIT' is not a valid value for `padding`. "
            "To use explicit padding, `padding` must be a list."
        )
    if not isinstance(padding, (list, tuple)):
        return padding, []
    numbers: list[int] = []
    for i, pair in enumerate(padding):
        kind = None if isinstance(pair, (list, tuple)) else f"of type {type(pair)}"
        kind = f"of size {len(pair)}" if kind is None and len(pair) != 2 else kind
        if kind is not None:
            raise ValueError(
                "When `padding` is a list, each element of `padding` must be a list/tuple of size 2. "
                f"Received: padding={padding} with element at index {i} {kind}"
            )
        numbers.extend(pair)
    if len(padding) != expected:
        raise ValueError(
            f"When padding is a list, it must be of size {expected}. "
            f"Received: padding={padding} of size {len(padding)}"
        )
    return "EXPLICIT", numbers


def assert_allowed(op: str, attribute: str, value: Any, allowed: Sequence[str]) -> None:
    """Raises InvalidArgumentError where an attribute of an op has none of its possible values."""
    if value not in allowed:
        listed = ", ".join(f'"{v}"' for v in allowed)
        message = f"Value for attr '{attribute}' of \"{value}\" is not in the list of allowed values: {listed}"
        definition = opdefs._definitions().get(op)
        node = f"\n\t; NodeDef: {{{{node {op}}}}}; {definition}" if definition else ""
        raise invalid(f"{message}{node} [Op:{op}] name: ")
