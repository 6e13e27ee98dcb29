"""Truncated normal random numbers with individual means, deviations and bounds."""

from __future__ import annotations

import math
from typing import Annotated, Any

import numpy as np

from twinflow._src.autodiff.reverse import unbroadcast
from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core.dtypes import float16, float32, float64
from twinflow._src.core.errors import invalid
from twinflow._src.core.shapes import text
from twinflow._src.dispatch.op import API, Call, Kind, documented, export, op
from twinflow._src.ops.random.arguments import TEXTS, Shape, dims_of, shape_tensor
from twinflow._src.ops.random.stateless import Seed, stream_of_seed
from twinflow._src.random.truncated_normal import Blocks, Bounds, truncated
from twinflow._src.shape_rules.values import drawn_by_seed

_TYPES = frozenset((float16, float32, float64))
_Parameter = Annotated[Any, Kind("dtype", allowed=_TYPES)]


def _broadcast(parameters: list[Any], dims: tuple[int, ...]) -> list[Any]:
    """Broadcasts and flattens the parameters; raises if ``dims`` does not end with their shape."""
    try:
        shape = np.broadcast_shapes(*(p.shape for p in parameters))
    except ValueError:
        shapes = " vs. ".join(text(p.shape) for p in parameters)
        raise invalid(
            f"means, stddevs, minvals, maxvals must have compatible batch dimensions: {shapes}"
        ) from None
    if len(shape) > len(dims) or dims[len(dims) - len(shape) :] != shape:
        raise invalid("Shape passed in must end with broadcasted shape.")
    return [np.broadcast_to(p, shape).reshape(-1) for p in parameters]


@op("StatelessParameterizedTruncatedNormal", shape=drawn_by_seed, dtypes=_TYPES, devices=("CPU",))
def _truncated_normal(
    xp: Any,
    shape: Shape,
    seed: Seed,
    means: _Parameter,
    stddevs: _Parameter,
    minvals: _Parameter,
    maxvals: _Parameter,
) -> Any:
    """Draws deterministic random numbers from truncated normal distributions, by seed."""
    if shape.ndim != 1:
        raise invalid(f"Input shape should be a vector, got shape: {text(shape.shape)}")
    dims, stream = dims_of(shape), stream_of_seed(seed)
    parameters = _broadcast([means, stddevs, minvals, maxvals], dims)
    count = len(parameters[0])
    if not math.prod(dims):
        return np.zeros(dims, means.dtype)
    blocks, each = Blocks(stream, means.dtype), math.prod(dims) // count
    rows = [truncated(blocks, Bounds.of(*row), each) for row in zip(*parameters, strict=True)]
    return np.stack(rows, axis=1).reshape(dims)


@_truncated_normal.gradient
def _(call: Call, dy: Any) -> Any:
    """Returns the gradients of mean, deviation and bounds."""
    # Those of the bounds are implicit, for a constant value of the distribution function. As in
    # TensorFlow, for mean and deviation the bounds are taken to move along.
    _, _, *parameters = call.inputs
    mean, scale, low, high = parameters
    z, a, b = ((x - mean) / scale for x in (call.outputs, low, high))
    share = _between(a, z) / _between(a, b)
    of_low = (1 - share) * API["exp"]((z * z - a * a) / 2)
    of_high = share * API["exp"]((z * z - b * b) / 2)
    slopes = [dy, dy * z, dy * of_low, dy * of_high]
    return None, None, *map(unbroadcast, slopes, parameters)


def _between(low: Any, high: Any) -> Any:
    """Returns twice the normal probability of an interval, accurate in the tails."""
    root = math.sqrt(2)
    right = API["math.erfc"](low / root) - API["math.erfc"](high / root)
    left = API["math.erfc"](-high / root) - API["math.erfc"](-low / root)
    return API["where"](low > 0, right, left)


@export("random.stateless_parameterized_truncated_normal")
@documented(
    TEXTS,
    "Draws deterministic random numbers from truncated normal distributions, by seed.",
    "A tensor of the dtype of the parameters.",
    {"InvalidArgumentError": "The shape, the seed or a parameter is invalid."},
    shape="The shape of the result; it ends with that of the parameters.",
)
def stateless_parameterized_truncated_normal(
    shape: Any,
    seed: Any,
    means: Any = 0.0,
    stddevs: Any = 1.0,
    minvals: Any = -2.0,
    maxvals: Any = 2.0,
    name: str | None = None,
) -> Any:
    parameters = map(convert_to_tensor, (means, stddevs, minvals, maxvals))
    return _truncated_normal(shape_tensor(shape), seed, *parameters, name=name)
