"""CTC greedy decoding, label helpers, and the edit distance of sequences."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np

from twinflow._src.composite_tensors.sparse_tensor import SparseTensor
from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core import dtypes
from twinflow._src.core.dtypes import bool_, int32, int64
from twinflow._src.core.errors import FailedPreconditionError, invalid
from twinflow._src.core.shapes import static_size, text
from twinflow._src.dispatch.op import API, Kind, export, op
from twinflow._src.wings.sparse.parts import HOST, Lengths, Places, sizes

_Steps = Annotated[Any, Kind("sequence_length", only=int32)]
_FLOATS = frozenset((dtypes.float32, dtypes.float64))


# ------------------------------------------------------------------ CTC labels


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

    Args:
        inputs: The logits, of shape [max_time, batch_size, num_classes].
        sequence_length: The number of time steps of each example.
        merge_repeated: If True, merges consecutive equal labels.
        blank_index: The class of the blank label; counted from the end if negative.

    Returns:
        The indices, values and shape of a sparse matrix of labels; and the negated sums of the
        logits.

    Raises:
        FailedPreconditionError: A sequence length exceeds ``max_time``.
        InvalidArgumentError: ``inputs`` is not of rank 3, or ``sequence_length`` is not a vector.
    """
    if inputs.ndim != 3:
        raise invalid("inputs is not a 3-Tensor")
    if sequence_length.ndim != 1:
        raise invalid("sequence_length is not a vector")
    steps, examples, classes = inputs.shape
    if len(sequence_length) != examples:
        counts = f"len(sequence_length):  {len(sequence_length)} batch_size: {examples}"
        raise FailedPreconditionError(None, None, f"len(sequence_length) != batch_size.  {counts}")
    blank = blank_index % classes
    rows, sums = [], np.zeros((examples, 1), inputs.dtype)
    for b, length in enumerate(sequence_length.tolist()):
        if length > steps:
            raise FailedPreconditionError(None, None, f"sequence_length({b}) <= {steps}")
        length = max(length, 0)
        best = inputs[:length, b].argmax(axis=1)
        sums[b, 0] -= inputs[np.arange(length), b, best].sum()
        rows.append(_without(best, blank, merge_repeated))
    places = [(b, i) for b, row in enumerate(rows) for i in range(len(row))]
    longest = max(map(len, rows), default=0)
    return [
        np.array(places, np.int64).reshape(-1, 2),
        np.concatenate([*rows, np.zeros(0, np.int64)]).astype(np.int64),
        np.array([examples, longest], np.int64),
        sums,
    ]


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


@export("nn.collapse_repeated")
def collapse_repeated(labels: Any, seq_length: Any, name: str | None = None) -> Any:
    """Merges repeated labels into single ones.

    Args:
        labels: A matrix of labels, of shape [batch_size, max_length].
        seq_length: The number of labels of each row.
        name: A name for the operation.

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
    places = API["where"](API["sequence_mask"](counts, maxlen=longest))
    shape = API["stack"]([static_size(labels.shape, 0), longest])
    values = API["boolean_mask"](labels, kept)
    found = API["scatter_nd"](places, values, API["cast"](shape, int64))
    return found, API["cast"](counts, lengths.dtype)


@export("nn.ctc_unique_labels")
def ctc_unique_labels(labels: Any, name: str | None = None) -> Any:
    """Returns the unique labels of each row, and the index of each label among them.

    Args:
        labels: A matrix of labels, of shape [batch_size, max_length].
        name: A name for the operation.

    Returns:
        A list of a matrix of labels, padded with zeros, and a matrix of indices into its rows.
    """

    def one(row: Any) -> list[Any]:
        different, index = API["unique"](row)
        return [API["pad"](different, [[0, API["size"](row) - API["size"](different)]]), index]

    return API["map_fn"](
        one, API["cast"](convert_to_tensor(labels), int64), fn_output_signature=[int64, int32]
    )


# ------------------------------------------------------------------ edit distance


def _distance(a: list[Any], b: list[Any]) -> int:
    """Returns the Levenshtein distance of two lists."""
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        before, row[0] = row[0], i
        for j, y in enumerate(b, 1):
            before, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, before + (x != y))
    return row[-1]


def _sequences(places: Any, values: Any) -> dict[tuple[int, ...], list[Any]]:
    found: dict[tuple[int, ...], list[Any]] = {}
    for place, value in zip(map(tuple, places[:, :-1].tolist()), values.tolist(), strict=True):
        found.setdefault(place, []).append(value)
    return found


def _outer(*known: Any, **_: Any) -> Any:
    given, wanted = sizes(known[2]), sizes(known[5])
    if given is None or wanted is None or len(given) != len(wanted):
        return None
    pairs = zip(given[:-1], wanted[:-1], strict=True)
    return tuple(None if None in pair else max(pair) for pair in pairs)


@op(
    "EditDistance",
    shape=_outer,
    out=dtypes.float32,
    devices=HOST,
    no_gradient=True,
)
def _edit_distance(
    xp: Any,
    hypothesis_indices: Places,
    hypothesis_values: Any,
    hypothesis_shape: Lengths,
    truth_indices: Places,
    truth_values: Any,
    truth_shape: Lengths,
    *,
    normalize: bool = True,
) -> Any:
    """Computes the Levenshtein distance between sequences.

    Args:
        hypothesis_indices: The indices of the sparse tensor of hypothesis sequences.
        hypothesis_values: Its values.
        hypothesis_shape: Its dense shape; the last dimension is that of a sequence.
        truth_indices: The indices of the sparse tensor of truth sequences.
        truth_values: Its values.
        truth_shape: Its dense shape.
        normalize: If True, divides distances by the lengths of the truth sequences.

    Returns:
        A float32 tensor of the shape without the last dimension.

    Raises:
        InvalidArgumentError: The ranks differ.
    """
    if len(hypothesis_shape) != len(truth_shape):
        raise invalid(
            "truth_shape and hypothesis_shape must have the same rank, but got shapes: "
            f"{text(tuple(truth_shape.tolist()))} vs. {text(tuple(hypothesis_shape.tolist()))}"
        )
    outer = tuple(np.maximum(hypothesis_shape, truth_shape)[:-1].tolist())
    given = _sequences(hypothesis_indices, hypothesis_values)
    wanted = _sequences(truth_indices, truth_values)
    result = np.zeros(outer, np.float32)
    for place in given.keys() | wanted.keys():
        a, b = given.get(place, []), wanted.get(place, [])
        changes = float(_distance(a, b))
        if normalize:
            changes = changes / len(b) if b else float("inf") if changes else 0.0
        result[place] = changes
    return result


@export("edit_distance")
def edit_distance(
    hypothesis: Any, truth: Any, normalize: bool = True, name: str | None = "edit_distance"
) -> Any:
    """Computes the Levenshtein distance between sequences.

    Args:
        hypothesis: A sparse tensor whose last dimension holds sequences.
        truth: A sparse tensor of the same dtype and rank.
        normalize: If True, divides distances by the lengths of the truth sequences.
        name: A name for the operation.

    Returns:
        A float32 tensor of the shape without the last dimension.

    Raises:
        TypeError: An argument is not a sparse tensor.
    """
    for what, value in (("Hypothesis", hypothesis), ("Truth", truth)):
        if not isinstance(value, SparseTensor):
            raise TypeError(f"{what} must be a SparseTensor.")
    parts = [p for sp in (hypothesis, truth) for p in (sp.indices, sp.values, sp.dense_shape)]
    return _edit_distance(*parts, normalize=normalize)
