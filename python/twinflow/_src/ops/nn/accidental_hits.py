"""Candidates that happen to be true classes."""

from __future__ import annotations

from typing import Annotated, Any, NamedTuple

import numpy as np

from twinflow._src.core import dtypes
from twinflow._src.core.errors import invalid
from twinflow._src.dispatch.op import Kind, export, op

_Classes = Annotated[Any, Kind("true_classes", only=dtypes.int64)]


class ComputeAccidentalHits(NamedTuple):
    """Where candidates happen to be true classes."""

    indices: Any
    ids: Any
    weights: Any


@op(
    "ComputeAccidentalHits",
    shape=lambda *_, **__: [(None,), (None,), (None,)],
    no_gradient=True,
    devices=("CPU",),
)
def _accidental_hits(
    xp: Any,
    true_classes: _Classes,
    sampled_candidates: _Classes,
    *,
    num_true: int,
    seed: int = 0,
    seed2: int = 0,
) -> list[Any]:
    """Returns where candidates happen to be true classes.

    Args:
        true_classes: The true classes, a row for each example.
        sampled_candidates: The candidates.
        num_true: How many true classes each example has.
        seed: Accepted and without effect.
        seed2: Accepted and without effect.

    Returns:
        The example and the candidate of each hit, and the lowest number for each.

    Raises:
        InvalidArgumentError: The true classes are no such matrix.
    """
    if true_classes.ndim != 2 or true_classes.shape[1] != num_true:
        raise invalid("true_candidates must be a batch_size * num_true matrix")
    last = {int(c): i for i, c in enumerate(sampled_candidates)}
    hits = [
        (row, last[c])
        for row, classes in enumerate(true_classes.tolist())
        for c in classes
        if c in last
    ]
    places = np.array(hits, np.int64).reshape(-1, 2)
    lowest = np.full(len(hits), np.finfo(np.float32).min)
    return [places[:, 0].astype(np.int32), places[:, 1].copy(), lowest.astype(np.float32)]


@export("nn.compute_accidental_hits")
def compute_accidental_hits(
    true_classes: Any,
    sampled_candidates: Any,
    num_true: int,
    seed: int | None = None,
    name: str | None = None,
) -> Any:
    """Returns where candidates happen to be true classes.

    Args:
        true_classes: The true classes, a row for each example.
        sampled_candidates: The candidates.
        num_true: How many true classes each example has.
        seed: Accepted and without effect.
        name: A name for the operation.

    Returns:
        A named tuple: ``indices``, the examples of the hits; ``ids``, their candidates; and
        ``weights``, the lowest number for each.

    Raises:
        InvalidArgumentError: The true classes are no such matrix.
    """
    return ComputeAccidentalHits(
        *_accidental_hits(true_classes, sampled_candidates, num_true=num_true)
    )
