"""Which functions and methods are one operation in a graph: those that read the values of their arguments."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from twinflow._src.composite_tensors.ragged_factories import is_ragged
from twinflow._src.composite_tensors.ragged_tensor import RaggedTensor
from twinflow._src.core import nest
from twinflow._src.core.context import thread
from twinflow._src.dispatch.execute import COMPOSITES
from twinflow._src.dispatch.op import API
from twinflow._src.dispatch.signature_errors import wraps
from twinflow._src.graph.opaque_calls import as_whole, whole
from twinflow._src.graph.symbolic import SymbolicTensor
from twinflow._src.wings.ragged.elementwise import is_elementwise

# Public functions to the types of their operations.
_FUNCTIONS = {
    "fingerprint": "Fingerprint",
    "ragged.boolean_mask": "RaggedMask",
    "ragged.cross": "RaggedCross",
    "ragged.cross_hashed": "RaggedCross",
    "ragged.range": "RaggedRange",
    "ragged.row_splits_to_segment_ids": "RowSplitsToSegmentIds",
    "ragged.segment_ids_to_row_splits": "SegmentIdsToRowSplits",
    "ragged.stack": "RaggedStack",
    "ragged.stack_dynamic_partitions": "StackDynamicPartitions",
    "ragged.constant": "RaggedConstant",
    "strings.bytes_split": "StringSplit",
    "strings.format": "StringFormat",
    "strings.ngrams": "StringNGrams",
    "strings.split": "StringSplitV2",
    "strings.unicode_decode": "UnicodeDecodeWithOffsets",
    "strings.unicode_decode_with_offsets": "UnicodeDecodeWithOffsets",
    "strings.unicode_encode": "UnicodeEncode",
    "strings.unicode_split": "UnicodeDecodeWithOffsets",
    "strings.unicode_split_with_offsets": "UnicodeDecodeWithOffsets",
    "strings.unicode_transcode": "UnicodeTranscode",
    "sparse.cross": "SparseCrossV2",
    "sparse.cross_hashed": "SparseCrossHashed",
    "sparse.eye": "SparseEye",
}
# Functions whose values tell shapes or whether they fail.
_READING = """
    argsort histogram_fixed_width_bins image.random_crop linspace
    math.confusion_matrix nn.ctc_unique_labels required_space_to_batch_paddings signal.linear_to_mel_weight_matrix
    signal.inverse_mdct signal.inverse_stft signal.mdct signal.overlap_and_add sort"""
# Functions that are several operations where the shapes of their arguments are known, else one.
_OF_UNKNOWN = """
    math.bincount meshgrid nn.collapse_repeated nn.isotonic_regression nn.safe_embedding_lookup_sparse
    signal.dct signal.idct signal.irfft
    signal.mfccs_from_log_mel_spectrograms sparse.to_indicator"""
# Functions that refuse arguments of unknown rank, and what they say.
_RANKED = {
    "ragged.boolean_mask": (1, "mask.shape.ndims must be known statically."),
    "strings.bytes_split": (0, "input must have a statically-known rank."),
    "strings.ngrams": (0, "Rank of data must be known."),
    "strings.unicode_decode": (0, "Rank of `input` must be statically known."),
    "strings.unicode_decode_with_offsets": (0, "Rank of `input` must be statically known."),
    "strings.unicode_encode": (0, "Rank of input_tensor must be statically known."),
    "strings.unicode_split": (0, "Rank of `input` must be statically known."),
    "strings.unicode_split_with_offsets": (0, "Rank of `input` must be statically known."),
}
# The same where an argument is ragged.
_OF_RAGGED = """
    where gather gather_nd concat stack split squeeze repeat linalg.matmul nn.softmax math.reduce_variance
    math.reduce_std strings.reduce_join one_hot broadcast_dynamic_shape math.bincount"""
# Methods of ragged tensors.
_METHODS = ("__getitem__", "to_tensor", "to_sparse", "bounding_shape", "merge_dims")
_MAKERS = ("from_tensor", "from_sparse")


def _holds_ragged(args: Any, kwargs: Any) -> bool:
    for value in (*args, *kwargs.values()):
        items = value if isinstance(value, (list, tuple)) else (value,)
        if any(map(is_ragged, items)):
            return True
    return False


def _where_ragged(type: str, given: Callable[..., Any]) -> Callable[..., Any]:
    if hasattr(given, "op"):  # these look at their inputs themselves
        return given
    aside = getattr(given, "aside", None)  # what takes calls with ragged tensors, and only those
    function = given if aside is None else aside[0]

    @wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        if thread.scope.graph is None or not _holds_ragged(args, kwargs):
            return function(*args, **kwargs)
        return as_whole(type, function, args, kwargs)

    if aside is None:
        return call
    aside[0] = call
    return given


def _where_unknown(type: str, function: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        if thread.scope.graph is None or not _holds_unknown(args, kwargs):
            return function(*args, **kwargs)
        return as_whole(type, function, args, kwargs)

    return call


def _holds_unknown(args: Any, kwargs: Any) -> bool:
    leaves = nest.flatten([list(args), kwargs], expand_composites=True)
    return any(isinstance(x, SymbolicTensor) and not x.shape.is_fully_defined() for x in leaves)


def _camel(name: str) -> str:
    """The type of an operation that a function as a whole is."""
    return "".join(part.title() for part in name.replace(".", "_").split("_"))


def _ranked(place: int, said: str, function: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        if thread.scope.graph is not None and place < len(args):
            value = args[place]
            if isinstance(value, SymbolicTensor) and value.shape.rank is None:
                raise ValueError(said)
        return function(*args, **kwargs)

    return call


def _dispatched(plain: Callable[..., Any]) -> Callable[..., Any]:
    """What runs ops of which an input is ragged: in a graph as a whole, but for what goes by element."""

    def call(op: Any, inputs: list[Any], attrs: dict[str, Any]) -> Any:
        if thread.scope.graph is None or op.type == "Shape":
            return plain(op, inputs, attrs)
        flat = [x for value in inputs for x in (value if isinstance(value, (list, tuple)) else (value,))]
        if is_elementwise(op) and sum(map(is_ragged, flat)) == 1 and _same_for_all(flat):
            return plain(op, inputs, attrs)
        if op.type == "Identity":
            return plain(op, inputs, attrs)
        public = lambda *given: op.public(*given, **attrs)
        return as_whole(f"Ragged{op.type}", public, inputs, {}, is_elementwise(op))

    return call


def _same_for_all(values: list[Any]) -> bool:
    """Whether each element of the ragged tensor meets the same other values."""
    return all(is_ragged(x) or not getattr(getattr(x, "shape", ()), "rank", 0) for x in values)


# In the order in which they are put around a function: by name, what makes another function of it.
_STEPS: tuple[dict[str, Callable[..., Any]], ...] = (
    {name: functools.partial(whole, type) for name, type in _FUNCTIONS.items()},
    {name: functools.partial(_where_ragged, f"Ragged{_camel(name)}") for name in _OF_RAGGED.split()},
    {name: functools.partial(whole, _camel(name)) for name in _READING.split()},
    {name: functools.partial(_where_unknown, _camel(name)) for name in _OF_UNKNOWN.split()},
    {name: functools.partial(_ranked, *said) for name, said in _RANKED.items()},
)


def _as_whole(names: list[str], function: Callable[..., Any]) -> Callable[..., Any]:
    """A public function, one operation in graphs where the tables say so."""
    for step in _STEPS:
        for name in names:
            if name in step:
                function = step[name](function)
    return function


def install() -> None:
    """Has public functions go by the tables, and methods of ragged tensors."""
    API.passes.append(_as_whole)
    for name in _METHODS:
        setattr(RaggedTensor, name, whole(f"Ragged{name.strip('_').title()}", getattr(RaggedTensor, name)))
    for name in _MAKERS:
        maker = whole(f"Ragged{name.title()}", getattr(RaggedTensor, name))
        setattr(RaggedTensor, name, staticmethod(maker))
    COMPOSITES[RaggedTensor] = _dispatched(COMPOSITES[RaggedTensor])
