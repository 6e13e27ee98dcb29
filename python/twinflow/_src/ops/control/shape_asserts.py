"""``tf.debugging.assert_shapes``: shapes whose dimensions have names."""

from __future__ import annotations

from typing import Any

from twinflow._src.dispatch.op import export
from twinflow._src.ops.control.asserts import _prefix, described
from twinflow._src.ops.control.rank_asserts import (
    _value,
    assert_rank,
    assert_rank_at_least,
    assert_rank_in,
)

_REST = (Ellipsis, "*")


@export("debugging.assert_shapes")
def assert_shapes(
    shapes: Any,
    data: Any = None,
    summarize: Any = None,
    message: Any = None,
    name: str | None = None,
) -> None:
    """Raises an error unless tensors have the shapes that symbols describe.

    Args:
        shapes: A dictionary or list of pairs of a tensor and its shape: a sequence of sizes, names
            (equal names stand for equal sizes), ``None`` or ``"."`` (any size), and, in front, ``"*"``
            or ``...`` (any further dimensions).
        data: Accepted and without effect.
        summarize: Accepted and without effect.
        message: What the error's text begins with.
        name: A name for the operation.

    Returns:
        None.

    Raises:
        ValueError: A tensor has another shape.
    """
    pairs = shapes.items() if isinstance(shapes, dict) else shapes
    checked = []
    for x, symbols in pairs:
        if symbols is not None:
            x = _value(x)
            open_ended, symbols = _parsed(x, symbols, message)
            checked.append((x, open_ended, symbols))
    for x, open_ended, symbols in checked:
        _check_rank(x, open_ended, len(symbols), message)
    known: dict[Any, tuple[int, Any, int]] = {}
    for x, open_ended, symbols in checked:
        _check_sizes(x, open_ended, symbols, known, message)


def _parsed(x: Any, symbols: Any, message: Any) -> tuple[bool, tuple[Any, ...]]:
    """Whether any further dimensions may come first, and the symbols of the others."""
    if not (hasattr(symbols, "__iter__") or hasattr(symbols, "__getitem__")):
        raise ValueError(
            f"{_prefix(message)}Tensor {described(x)}.  Specified shape must be an iterable.  An "
            "iterable has the attribute `__iter__` or `__getitem__`.  Received specified shape: "
            f"{symbols}"
        )
    symbols = tuple(symbols)
    for i, symbol in enumerate(symbols):
        if symbol in _REST and i:
            raise ValueError(
                f"{_prefix(message)}Tensor {described(x)} specified shape index {i}.  Symbol `...` or "
                "`*` for a variable number of unspecified dimensions is only allowed as the first entry"
            )
    open_ended = bool(symbols) and symbols[0] in _REST
    return open_ended, symbols[1:] if open_ended else symbols


def _check_rank(x: Any, open_ended: bool, rank: int, message: Any) -> None:
    if open_ended:
        if rank > 1:
            assert_rank_at_least(x, rank, message=message)
    elif rank < 2:
        assert_rank_in(x, [0, 1], message=message)
    else:
        assert_rank(x, rank, message=message)


def _check_sizes(
    x: Any, open_ended: bool, symbols: tuple[Any, ...], known: dict[Any, Any], message: Any
) -> None:
    sizes = x.shape.as_list() or [1]  # a scalar counts as one element
    for i, symbol in enumerate(symbols):
        if symbol is None or symbol == ".":
            continue
        axis = i - len(symbols) if open_ended else i
        try:
            wanted, why = int(symbol), "Specified explicitly"
        except (TypeError, ValueError):
            if symbol not in known:
                known[symbol] = sizes[axis], x, axis
                continue
            wanted, other, at = known[symbol]
            why = f"Specified by tensor {described(other)} dimension {at}"
        if sizes[axis] != wanted:
            raise ValueError(
                f"{_prefix(message)}{why}.  Tensor {described(x)} dimension {axis} must have size "
                f"{wanted}.  Received size {sizes[axis]}, shape {x.shape}"
            )
