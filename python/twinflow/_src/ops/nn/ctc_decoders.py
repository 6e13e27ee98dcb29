"""CTC decoding: the best path, beam search, and functions of labels."""

from __future__ import annotations

import heapq
import itertools
from typing import Annotated, Any, NamedTuple

import numpy as np

from twinflow._src.composite_tensors.sparse_tensor import SparseTensor
from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core import dtypes
from twinflow._src.core.dtypes import bool_, int32, int64
from twinflow._src.core.errors import FailedPreconditionError, invalid
from twinflow._src.core.shapes import static_size
from twinflow._src.dispatch.op import API, Kind, documented_like, export, op
from twinflow._src.dispatch.opdefs import too_small

_Steps = Annotated[Any, Kind("sequence_length", only=int32)]
_FLOATS = frozenset((dtypes.float32, dtypes.float64))
HOST = ("CPU",)


def _check_lengths(inputs: Any, sequence_length: Any) -> None:
    """Raises TensorFlow's errors for the shapes and lengths of sequences."""
    if inputs.ndim != 3:
        raise invalid("inputs is not a 3-Tensor")
    if sequence_length.ndim != 1:
        raise invalid("sequence_length is not a vector")
    steps, examples, _ = inputs.shape
    if len(sequence_length) != examples:
        counts = f"len(sequence_length):  {len(sequence_length)} batch_size: {examples}"
        raise FailedPreconditionError(None, None, f"len(sequence_length) != batch_size.  {counts}")
    for b, length in enumerate(sequence_length.tolist()):
        if length > steps:
            raise FailedPreconditionError(None, None, f"sequence_length({b}) <= {steps}")


def _sparse_rows(rows: list[Any]) -> list[Any]:
    """Returns the indices, values and shape of a sparse matrix with rows of labels."""
    lengths = [len(row) for row in rows]
    columns = [np.arange(n, dtype=np.int64) for n in lengths]
    at = np.repeat(np.arange(len(rows), dtype=np.int64), lengths)
    none = np.zeros(0, np.int64)
    return [
        np.stack([at, np.concatenate([*columns, none])], axis=1),
        np.concatenate([*rows, none]).astype(np.int64),
        np.array([len(rows), max(lengths, default=0)], np.int64),
    ]


# ------------------------------------------------------------------ best path


def _without(best: Any, blank: int, merge_repeated: bool) -> Any:
    """Returns the labels of an example without blanks, optionally with repeated ones merged."""
    kept = best != blank
    if merge_repeated:
        kept[1:] &= best[1:] != best[:-1]
    return best[kept]


@op(
    "CTCGreedyDecoder",
    shape=lambda inputs, steps, **_: [
        (None, 2),
        (None,),
        (2,),
        (inputs[1] if inputs else None, 1),
    ],
    dtypes=_FLOATS,
    devices=HOST,
    no_gradient=True,
)
def _greedy(
    xp: Any,
    inputs: Any,
    sequence_length: _Steps,
    *,
    merge_repeated: bool = False,
    blank_index: int = -1,
) -> list[Any]:
    """Performs greedy (best path) decoding of CTC logits.

    The result has the most probable label of each time step, without blanks.
    """
    _check_lengths(inputs, sequence_length)
    _, examples, classes = inputs.shape
    blank = blank_index % classes
    rows, sums = [], np.zeros((examples, 1), inputs.dtype)
    for b, length in enumerate(sequence_length.clip(0).tolist()):
        best = inputs[:length, b].argmax(axis=1)
        sums[b, 0] -= inputs[np.arange(length), b, best].sum()
        rows.append(_without(best, blank, merge_repeated))
    return [*_sparse_rows(rows), sums]


@export("nn.ctc_greedy_decoder")
def ctc_greedy_decoder(
    inputs: Any, sequence_length: Any, merge_repeated: bool = True, blank_index: Any = None
) -> Any:
    """Performs greedy (best path) decoding of CTC logits.

    The result has the most probable label of each time step, without blanks.

    Args:
        inputs: The logits, of shape [max_time, batch_size, num_classes].
        sequence_length: The number of time steps of each example.
        merge_repeated: If True, merges consecutive equal labels.
        blank_index: The class of the blank label; the last one if None.

    Returns:
        A list of one sparse matrix of labels, and the negated sums of the logits.

    Raises:
        FailedPreconditionError: A sequence length exceeds ``max_time``.
    """
    blank = -1 if blank_index is None else int(blank_index)
    *parts, sums = _greedy(
        inputs, sequence_length, merge_repeated=merge_repeated, blank_index=blank
    )
    return [SparseTensor(*parts)], sums


# ------------------------------------------------------------------ beam search


class _Beams(NamedTuple):
    """The beams of an example: prefixes of labels, most probable first.

    Attributes:
        nodes: The node of each prefix: its index in the lists of parents and last labels.
        totals: The log probability of each.
        blanks: That of the paths that end in a blank.
        labels: That of the others.
    """

    nodes: Any
    totals: Any
    blanks: Any
    labels: Any


class _Prefixes:
    """A tree of prefixes, whose nodes are numbers; the root 0 is the empty prefix."""

    def __init__(self) -> None:
        self.parents, self.last = [-1], [-1]
        self._children: dict[tuple[int, int], int] = {}

    def child(self, node: int, label: int) -> int:
        """Returns the prefix of a node with one label more."""
        key = node, label
        if key not in self._children:
            self._children[key] = len(self.parents)
            self.parents.append(node)
            self.last.append(label)
        return self._children[key]

    def labels(self, node: int) -> list[int]:
        """Returns the labels of a prefix."""
        result = []
        while node:
            result.append(self.last[node])
            node = self.parents[node]
        return result[::-1]


def _search(logs: Any, width: int, prefixes: _Prefixes) -> _Beams:
    """Returns the beams after all steps; the last class is the blank."""
    # After Hannun et al., "First-Pass Large Vocabulary Continuous Speech Recognition using
    # Bi-Directional Recurrent DNNs" (2014).
    none = np.full(1, -np.inf)
    beams = _Beams(np.zeros(1, np.int64), np.zeros(1), np.zeros(1), none)
    for step in logs:
        beams = _advance(beams, step, width, prefixes)
    return beams


def _advance(beams: _Beams, step: Any, width: int, prefixes: _Prefixes) -> _Beams:
    """Returns the beams after a step with given log probabilities of the classes."""
    nodes = beams.nodes.tolist()
    position = {node: i for i, node in enumerate(nodes)}
    last = np.array([prefixes.last[node] for node in nodes])
    parents = np.array([position.get(prefixes.parents[node], -1) for node in nodes])
    # a label is emitted again, or for the first time after the prefix without it
    continues = np.where(
        last[:, None] == np.arange(len(step) - 1), beams.blanks[:, None], beams.totals[:, None]
    )
    inside = np.flatnonzero(parents >= 0)
    entered = np.full(len(nodes), -np.inf)
    entered[inside] = continues[parents[inside], last[inside]]
    labels = np.where(last >= 0, np.logaddexp(beams.labels, entered) + step[last], -np.inf)
    blanks = beams.totals + step[-1]
    totals = np.logaddexp(blanks, labels)
    leaves = _Leaves(totals.tolist(), width)
    among: list[dict[int, int]] = [{} for _ in nodes]  # the children among the beams, by label
    for i in inside.tolist():
        among[parents[i]][int(last[i])] = i
    for parent in range(len(nodes)):
        if not leaves.takes(beams.totals[parent]):
            break
        leaves.grow(parent, continues[parent] + step[:-1], among[parent])
    order = leaves.sorted()
    old = [i for _, i, label in order if label is None]
    fresh = [(total, prefixes.child(nodes[i], k)) for total, i, k in order if k is not None]
    is_old = np.array([label is None for _, _, label in order])
    result = [np.full(len(order), -np.inf) for _ in range(2)]
    result[0][is_old], result[1][is_old] = blanks[old], labels[old]
    result[1][~is_old] = [total for total, _ in fresh]
    chosen = np.empty(len(order), np.int64)
    chosen[is_old], chosen[~is_old] = beams.nodes[old], [node for _, node in fresh]
    return _Beams(chosen, np.array([total for total, *_ in order]), *result)


class _Leaves:
    """The most probable prefixes of a step, at most ``width``.

    Beams come first, with their total log probabilities; then those that have one label more. A
    beam that has to make way before its parent is extended is not extended itself.
    """

    def __init__(self, totals: list[float], width: int) -> None:
        # total, order of arrival, index of the beam, label that follows it or None
        self._heap: list[Any] = [(total, i, i, None) for i, total in enumerate(totals)]
        heapq.heapify(self._heap)
        self._width, self._count = width, itertools.count(len(totals))
        self._dropped: set[int] = set()
        self._barren: set[int] = set()

    def takes(self, total: float) -> bool:
        """True if a prefix with this log probability is among the most probable ones."""
        if len(self._heap) < self._width:
            return bool(total > -np.inf)
        return bool(total > self._heap[0][0])

    def grow(self, parent: int, totals: Any, among: dict[int, int]) -> None:
        """Adds the prefixes with one label more than a beam.

        ``totals`` are those of each label, ``among`` the beams that are such prefixes.
        """
        if parent in self._barren:
            return
        bottom = self._heap[0][0] if len(self._heap) == self._width else -np.inf
        for label in sorted({*np.flatnonzero(totals > bottom).tolist(), *among}):
            if label in among:
                self._barren |= {among[label]} & self._dropped
            elif self.takes(totals[label]):
                self._push((totals[label], next(self._count), parent, label))

    def _push(self, leaf: Any) -> None:
        if len(self._heap) < self._width:
            heapq.heappush(self._heap, leaf)
            return
        _, _, beam, label = heapq.heapreplace(self._heap, leaf)
        if label is None:
            self._dropped.add(beam)

    def sorted(self) -> list[Any]:
        """Returns totals, beams and labels, most probable first."""
        self._heap.sort(key=lambda leaf: (-leaf[0], leaf[1]))
        return [(total, beam, label) for total, _, beam, label in self._heap if total > -np.inf]


def _beam_shapes(inputs: Any, steps: Any, top_paths: int, **_: Any) -> Any:
    batch = inputs[1] if inputs is not None else None
    paths = max(top_paths, 0)
    return [*[(None, 2)] * paths, *[(None,)] * paths, *[(2,)] * paths, (batch, paths)]


@op(
    "CTCBeamSearchDecoder",
    shape=_beam_shapes,
    dtypes=_FLOATS,
    devices=HOST,
    no_gradient=True,
)
def _beam_search(
    xp: Any,
    inputs: Any,
    sequence_length: _Steps,
    *,
    beam_width: int,
    top_paths: int,
    merge_repeated: bool = True,
) -> list[Any]:
    """Performs beam search decoding of CTC logits."""
    for name, value in (("top_paths", top_paths), ("beam_width", beam_width)):
        if value < 1:
            raise too_small("CTCBeamSearchDecoder", name, value)
    _check_lengths(inputs, sequence_length)
    if top_paths > beam_width:
        raise invalid("requested more paths than the beam width.")
    shifted = inputs.astype(np.float64)
    if shifted.size:
        shifted -= shifted.max(axis=2, keepdims=True)
    logs = shifted - np.log(np.exp(shifted).sum(axis=2, keepdims=True))
    rows: list[list[Any]] = [[] for _ in range(top_paths)]
    scores = np.zeros((inputs.shape[1], top_paths), inputs.dtype)
    for b, length in enumerate(sequence_length.clip(0).tolist()):
        prefixes = _Prefixes()
        beams = _search(logs[:length, b], beam_width, prefixes)
        if len(beams.nodes) < top_paths:
            raise invalid("Less leaves in the beam search than requested.")
        scores[b] = beams.totals[:top_paths]
        for path, node in enumerate(beams.nodes[:top_paths].tolist()):
            labels = np.array(prefixes.labels(node), np.int64)
            kept = np.diff(labels, prepend=-1) != 0 if merge_repeated else slice(None)
            rows[path].append(labels[kept])
    parts = [_sparse_rows(path) for path in rows]
    return [part for kind in zip(*parts, strict=True) for part in kind] + [scores]


def _beam_decoder(inputs: Any, lengths: Any, width: int, paths: int, merges: bool) -> Any:
    *parts, scores = _beam_search(
        inputs, lengths, beam_width=width, top_paths=paths, merge_repeated=merges
    )
    return [SparseTensor(*parts[i::paths]) for i in range(paths)], scores


@export("nn.ctc_beam_search_decoder")
def ctc_beam_search_decoder_v2(
    inputs: Any, sequence_length: Any, beam_width: int = 100, top_paths: int = 1
) -> Any:
    """Performs beam search decoding of CTC logits.

    Args:
        inputs: The logits, of shape [max_time, batch_size, num_classes]; the last class is blank.
        sequence_length: The number of time steps of each example.
        beam_width: The number of prefixes that are kept after each step.
        top_paths: The number of results for each example, at most ``beam_width``.

    Returns:
        A list of ``top_paths`` sparse matrices of labels, and their log probabilities, of shape
        [batch_size, top_paths].

    Raises:
        FailedPreconditionError: A sequence length exceeds ``max_time``.
        InvalidArgumentError: More paths are requested than there are.
    """
    return _beam_decoder(inputs, sequence_length, beam_width, top_paths, False)


@documented_like(ctc_beam_search_decoder_v2)
def ctc_beam_search_decoder(
    inputs: Any,
    sequence_length: Any,
    beam_width: int = 100,
    top_paths: int = 1,
    merge_repeated: bool = True,
) -> Any:
    """Performs beam search decoding of CTC logits.

    Args:
        merge_repeated: If True, merges consecutive equal labels of the results.
    """
    return _beam_decoder(inputs, sequence_length, beam_width, top_paths, merge_repeated)


# ------------------------------------------------------------------ labels


@export("nn.collapse_repeated")
def collapse_repeated(labels: Any, seq_length: Any, name: str | None = None) -> Any:
    """Merges repeated labels into single ones.

    Args:
        labels: A matrix of labels, of shape [batch_size, max_length].
        seq_length: The number of labels of each row.

    Returns:
        A matrix padded with zeros, and the number of labels of each row.
    """
    labels, lengths = convert_to_tensor(labels), convert_to_tensor(seq_length)
    first = API["ones_like"](labels[:, :1], bool_)
    kept = API["concat"]([first, API["not_equal"](labels[:, 1:], labels[:, :-1])], 1)
    size = static_size(labels.shape, 1)
    kept = API["logical_and"](kept, API["sequence_mask"](lengths, maxlen=size))
    counts = API["reduce_sum"](API["cast"](kept, int32), 1)
    longest = API["reduce_max"](counts)
    indices = API["where"](API["sequence_mask"](counts, maxlen=longest))
    shape = API["stack"]([static_size(labels.shape, 0), longest])
    values = API["boolean_mask"](labels, kept)
    result = API["scatter_nd"](indices, values, API["cast"](shape, int64))
    return result, API["cast"](counts, lengths.dtype)


@export("nn.ctc_unique_labels")
@documented_like(collapse_repeated)
def ctc_unique_labels(labels: Any, name: str | None = None) -> Any:
    """Returns the unique labels of each row, and the index of each label among them.

    Returns:
        A list of a matrix of labels, padded with zeros, and a matrix of indices into its rows.
    """

    def one(row: Any) -> list[Any]:
        different, index = API["unique"](row)
        return [API["pad"](different, [[0, API["size"](row) - API["size"](different)]]), index]

    return API["map_fn"](
        one, API["cast"](convert_to_tensor(labels), int64), fn_output_signature=[int64, int32]
    )
