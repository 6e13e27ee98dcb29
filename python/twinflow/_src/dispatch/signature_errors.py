"""Errors for calls that do not match a signature, in the wording of TensorFlow's dispatcher.

TensorFlow calls most handwritten public functions through a dispatcher that binds the arguments
itself; functions generated from op definitions raise Python's own TypeError.
"""

from __future__ import annotations

import functools
import inspect
import types
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from twinflow._src.core.errors import exhausted
from twinflow._src.core.fork import cached_property

F = TypeVar("F", bound=Callable[..., Any])

# The ops whose public function is handwritten.
_OPS = """
    Abs Acos AddV2 All Any BatchToSpaceND BesselI0 BesselI0e BesselI1 BesselI1e BesselJ0 BesselJ1 BesselK0
    BesselK0e BesselK1 BesselK1e BesselY0 BesselY1 Ceil Cumprod Cumsum CumulativeLogsumexp Dawsn DepthToSpace
    DiagPart Equal Erfinv EuclideanNorm Exp ExpandDims Expint Floor FloorDiv FresnelCos FresnelSin Identity
    MatrixTriangularSolve Max Mean Min Mul Ndtri NotEqual Pow Prod Reshape Roll Round Rsqrt Sigmoid Sign
    Slice Softplus SpaceToDepth Spence Sqrt Squeeze StopGradient StringLength Sub Substr Sum
    TensorScatterUpdate UnsortedSegmentJoin Xdivy Xlog1py"""
HANDWRITTEN = frozenset(_OPS.split())
# Functions called without the dispatcher: namespaces (with exceptions) and single names, with
# TensorFlow's name of the function where it differs.
_PLAIN_SPACES = (
    *(
        "autodiff",
        "autograph",
        "compat",
        "config",
        "data",
        "distribute",
        "experimental",
        "feature_column",
    ),
    *("initializers", "io.gfile", "keras", "linalg.experimental", "lookup", "nest", "profiler"),
    *("sparse", "summary", "sysconfig", "test", "train", "types", "tpu", "xla"),
)
_PREFIXES = tuple(f"{space}." for space in _PLAIN_SPACES)
_EXCEPT = frozenset(("sparse.bincount", "sparse.reshape"))
_NAMES = """
    approx_top_k as_dtype bitcast constant control_dependencies custom_gradient
    config.optimizer.get_experimental_options=get_optimizer_experimental_options
    config.optimizer.get_jit=get_optimizer_jit config.optimizer.set_jit=set_optimizer_jit
    config.optimizer.set_experimental_options=set_optimizer_experimental_options debugging.get_log_device_placement
    debugging.is_numeric_tensor debugging.set_log_device_placement device=device_v2 dtypes.as_dtype dtypes.complex_
    einsum executing_eagerly executing_eagerly_outside_functions fftnd function get_current_name_scope get_logger get_static_value=constant_value
    grad_pass_through gradients group has_default_graph hessians identity_n ifftnd init_scope inside_function
    io.gfile.copy=copy_v2 io.gfile.exists=file_exists_v2 io.gfile.glob=get_matching_files_v2
    io.gfile.isdir=is_directory_v2 io.gfile.listdir=list_directory_v2 io.gfile.makedirs=recursive_create_dir_v2
    io.gfile.mkdir=create_dir_v2 io.gfile.remove=delete_file_v2 io.gfile.rename=rename_v2
    io.gfile.rmtree=delete_recursively_v2 io.gfile.stat=stat_v2 io.gfile.walk=walk_v2
    io.parse_tensor io.serialize_tensor irfftnd is_symbolic_tensor is_tensor=is_tf_type linalg.einsum linalg.lu
    linalg.qr linalg.slogdet=log_matrix_determinant load_op_library make_ndarray=MakeNdarray make_tensor_proto
    map_fn=map_fn_v2 math.invert_permutation meshgrid name_scope nn.all_candidate_sampler no_gradient no_op print
    ragged.map_flat_values random.all_candidate_sampler random.create_rng_state
    random.experimental.create_rng_state random.experimental.get_global_generator
    random.experimental.set_global_generator random.get_global_generator random.set_global_generator
    random.set_seed recompute_grad register_tensor_conversion_function required_space_to_batch_paddings rfftnd
    signal.fft signal.fft2d signal.fft3d signal.fftnd=_fftn_wrapper.<locals>._fftn signal.ifft signal.ifft2d
    signal.ifft3d signal.ifftnd=_ifftn_wrapper.<locals>._ifftn signal.irfft=_irfft_wrapper.<locals>._irfft
    signal.irfft2d=_irfft_wrapper.<locals>._irfft signal.irfft3d=_irfft_wrapper.<locals>._irfft
    signal.irfftnd=_irfftn_wrapper.<locals>._irfftn signal.rfft=_rfft_wrapper.<locals>._rfft
    signal.rfft2d=_rfft_wrapper.<locals>._rfft signal.rfft3d=_rfft_wrapper.<locals>._rfft
    signal.rfftnd=_rfftn_wrapper.<locals>._rfftn sparse.add=sparse_add_v2 sparse.concat=sparse_concat_v2
    sparse.expand_dims=sparse_expand_dims sparse.eye=sparse_eye sparse.fill_empty_rows=sparse_fill_empty_rows
    sparse.mask=sparse_mask sparse.maximum=sparse_maximum sparse.minimum=sparse_minimum
    sparse.reduce_max=sparse_reduce_max_v2 sparse.reduce_sum=sparse_reduce_sum_v2 sparse.reorder=sparse_reorder
    sparse.reset_shape=sparse_reset_shape sparse.retain=sparse_retain sparse.segment_mean=sparse_segment_mean_v2
    sparse.segment_sqrt_n=sparse_segment_sqrt_n_v2 sparse.segment_sum=sparse_segment_sum_v2
    sparse.slice=sparse_slice sparse.softmax=sparse_softmax sparse.split=sparse_split_v2
    sparse.sparse_dense_matmul=sparse_tensor_dense_matmul sparse.to_dense=sparse_tensor_to_dense
    sparse.to_indicator=sparse_to_indicator sparse.transpose=sparse_transpose strings.unicode_transcode
    switch_case timestamp type_spec_from_value variable_creator_scope vectorized_map while_loop=while_loop_v2"""
_PLAIN = {
    name: function_name
    for name, _, function_name in (entry.partition("=") for entry in _NAMES.split())
}


# Called with each public function and its arguments before it runs; returns a result or
# NotImplemented. Empty until a user registers a dispatch handler.
ASKED: list[Callable[..., Any]] = []
# Called with a public function and its arguments when it has raised one of ``FAILURES``; returns a
# result or NotImplemented. Empty until a library registers a dispatcher.
FALLBACKS: list[Callable[..., Any]] = []
FAILURES = (TypeError, ValueError, AttributeError)
# Called if the ``name`` argument is passed: in graphs, names the result of a composite function.
NAMING: list[Callable[..., Any]] = []


def is_dispatched(name: str) -> bool:
    """True if TensorFlow calls the function of a public name through its dispatcher."""
    return name in _EXCEPT or (name not in _PLAIN and not name.startswith(_PREFIXES))


def own_name(name: str) -> str:
    """Returns TensorFlow's ``__qualname__`` of a public function where it differs, else ""."""
    return _PLAIN.get(name, "")


class SignatureOf(inspect.Signature):
    """The signature of a function, computed on first access."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function

    @cached_property
    def _signature(self) -> inspect.Signature:
        return inspect.signature(self._function)

    @property
    def parameters(self) -> Any:
        """The parameters by name."""
        return self._signature.parameters

    @property
    def return_annotation(self) -> Any:
        """The return annotation."""
        return self._signature.return_annotation

    def replace(self, **changes: Any) -> Any:
        """Returns a signature with other parameters or another return annotation."""
        return self._signature.replace(**changes)

    __replace__ = replace

    def __reduce__(self) -> Any:
        return self._signature.__reduce__()


def sign(function: Any) -> None:
    """Sets the signature of a wrapper to that of the wrapped function, for ``inspect``."""
    if hasattr(function, "__wrapped__") and not hasattr(function, "__signature__"):
        function.__signature__ = SignatureOf(function.__wrapped__)


def strip_annotations(function: Any) -> None:
    """Moves the annotations of a function, and of those that it wraps, to their attribute ``annotations``.

    Signatures are then equal to those of TensorFlow, which its clients compare.
    """
    while isinstance(function, types.FunctionType):
        if function.__annotations__:
            vars(function)["annotations"] = function.__annotations__
            function.__annotations__ = {}
        function = getattr(function, "__wrapped__", None)


def wraps(function: Callable[..., Any]) -> Callable[[F], F]:
    """Returns a decorator that copies metadata and signature of the wrapped function."""

    def wrap(call: F) -> F:
        sign(functools.update_wrapper(call, function))
        return call

    return wrap


def dispatched(function: Callable[..., Any]) -> Callable[..., Any]:
    """Wraps a handwritten public function so that argument errors have the dispatcher's wording."""

    @wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        for ask in (*ASKED, *NAMING) if "name" in kwargs else ASKED:
            result = ask(function, args, kwargs)
            if result is not NotImplemented:
                return result
        try:
            return function(*args, **kwargs)
        except (*FAILURES, MemoryError) as raised:
            result = fall_back(call, args, kwargs)
            if result is not NotImplemented:
                return result
            error = _failed(function, args, kwargs, raised)
            if error is raised:
                raise
        raise error

    call.dispatches = function  # type: ignore[attr-defined]
    return call


def parted(
    plain: Callable[..., Any], whole: Callable[..., Any], others: Callable[..., bool]
) -> Callable[..., Any]:
    """Combines a dispatched function with an outer wrapper that only some calls need.

    Other calls run in one Python frame. ``others`` is True for arguments that need the wrapper
    ``whole``, which takes any call; the list in the result's attribute ``aside`` holds it.
    """
    function: Callable[..., Any] = getattr(plain, "dispatches", whole)
    if getattr(plain, "__wrapped__", None) is not function:
        return whole
    aside = [whole]

    @wraps(whole)
    def call(*args: Any, **kwargs: Any) -> Any:
        if ASKED or "name" in kwargs or others(args, kwargs):
            return aside[0](*args, **kwargs)
        try:
            return function(*args, **kwargs)
        except (*FAILURES, MemoryError) as raised:
            result = fall_back(call, args, kwargs)
            if result is not NotImplemented:
                return result
            error = _failed(function, args, kwargs, raised)
            if error is raised:
                raise
        raise error

    call.aside = aside  # type: ignore[attr-defined]
    return call


def fall_back(function: Callable[..., Any], args: Any, kwargs: Any) -> Any:
    """Returns the result of a dispatcher for a call that failed, or NotImplemented."""
    for ask in FALLBACKS:
        result = ask(function, args, kwargs)
        if result is not NotImplemented:
            return result
    return NotImplemented


def _failed(function: Callable[..., Any], args: Any, kwargs: Any, raised: Exception) -> Exception:
    """Returns the error to raise for a failed call, in the dispatcher's words on a mismatch."""
    if not isinstance(raised, (TypeError, MemoryError)):
        return raised
    if isinstance(raised, MemoryError):
        sizes = ",".join(map(str, getattr(raised, "shape", ["?"])))
        return exhausted(f"[{sizes}]", str(getattr(raised, "dtype", "unknown")))
    return refused(function, args, kwargs) or raised


def refused(function: Callable[..., Any], args: Any, kwargs: Any) -> Exception | None:
    """Returns the dispatcher's error for a call that does not match a signature, or None.

    Functions with ``*args`` or ``**kwargs`` accept any call.
    """
    parameters = inspect.signature(function).parameters.values()
    if any(p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD) for p in parameters):
        return None
    required = [p.name for p in parameters if p.default is p.empty]
    return refusal([p.name for p in parameters], required, len(args), kwargs)


def refusal(
    names: list[str], required: list[str], count: int, keywords: Iterable[str]
) -> TypeError | None:
    """Returns the dispatcher's TypeError for arguments that do not match, or None if they do."""
    if count > len(names):
        return TypeError(f"Too many arguments were given. Expected {len(names)} but got {count}.")
    for keyword in keywords:
        if keyword not in names:
            return TypeError(f"Got an unexpected keyword argument '{keyword}'")
        if keyword in names[:count]:
            return TypeError(f"Got multiple values for argument '{keyword}'")
    if any(name not in keywords and name not in names[:count] for name in required):
        return TypeError("Missing required positional argument")
    return None
