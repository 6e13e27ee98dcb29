"""GPU kernels of image windows for the gradients of convolution and pooling.

Each is a single kernel, where NumPy code takes several per position in a window. Images are (batch,
height, width, channels). A geometry is that of ``_src/ops/conv/geometry.py``, with two spatial
dimensions.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from twinflow._src.backends.gpu.kernels.launch import compile_elementwise

_SIZES = (
    "height",
    "width",
    "rows",
    "columns",
    "high",
    "wide",
    "step_y",
    "step_x",
    "apart_y",
    "apart_x",
    "above",
    "left",
)
_GIVEN = ", ".join(["int64 channels", *(f"int32 {name}" for name in _SIZES)])
# The window of an output, or the element of an image, with flat index ``i``.
_PLACE = """
    const int c = (int)(i % channels);
    const long long pixel = i / channels;
    const int x = (int)(pixel % {width}), y = (int)(pixel / {width} % {height});
    const long long image = pixel / {width} / {height};
"""
# For each element of an image, the sum of its entries in all windows that contain it, in window
# order.
GATHER = (
    _PLACE.format(width="width", height="height")
    + """
    T sum = T(0);
    for (int ky = 0; ky < high; ++ky) {
        const int oy = y + above - ky * apart_y;
        if (oy < 0 || oy % step_y || oy / step_y >= rows) continue;
        for (int kx = 0; kx < wide; ++kx) {
            const int ox = x + left - kx * apart_x;
            if (ox < 0 || ox % step_x || ox / step_x >= columns) continue;
            const long long window = (image * rows + oy / step_y) * columns + ox / step_x;
            sum += patches[(window * high * wide + ky * wide + kx) * channels + c];
        }
    }
    total = sum;
"""
)
# A gradient goes to the first maximum of its window; NaN is ignored unless all elements are NaN.
LARGEST = (
    _PLACE.format(width="columns", height="rows")
    + """
    long long chosen = -1;
    T most = T(0);
    for (int ky = 0; ky < high; ++ky) {
        const int py = y * step_y + ky * apart_y - above;
        if (py < 0 || py >= height) continue;
        for (int kx = 0; kx < wide; ++kx) {
            const int px = x * step_x + kx * apart_x - left;
            if (px < 0 || px >= width) continue;
            const long long at = ((image * height + py) * width + px) * channels + c;
            const T v = images[at];
            if (chosen < 0 || v > most || (most != most && v == v)) { chosen = at; most = v; }
        }
    }
    if (chosen >= 0) atomicAdd(&total[chosen], T(change));
"""
)


def _flatten_geometry(g: Any) -> tuple[int, ...]:
    """Returns the sizes of a geometry in the order of the kernels' parameters."""
    above, left = g.pads[0][0], g.pads[1][0]
    sizes: tuple[int, ...] = (
        *g.sizes,
        *g.outputs,
        *g.kernel,
        *g.strides,
        *g.dilations,
        above,
        left,
    )
    return sizes


@functools.cache
def _gatherer(cupy: Any) -> Any:
    return compile_elementwise(
        cupy, f"raw T patches, {_GIVEN}", "T total", GATHER, "twinflow_gather_windows"
    )


@functools.cache
def _chooser(cupy: Any) -> Any:
    return compile_elementwise(
        cupy, f"raw T images, T change, {_GIVEN}", "raw T total", LARGEST, "twinflow_to_largest"
    )


def gather_windows(cupy: Any) -> Callable[..., Any]:
    """Returns the function that sums windows to images (col2im)."""
    # It takes patches (windows, positions, channels), the number of images, the channels and a
    # geometry.

    def gathered(patches: Any, images: int, channels: int, g: Any) -> Any:
        total = cupy.empty((images, *g.sizes, channels), patches.dtype)
        if total.size:
            _gatherer(cupy)(patches, channels, *_flatten_geometry(g), total)
        return total

    return gathered


def to_largest(cupy: Any) -> Callable[..., Any]:
    """Returns the function that scatters gradients to the first maximum of each window."""

    def scatter_to_largest(images: Any, changes: Any, g: Any) -> Any:
        total = cupy.zeros(images.shape, changes.dtype)
        if changes.size:
            _chooser(cupy)(
                images,
                cupy.ascontiguousarray(changes),
                images.shape[-1],
                *_flatten_geometry(g),
                total,
            )
        return total

    return scatter_to_largest
