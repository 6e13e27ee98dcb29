"""The CTC loss of dense labels: forward and backward sums over all paths, as TensorFlow's.

The states of an example are a start, its labels, and blanks before, between and after the labels. A
path that ends elsewhere than at the last label or the blank after it counts with a tiny weight
instead of none: labels that do not fit into the time steps have a loss of about 707. In gradients
so do paths that begin elsewhere than at the start.
"""

from __future__ import annotations

import math
from typing import Annotated, Any

import numpy as np

from twinflow._src.core import dtypes
from twinflow._src.core.dtypes import int64
from twinflow._src.core.errors import invalid
from twinflow._src.core.shapes import text
from twinflow._src.dispatch.op import Kind, op

_Longs = Annotated[Any, Kind("labels", only=int64)]
_LOG_WEIGHT = math.log(1e-307)


def _shapes(logits: Any, *_: Any, **__: Any) -> Any:
    dims = logits or (None, None, None)
    return [(dims[1],), tuple(dims)]


def _check(logits: Any, labels: Any, label_length: Any, logit_length: Any) -> None:
    if logits.ndim != 3:
        raise invalid(f"Input to reshape is a tensor of shape {text(logits.shape)}, not of rank 3")
    if labels.ndim != 2:
        raise invalid(f"labels must be a matrix, got shape {text(labels.shape)}")
    for array in (labels, label_length, logit_length):
        if len(array) != logits.shape[1]:
            raise invalid(f"Incompatible shapes: {text(array.shape)} vs. {text(logits.shape)}")


# Arrays of states have the shape [2, batch_size, 1 + max_length]: the start and the labels, and the
# blanks after them.


def _ahead(ways: Any, skips: Any) -> Any:
    """Returns the log probabilities of the states one step later, without what they emit."""
    # ``skips`` is 0 where a label may follow the state before it without a blank, else -inf.
    labels, blanks = ways
    result = np.stack([labels, np.logaddexp(blanks, labels)])
    result[0, :, 1:] = np.logaddexp(
        np.logaddexp(labels[:, 1:], blanks[:, :-1]), labels[:, :-1] + skips
    )
    return result


def _behind(ways: Any, skips: Any) -> Any:
    """Returns the log probabilities of what follows the states, from those one step later."""
    labels, blanks = ways
    result = np.stack([np.logaddexp(labels, blanks), blanks])
    result[0, :, :-1] = np.logaddexp(result[0, :, :-1], labels[:, 1:] + skips)
    result[1, :, :-1] = np.logaddexp(blanks[:, :-1], labels[:, 1:])
    return result


def _emissions(logs: Any, labels: Any) -> Any:
    """Returns the log probabilities of what the states emit at each step; 0 of unknown labels."""
    steps, examples, classes = logs.shape
    is_known = (labels >= 0) & (labels < classes)
    result = np.empty((steps, 2, examples, 1 + labels.shape[1]))
    result[:, 0, :, 0] = -np.inf
    of_labels = np.take_along_axis(logs, np.where(is_known, labels, 0)[None], axis=2)
    result[:, 0, :, 1:] = np.where(is_known, of_labels, 0)
    result[:, 1] = logs[:, :, :1]
    return result


def _log_softmax(logits: Any) -> Any:
    shifted = logits.astype(np.float64)
    shifted -= shifted.max(axis=2, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(axis=2, keepdims=True))


def _expectations(shares: Any, labels: Any, classes: int) -> Any:
    """Returns the expected counts of the classes, from the probabilities of the states."""
    steps, _, examples, _ = shares.shape
    result = np.zeros((steps, examples, classes))
    result[:, :, 0] = shares[:, 1].sum(axis=2)
    for i in range(labels.shape[1]):
        rows = np.flatnonzero((labels[:, i] >= 0) & (labels[:, i] < classes))
        result[:, rows, labels[rows, i]] += shares[:, 0, rows, i + 1]
    return result


@op(
    "CTCLossDense",
    shape=_shapes,
    dtypes=frozenset((dtypes.float32, dtypes.float64)),
    devices=("CPU",),
    results=("loss:T", "gradient:T"),
)
def ctc_loss_dense(
    xp: Any, logits: Any, labels: _Longs, label_length: _Longs, logit_length: _Longs
) -> list[Any]:
    """Computes the CTC loss of dense labels, and its gradient."""
    _check(logits, labels, label_length, logit_length)
    steps, examples, classes = logits.shape
    if not logits.size:
        return [np.zeros(examples, logits.dtype), np.zeros_like(logits)]
    logs, states = _log_softmax(logits), (2, examples, 1 + labels.shape[1])
    emitted = _emissions(logs, labels)
    skips = np.zeros(labels.shape)
    skips[:, 1:][labels[:, 1:] == labels[:, :-1]] = -np.inf
    ends = np.arange(states[2]) == label_length[:, None]
    final = np.broadcast_to(np.where(ends, 0, _LOG_WEIGHT), states)
    is_step = np.arange(steps)[:, None] < logit_length
    ways = np.full(states, _LOG_WEIGHT)
    ways[0, :, 0] = 0
    through, rest = np.empty((steps, *states)), final
    for t in range(steps):
        ways = through[t] = np.where(is_step[t][:, None], _ahead(ways, skips) + emitted[t], ways)
    for t in reversed(range(steps)):
        through[t] += rest
        rest = np.where(is_step[t][:, None], _behind(rest + emitted[t], skips), rest)
    sums = np.logaddexp.reduce(through, axis=(1, 3), keepdims=True)
    expected = _expectations(np.exp(through - sums), labels, classes)
    slope = np.where(is_step[:, :, None], np.exp(logs) - expected, 0)
    return [(-rest[0, :, 0]).astype(logits.dtype), slope.astype(logits.dtype)]
