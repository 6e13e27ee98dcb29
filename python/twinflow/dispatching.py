"""How a call is refused whose arguments do not fit a function: in the words of TensorFlow's dispatcher.

TensorFlow calls most public functions that people wrote through a dispatcher, which binds the
arguments itself; functions that are generated from an op's definition refuse as Python does.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable
from typing import Any

# The ops whose public function is handwritten.
_OPS = """
    Abs Acos AddV2 All Any BatchToSpaceND BesselI0 BesselI0e BesselI1 BesselI1e BesselJ0 BesselJ1 BesselK0
    BesselK0e BesselK1 BesselK1e BesselY0 BesselY1 Ceil Cumprod Cumsum CumulativeLogsumexp Dawsn DepthToSpace
    DiagPart Equal Erfinv EuclideanNorm Exp ExpandDims Expint Floor FloorDiv FresnelCos FresnelSin Identity
    MatrixTriangularSolve Max Mean Min Mul Ndtri NotEqual Pow Prod Reshape Roll Round Rsqrt Sigmoid Sign
    Slice Softplus SpaceToDepth Spence Sqrt Squeeze StopGradient StringLength Sub Substr Sum
    TensorScatterUpdate Xdivy Xlog1py"""
HANDWRITTEN = frozenset(_OPS.split())
# Functions that are called without the dispatcher: whole namespaces, and single names.
_PLAIN_SPACES = (
    *("autodiff", "autograph", "compat", "config", "data", "distribute", "experimental", "feature_column"),
    *("initializers", "io.gfile", "keras", "linalg.experimental", "lookup", "nest", "profiler", "sets"),
    *("sparse", "summary", "sysconfig", "test", "train", "types", "tpu", "xla"),
)
_NAMES = """
    as_dtype constant control_dependencies convert_to_tensor custom_gradient debugging.get_log_device_placement
    debugging.is_numeric_tensor debugging.set_log_device_placement device dtypes.as_dtype dtypes.complex_ einsum
    executing_eagerly executing_eagerly_outside_functions function get_static_value grad_pass_through gradients group has_default_graph hessians identity_n init_scope inside_function is_symbolic_tensor
    io.parse_tensor io.serialize_tensor is_tensor linalg.einsum linalg.lu linalg.qr linalg.slogdet load_op_library
    make_ndarray make_tensor_proto map_fn math.invert_permutation meshgrid name_scope no_gradient no_op print
    ragged.map_flat_values random.create_rng_state random.experimental.create_rng_state
    random.experimental.get_global_generator random.experimental.set_global_generator random.get_global_generator
    random.set_global_generator random.set_seed recompute_grad register_tensor_conversion_function
    required_space_to_batch_paddings strings.unicode_transcode switch_case timestamp type_spec_from_value
    variable_creator_scope vectorized_map while_loop"""
_PLAIN = frozenset(_NAMES.split())


# Asked before a public function runs, with it and its arguments: gives a result, or NotImplemented. Empty
# while no program has registered a function of its own.
ASKED: list[Callable[..., Any]] = []


def is_dispatched(name: str) -> bool:
    """Whether TensorFlow calls the function of a public name through its dispatcher.

    Args:
        name: The public name.
    """
    return name not in _PLAIN and not name.startswith(tuple(f"{space}." for space in _PLAIN_SPACES))


def dispatched(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function with refusals in the dispatcher's words.

    Args:
        function: A function that is written as ordinary Python.

    Returns:
        A function that does the same.
    """

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        for ask in ASKED:
            result = ask(function, args, kwargs)
            if result is not NotImplemented:
                return result
        try:
            return function(*args, **kwargs)
        except TypeError:
            error = _refusal(function, args, kwargs)
            if error is None:
                raise
        raise error

    return call


def _refusal(function: Callable[..., Any], args: Any, kwargs: Any) -> TypeError | None:
    """Why the arguments do not fit a function; None where they do."""
    parameters = inspect.signature(function).parameters.values()
    if any(p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD) for p in parameters):
        return None
    required = [p.name for p in parameters if p.default is p.empty]
    return refusal([p.name for p in parameters], required, len(args), kwargs)


def refusal(
    names: list[str], required: list[str], given: int, keywords: Iterable[str]
) -> TypeError | None:
    """Why a call does not fit a function, as TensorFlow's dispatcher says it.

    Args:
        names: The parameters of the function, in order.
        required: Those without a default.
        given: How many arguments are given by position.
        keywords: The names of the others.

    Returns:
        The error, or None where the call fits.
    """
    if given > len(names):
        return TypeError(f"Too many arguments were given. Expected {len(names)} but got {given}.")
    for keyword in keywords:
        if keyword not in names:
            return TypeError(f"Got an unexpected keyword argument '{keyword}'")
        if keyword in names[:given]:
            return TypeError(f"Got multiple values for argument '{keyword}'")
    if any(name not in keywords and name not in names[:given] for name in required):
        return TypeError("Missing required positional argument")
    return None
