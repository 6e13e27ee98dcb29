"""Fractional pooling: pooling over windows of sizes that vary at random (Graham, 2014)."""

from __future__ import annotations

import collections
import itertools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from twinflow._src.core.dtypes import float32, float64, int32, int64
from twinflow._src.core.errors import UnimplementedError, invalid
from twinflow._src.core.shapes import Dims, static_sizes
from twinflow._src.dispatch.op import (
    API,
    Call,
    Longs,
    OpFunction,
    documented,
    execute,
    export,
    named,
    op,
)
from twinflow._src.ops.conv.geometry import sequence
from twinflow._src.random.philox import Words
from twinflow._src.random.seeds import first_stream, seeds
from twinflow._src.shape_rules.demands import ranked

_TYPES = frozenset((float32, float64, int32, int64))
_TEXTS = {
    "value": "A tensor of shape (batch, height, width, channels).",
    "pooling_ratio": "The ratio of the sizes of input and output per dimension, at least 1; that of "
    "batch and channels is 1.",
    "pseudo_random": "If True, windows are evenly spread from a start at random; else their order is "
    "random.",
    "overlapping": "If True, a window has the first row and column of the next one, too.",
    "deterministic": "If True, calls with the same seeds have the same windows.",
    "seed": "A seed; 0 for windows at random.",
    "seed2": "A second seed.",
    "name": "A name for the operation.",
}
_RETURNS = "A named tuple of ``output``, ``row_pooling_sequence`` and ``col_pooling_sequence``."
_RAISES = {"InvalidArgumentError": "The ratio is below 1 or above a size, or the rank is not 4."}
FractionalMaxPool = collections.namedtuple(
    "FractionalMaxPool", "output row_pooling_sequence col_pooling_sequence"
)
FractionalAvgPool = collections.namedtuple(
    "FractionalAvgPool", "output row_pooling_sequence col_pooling_sequence"
)


# ------------------------------------------------------------------ windows


def _bounds(size: int, count: int, words: Words, is_pseudo_random: bool) -> Any:
    """Returns the bounds of ``count`` windows over ``size`` elements."""
    if is_pseudo_random:
        ratio, least = size / count, size // count
        highest = min((least + 2) / ratio - 1, (size + 1 - least) / ratio - (count - 1))
        start = words.double() * highest
        inner = [math.ceil(ratio * (i + start)) - 1 for i in range(1, count)]
        return np.array([0, *inner, size], np.int64)
    least, rest = divmod(size, count)
    sizes = [least + 1] * rest + [least] * (count - rest)
    for i in range(count - 1):
        j = i + words.below(count - i)
        sizes[i], sizes[j] = sizes[j], sizes[i]
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)


def _windows(
    kind: str, x: Any, ratios: Any, pseudo: bool, deterministic: bool, pair: tuple[int, int]
) -> list[Any]:
    """Returns the bounds of rows and of columns; rows draw first, columns from the next block."""
    if len(ratios) != 4:
        raise invalid("pooling_ratio field must specify 4 dimensions")
    if x.ndim != 4:
        raise invalid("tensor_in must be 4-dimensional")
    if not deterministic and any(pair):
        raise invalid("Both seed and seed2 should be 0 if deterministic is false.")
    for ratio in ratios:
        if ratio < 1:
            raise invalid(f"pooling_ratio cannot be smaller than 1, got: {ratio:g}")
    if ratios[0] != 1 or ratios[3] != 1:
        said = f"Fractional {kind} pooling is not yet supported on the batch nor channel dimension."
        raise UnimplementedError(None, None, said)
    for i, (size, ratio) in enumerate(zip(x.shape, ratios)):
        if size < ratio:
            raise invalid(
                f"Pooling ratio is higher than input dimension size for dimension {i}. "
                f"Input dim size: {size} pooling ratio: {ratio:g}"
            )
    stream, result = first_stream(*pair), []
    for size, ratio in zip(x.shape[1:3], ratios[1:3]):
        count = int(size / np.float32(ratio))
        result.append(_bounds(size, count, Words(stream), pseudo))
        stream = stream.skip(1 if pseudo else -(-count // 4))
    return result


def _pixels(bounds: Any, overlapping: bool, size: int) -> list[tuple[Any, Any]]:
    """Returns the first element of each window, then the second and so on, with masks of those inside."""
    ends = np.minimum(bounds[1:] + int(overlapping), size)
    widest = int((ends - bounds[:-1]).max(initial=0))
    steps = [bounds[:-1] + i for i in range(widest)]
    return [(np.minimum(step, size - 1), step < ends) for step in steps]


def _each_pixel(shape: Any, rows: Any, columns: Any, overlapping: bool) -> Any:
    """Yields row indices, column indices and masks of the pixels of windows, in row-major order."""
    pixels = (
        _pixels(rows, overlapping, shape[1]),
        _pixels(columns, overlapping, shape[2]),
    )
    for (y, has_y), (x, has_x) in itertools.product(*pixels):
        yield y[:, None], x, (has_y[:, None] & has_x)[None, :, :, None]


def _lowest(dtype: Any) -> Any:
    return np.finfo(dtype).min if dtype.kind == "f" else np.iinfo(dtype).min


def _largest(x: Any, rows: Any, columns: Any, overlapping: bool) -> tuple[Any, Any]:
    """Returns the largest element of each window, and the index of its pixel, the first for ties."""
    shape = (len(x), len(rows) - 1, len(columns) - 1, x.shape[3])
    best, places = np.full(shape, _lowest(x.dtype), x.dtype), np.zeros(shape, np.int64)
    for y, at, inside in _each_pixel(x.shape, rows, columns, overlapping):
        part = x[:, y, at]
        is_better = inside & (part > best)
        best = np.where(is_better, part, best)
        places = np.where(is_better, (y * x.shape[2] + at)[None, :, :, None], places)
    return best, places


def _counts(shape: Any, rows: Any, columns: Any, overlapping: bool) -> Any:
    each = _each_pixel(shape, rows, columns, overlapping)
    return sum(inside.astype(np.int64) for _, _, inside in each)


# ------------------------------------------------------------------ ops


def _pooled_shapes(value: Dims, *, pooling_ratio: Any, **_: Any) -> list[Dims]:
    dims = ranked(value, 4)
    sizes = [None if n is None else int(n / np.float32(r)) for n, r in zip(dims, pooling_ratio)]
    bounds = [None if n is None else n + 1 for n in sizes[1:3]]
    return [tuple(sizes), (bounds[0],), (bounds[1],)]


_RESULTS = ("output:T", "row_pooling_sequence:int64", "col_pooling_sequence:int64")


def _define(type: str, name: str, kind: str, pool: Callable[..., Any]) -> OpFunction:
    """Defines a fractional pooling by a function of images and the bounds of windows."""

    def kernel(
        xp: Any,
        value: Any,
        *,
        pooling_ratio: Any,
        pseudo_random: bool = False,
        overlapping: bool = False,
        deterministic: bool = False,
        seed: int = 0,
        seed2: int = 0,
    ) -> Any:
        options = pooling_ratio, pseudo_random, deterministic, (seed, seed2)
        rows, columns = _windows(kind, value, *options)
        return [pool(value, rows, columns, overlapping), rows, columns]

    define = op(
        type, shape=_pooled_shapes, dtypes=_TYPES, results=_RESULTS, impure=True, devices=("CPU",)
    )
    return define(named(kernel, name, f"Performs fractional {kind} pooling over images."))


def _mean(value: Any, rows: Any, columns: Any, overlapping: bool) -> Any:
    total = np.zeros((len(value), len(rows) - 1, len(columns) - 1, value.shape[3]), value.dtype)
    for y, x, inside in _each_pixel(value.shape, rows, columns, overlapping):
        total += np.where(inside, value[:, y, x], value.dtype.type(0))
    counts = _counts(value.shape, rows, columns, overlapping).astype(value.dtype)
    if value.dtype.kind == "f":
        return total / counts
    return np.sign(total) * (np.abs(total) // counts)  # towards zero


fractional_max_pool_of = _define(
    "FractionalMaxPool",
    "fractional_max_pool_of",
    "max",
    lambda *arguments: _largest(*arguments)[0],
)
fractional_avg_pool_of = _define("FractionalAvgPool", "fractional_avg_pool_of", "average", _mean)


@op("FractionalMaxPoolGrad", shape=lambda x, *_, **__: x, dtypes=_TYPES, devices=("CPU",))
def fractional_max_pool_grad(
    xp: Any,
    orig_input: Any,
    orig_output: Any,
    out_backprop: Any,
    row_pooling_sequence: Longs,
    col_pooling_sequence: Longs,
    *,
    overlapping: bool = False,
) -> Any:
    """Computes the gradient of ``FractionalMaxPool``."""
    rows, columns = row_pooling_sequence, col_pooling_sequence
    _, places = _largest(orig_input, rows, columns, overlapping)
    batch, height, width, channels = orig_input.shape
    result = np.zeros((batch, height * width, channels), out_backprop.dtype)
    image, channel = np.arange(batch).reshape(-1, 1, 1, 1), np.arange(channels)
    np.add.at(result, (image, places, channel), out_backprop)
    return result.reshape(orig_input.shape)


def _given_shape(shape: Any, *_: Any, **__: Any) -> Dims | None:
    return static_sizes(shape) if hasattr(shape, "__len__") else None


@op("FractionalAvgPoolGrad", shape=_given_shape, dtypes=_TYPES, devices=("CPU",))
def fractional_avg_pool_grad(
    xp: Any,
    orig_input_tensor_shape: Longs,
    out_backprop: Any,
    row_pooling_sequence: Longs,
    col_pooling_sequence: Longs,
    *,
    overlapping: bool = False,
) -> Any:
    """Computes the gradient of ``FractionalAvgPool``."""
    rows, columns = row_pooling_sequence, col_pooling_sequence
    shape = tuple(orig_input_tensor_shape.tolist())
    shares = out_backprop.astype(np.float64) / _counts(shape, rows, columns, overlapping)
    result, every = np.zeros(shape), np.arange(shape[0]).reshape(-1, 1, 1)
    for y, x, inside in _each_pixel(shape, rows, columns, overlapping):
        np.add.at(result, (every, y, x), np.where(inside, shares, 0.0))
    return result.astype(out_backprop.dtype)


@fractional_max_pool_of.gradient(reads=("value", "result"))
def _(call: Call, dy: Any, *_: Any) -> Any:
    output, rows, columns = call.outputs
    inputs = [call.inputs[0], output, dy, rows, columns]
    return execute(fractional_max_pool_grad.op, inputs, _overlap(call))


@fractional_avg_pool_of.gradient(reads=("result",))
def _(call: Call, dy: Any, *_: Any) -> Any:
    _, rows, columns = call.outputs
    shape = API["shape"](call.inputs[0], out_type=int64)
    return execute(fractional_avg_pool_grad.op, [shape, dy, rows, columns], _overlap(call))


def _overlap(call: Call) -> dict[str, Any]:
    return {"overlapping": call.attrs.get("overlapping", False)}


# ------------------------------------------------------------------ public functions


def _check_ratio(ratio: Any) -> None:
    if isinstance(ratio, (list, tuple)):
        if ratio[0] != 1.0 or ratio[-1] != 1.0:
            raise ValueError(
                "`pooling_ratio` should have first and last elements with value 1.0. "
                f"Received: pooling_ratio={ratio}"
            )
        if any(r < 1.0 for r in ratio):
            raise ValueError(
                f"`pooling_ratio` elements should be >= 1.0. Received: pooling_ratio={ratio}"
            )
    elif not isinstance(ratio, (int, float)):
        raise ValueError(
            f"`pooling_ratio` should be an int or a list of ints. Received: pooling_ratio={ratio}"
        )
    elif ratio < 1.0:
        raise ValueError(f"`pooling_ratio` should be >= 1.0. Received: pooling_ratio={ratio}")


def _seeded(seed: Any) -> dict[str, Any]:
    """Returns the attributes of a seed; 0 stands for windows at random."""
    if seed == 0:
        return {}
    first, second = seeds.of_op(seed)
    return {"deterministic": True, "seed": first, "seed2": second}


@export("nn.fractional_max_pool")
@documented(
    _TEXTS,
    "Performs fractional max pooling over images.",
    _RETURNS,
    {"ValueError": "The ratio is not valid.", **_RAISES},
    pooling_ratio="The ratio of the sizes of input and output, at least 1: one for height and width, "
    "or one for each of the four dimensions.",
)
def fractional_max_pool(
    value: Any,
    pooling_ratio: Any,
    pseudo_random: bool = False,
    overlapping: bool = False,
    seed: int = 0,
    name: str | None = None,
) -> Any:
    _check_ratio(pooling_ratio)
    ratios = sequence(pooling_ratio, 2, 3, "pooling_ratio")
    options = {"pseudo_random": pseudo_random, "overlapping": overlapping, **_seeded(seed)}
    return FractionalMaxPool(
        *fractional_max_pool_of(value, pooling_ratio=ratios, name=name, **options)
    )


@export("nn.fractional_avg_pool")
@documented(
    _TEXTS,
    "Performs fractional average pooling over images.",
    _RETURNS,
    _RAISES,
)
def fractional_avg_pool(
    value: Any,
    pooling_ratio: Any,
    pseudo_random: bool = False,
    overlapping: bool = False,
    seed: int = 0,
    name: str | None = None,
) -> Any:
    options = {"pseudo_random": pseudo_random, "overlapping": overlapping, **_seeded(seed)}
    return FractionalAvgPool(
        *fractional_avg_pool_of(value, pooling_ratio=pooling_ratio, name=name, **options)
    )


def _export_v1(name: str, kind: str, pool: OpFunction, results: Any) -> None:
    """Exports TensorFlow 1's function of a fractional pooling."""

    def fractional_pool(
        value: Any,
        pooling_ratio: Any,
        pseudo_random: bool = False,
        overlapping: bool = False,
        deterministic: bool = False,
        seed: int = 0,
        seed2: int = 0,
        name: str | None = None,
    ) -> Any:
        return results(
            *pool(
                value,
                pooling_ratio=pooling_ratio,
                pseudo_random=pseudo_random,
                overlapping=overlapping,
                deterministic=deterministic,
                seed=seed,
                seed2=seed2,
                name=name,
            )
        )

    document = documented(
        _TEXTS, f"Performs fractional {kind} pooling over images.", _RETURNS, _RAISES
    )
    export(f"compat.v1.nn.{name}")(document(named(fractional_pool, f"{name}_v1", "")))


_export_v1("fractional_max_pool", "max", fractional_max_pool_of, FractionalMaxPool)
_export_v1("fractional_avg_pool", "average", fractional_avg_pool_of, FractionalAvgPool)
