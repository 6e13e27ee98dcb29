"""Crops of images by boxes in normalized coordinates, resized to one size."""

from __future__ import annotations

import math
from typing import Annotated, Any

import numpy as np

from twinflow._src.backends.cpu.native import NativeLoop
from twinflow._src.backends.cpu.parallel import shared
from twinflow._src.backends.host_checks import known_any
from twinflow._src.core.dtypes import (
    float16,
    float32,
    float64,
    int8,
    int16,
    int32,
    int64,
    uint8,
    uint16,
)
from twinflow._src.core.errors import OutOfRangeError, invalid
from twinflow._src.core.shapes import Dims, text
from twinflow._src.dispatch.op import API, OPS, Call, Kind, Type, op
from twinflow._src.ops.array.scatter_kernels import combining
from twinflow._src.ops.image.native_sampling import add_crops, bilinear_loop, interpolate
from twinflow._src.ops.image.sampling import Floats, SizePair, known_size
from twinflow._src.shape_rules.demands import merged_size, ranked, sizes_value

_FLOATS = frozenset((float16, float32, float64))
_TYPES = _FLOATS | {uint8, uint16, int8, int16, int32, int64}
_Indices = Annotated[Any, Kind("int32", only=int32)]
# Values of crops per block, and the fewest boxes of one.
_BLOCK = 1 << 18


def _crops_shape(image: Dims | None, boxes: Dims | None, index: Any, size: Any, **_: Any) -> Dims:
    dims, rows = ranked(image, 4), ranked(boxes, 2)
    count = merged_size(rows[0], ranked(index, 1)[0])
    return (count, *known_size(size), dims[3])


def _check_boxes(xp: Any, boxes: Any, index: Any, batch: int) -> None:
    if index.ndim != 1:
        raise invalid(f"box_indices must be rank 1 but is shape {text(index.shape)}")
    if boxes.ndim != 2:
        raise invalid(f"boxes must be 2-D, got: {text(boxes.shape)}")
    if boxes.shape[1] != 4:
        raise invalid("boxes must have 4 columns")
    if len(index) != len(boxes):
        raise invalid("box_index has incompatible shape")
    if known_any(xp, lambda: ~xp.isfinite(boxes)):
        raise invalid("Boxes contains at least one element that is not finite")
    if known_any(xp, lambda: (index < 0) | (index >= batch)):
        raise OutOfRangeError(None, None, "box_index has values outside [0, batch_size)")


def _positions(xp: Any, start: Any, end: Any, size: int, count: int) -> Any:
    """Returns the coordinates of the rows or columns of each crop: (boxes, count)."""
    last = xp.float32(size - 1)
    start, end = start[:, None], end[:, None]
    if count == 1:
        middle = (start + end).astype("float64") * 0.5
        return (middle * (size - 1)).astype("float32")
    scale = (end - start) * last / xp.float32(count - 1)
    return start * last + xp.arange(count, dtype="float32") * scale


def _ends(xp: Any, position: Any, size: int) -> tuple[Any, Any, Any, Any]:
    """Returns the pixels on both sides of positions, the part of the way, and those that are inside."""
    inside = (position >= 0) & (position <= xp.float32(size - 1))
    position = xp.where(inside, position, xp.float32(0))
    low = xp.floor(position)
    lower, upper = low.astype("int64"), xp.ceil(position).astype("int64")
    return lower, upper, position - low, inside


def _nearest(xp: Any, position: Any, size: int) -> tuple[Any, Any]:
    """Returns the nearest pixel of positions, halves away from zero, and those that are inside."""
    inside = (position >= 0) & (position <= xp.float32(size - 1))
    position = xp.where(inside, position, xp.float32(0))
    whole = xp.floor(position)
    return (whole + (position - whole >= xp.float32(0.5))).astype("int64"), inside


class _Crops:
    """The places of crops in images.

    Attributes:
        rows: The coordinate of each row, (boxes, rows).
        columns: The coordinate of each column, (boxes, columns).
    """

    def __init__(self, xp: Any, shape: Any, boxes: Any, index: Any, size: tuple[int, int]) -> None:
        self._xp, self._shape, self._index = xp, shape, index.astype("int64")
        self.rows = _positions(xp, boxes[:, 0], boxes[:, 2], shape[1], size[0])
        self.columns = _positions(xp, boxes[:, 1], boxes[:, 3], shape[2], size[1])

    def ends(self) -> tuple[Any, Any]:
        """Returns the neighbours of rows and of columns; see ``_ends``."""
        return _ends(self._xp, self.rows, self._shape[1]), _ends(
            self._xp, self.columns, self._shape[2]
        )

    def nearest(self) -> tuple[Any, Any]:
        """Returns the nearest rows and columns; see ``_nearest``."""
        return _nearest(self._xp, self.rows, self._shape[1]), _nearest(
            self._xp, self.columns, self._shape[2]
        )

    def first_rows(self) -> Any:
        """Returns the number of the first row of each crop's image in the batch: (boxes, 1)."""
        return self._index[:, None] * self._shape[1]

    def places(self, rows: Any, columns: Any) -> Any:
        """Returns the number of each pixel in the flat batch: (boxes, rows, columns)."""
        first = (self.first_rows() + rows) * self._shape[2]
        return first[:, :, None] + columns[:, None, :]


@op("CropAndResize", shape=_crops_shape, dtypes=_TYPES, out=float32)
def crop_and_resize(
    xp: Any,
    image: Any,
    boxes: Floats,
    box_ind: _Indices,
    crop_size: SizePair,
    *,
    method: str = "bilinear",
    extrapolation_value: float = 0,
) -> Any:
    """Crops images by boxes and resizes the crops."""
    if image.ndim != 4:
        raise invalid(f"input image must be 4-D{text(image.shape)}")
    if not image.shape[1] or not image.shape[2]:
        raise invalid("image dimensions must be positive")
    if crop_size.shape != (2,):
        raise invalid(f"crop_size must have two elements{text(crop_size.shape)}")
    height, width = crop_size.tolist()
    if height <= 0 or width <= 0:
        raise invalid("crop dimensions must be positive")
    _check_boxes(xp, boxes, box_ind, len(image))
    depth = image.shape[3]
    result = xp.empty((len(boxes), height, width, depth), "float32")
    pixels = image.reshape(-1, depth)
    step = max(1, _BLOCK // max(height * width * depth, 1)) if xp is np else max(len(boxes), 1)
    loop = bilinear_loop(image, result.size) if xp is np and method == "bilinear" else None
    if loop is not None:
        crops = _Crops(xp, image.shape, boxes, box_ind, (height, width))
        return _read_natively(loop, image, crops, result, extrapolation_value)

    def work(first: int) -> None:
        part = slice(first, first + step)
        crops = _Crops(xp, image.shape, boxes[part], box_ind[part], (height, width))
        values, inside = _read(xp, pixels, crops, method)
        if not bool(inside.all()):
            values = xp.where(inside[..., None], values, xp.float32(extrapolation_value))
        result[part] = values

    shared(work, range(0, len(boxes), step))
    return result


def _read_natively(
    loop: NativeLoop, images: Any, crops: _Crops, result: Any, outside: float
) -> Any:
    """Computes the values of crops by a native loop."""
    (top, bottom, down, in_rows), (*columns, in_columns) = crops.ends()
    first = crops.first_rows()
    interpolate(loop, images, (first + top, first + bottom, down), tuple(columns), result)
    result[~in_rows] = outside
    numbers, places = np.nonzero(~in_columns)
    result[numbers, :, places] = outside
    return result


def _read(xp: Any, pixels: Any, crops: _Crops, method: str) -> tuple[Any, Any]:
    """Returns the values of crops, and which of them are inside of their image."""
    take = lambda rows, columns: pixels.take(crops.places(rows, columns), axis=0).astype(
        "float32", copy=False
    )
    if method == "nearest":
        (rows, in_rows), (columns, in_columns) = crops.nearest()
        return take(rows, columns), in_rows[:, :, None] & in_columns[:, None, :]
    (top, bottom, down, in_rows), (left, right, across, in_columns) = crops.ends()
    across, down = across[:, None, :, None], down[:, :, None, None]
    upper = _interpolate(take(top, left), take(top, right), across)
    lower = _interpolate(take(bottom, left), take(bottom, right), across)
    return _interpolate(upper, lower, down), in_rows[:, :, None] & in_columns[:, None, :]


def _interpolate(start: Any, end: Any, part: Any) -> Any:
    end -= start
    end *= part
    end += start
    return end


# ------------------------------------------------------------------ gradients


def _check_grads(grads: Any, boxes: Any) -> None:
    if grads.ndim != 4:
        raise invalid(f"grads image must be 4-D{text(grads.shape)}")
    if not grads.shape[1] or not grads.shape[2]:
        raise invalid("grads dimensions must be positive")
    if len(boxes) != len(grads):
        raise invalid("boxes and grads have incompatible shape")


def _image_shape(grads: Any, boxes: Any, index: Any, size: Any, **_: Any) -> Dims:
    return ranked(sizes_value(size), 4)


@op("CropAndResizeGradImage", shape=_image_shape, dtypes=frozenset((float32,)), out="T")
def crop_and_resize_grad_image(
    xp: Any,
    grads: Floats,
    boxes: Floats,
    box_ind: _Indices,
    image_size: SizePair,
    *,
    T: Type,
    method: str = "bilinear",
) -> Any:
    """Computes the gradient of ``CropAndResize`` by the images."""
    _check_grads(grads, boxes)
    if image_size.shape != (4,):
        raise invalid(f"image_size must have 4 elements{text(image_size.shape)}")
    shape = tuple(image_size.tolist())
    if min(shape) < 0:
        raise invalid(f"Expected a non-negative size, got {min(shape)}")
    if not shape[1] or not shape[2]:
        raise invalid("image dimensions must be positive")
    if shape[3] != grads.shape[3]:
        raise invalid("image_size and grads are incompatible")
    _check_boxes(xp, boxes, box_ind, shape[0])
    # TensorFlow's order: box by box, pixel by pixel, the corners of each; in the dtype of the images.
    total = xp.zeros((shape[0] * shape[1] * shape[2], shape[3]), T.np)
    if xp is np and method == "bilinear":
        crops = _Crops(xp, shape, boxes, box_ind, grads.shape[1:3])
        (top, bottom, down, in_rows), (*columns, in_columns) = crops.ends()
        rows = *((crops.first_rows() + row) * shape[2] for row in (top, bottom)), down
        if add_crops(total, grads, rows, tuple(columns), (in_rows, in_columns)):
            return total.reshape(shape)
    for part in _blocks(xp, grads):
        crops = _Crops(xp, shape, boxes[part], box_ind[part], grads.shape[1:3])
        places, values = _weigh_corners(xp, crops, grads[part], method)
        rows = values.reshape(places.size, shape[3]).astype(T.np, copy=False)
        combining(xp, xp.add)(total, places.reshape(-1), rows)
    return total.reshape(shape)


def _blocks(xp: Any, grads: Any) -> list[slice]:
    """Returns blocks of boxes."""
    step = max(_BLOCK // max(grads[:1].size, 1), 1) if xp is np else max(len(grads), 1)
    return [slice(first, first + step) for first in range(0, len(grads), step)]


def _weigh_corners(xp: Any, crops: _Crops, grads: Any, method: str) -> tuple[Any, Any]:
    """Returns the pixels that crops are read from, and the gradients by them.

    They have the shapes (boxes, rows, columns, corners), and that with channels at the end.
    """
    if method == "nearest":
        (rows, in_rows), (columns, in_columns) = crops.nearest()
        values = _where_inside(xp, in_rows, in_columns, grads)
        return crops.places(rows, columns)[..., None], values[..., None, :]
    (top, bottom, down, in_rows), (left, right, across, in_columns) = crops.ends()
    down, across = down[:, :, None, None], across[:, None, :, None]
    values = xp.empty((*grads.shape[:3], 4, grads.shape[3]), grads.dtype)
    places = xp.empty(values.shape[:4], "int64")
    grads = _where_inside(xp, in_rows, in_columns, grads)
    corner = 0
    for row, part in ((top, (1 - down) * grads), (bottom, down * grads)):
        for column, weight in ((left, 1 - across), (right, across)):
            xp.multiply(weight, part, out=values[..., corner, :])
            places[..., corner] = crops.places(row, column)
            corner += 1
    return places, values


def _where_inside(xp: Any, in_rows: Any, in_columns: Any, values: Any) -> Any:
    """Returns values of pixels, 0 outside of the image."""
    inside = in_rows[:, :, None] & in_columns[:, None, :]
    if xp is np and inside.all():
        return values
    return xp.where(inside[..., None], values, values.dtype.type(0))


def _boxes_shape(grads: Any, image: Any, boxes: Dims | None, index: Any, **_: Any) -> Dims | None:
    return boxes


@op("CropAndResizeGradBoxes", shape=_boxes_shape, dtypes=_TYPES, out=float32)
def crop_and_resize_grad_boxes(
    xp: Any,
    grads: Floats,
    image: Any,
    boxes: Floats,
    box_ind: _Indices,
    *,
    method: str = "bilinear",
) -> Any:
    """Computes the gradient of ``CropAndResize`` by the boxes."""
    _check_grads(grads, boxes)
    if image.ndim != 4:
        raise invalid(f"input image must be 4-D{text(image.shape)}")
    if not image.shape[1] or not image.shape[2]:
        raise invalid("image dimensions must be positive")
    if image.shape[3] != grads.shape[3]:
        raise invalid("image, grads depth differ")
    _check_boxes(xp, boxes, box_ind, len(image))
    result = xp.empty(boxes.shape, "float32")

    def work(part: slice) -> None:
        crops = _Crops(xp, image.shape, boxes[part], box_ind[part], grads.shape[1:3])
        result[part] = _slopes(xp, image, crops, grads[part])

    shared(work, _blocks(xp, grads))
    return result


def _slopes(xp: Any, image: Any, crops: _Crops, grads: Any) -> Any:
    """Returns the gradients by boxes."""
    pixels = image.reshape(math.prod(image.shape[:3]), image.shape[3])
    (top, bottom, down, in_rows), (left, right, across, in_columns) = crops.ends()
    take = lambda rows, columns: pixels.take(crops.places(rows, columns), axis=0).astype(
        "float32", copy=False
    )
    corners = [take(rows, columns) for rows in (top, bottom) for columns in (left, right)]
    down, across = down[:, :, None, None], across[:, None, :, None]
    across = xp.repeat(across, image.shape[3], axis=3)  # NumPy's loops are over columns as well
    by_row = _between(corners[2] - corners[0], corners[3] - corners[1], across)
    by_column = _between(corners[1] - corners[0], corners[3] - corners[2], down)
    for slopes in (by_row, by_column):
        slopes *= grads
    by_row, by_column = (
        _where_inside(xp, in_rows, in_columns, slopes) for slopes in (by_row, by_column)
    )
    rows = by_row.sum((2, 3), dtype="float64")
    columns = by_column.sum(1, dtype="float64").sum(2)
    starts_rows, ends_rows = _by_ends(xp, rows, image.shape[1])
    starts_columns, ends_columns = _by_ends(xp, columns, image.shape[2])
    return xp.stack([starts_rows, starts_columns, ends_rows, ends_columns], 1)


def _between(start: Any, end: Any, part: Any) -> Any:
    """Returns values between two arrays, which it overwrites."""
    start *= 1 - part
    end *= part
    start += end
    return start


def _by_ends(xp: Any, slopes: Any, size: int) -> tuple[Any, Any]:
    """Returns the gradients by the start and the end of boxes, of those by their rows."""
    count = slopes.shape[1]
    part = xp.arange(count) / (count - 1) if count > 1 else xp.full(1, 0.5)
    whole = float(size - 1)
    return (slopes * (whole - whole * part)).sum(1), (slopes * (whole * part)).sum(1)


@crop_and_resize.gradient(reads=("image", "boxes", "box_ind"))
def _(call: Call, dy: Any) -> Any:
    image, boxes, index, _ = call.inputs
    dx = None
    if image.dtype in _FLOATS:
        dx = OPS["CropAndResizeGradImage"].public(
            dy, boxes, index, API["shape"](image), T=image.dtype, method=call.attrs["method"]
        )
    return dx, OPS["CropAndResizeGradBoxes"].public(dy, image, boxes, index), None, None
