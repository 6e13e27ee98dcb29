"""The CTC loss, and the edit distance of sequences."""

from __future__ import annotations

import functools
from typing import Annotated, Any

import numpy as np

from twinflow._src.composite_tensors.sparse_tensor import SparseTensor
from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core import dtypes
from twinflow._src.core.dtypes import int32, int64
from twinflow._src.core.errors import InvalidArgumentError, invalid
from twinflow._src.core.shapes import refused, static_size, text
from twinflow._src.dispatch.op import API, Call, Kind, export, op
from twinflow._src.ops.nn.ctc_dense import ctc_loss_dense
from twinflow._src.wings.sparse.parts import HOST, Lengths, Places, check_order, sizes

_Steps = Annotated[Any, Kind("sequence_length", only=int32)]
_Labels = Annotated[Any, Kind("labels_values", only=int32)]
_FLOATS = frozenset((dtypes.float32, dtypes.float64))


# ------------------------------------------------------------------ CTC loss


def _loss_shapes(inputs: Any, indices: Any, values: Any, steps: Any, **_: Any) -> Any:
    dims = _checked_dims(inputs, indices, values, steps) or (None, None, None)
    return [(dims[1],), dims]


def _checked_dims(inputs: Any, indices: Any, values: Any, steps: Any) -> Any:
    """Returns the dimensions of logits after checks of all ranks, in TensorFlow's order."""
    for what, kind, rank, dims in (
        ("inputs", "3-Tensor", 3, inputs),
        ("sequence_length", "vector", 1, steps),
        ("labels_indices", "matrix", 2, indices),
        ("labels_values", "vector", 1, values),
    ):
        if dims is not None and len(dims) != rank:
            raise refused(
                f"{what} is not a {kind}",
                f"Shape must be rank {rank} but is rank {len(dims)}",
            )
    return inputs


def _examples_of(indices: Any, values: Any, count: int, classes: int, collapse: bool) -> list[Any]:
    """Returns the labels of each example; they end before the first null label."""
    rows = []
    for b in range(count):
        row = values[indices[:, 0] == b]
        if not len(row):
            raise invalid(f"Labels length is zero in batch {b}")
        if (row < 0).any():
            listed = ",".join(map(str, row.tolist()))
            raise invalid(f"All labels must be nonnegative integers, batch: {b} labels: {listed}")
        null = row >= classes - 1
        first = int(null.argmax()) if null.any() else len(row)
        if not null[first:].all():
            listed = ",".join(map(str, row.tolist()))
            raise invalid(
                "Saw a non-null label (index >= num_classes - 1) following a null label, "
                f"batch: {b} num_classes: {classes} labels: {listed} labels seen so far: "
                f"{','.join(map(str, row[:first].tolist()))}"
            )
        row = row[:first]
        rows.append(row[np.diff(row, prepend=-1) != 0] if collapse else row)
    return rows


def _log_sum(*terms: Any) -> Any:
    """Returns the logarithm of a sum of numbers given by their logarithms."""
    return functools.reduce(np.logaddexp, terms)


def _forward(logs: Any, stays: Any, skips: Any) -> Any:
    """Returns the logarithms of the probabilities of all ways to each state at each step."""
    # The states are the labels with blanks around them. A way goes on to the next state, or to the
    # one after it where ``skips``, or stays where ``stays``.
    ways = np.full_like(logs, -np.inf)
    ways[0, :2] = logs[0, :2]
    for t in range(1, len(logs)):
        before = ways[t - 1]
        one, two = np.roll(before, 1), np.roll(before, 2)
        one[0] = two[:2] = -np.inf
        kept = np.where(stays, before, -np.inf)
        ways[t] = logs[t] + _log_sum(kept, one, np.where(skips, two, -np.inf))
    return ways


def _loss_of(logits: Any, labels: Any, merges: bool) -> tuple[Any, Any]:
    """Returns the loss of an example and its gradient with respect to the logits."""
    blank = logits.shape[1] - 1
    highest = logits.max(axis=1, keepdims=True)
    logs = logits - highest - np.log(np.exp(logits - highest).sum(axis=1, keepdims=True))
    states = np.full(2 * len(labels) + 1, blank)
    states[1::2] = labels
    skips = states != blank
    if merges:  # a blank has to stand between equal labels
        skips[2:] &= states[2:] != states[:-2]
    stays = (states == blank) | merges
    emitted = logs[:, states]
    ahead = _forward(emitted, stays, skips)
    skips_back = np.roll(skips, -2)[::-1]
    behind = _forward(emitted[::-1, ::-1], stays[::-1], skips_back)[::-1, ::-1]
    total = _log_sum(*ahead[-1, -2:])
    share = np.zeros_like(logits)
    if total > -np.inf:
        twice = np.where(emitted > -np.inf, emitted, 0)  # both ways count the step itself
        np.add.at(share.T, states, np.exp(ahead + behind - twice - total).T)
    return -total, np.exp(logs) - share


@op("CTCLoss", shape=_loss_shapes, dtypes=_FLOATS, devices=HOST, results=("loss:T", "gradient:T"))
def _ctc_loss(
    xp: Any,
    inputs: Any,
    labels_indices: Places,
    labels_values: _Labels,
    sequence_length: _Steps,
    *,
    preprocess_collapse_repeated: bool = False,
    ctc_merge_repeated: bool = True,
    ignore_longer_outputs_than_inputs: bool = False,
) -> list[Any]:
    """Computes the CTC loss of logits, and its gradient."""
    _checked_dims(inputs.shape, labels_indices.shape, labels_values.shape, sequence_length.shape)
    steps, examples, classes = inputs.shape
    if not steps:
        raise invalid("Max time or first dimension of input cannot be 0.")
    if len(sequence_length) != examples:
        counts = f"len(sequence_length):  {len(sequence_length)} batch_size: {examples}"
        raise invalid(f"len(sequence_length) != batch_size.  {counts}")
    if len(labels_indices) != len(labels_values):
        shapes = f"{text(labels_indices.shape)} vs. {text(labels_values.shape)}"
        raise invalid(
            "labels_indices and labels_values must contain the same number of rows, but saw "
            f"shapes: {shapes}"
        )
    for b, length in enumerate(sequence_length.tolist()):
        if length < 0:
            raise invalid(f"seq_len({b}) < 0")
        if length > steps:
            raise invalid(f"sequence_length({b}) <= {steps}")
    longest = int(labels_indices[:, 1].max(initial=-1)) + 1
    try:
        check_order(labels_indices, (examples, longest))
    except InvalidArgumentError as error:
        raise invalid(f"label SparseTensor is not valid: {error.message}") from None
    rows = _examples_of(
        labels_indices, labels_values, examples, classes, preprocess_collapse_repeated
    )
    losses, gradient = np.zeros(examples, inputs.dtype), np.zeros_like(inputs)
    for b, (length, row) in enumerate(zip(sequence_length.tolist(), rows, strict=True)):
        if length < len(row) and not ignore_longer_outputs_than_inputs:
            raise invalid(
                f"Not enough time for target transition sequence (required: {len(row)}, available: "
                f"{length}){b}You can turn this error into a warning by using the flag "
                "ignore_longer_outputs_than_inputs"
            )
        if length >= len(row) and length:
            losses[b], gradient[:length, b] = _loss_of(inputs[:length, b], row, ctc_merge_repeated)
    return [losses, gradient]


@_ctc_loss.gradient(reads=("result",))
@ctc_loss_dense.gradient(reads=("result",))
def _(call: Call, dloss: Any, dgradient: Any) -> Any:
    slope = _once_differentiable(call.outputs[1])
    return API["reshape"](dloss, [1, -1, 1]) * slope, None, None, None


@API["custom_gradient"]
def _once_differentiable(x: Any) -> Any:
    def gradient(dy: Any) -> Any:
        raise LookupError(
            'Gradient explicitly disabled. Reason: b"Currently there is no way to take the second  '
            "derivative of ctc_loss due to the fused implementation's interaction  with "
            'tf.gradients()"'
        )

    return API["identity"](x), gradient


@export("nn.ctc_loss")
def ctc_loss(
    labels: Any,
    logits: Any,
    label_length: Any,
    logit_length: Any,
    logits_time_major: bool = True,
    unique: Any = None,
    blank_index: Any = None,
    name: str | None = None,
) -> Any:
    """Computes the CTC (connectionist temporal classification) loss.

    Args:
        labels: A matrix of labels, of shape [batch_size, max_length], or a sparse matrix.
        logits: The logits, of shape [max_time, batch_size, num_labels].
        label_length: The number of labels of each row; None for a sparse matrix.
        logit_length: The number of time steps of each example.
        logits_time_major: If False, the first two axes of the logits are swapped.
        unique: Accepted and without effect; see ``tf.nn.ctc_unique_labels``.
        blank_index: The class of the blank label, counted from the end if negative; 0 if None.

    Returns:
        The loss of each example: the negative logarithm of the probability of its labels. Dense
        labels that do not fit into the time steps have a loss of about 707.

    Raises:
        ValueError: ``labels`` is sparse, and there is no ``blank_index``.
        InvalidArgumentError: An example of a sparse matrix has no labels, or more labels than time
            steps.
    """
    logits = convert_to_tensor(logits)
    dtype = logits.dtype
    if dtype.size == 2:
        logits = API["cast"](logits, dtypes.float32)
    if not logits_time_major:
        logits = API["transpose"](logits, [1, 0, 2])
    if isinstance(labels, SparseTensor):
        if blank_index is None:
            raise ValueError(
                "Argument `blank_index` must be provided when `labels` is a `SparseTensor`."
            )
        loss = _sparse_loss(labels, logits, logit_length, blank_index)
    else:
        loss = _dense_loss(labels, logits, label_length, logit_length, blank_index or 0)
    return API["cast"](loss, dtype) if dtype.size == 2 else loss


def _around(logits: Any, blank: Any) -> tuple[Any, tuple[Any, Any, Any]]:
    """Returns the index of the blank, and the logits before, at and after it."""
    if blank < 0:
        classes = static_size(logits.shape, 2)
        blank += API["shape"](logits)[2] if classes is None else classes
    return blank, (logits[:, :, :blank], logits[:, :, blank : blank + 1], logits[:, :, blank + 1 :])


def _sparse_loss(labels: Any, logits: Any, logit_length: Any, blank: Any) -> Any:
    blank, (before, at, after) = _around(logits, blank)
    if static_size(logits.shape, 2) != blank + 1:  # the op takes the last class for blank
        logits = API["concat"]([before, after, at], axis=2)
    values = API["where"](
        labels.values < API["cast"](blank, labels.values.dtype), labels.values, labels.values - 1
    )
    return _ctc_loss(
        logits, labels.indices, API["cast"](values, int32), API["cast"](logit_length, int32)
    )[0]


def _dense_loss(labels: Any, logits: Any, label_length: Any, logit_length: Any, blank: Any) -> Any:
    labels = convert_to_tensor(labels, name="labels")
    if blank != 0:
        blank, (before, at, after) = _around(logits, blank)
        logits = API["concat"]([at, before, after], axis=2)
        labels = API["where"](labels < API["cast"](blank, labels.dtype), labels + 1, labels)
    lengths = [convert_to_tensor(x) for x in (label_length, logit_length)]
    return ctc_loss_dense(logits, *(API["cast"](x, int64) for x in (labels, *lengths)))[0]


def ctc_loss_v1(
    labels: Any,
    inputs: Any = None,
    sequence_length: Any = None,
    preprocess_collapse_repeated: bool = False,
    ctc_merge_repeated: bool = True,
    ignore_longer_outputs_than_inputs: bool = False,
    time_major: bool = True,
    logits: Any = None,
) -> Any:
    """Computes the CTC (connectionist temporal classification) loss of sparse labels.

    Args:
        labels: A sparse matrix of labels.
        inputs: The logits, of shape [max_time, batch_size, num_classes]; the last class is blank.
        sequence_length: The number of time steps of each example.
        preprocess_collapse_repeated: If True, merges consecutive equal labels.
        ctc_merge_repeated: If False, equal classes of consecutive steps are different labels.
        ignore_longer_outputs_than_inputs: If True, examples with more labels than steps have the
            loss and the gradient 0; else they are an error.
        time_major: If False, the first two axes of the logits are swapped.
        logits: Another name of ``inputs``.

    Returns:
        The loss of each example.

    Raises:
        TypeError: ``labels`` is not a sparse tensor.
        ValueError: Both names of the logits are used.
    """
    if not isinstance(labels, SparseTensor):
        raise TypeError(
            f"Expected argument `labels` to be a SparseTensor. Received labels={labels} of type: "
            f"{type(labels).__name__}"
        )
    if logits is not None and inputs is not None:
        raise ValueError("Cannot specify both 'inputs' and 'logits'.")
    tensor = convert_to_tensor(inputs if logits is None else logits)
    turned = tensor if time_major else API["transpose"](tensor, [1, 0, 2])
    short = tensor.dtype.size == 2
    loss, _ = _ctc_loss(
        API["cast"](turned, dtypes.float32) if short else turned,
        labels.indices,
        API["cast"](labels.values, int32),
        sequence_length,
        preprocess_collapse_repeated=preprocess_collapse_repeated,
        ctc_merge_repeated=ctc_merge_repeated,
        ignore_longer_outputs_than_inputs=ignore_longer_outputs_than_inputs,
    )
    return API["cast"](loss, tensor.dtype) if short else loss


# ------------------------------------------------------------------ edit distance


def _distance(a: list[Any], b: list[Any]) -> int:
    """Returns the Levenshtein distance of two lists."""
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        before, row[0] = row[0], i
        for j, y in enumerate(b, 1):
            before, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, before + (x != y))
    return row[-1]


def _sequences(indices: Any, values: Any) -> dict[tuple[int, ...], list[Any]]:
    sequences: dict[tuple[int, ...], list[Any]] = {}
    for index, value in zip(map(tuple, indices[:, :-1].tolist()), values.tolist(), strict=True):
        sequences.setdefault(index, []).append(value)
    return sequences


def _outer(*inputs: Any, **_: Any) -> Any:
    first, second = sizes(inputs[2]), sizes(inputs[5])
    if first is None or second is None or len(first) != len(second):
        return None
    pairs = zip(first[:-1], second[:-1], strict=True)
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
    """Computes the Levenshtein distance between sequences."""
    if len(hypothesis_shape) != len(truth_shape):
        raise invalid(
            "truth_shape and hypothesis_shape must have the same rank, but got shapes: "
            f"{text(tuple(truth_shape.tolist()))} vs. {text(tuple(hypothesis_shape.tolist()))}"
        )
    outer = tuple(np.maximum(hypothesis_shape, truth_shape)[:-1].tolist())
    hypotheses = _sequences(hypothesis_indices, hypothesis_values)
    truths = _sequences(truth_indices, truth_values)
    result = np.zeros(outer, np.float32)
    for index in hypotheses.keys() | truths.keys():
        a, b = hypotheses.get(index, []), truths.get(index, [])
        changes = float(_distance(a, b))
        if normalize:
            changes = changes / len(b) if b else float("inf") if changes else 0.0
        result[index] = changes
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
