"""Arguments of random ops: shapes, dtypes, bounds, and algorithms."""

from __future__ import annotations

import enum
from typing import Annotated, Any

from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core import whole_numbers
from twinflow._src.core.context import runtime, thread
from twinflow._src.core.dtypes import (
    DType,
    as_dtype,
    bfloat16,
    float16,
    float32,
    float64,
    int32,
    int64,
)
from twinflow._src.core.errors import InvalidArgumentError, invalid
from twinflow._src.core.shapes import text
from twinflow._src.core.tensor import Tensor
from twinflow._src.dispatch import opdefs
from twinflow._src.dispatch.inputs import vector
from twinflow._src.dispatch.op import Kind, export

# The texts of arguments in the documentation of this family.
TEXTS = {
    "alpha": "The shape parameters.",
    "beta": "The rates, which broadcast with the shape parameters; 1 if None.",
    "counts": "The numbers of trials.",
    "dtype": "The dtype of the result.",
    "lam": "The rates.",
    "logits": "A matrix; each row holds the unnormalized log-probabilities of the classes.",
    "maxval": "The exclusive upper bound, a scalar.",
    "maxvals": "The upper bounds.",
    "means": "The means before truncation.",
    "minval": "The inclusive lower bound, a scalar.",
    "minvals": "The lower bounds.",
    "name": "A name for the operation.",
    "num_samples": "The number of samples for each row.",
    "seed": "A vector of two integers.",
    "shape": "The shape of the result.",
    "stddevs": "The standard deviations before truncation.",
    "value": "A tensor.",
}

# Shapes, dtypes and bounds.

FLOATS = frozenset((float16, bfloat16, float32, float64))
INTEGERS = frozenset((int32, int64))
_SHAPE_TYPES = frozenset((int32, int64))

# The shape of a result, a vector in host memory.
Shape = Annotated[Any, Kind("Tshape", default=int32, allowed=_SHAPE_TYPES, host=True)]
# A bound of integers, a scalar in host memory.
Bound = Annotated[Any, Kind("Tout", host=True, allowed=INTEGERS)]


def dims_of(shape: Any, shown: str = " {}") -> tuple[int, ...]:
    """Returns a shape vector as a tuple; raises InvalidArgumentError if it is invalid."""
    # ``shown`` is the format of the invalid shape in the error message.
    if shape.ndim != 1:
        what = shown.format(text(shape.shape))
        raise invalid(f"shape must be a vector of {{int32,int64}}, got shape{what}")
    dims = tuple(shape.tolist())
    for size in dims:
        if size < 0:
            raise invalid(f"Dimension {size} must be >= 0")
    return dims


def shaped(drawn: Any, dims: tuple[int, ...]) -> Any:
    """Returns a vector of numbers in a shape: itself where it can be, which has no base."""
    return drawn if drawn.shape == dims else drawn.reshape(dims)


def shape_tensor(shape: Any, empty: DType = int32) -> Any:
    """Converts a shape argument to a tensor; an empty sequence gets the dtype ``empty``."""
    if type(shape) in (int, float) and whole_numbers.may_come():  # R's 5 is a vector of one
        whole = whole_numbers.as_integers([float(shape)])
        shape = shape if whole is None else whole
    listed = isinstance(shape, (list, tuple))
    if listed and shape and thread.scope.graph is None and all(type(size) is int for size in shape):
        return vector(shape)
    return convert_to_tensor(shape, dtype=empty if listed and not shape else None, name="shape")


def checked_type(type: str, dtype: Any, allowed: frozenset[DType], attr: str = "dtype") -> DType:
    """Returns the dtype of an op's attribute; raises InvalidArgumentError if it is not supported."""
    result = as_dtype(dtype)
    if result in allowed:
        return result
    definition = opdefs.definition(type)
    listed = opdefs._allowed(definition, attr) or sorted(allowed, key=lambda d: d.as_datatype_enum)
    if thread.scope.graph is not None:
        raise opdefs.unlisted(attr, result, listed)
    names = ", ".join(d.cname for d in listed)
    raise InvalidArgumentError(
        None,
        None,
        f"Value for attr '{attr}' of {result.cname} is not in the list of allowed values: {names}\n"
        f"\t; NodeDef: {{{{node {type}}}}}; {definition} [Op:{type}] name: ",
    )


def is_standard(mean: Any, stddev: Any, dtype: Any) -> bool:
    """True if normal numbers need not be scaled, and nothing sees the operations of that."""
    is_one = type(mean) is type(stddev) is float and mean == 0.0 and stddev == 1.0
    if not is_one or thread.scope.graph is not None or runtime.log_placement:
        return False
    return as_dtype(dtype) in FLOATS


def scalar_bounds(minval: Any, maxval: Any) -> None:
    """Raises InvalidArgumentError if the bounds are not scalars."""
    for name, value in (("minval", minval), ("maxval", maxval)):
        if value.ndim:
            raise invalid(f"{name} must be 0-D, got shape {text(value.shape)}")


def checked_bounds(minval: Any, maxval: Any) -> tuple[int, int]:
    """Returns the bounds as Python integers; raises if the lower one is not below the upper one."""
    low, high = int(minval), int(maxval)
    if low >= high:
        raise invalid(f"Need minval < maxval, got {low} >= {high}")
    return low, high


def not_accepted(dtype: DType, accepted: tuple[DType, ...]) -> ValueError:
    """Returns the ValueError for an unsupported dtype."""
    return ValueError(
        f"Argument `dtype` got invalid value {dtype}. Accepted dtypes are {accepted}."
    )


# Algorithms.


@export("random.Algorithm", "random.experimental.Algorithm")
class Algorithm(enum.Enum):
    """Random number generation algorithm; only Philox is implemented on CPUs and GPUs."""

    __module__ = "twinflow.random"

    PHILOX = 1
    THREEFRY = 2
    AUTO_SELECT = 3


_NAMES = {
    "philox": Algorithm.PHILOX,
    "threefry": Algorithm.THREEFRY,
    "autoselect": Algorithm.AUTO_SELECT,
}


def algorithm_number(alg: Any) -> Any:
    """Returns TensorFlow's id of an algorithm: of an id, an ``Algorithm``, a tensor, or a name."""
    if isinstance(alg, (int, Tensor)):
        return alg
    if isinstance(alg, Algorithm):
        return alg.value
    if isinstance(alg, str):
        algorithm = _NAMES.get(alg.strip().lower().replace("-", "").replace("_", ""))
        if algorithm is None:
            raise unknown_algorithm(alg)
        return algorithm.value
    raise TypeError(f"Can't convert argument `alg` (of value {alg} and type {type(alg)}) to int.")


def unknown_algorithm(alg: Any) -> ValueError:
    """Returns the ValueError for an unknown algorithm."""
    supported: list[Any] = (
        [1, 2, 3] if isinstance(alg, int) else ["philox", "threefry", "auto_select"]
    )
    return ValueError(
        f"Argument `alg` got unsupported value {alg}. Supported values are {supported[0]} for the Philox "
        f"algorithm, {supported[1]} for the ThreeFry algorithm, and {supported[2]} for auto-selection."
    )
