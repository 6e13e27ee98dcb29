"""The names that operations get in graphs where the program gives none: TensorFlow's.

An operation is named after its type unless ``LABELS`` says otherwise. Functions that are made of several
operations put them into a name scope; where the last of them has the scope's own name, it stands so in
``SCOPES``. Python's operators have names of their own.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from typing import Any

from ..constant import convert_to_tensor, is_tensor
from ..context import entered, thread
from ..dispatching import NAMING
from ..op import API
from ..schema import OPS
from ..tensor import Tensor
from ..variable import BaseResourceVariable
from .symbolic import SymbolicTensor

# The type of an op to the name of its operations.
LABELS = {
    "AddV2": "Add",
    "BatchMatMulV2": "MatMul",
    "AvgPool": "AvgPool2D",
    "ConcatV2": "concat",
    "DivNoNan": "div_no_nan",
    "FloorDiv": "floordiv",
    "HistogramFixedWidth": "histogram_fixed_width",
    "MatrixDiagV3": "diag",
    "MaxPool": "MaxPool2d",
    "OneHot": "one_hot",
    "OnesLike": "ones_like",
    "Pack": "stack",
    "Range": "range",
    "RealDiv": "truediv",
    "Split": "split",
    "SplitV": "split",
    "StridedSlice": "strided_slice",
    "Transpose": "transpose",
    "Unpack": "unstack",
    "ZerosLike": "zeros_like",
}

# A function to its name scope, and whether its result has the scope's name.
SCOPES = {
    "boolean_mask": ("boolean_mask", False),
    "clip_by_norm": ("clip_by_norm", True),
    "clip_by_value": ("clip_by_value", True),
    "einsum": ("einsum", False),
    "eye": ("eye", False),
    "linalg.matvec": ("MatVec", False),
    "linalg.trace": ("Trace", True),
    "linspace": ("linspace", False),
    "math.bincount": ("bincount", False),
    "math.in_top_k": ("in_top_k", False),
    "math.reciprocal_no_nan": ("reciprocal_no_nan", True),
    "math.reduce_logsumexp": ("ReduceLogSumExp", True),
    "math.reduce_std": ("reduce_std", False),
    "math.reduce_variance": ("reduce_variance", False),
    "meshgrid": ("meshgrid", False),
    "nn.batch_normalization": ("batchnorm", False),
    "nn.conv2d_transpose": ("conv2d_transpose", True),
    "nn.crelu": ("CRelu", False),
    "nn.depthwise_conv2d": ("depthwise", True),
    "nn.dropout": ("dropout", False),
    "nn.embedding_lookup": ("embedding_lookup", False),
    "nn.gelu": ("Gelu", False),
    "nn.l2_normalize": ("l2_normalize", True),
    "nn.moments": ("moments", False),
    "nn.sigmoid_cross_entropy_with_logits": ("logistic_loss", True),
    "nn.softmax_cross_entropy_with_logits": ("softmax_cross_entropy_with_logits", False),
    "nn.sparse_softmax_cross_entropy_with_logits": ("SparseSoftmaxCrossEntropyWithLogits", False),
    "norm": ("norm", False),
    "ones": ("ones", True),
    "random.normal": ("random_normal", True),
    "random.truncated_normal": ("truncated_normal", True),
    "random.uniform": ("random_uniform", True),
    "repeat": ("Repeat", False),
    "sequence_mask": ("SequenceMask", False),
    "tensordot": ("Tensordot", False),
    "truediv": ("truediv", True),
    "zeros": ("zeros", True),
}

# Functions made of several operations whose name is that of a name scope, where they have no other one.
_NAMES = """
    argsort avg_pool1d categorical confusion_matrix conv1d count_nonzero dct expm frame gamma global_norm
    hamming_window hann_window histogram_fixed_width_bins inverse_mdct inverse_stft is_non_decreasing
    is_strictly_increasing kaiser_window lbeta log_poisson_loss logdet lstsq matrix_rank matrix_transpose max_pool1d
    mfccs_from_log_mel_spectrograms normalize normalize_moments overlap_and_add pinv poisson polyval pool
    safe_embedding_lookup_sparse sort sparse_dense_matmul stateless_binomial stateless_categorical stateless_gamma
    stateless_poisson stateless_shuffle stft unsorted_segment_mean vorbis_window weighted_moments zero_fraction"""
_WITHIN = frozenset(_NAMES.split())

# Python's operators to their names; unary ones are named after their op.
OPERATORS = ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "and", "or", "xor")


def apply() -> None:
    """Gives functions and operators the names of these tables; called once when all are defined."""
    NAMING.append(_take_name)
    for type, label in LABELS.items():
        OPS[type].label = label
    scoped = {id(API[name]): _scoped(API[name], *scope) for name, scope in SCOPES.items()}
    for name, function in API.items():
        API[name] = scoped.get(id(function), function)
    for name in OPERATORS:
        setattr(SymbolicTensor, f"__{name}__", _operator(name, reflected=False))
        setattr(SymbolicTensor, f"__r{name}__", _operator(name, reflected=True))
        for method in (f"__{name}__", f"__r{name}__"):
            setattr(BaseResourceVariable, method, _of_variable(method, name))


def _take_name(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What a function gives where a graph is; its last operation takes the name that the call gives."""
    name, graph = kwargs["name"], thread.scope.graph
    if graph is None or not isinstance(name, str):
        return NotImplemented
    if function.__name__ in _WITHIN:
        rest = {key: value for key, value in kwargs.items() if key != "name"}
        return _in_scope(name, False, lambda: function(*args, **rest))
    count = len(graph.get_operations())
    result = function(*args, **kwargs)
    first = result
    while isinstance(first, (list, tuple)) and first:
        first = first[0]
    added = isinstance(first, SymbolicTensor) and first.graph is graph and len(graph.get_operations()) > count
    if added and first.op is graph.newest and name not in first.op.name:
        graph.rename(first.op, graph.unique_name(name))
    return result


def _scoped(function: Callable[..., Any], scope: str, takes_it: bool) -> Callable[..., Any]:
    @functools.wraps(function)
    def called(*args: Any, **kwargs: Any) -> Any:
        if thread.scope.graph is None:
            return function(*args, **kwargs)
        return _in_scope(kwargs.pop("name", None) or scope, takes_it, lambda: function(*args, **kwargs))

    return called


def _in_scope(name: str, takes_it: bool, make: Callable[[], Any]) -> Any:
    """What a function makes in a name scope; the last operation takes the scope's name if asked."""
    surroundings = thread.scope
    graph = surroundings.graph
    path = name if name.endswith("/") else f"{graph.unique_name(name)}/"
    with entered(surroundings.but(name=path)):
        try:
            result = make()
        except ValueError as error:
            raise (_renamed(error, path) if takes_it else error) from error.__cause__
    if takes_it and isinstance(result, SymbolicTensor) and result.op.name.startswith(path):
        graph.rename(result.op, path[:-1])
    return result


def _renamed(error: ValueError, path: str) -> ValueError:
    """An error that calls the operation that would have taken the scope's name by that name."""
    found = re.search(rf"\{{\{{node {re.escape(path)}(\w+)\}}\}}", str(error))
    if found is None or type(error) is not ValueError:
        return error
    return ValueError(str(error).replace(path + found[1], path[:-1])).with_traceback(error.__traceback__)


def _of_variable(method: str, name: str) -> Callable[[Any, Any], Any]:
    plain = getattr(BaseResourceVariable, method)

    def call(self: Any, other: Any) -> Any:
        if thread.scope.graph is None:
            return plain(self, other)
        return _in_scope(name, True, lambda: plain(self, other))

    return call


def _operator(name: str, reflected: bool) -> Callable[[Any, Any], Any]:
    own = f"__{'r' if reflected else ''}{name}__"

    def method(self: Any, other: Any) -> Any:
        plain = getattr(Tensor, own)  # NumPy's behaviour replaces it

        def make() -> Any:
            if not reflected or is_tensor(other):
                return plain(self, other)
            return plain(self, convert_to_tensor(other, dtype=self.dtype, name="x"))

        return make() if thread.scope.graph is None else _in_scope(name, True, make)

    return method
