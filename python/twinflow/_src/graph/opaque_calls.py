"""Opaque calls: functions that read tensor values run as one operation in graphs.

The signature of the results is inferred by probing: the function is run on dummy inputs. What
differs among the probes (three as a rule) depends on values or on unknown dimensions.

Tables list the functions and methods of the public API that become opaque calls.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from twinflow._src.autodiff.tape import GradientTape
from twinflow._src.composite_tensors.ragged_factories import is_ragged
from twinflow._src.composite_tensors.ragged_tensor import RaggedTensor
from twinflow._src.composite_tensors.sparse_tensor import SparseTensor
from twinflow._src.control_flow.py_function import gradient_of, is_followed, later
from twinflow._src.conversion.constant import convert_to_tensor, is_tensor
from twinflow._src.core import nest
from twinflow._src.core.context import PLAIN, entered, runtime, thread
from twinflow._src.core.errors import invalid
from twinflow._src.core.shapes import static_size
from twinflow._src.core.tensor import EagerTensor, Tensor
from twinflow._src.dispatch.execute import COMPOSITES
from twinflow._src.dispatch.op import API
from twinflow._src.dispatch.signature_errors import wraps
from twinflow._src.graph.static_values import array_of
from twinflow._src.graph.symbolic import SymbolicTensor

# Opaque calls.


# Dummy values, by probe: for an unknown dimension, for a scalar (often a size that goes into other
# shapes), for the elements of an array, and for a string.
_SIZES, _NUMBERS = (4, 9, 16, 2, 3, 8, 1, 4), (2, 3, 8, 2, 3, 8, 1, 100_000)
_ELEMENTS, _STRINGS = (
    (0, 1, 1, 0, 1, 1, 0, 0),
    (b"", b"a b", b"a b c d", b"", b"a b", b"a b", b"", b""),
)
_COUNTS = (1, 2, 3, 1, 1, 1, 1, 1)  # numbers of elements of sparse tensors
_USUAL = (0, 1, 2)
# Further probes, used where the usual ones fail: small dimensions, of which 1 broadcasts, and a
# large scalar.
_LAST = 6
_RARE = (3, 4, 5, _LAST, 7)
_RANKS = (1, 2, 0, 3, 4)  # the ranks to probe for a tensor of unknown rank


def wrap_opaque_call(type: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """Returns a function that is an opaque call in graphs."""

    @wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        if thread.scope.graph is None:
            return function(*args, **kwargs)
        return as_whole(type, function, args, kwargs)

    return call


def as_whole(
    type: str,
    function: Callable[..., Any],
    args: Sequence[Any],
    kwargs: dict[str, Any],
    by_element: bool = False,
) -> Any:
    """Adds an opaque call of a function to the current graph; returns its results as tensors."""
    # With ``by_element`` ragged results have as many elements as ragged arguments.
    call = _Call(function, nest.map_structure(_read, (list(args), kwargs)), by_element)
    if not any(isinstance(x, SymbolicTensor) or is_followed(x) for x in call.tensors):
        with entered(PLAIN):
            results = call(*call.tensors)
        return nest.map_structure(_in_graph, results, expand_composites=True)
    return call.in_graph(type)


class _Slice(NamedTuple):
    """A slice as a nested structure, since it may hold tensors."""

    start: Any
    stop: Any
    step: Any


def _read(value: Any) -> Any:
    """Returns an argument as a tensor: an array read now would become a constant of the graph."""
    if isinstance(value, slice):
        return _Slice(_read(value.start), _read(value.stop), _read(value.step))
    is_convertible = hasattr(type(value), "__tf_tensor__") and not isinstance(value, Tensor)
    return (
        convert_to_tensor(value)
        if is_convertible and nest.flatten(value, True) == [value]
        else value
    )


def _slice_first(value: Any) -> Any:
    """Converts ``_Slice`` tuples back to slices."""
    if isinstance(value, _Slice):
        return slice(*value)
    return type(value)(map(_slice_first, value)) if type(value) in (list, tuple) else value


def _in_graph(value: Any) -> Any:
    return thread.scope.graph.own(value) if isinstance(value, EagerTensor) else value


class _Call:
    """A call of a function, as a function of the tensors among its arguments.

    Args:
        function: The function.
        structure: Its arguments, a list and a dictionary.
        by_element: See ``as_whole``.
    """

    def __init__(self, function: Callable[..., Any], structure: Any, by_element: bool) -> None:
        self.function, self._structure, self._by_element = function, structure, by_element
        self._leaves = nest.flatten(structure, expand_composites=True)
        self._positions = [i for i, x in enumerate(self._leaves) if is_tensor(x)]
        self.tensors = [self._leaves[i] for i in self._positions]
        # Arguments that are leaves themselves are filled in without a walk.
        args, kwargs = structure
        self._names = sorted(kwargs)
        values = [*args, *(kwargs[name] for name in self._names)]
        self._is_flat = len(values) == len(self._leaves) and all(
            value is leaf and not isinstance(value, _Slice)
            for value, leaf in zip(values, self._leaves)
        )
        self._worked: list[tuple[int, int]] = []  # the probes that succeeded

    def __call__(self, *tensors: Any) -> Any:
        filled = list(self._leaves)
        for i, tensor in zip(self._positions, tensors):
            filled[i] = tensor
        if self._is_flat:
            count = len(self._structure[0])
            return self.function(*filled[:count], **dict(zip(self._names, filled[count:])))
        args, kwargs = nest.pack_sequence_as(self._structure, filled, expand_composites=True)
        return self.function(*_slice_first(args), **kwargs)

    def arguments(self, tensors: Sequence[Any]) -> Any:
        """Returns the arguments, a list and a dictionary, with other tensors in their places."""
        filled = list(self._leaves)
        for i, tensor in zip(self._positions, tensors, strict=True):
            filled[i] = tensor
        return nest.pack_sequence_as(self._structure, filled, expand_composites=True)

    # ---------------------------------------------------------------- signature of the results
    def _rehearse(self, which: int, rank: int) -> Any:
        with entered(PLAIN):
            args, kwargs = nest.map_structure(lambda x: _stand_in(x, which, rank), self._structure)
            return self.function(*_slice_first(args), **kwargs)

    def _learn_specs(self) -> tuple[Any, list[Any], list[Any]]:
        """Returns a result, and the dtypes and static shapes of its tensors."""
        ranks = _RANKS if any(x.shape.rank is None for x in self.tensors) else _RANKS[:1]
        results: list[Any] = []
        failures: list[Exception] = []
        worked: list[int] = []  # two ranks show what depends on the rank
        for rank, which in (*itertools.product(ranks, _USUAL), *itertools.product(ranks, _RARE)):
            if results and (which not in _USUAL or (rank not in worked and len(worked) == 2)):
                break
            try:
                results.append(self._rehearse(which, rank))
            except Exception as error:  # dummy values may cause any error
                failures.append(error)
            else:
                self._worked.append((which, rank))
                worked = worked if rank in worked else [*worked, rank]
        if not results:
            raise failures[0]
        results = [r for r in results if _alike(results[0], r)]
        flat = [nest.flatten(r, expand_composites=True) for r in results]
        types = [x.dtype for x in flat[0]]
        dims = [_common([x.shape._dims for x in column], len(flat) > 1) for column in zip(*flat)]
        ranked = len(ranks) == 1 or len(worked) > 1
        opened = itertools.chain.from_iterable(map(_openings, nest.flatten(results[0])))
        if not self._by_element:
            dims = [_open_sizes(sizes, leading, ranked) for sizes, leading in zip(dims, opened)]
        return _open(results), types, dims

    def _find_links(self, which: Sequence[int]) -> set[int]:
        """Returns the indices of the tensors that some results depend on, found by a tape."""
        indices: set[int] = set()
        for trial in self._worked:
            with entered(PLAIN), GradientTape(watch_accessed_variables=False) as tape:
                inputs = nest.map_structure(lambda x, by=trial: _stand_in(x, *by), self._structure)
                leaves = nest.flatten(inputs, expand_composites=True)
                tensors = [leaves[i] for i in self._positions]
                sources = {
                    i: x for i, x in enumerate(tensors) if x.dtype.is_floating or x.dtype.is_complex
                }
                tape.watch(list(sources.values()))
                results = nest.flatten(
                    self.function(*_slice_first(inputs[0]), **inputs[1]), expand_composites=True
                )
            with entered(PLAIN):
                try:
                    grads = tape.gradient([results[i] for i in which], sources)
                except Exception:  # there may be no gradient at dummy values
                    return set(range(len(self.tensors)))
            indices.update(i for i, grad in grads.items() if grad is not None)
        return indices

    def in_graph(self, type: str) -> Any:
        """Adds the operation to the current graph."""
        result, types, dims = self._learn_specs()

        def run(*tensors: Any) -> list[Any]:
            results = nest.flatten(self(*tensors), expand_composites=True)
            if len(results) != len(types):
                raise invalid(f"{type} gives another kind of result for inputs of these ranks")
            return results

        gradient = gradient_of(run, self._find_links)
        results = later(
            type,
            run,
            self.tensors,
            (types, dims, False),
            None,
            gradient,
            fixed_attrs={"call": self},
        )
        return nest.pack_sequence_as(result, results or [], expand_composites=True)


def _alike(first: Any, other: Any) -> bool:
    """True if two results have the same structure and dtypes, which may depend on ranks."""
    try:
        nest.assert_same_structure(first, other)
    except (TypeError, ValueError):
        return False
    a, b = (nest.flatten(x, expand_composites=True) for x in (first, other))
    return [x.dtype for x in a] == [x.dtype for x in b]


def _common(shapes: list[Any], certain: bool) -> Any:
    """Returns the most specific static shape common to several shapes."""
    # A dimension is known if the probes agree on it and ``certain`` is set.
    if len({None if s is None else len(s) for s in shapes}) != 1 or shapes[0] is None:
        return None
    return tuple(s[0] if certain and len(set(s)) == 1 else None for s in zip(*shapes))


def _openings(result: Any) -> list[bool | None]:
    """Returns True for each component whose leading dimension depends on values."""
    # None marks a tensor that is no part of a composite tensor.
    if isinstance(result, RaggedTensor):
        return [True, *(i > 0 for i, _ in enumerate(result.nested_row_splits))]
    if isinstance(result, SparseTensor):
        return [True, True, False]
    return [None] * len(nest.flatten(result, expand_composites=True))


def _open_sizes(dims: Any, leading: bool | None, ranked: bool) -> Any:
    """Returns a static shape with the dimensions that probing can determine."""
    if leading is None:
        return dims if ranked else None
    return (None, *dims[1:]) if leading and dims else dims


def _open(results: list[Any]) -> Any:
    """Returns a result whose composite tensors have static shapes that hold for all probes."""

    def opened(*probes: Any) -> Any:
        first, last = probes[0], probes[-1]
        if isinstance(first, SparseTensor):
            first._static = first.shape.most_specific_compatible_shape(last.shape)
        return _open_rows(probes) if isinstance(first, RaggedTensor) else first

    return nest.map_structure(opened, *results)


def _open_rows(probes: Sequence[Any]) -> Any:
    """Returns the ragged tensor of the first probe, with the row lengths that all probes have."""
    first = probes[0]
    if not isinstance(first, RaggedTensor):
        return first
    lengths = {probe._partition._uniform for probe in probes}
    length = lengths.pop() if len(probes) > 1 and len(lengths) == 1 else None
    return RaggedTensor._of(_open_rows([x.values for x in probes]), first.row_splits, length)


# ------------------------------------------------------------------ dummy inputs


def _stand_in(value: Any, which: int, rank: int) -> Any:
    if isinstance(value, RaggedTensor):
        return _sample_ragged(value, which, rank)
    if isinstance(value, SparseTensor):
        return _sparse(value, which)
    return _dense(value, which, rank) if is_tensor(value) else value


def _dense(tensor: Any, which: int, rank: int = 1, dims: Any = None) -> EagerTensor:
    constant = array_of(tensor) if dims is None else None
    if constant is not None:
        return EagerTensor(constant, runtime.host, tensor.dtype)
    static = tensor.shape._dims
    if dims is None:
        dims = tuple(
            _SIZES[which] if n is None else n for n in ([None] * rank if static is None else static)
        )
    if tensor.dtype.name == "string":
        array = np.full(dims, None, object)
        array.fill(_STRINGS[which])
        if which == 2:  # not all elements are equal
            array.flat[1::2] = b"a"
    else:
        element = _ELEMENTS[which] if dims else _NUMBERS[which]
        array = np.full(dims, element)
        if dims and (which == 2 or (which > 2 and len(dims) == 1)):
            array = np.broadcast_to(np.arange(dims[-1]), dims)
        array = array.astype(tensor.dtype.np)
    return EagerTensor(array, runtime.host, tensor.dtype)


def _sample_ragged(value: RaggedTensor, which: int, rank: int) -> RaggedTensor:
    nested, rows = [], _size(static_size(value.row_splits.shape, 0), which, 1)
    below = [static_size(splits.shape, 0) for splits in value.nested_row_splits[1:]]
    alike = which == _LAST  # for several inputs whose row lengths, partly known, must be equal
    for i, splits in enumerate(value.nested_row_splits):
        values = value.flat_values.shape
        last = None if values.rank is None or alike else static_size(values, 0)
        total = _size(below[i], which, 1) if i < len(below) else _size(last, which, 0)
        ends = [total * j // rows if which else 0 for j in range(1, rows)]
        static_splits = None if alike else array_of(splits)
        nested.append(
            np.array([0, *ends, total] if rows else [0], splits.dtype.np)
            if static_splits is None
            else static_splits
        )
        rows = int(nested[-1][-1])
    dims = value.flat_values.shape._dims
    static = (None,) * (rank or 1) if dims is None else dims
    inner = tuple(_SIZES[which] if n is None else n for n in static[1:])
    result: Any = _dense(value.flat_values, which, dims=(rows, *inner))
    for splits in reversed(nested):
        result = RaggedTensor._of(result, convert_to_tensor(splits))
    return result


def _size(static: int | None, which: int, extra: int) -> int:
    return _SIZES[which] if static is None else static - extra


def _sparse(value: SparseTensor, which: int) -> SparseTensor:
    rank = value.shape.rank or static_size(value.indices.shape, 1) or 1
    static = value.shape._dims or (None,) * rank
    sizes = [_SIZES[which] if n is None else n for n in static]
    indices = array_of(value.indices)
    if indices is None:
        counts = [static_size(x.shape, 0) for x in (value.indices, value.values)]
        static_counts = [n for n in counts if n is not None]
        count = static_counts[0] if static_counts else _COUNTS[which]
        if count > np.prod(sizes) and None in static:
            sizes[static.index(None)] = count + which
        indices = np.stack(np.unravel_index(np.arange(min(count, np.prod(sizes))), sizes), 1)
    else:
        ends = indices.max(0, initial=-1) + 1
        sizes = [max(size, end) if n is None else n for size, end, n in zip(sizes, ends, static)]
    values = _dense(value.values, which, dims=(len(indices),))
    return SparseTensor(indices.astype(np.int64), values, np.array(sizes, np.int64))


# Tables of the functions and methods that are opaque calls.


# Public functions, with the types of their operations.
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
# Functions whose values determine shapes or errors.
_READING = """
    argsort histogram_fixed_width_bins linspace
    nn.ctc_unique_labels required_space_to_batch_paddings
    signal.linear_to_mel_weight_matrix sort"""
# Functions that are opaque calls only where the shapes of their arguments are unknown.
_OF_UNKNOWN = """
    nn.collapse_repeated nn.isotonic_regression nn.safe_embedding_lookup_sparse sparse.to_indicator"""
# Functions that reject arguments of unknown rank, with their messages.
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
# Functions that are opaque calls where an argument is ragged.
_OF_RAGGED = """
    where gather gather_nd concat stack split squeeze repeat linalg.matmul nn.softmax math.reduce_variance
    math.reduce_std strings.reduce_join one_hot broadcast_dynamic_shape"""
# Methods of ragged tensors.
_METHODS = ("__getitem__", "to_tensor", "to_sparse", "bounding_shape", "merge_dims")
_MAKERS = ("from_tensor", "from_sparse")


def _holds_ragged(args: Any, kwargs: Any) -> bool:
    for value in (*args, *kwargs.values()):
        items = value if isinstance(value, (list, tuple)) else (value,)
        if any(map(is_ragged, items)):
            return True
    return False


def _where_ragged(type: str, public: Callable[..., Any]) -> Callable[..., Any]:
    if hasattr(public, "op"):  # ops dispatch on their inputs themselves
        return public
    aside = getattr(public, "aside", None)  # the handler of calls with ragged tensors
    function = public if aside is None else aside[0]

    @wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        if thread.scope.graph is None or not _holds_ragged(args, kwargs):
            return function(*args, **kwargs)
        return as_whole(type, function, args, kwargs)

    if aside is None:
        return call
    aside[0] = call
    return public


def _where_unknown(type: str, function: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        if thread.scope.graph is None or not _holds_unknown(args, kwargs):
            return function(*args, **kwargs)
        return as_whole(type, function, args, kwargs)

    return call


def _of_row(function: Callable[..., Any]) -> Callable[..., Any]:
    """Returns a function that takes a symbolic scalar as a row of one, for parts of unknown number."""

    @wraps(function)
    def call(input: Any, *args: Any, **kwargs: Any) -> Any:
        if isinstance(input, SymbolicTensor) and input.shape.rank == 0:
            return function(API["expand_dims"](input, 0), *args, **kwargs).values
        return function(input, *args, **kwargs)

    return call


def _holds_unknown(args: Any, kwargs: Any) -> bool:
    leaves = nest.flatten([list(args), kwargs], expand_composites=True)
    return any(isinstance(x, SymbolicTensor) and not x.shape.is_fully_defined() for x in leaves)


def _camel(name: str) -> str:
    """Returns the operation type of an opaque call of a function."""
    return "".join(part.title() for part in name.replace(".", "_").split("_"))


def _with_rank(position: int, said: str, function: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        if thread.scope.graph is not None and position < len(args):
            value = args[position]
            if isinstance(value, SymbolicTensor) and value.shape.rank is None:
                raise ValueError(said)
        return function(*args, **kwargs)

    return call


def _dispatch_opaque(plain: Callable[..., Any]) -> Callable[..., Any]:
    """Returns the dispatcher for ragged inputs: opaque calls in graphs, except elementwise ops."""

    def call(op: Any, inputs: list[Any], attrs: dict[str, Any]) -> Any:
        if thread.scope.graph is None or op.type == "Shape":
            return plain(op, inputs, attrs)
        flat = [
            x for value in inputs for x in (value if isinstance(value, (list, tuple)) else (value,))
        ]
        if op.is_flat and sum(map(is_ragged, flat)) == 1 and _same_for_all(flat):
            return plain(op, inputs, attrs)
        if op.type == "Identity":
            return plain(op, inputs, attrs)
        public = lambda *tensors: op.public(*tensors, **attrs)
        return as_whole(f"Ragged{op.type}", public, inputs, {}, op.is_flat)

    return call


def _same_for_all(values: list[Any]) -> bool:
    """True if all other inputs are scalars."""
    return all(is_ragged(x) or not getattr(getattr(x, "shape", ()), "rank", 0) for x in values)


# The wrappers of functions by name, in the order of their application.
_STEPS: tuple[dict[str, Callable[..., Any]], ...] = (
    {name: functools.partial(wrap_opaque_call, type) for name, type in _FUNCTIONS.items()},
    {
        name: functools.partial(_where_ragged, f"Ragged{_camel(name)}")
        for name in _OF_RAGGED.split()
    },
    {name: functools.partial(wrap_opaque_call, _camel(name)) for name in _READING.split()},
    {name: functools.partial(_where_unknown, _camel(name)) for name in _OF_UNKNOWN.split()},
    {name: functools.partial(_with_rank, *said) for name, said in _RANKED.items()},
    {"strings.split": _of_row},
)


def _as_whole(names: list[str], function: Callable[..., Any]) -> Callable[..., Any]:
    """Returns a public function wrapped according to the tables."""
    for step in _STEPS:
        for name in names:
            if name in step:
                function = step[name](function)
    return function


def install() -> None:
    """Wraps public functions, and the methods of ragged tensors, according to the tables."""
    API.passes.append(_as_whole)
    for name in _METHODS:
        setattr(
            RaggedTensor,
            name,
            wrap_opaque_call(f"Ragged{name.strip('_').title()}", getattr(RaggedTensor, name)),
        )
    for name in _MAKERS:
        maker = wrap_opaque_call(f"Ragged{name.title()}", getattr(RaggedTensor, name))
        setattr(RaggedTensor, name, staticmethod(maker))
    COMPOSITES[RaggedTensor] = _dispatch_opaque(COMPOSITES[RaggedTensor])
